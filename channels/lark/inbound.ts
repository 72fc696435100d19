// Native → inbound, pure: messages, clicks, menu entries and what happens to chats, as the core knows them.
import * as z from "zod";
import type { ConversationRef, PersonRef } from "../../src/core/delivery.ts";
import type { ConversationEvent, InboundAction, InboundCommand } from "../../src/ports/channel.ts";
import { ephemeralId, placeOfClick, readButtonValue } from "./card/button-value.ts";
import { spokenCommand } from "./command-text.ts";
import { type LarkMention, larkMention, readText } from "./message-text.ts";

/** What the SDK's dispatcher hands over: header and event in one object. */
export type NativeEvent = Readonly<Record<string, unknown>>;

const id = z.string().min(1).max(128);
/** ms since the epoch, as text. */
const moment = z.string().regex(/^\d{1,16}$/);

const messageEvent = z.object({
  tenant_key: id,
  sender: z.object({
    sender_id: z.object({ open_id: z.string().nullish() }).nullish(),
    sender_type: z.string(),
    tenant_key: z.string().nullish(),
  }),
  message: z.object({
    message_id: id,
    root_id: z.string().nullish(),
    thread_id: z.string().nullish(),
    create_time: moment.nullish(),
    chat_id: id,
    chat_type: z.string(),
    message_type: z.string(),
    content: z.string(),
    mentions: z.array(larkMention).nullish(),
  }),
});

const clickEvent = z.object({
  event_id: id,
  tenant_key: id,
  operator: z.object({ open_id: id, tenant_key: z.string().nullish() }),
  action: z.object({
    value: z.unknown(),
    form_value: z.record(z.string(), z.unknown()).nullish(),
  }),
  context: z.object({ open_message_id: id, open_chat_id: id }),
});

const menuEvent = z.object({
  event_id: id,
  tenant_key: id,
  event_key: z.string(),
  create_time: moment.nullish(),
  operator: z.object({
    operator_name: z.string().nullish(),
    operator_id: z.object({ open_id: id }),
  }),
});

const chatEvent = z.object({
  event_id: id,
  tenant_key: id,
  chat_id: id,
  name: z.string().nullish(),
  after_change: z.object({ name: z.string().nullish() }).nullish(),
});

/** What a form's button carries beside what every button does: who was asked, and in which thread. */
const formValue = z.object({ asker: id, thread: id.optional() });

const tokenShape = /^v1:[0-9A-Za-z]{1,60}$/;

export type Heard =
  | {
      readonly kind: "command";
      readonly command: InboundCommand;
      readonly at: number | undefined;
      readonly isDirect: boolean;
    }
  | { readonly kind: "ignored"; readonly why: "malformed" | "foreign_tenant" | "bot" | "no_text" | "not_for_us" };

export interface Hearing {
  readonly botOpenId: string;
  readonly commandName: string;
  /** Open ids of bots that are heard. */
  readonly allowedBots: readonly string[];
  /** The only tenant that is heard; absent: any. */
  readonly tenant?: string;
}

/** Only direct messages, those that mention the bot, and those that begin with the command are for us. */
export function heardMessage(native: NativeEvent, hearing: Hearing): Heard {
  const read = messageEvent.safeParse(native);
  if (!read.success) return { kind: "ignored", why: "malformed" };
  const { message, sender, tenant_key: tenant } = read.data;
  if (isForeign(tenant, hearing)) return { kind: "ignored", why: "foreign_tenant" };
  const openId = sender.sender_id?.open_id ?? "";
  if (openId === "" || openId === hearing.botOpenId) return { kind: "ignored", why: "bot" };
  if (sender.sender_type !== "user" && !hearing.allowedBots.includes(openId)) return { kind: "ignored", why: "bot" };
  const mentions: readonly LarkMention[] = message.mentions ?? [];
  const written = readText({ type: message.message_type, content: message.content, mentions }, hearing.botOpenId);
  if (written === null) return { kind: "ignored", why: "no_text" };
  const spoken = spokenCommand(written.text, hearing.commandName);
  const isDirect = message.chat_type === "p2p";
  if (!isDirect && !written.mentionsBot && !spoken.isNamed) return { kind: "ignored", why: "not_for_us" };
  const thread = threadOf(message);
  const command: InboundCommand = {
    conversation: conversationOf(tenant, message.chat_id),
    person: personOf(sender.tenant_key ?? tenant, openId),
    eventId: message.message_id,
    text: spoken.text,
    ...(thread === undefined ? {} : { thread }),
    roles: [],
  };
  return { kind: "command", command, at: numberOf(message.create_time), isDirect };
}

export interface Click {
  readonly action: InboundAction;
  /** The card that holds a form, which is of no use once it is sent. */
  readonly formCard?: string;
}

/** `unknown`: a button that is none of ours. `not_yours`: somebody else's form. */
export function clicked(native: NativeEvent, hearing: Pick<Hearing, "tenant">): Click | "unknown" | "not_yours" {
  const read = clickEvent.safeParse(native);
  if (!read.success || isForeign(read.data.tenant_key, hearing)) return "unknown";
  const { event_id: eventId, tenant_key: tenant, operator, action, context } = read.data;
  const button = readButtonValue(action.value);
  if (button === null || !tokenShape.test(button.token)) return "unknown";
  const form = formValue.safeParse(action.value);
  if (form.success && form.data.asker !== operator.open_id) return "not_yours";
  const card = { chat: context.open_chat_id, message: context.open_message_id };
  const place = placeOfClick(button, card);
  const conversation = conversationOf(tenant, place.conversation);
  const thread = form.success ? form.data.thread : undefined;
  return {
    action: {
      conversation,
      person: personOf(operator.tenant_key ?? tenant, operator.open_id),
      eventId,
      token: button.token,
      message: { ...conversation, ...(thread === undefined ? {} : { thread }), message: place.message },
      values: valuesOf(action.form_value ?? {}),
      roles: [],
    },
    ...(form.success ? { formCard: button.isEphemeral ? ephemeralId(card.message) : card.message } : {}),
  };
}

export interface MenuEntry {
  readonly eventId: string;
  readonly workspace: string;
  readonly person: PersonRef;
  readonly text: string;
  readonly at: number | undefined;
}

/** Null when the entry is none of the configured ones. */
export function menuEntry(
  native: NativeEvent,
  menu: Readonly<Record<string, string>>,
  hearing: Pick<Hearing, "tenant">,
): MenuEntry | null {
  const read = menuEvent.safeParse(native);
  if (!read.success || isForeign(read.data.tenant_key, hearing)) return null;
  const { event_id: eventId, tenant_key: workspace, event_key: key, operator } = read.data;
  const text = Object.hasOwn(menu, key) ? menu[key] : undefined;
  if (text === undefined) return null;
  const person = personOf(workspace, operator.operator_id.open_id, operator.operator_name ?? undefined);
  return { eventId, workspace, person, text, at: numberOf(read.data.create_time) };
}

/** The chat's events by their native names. */
const chatEvents = {
  "im.chat.member.bot.added_v1": "joined",
  "im.chat.member.bot.deleted_v1": "left",
  "im.chat.disbanded_v1": "archived",
  "im.chat.updated_v1": "renamed",
} as const;

export type ChatEventType = keyof typeof chatEvents;

export const chatEventTypes = Object.keys(chatEvents) as readonly ChatEventType[];

export interface ChatEvent {
  readonly eventId: string;
  readonly lifecycle: ConversationEvent;
}

/** Null for changes of a chat that are none of its name, and for what cannot be read. */
export function chatEventOf(
  type: ChatEventType,
  native: NativeEvent,
  hearing: Pick<Hearing, "tenant">,
): ChatEvent | null {
  const read = chatEvent.safeParse(native);
  if (!read.success || isForeign(read.data.tenant_key, hearing)) return null;
  const { event_id: eventId, tenant_key: tenant, chat_id: chat, name, after_change: after } = read.data;
  const kind = chatEvents[type];
  const newName = kind === "renamed" ? after?.name : name;
  if (kind === "renamed" && !newName) return null;
  const named = kind === "joined" || kind === "renamed";
  return {
    eventId,
    lifecycle: { kind, conversation: conversationOf(tenant, chat), ...(named && newName ? { name: newName } : {}) },
  };
}

export function conversationOf(workspace: string, conversation: string): ConversationRef {
  return { channel: "lark", workspace, conversation };
}

function personOf(workspace: string, person: string, name?: string): PersonRef {
  return { channel: "lark", workspace, person, ...(name === undefined || name === "" ? {} : { name }) };
}

/**
 * The message that the thread hangs on. In a topic group the root's id may be missing while the topic's stands there: then
 * the message itself is answered, which keeps the answer in its topic. A quoted message makes no thread.
 */
function threadOf(message: z.output<typeof messageEvent>["message"]): string | undefined {
  if (!message.thread_id) return undefined;
  return message.root_id ? message.root_id : message.message_id;
}

function isForeign(tenant: string, { tenant: only }: Pick<Hearing, "tenant">): boolean {
  return only !== undefined && only !== tenant;
}

/** Answers of a form are texts; anything else a form may hold is none of ours. */
function valuesOf(given: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts.slice(0, 20).map(([name, text]) => [name.slice(0, 64), text.slice(0, 4_000)]));
}

function numberOf(text: string | null | undefined): number | undefined {
  return text === null || text === undefined ? undefined : Number(text);
}
