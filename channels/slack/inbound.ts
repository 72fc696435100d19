// Native → inbound, pure: what a body from Slack says, whichever way it came; everything in it is checked before it is used.
import * as z from "zod";
import type { ConversationRef, MessageRef, PersonRef } from "../../src/core/delivery.ts";
import type { InboundLifecycle } from "../../src/ports/channel.ts";

/** Where something happened, and who did it. */
interface Origin {
  /** The same event has the same key, however often it is sent. */
  readonly key: string;
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
}

export interface SlashCommand extends Origin {
  readonly kind: "command";
  readonly command: string;
  readonly text: string;
  readonly responseUrl: string;
  readonly triggerId: string;
  /** Slack hides the names of private channels and of direct messages from apps. */
  readonly isPrivate: boolean;
}

/** A mention in a channel or thread, or a message to the bot alone. */
export interface SpokenMessage extends Origin {
  readonly kind: "mention" | "direct";
  /** As Slack sends it, with markup and escapes. */
  readonly text: string;
  readonly ts: string;
  readonly thread?: string;
}

export interface PressedButton extends Origin {
  readonly kind: "press";
  readonly actionId: string;
  /** What the button carries; of a select what was chosen. */
  readonly value: string;
  readonly triggerId: string;
  readonly responseUrl?: string;
  /** Absent on a button of the Home tab or of a modal. */
  readonly message?: MessageRef;
  readonly view?: OpenView;
}

export interface OpenView {
  readonly id: string;
  readonly hash: string;
  readonly callbackId: string;
  readonly metadata: string;
}

export interface MessageShortcut extends Origin {
  readonly kind: "shortcut";
  readonly callbackId: string;
  readonly triggerId: string;
  readonly responseUrl: string;
  readonly text: string;
  readonly ts: string;
  readonly thread?: string;
}

export interface SubmittedView extends Omit<Origin, "conversation"> {
  readonly kind: "submit";
  readonly workspace: string;
  readonly view: OpenView;
  readonly triggerId: string;
  readonly values: Readonly<Record<string, string>>;
}

export interface OpenedHome extends Omit<Origin, "conversation"> {
  readonly kind: "home";
  readonly workspace: string;
  /** The direct conversation with the bot. */
  readonly direct: string;
}

export interface Happened {
  readonly kind: "lifecycle";
  readonly key: string;
  readonly event: InboundLifecycle;
}

export type SlackInbound =
  | SlashCommand
  | SpokenMessage
  | PressedButton
  | MessageShortcut
  | SubmittedView
  | OpenedHome
  | Happened
  | { readonly kind: "ignored"; readonly why: string };

export const channelName = "slack";

const id = z.string().regex(/^[A-Z][A-Z0-9]{1,30}$/);
const ts = z.string().regex(/^\d{1,16}\.\d{1,10}$/);
const text = z.string().max(100_000);
const address = z.string().max(2_000);

export const slashBody = z.object({
  command: z.string().max(200),
  text: text.default(""),
  team_id: id.optional(),
  enterprise_id: id.optional(),
  channel_id: id,
  channel_name: z.string().max(200).optional(),
  user_id: id,
  user_name: z.string().max(200).optional(),
  response_url: address,
  trigger_id: z.string().min(1).max(500),
});

export function readCommand(body: unknown): SlackInbound {
  const parsed = slashBody.safeParse(body);
  if (!parsed.success) return unreadable("command", parsed.error);
  const { data } = parsed;
  const workspace = data.team_id ?? data.enterprise_id;
  if (workspace === undefined) return { kind: "ignored", why: "command without a workspace" };
  return {
    kind: "command",
    key: `command:${data.trigger_id}`,
    conversation: conversationOf(workspace, data.channel_id),
    person: personOf(workspace, data.user_id, data.user_name),
    command: data.command,
    text: data.text,
    responseUrl: data.response_url,
    triggerId: data.trigger_id,
    isPrivate: data.channel_name === "privategroup" || data.channel_name === "directmessage",
  };
}

const actor = z.object({
  id,
  username: z.string().max(200).optional(),
  name: z.string().max(200).optional(),
  team_id: id.nullish(),
});
const place = { team: z.object({ id }).nullish(), enterprise: z.object({ id }).nullish(), user: actor };

const option = z.object({ value: z.string().max(2_000) });
const view = z.object({
  id,
  hash: z.string().max(200).default(""),
  callback_id: z.string().max(255).default(""),
  private_metadata: z.string().max(3_000).default(""),
  app_installed_team_id: id.nullish(),
});

const pressBody = z.object({
  ...place,
  trigger_id: z.string().min(1).max(500),
  response_url: address.optional(),
  channel: z.object({ id }).optional(),
  container: z.object({
    channel_id: id.optional(),
    message_ts: ts.optional(),
    thread_ts: ts.optional(),
  }),
  view: view.optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string().max(255),
        value: z.string().max(2_000).optional(),
        selected_option: option.nullish(),
        selected_conversation: id.nullish(),
      }),
    )
    .min(1),
});

/** `block_actions`: a button or select of a message, of a modal or of the Home tab. */
export function readPress(body: unknown): SlackInbound {
  const parsed = pressBody.safeParse(body);
  if (!parsed.success) return unreadable("press", parsed.error);
  const { data } = parsed;
  const workspace = workspaceOf(data);
  const action = data.actions[0];
  if (workspace === undefined || action === undefined) return { kind: "ignored", why: "press without a workspace" };
  const { channel_id, message_ts, thread_ts } = data.container;
  const channel = channel_id ?? data.channel?.id;
  const conversation = conversationOf(workspace, channel ?? data.user.id);
  const isReply = thread_ts !== undefined && thread_ts !== message_ts;
  return {
    kind: "press",
    key: `press:${data.trigger_id}`,
    conversation,
    person: personFrom(workspace, data.user),
    actionId: action.action_id,
    value: action.value ?? action.selected_option?.value ?? action.selected_conversation ?? "",
    triggerId: data.trigger_id,
    ...(data.response_url === undefined ? {} : { responseUrl: data.response_url }),
    ...(channel === undefined || message_ts === undefined
      ? {}
      : { message: { ...conversation, ...(isReply ? { thread: thread_ts } : {}), message: message_ts } }),
    ...(data.view === undefined ? {} : { view: openView(data.view) }),
  };
}

const shortcutBody = z.object({
  ...place,
  callback_id: z.string().max(255),
  trigger_id: z.string().min(1).max(500),
  response_url: address,
  channel: z.object({ id }),
  message: z.object({ ts, thread_ts: ts.optional(), text: text.default("") }),
});

/** `message_action`: a shortcut of a message's menu. */
export function readShortcut(body: unknown): SlackInbound {
  const parsed = shortcutBody.safeParse(body);
  if (!parsed.success) return unreadable("shortcut", parsed.error);
  const { data } = parsed;
  const workspace = workspaceOf(data);
  if (workspace === undefined) return { kind: "ignored", why: "shortcut without a workspace" };
  return {
    kind: "shortcut",
    key: `shortcut:${data.trigger_id}`,
    conversation: conversationOf(workspace, data.channel.id),
    person: personFrom(workspace, data.user),
    callbackId: data.callback_id,
    triggerId: data.trigger_id,
    responseUrl: data.response_url,
    text: data.message.text,
    ts: data.message.ts,
    thread: data.message.thread_ts ?? data.message.ts,
  };
}

const stateValue = z.object({
  value: z.string().max(10_000).nullish(),
  selected_option: option.nullish(),
  selected_conversation: id.nullish(),
});

const submitBody = z.object({
  ...place,
  trigger_id: z.string().max(500).default(""),
  view: view.extend({ state: z.object({ values: z.record(z.string(), z.record(z.string(), stateValue)) }) }),
});

/** `view_submission`: the values by the action ids of their elements. */
export function readSubmission(body: unknown): SlackInbound {
  const parsed = submitBody.safeParse(body);
  if (!parsed.success) return unreadable("submission", parsed.error);
  const { data } = parsed;
  const workspace = data.view.app_installed_team_id ?? workspaceOf(data);
  if (workspace === undefined) return { kind: "ignored", why: "submission without a workspace" };
  const values = Object.values(data.view.state.values).flatMap((block) =>
    Object.entries(block).map(([name, given]): [string, string] => [
      name,
      given.value ?? given.selected_option?.value ?? given.selected_conversation ?? "",
    ]),
  );
  return {
    kind: "submit",
    // A modal is submitted once more only when it was corrected, and then it has another hash.
    key: `submit:${data.view.id}:${data.view.hash}`,
    workspace,
    person: personFrom(workspace, data.user),
    view: openView(data.view),
    triggerId: data.trigger_id,
    values: Object.fromEntries(values),
  };
}

export function conversationOf(workspace: string, conversation: string): ConversationRef {
  return { channel: channelName, workspace, conversation };
}

/** People of another organisation in a shared channel keep their own workspace: no role of ours is theirs. */
export function personOf(workspace: string, person: string, name?: string): PersonRef {
  return { channel: channelName, workspace, person, ...(name === undefined || name === "" ? {} : { name }) };
}

function personFrom(workspace: string, { id: person, name, username, team_id }: z.output<typeof actor>): PersonRef {
  return personOf(team_id ?? workspace, person, name ?? username);
}

function workspaceOf({ team, enterprise, user }: z.output<z.ZodObject<typeof place>>): string | undefined {
  return team?.id ?? enterprise?.id ?? user.team_id ?? undefined;
}

function openView({ id: viewId, hash, callback_id, private_metadata }: z.output<typeof view>): OpenView {
  return { id: viewId, hash, callbackId: callback_id, metadata: private_metadata };
}

export function unreadable(what: string, error: z.ZodError): SlackInbound {
  const where = error.issues.slice(0, 3).map(({ path }) => path.join("."));
  return { kind: "ignored", why: `${what} that is not as documented: ${where.join(", ") || "no object"}` };
}
