// Native → inbound, pure, for the Events API: messages and mentions, the Home tab, and what becomes of channels and workspaces.
import * as z from "zod";
import type { InboundLifecycle } from "../../src/ports/channel.ts";
import { channelName, conversationOf, personOf, type SlackInbound, unreadable } from "./inbound.ts";

const id = z.string().regex(/^[A-Z][A-Z0-9]{1,30}$/);
const ts = z.string().regex(/^\d{1,16}\.\d{1,10}$/);

const envelope = z.object({
  event_id: z.string().min(1).max(100).optional(),
  event_time: z.number().optional(),
  team_id: id.nullish(),
  enterprise_id: id.nullish(),
  authorizations: z
    .array(z.object({ team_id: id.nullish(), enterprise_id: id.nullish(), user_id: id.nullish() }))
    .optional(),
  event: z.looseObject({ type: z.string().max(100) }),
});

const message = z.object({
  channel: id,
  user: id,
  user_team: id.optional(),
  text: z.string().max(100_000).default(""),
  ts,
  thread_ts: ts.optional(),
  channel_type: z.string().max(20).optional(),
});
const homeOpened = z.object({ user: id, channel: id, tab: z.string().max(20) });
const aboutChannel = z.object({ channel: z.union([id, z.object({ id, name: z.string().max(200).optional() })]) });
const joined = z.object({ user: id, channel: id });
const revoked = z.object({ tokens: z.object({ bot: z.array(z.string()).optional() }) });

type Envelope = z.output<typeof envelope>;

/**
 * @param body an `event_callback`.
 * @param botUserId the bot's own id in the workspace, where it is known.
 */
export function readEvent(body: unknown, botUserId?: string): SlackInbound {
  const parsed = envelope.safeParse(body);
  if (!parsed.success) return unreadable("event", parsed.error);
  const { data } = parsed;
  const [authorization] = data.authorizations ?? [];
  const workspace =
    authorization?.team_id ?? data.team_id ?? authorization?.enterprise_id ?? data.enterprise_id ?? undefined;
  if (workspace === undefined) return { kind: "ignored", why: "event without a workspace" };
  const { type } = data.event;
  switch (type) {
    case "app_mention":
      return readMessage("mention", data, workspace, botUserId);
    case "message":
      return readMessage("direct", data, workspace, botUserId);
    case "app_home_opened":
      return readHome(data, workspace);
    default:
      return readLifecycle(data, workspace, authorization?.user_id ?? botUserId);
  }
}

function readMessage(
  kind: "mention" | "direct",
  data: Envelope,
  workspace: string,
  botUserId: string | undefined,
): SlackInbound {
  // Edits, deletions, joins and what bots say (our own messages too) are told by a subtype or a bot's id.
  if (data.event["bot_id"] !== undefined) return { kind: "ignored", why: "message of a bot" };
  if (!isSpoken(data.event["subtype"])) return { kind: "ignored", why: "message with a subtype" };
  const parsed = message.safeParse(data.event);
  if (!parsed.success) return unreadable(kind, parsed.error);
  const { channel, user, user_team, text, ts: at, thread_ts, channel_type } = parsed.data;
  if (user === botUserId) return { kind: "ignored", why: "message of our own" };
  if (kind === "direct" && channel_type !== "im") return { kind: "ignored", why: "message that is not for the bot" };
  return {
    kind,
    key: keyOf(data, `message:${channel}:${at}`),
    conversation: conversationOf(workspace, channel),
    person: personOf(user_team ?? workspace, user),
    text,
    ts: at,
    ...(thread_ts === undefined || thread_ts === at ? {} : { thread: thread_ts }),
  };
}

/** Files along with the words, or a reply that is shown in the channel too, are still said by a person. */
function isSpoken(subtype: unknown): boolean {
  return subtype === undefined || subtype === "file_share" || subtype === "thread_broadcast";
}

function readHome(data: Envelope, workspace: string): SlackInbound {
  const parsed = homeOpened.safeParse(data.event);
  if (!parsed.success) return unreadable("app_home_opened", parsed.error);
  const { user, channel, tab } = parsed.data;
  if (tab !== "home") return { kind: "ignored", why: "the Messages tab" };
  const key = keyOf(data, `home:${user}:${data.event_time ?? ""}`);
  return { kind: "home", key, workspace, person: personOf(workspace, user), direct: channel };
}

const conversationKinds: Readonly<Record<string, "left" | "archived" | "unarchived" | "renamed">> = {
  channel_archive: "archived",
  group_archive: "archived",
  channel_unarchive: "unarchived",
  group_unarchive: "unarchived",
  channel_rename: "renamed",
  group_rename: "renamed",
  channel_left: "left",
  group_left: "left",
  channel_deleted: "left",
  group_deleted: "left",
};

function readLifecycle(data: Envelope, workspace: string, botUserId: string | undefined): SlackInbound {
  const { type } = data.event;
  if (type === "app_uninstalled") {
    return happened(data, { kind: "uninstalled", channel: channelName, workspace });
  }
  if (type === "tokens_revoked") {
    const parsed = revoked.safeParse(data.event);
    const isBot = parsed.success && (parsed.data.tokens.bot ?? []).length > 0;
    if (!isBot) return { kind: "ignored", why: "tokens of people were revoked" };
    return happened(data, { kind: "uninstalled", channel: channelName, workspace });
  }
  if (type === "member_joined_channel") {
    const parsed = joined.safeParse(data.event);
    if (!parsed.success) return unreadable(type, parsed.error);
    if (parsed.data.user !== botUserId) return { kind: "ignored", why: "somebody else joined" };
    return happened(data, { kind: "joined", conversation: conversationOf(workspace, parsed.data.channel) });
  }
  const kind = Object.hasOwn(conversationKinds, type) ? conversationKinds[type] : undefined;
  if (kind === undefined) return { kind: "ignored", why: `event ${type}` };
  const parsed = aboutChannel.safeParse(data.event);
  if (!parsed.success) return unreadable(type, parsed.error);
  const { channel } = parsed.data;
  const conversation = conversationOf(workspace, typeof channel === "string" ? channel : channel.id);
  const name = typeof channel === "string" ? undefined : channel.name;
  return happened(data, { kind, conversation, ...(name === undefined ? {} : { name }) });
}

function happened(data: Envelope, event: InboundLifecycle): SlackInbound {
  const about = "conversation" in event ? event.conversation.conversation : event.workspace;
  return { kind: "lifecycle", key: keyOf(data, `${event.kind}:${about}:${data.event_time ?? ""}`), event };
}

function keyOf({ event_id }: Envelope, otherwise: string): string {
  return event_id === undefined ? otherwise : `event:${event_id}`;
}
