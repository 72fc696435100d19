// Takes messages, menu entries and what happens to chats: each once, stored by the core before the platform hears that it arrived.

import type { InboundCommand, Inbox } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { type Background, messageOf } from "./background.ts";
import type { EventClaims } from "./event-claims.ts";
import {
  type ChatEventType,
  chatEventOf,
  chatEventTypes,
  conversationOf,
  type Hearing,
  heardMessage,
  menuEntry,
  type NativeEvent,
} from "./inbound.ts";
import type { People } from "./people.ts";
import type { ShowReply } from "./reply.ts";
import type { LarkEventHandler } from "./sdk.ts";

export interface ReceivePorts {
  readonly inbox: Pick<Inbox, "command" | "lifecycle">;
  readonly claims: EventClaims;
  readonly show: ShowReply;
  readonly people: People;
  /** Commands by the keys of menu entries. */
  readonly menu: Readonly<Record<string, string>>;
  readonly store: Pick<ChannelStore, "note" | "saveNote">;
  readonly background: Background;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * How long the platform waits for us at most, ms: it wants its answer within 3 s. What takes longer goes on, and the event is
 * refused, so that the platform pushes it again and learns that it was taken: a process that dies meanwhile loses nothing.
 */
export const ANSWER_MS = 2_500;
/** Events older than this are dropped: what was done with them is forgotten after 24 h, ms. */
const MAX_AGE_MS = 23 * 3_600_000;
/** Nobody waits for a name that is looked up for the next time, ms. */
const NAME_MS = 10_000;

/** Handlers by event type. They throw when the platform should push the event again. */
export function createReceive(ports: ReceivePorts, hearing: Hearing): Readonly<Record<string, LarkEventHandler>> {
  const { inbox, claims, people, store, background, clock, logger } = ports;

  async function message(native: NativeEvent): Promise<void> {
    const heard = heardMessage(native, hearing);
    if (heard.kind === "ignored") return logger.debug("lark.message_ignored", { why: heard.why });
    const { command, at, isDirect } = heard;
    if (isDirect) background.run("lark.note_failed", () => rememberDirect(command));
    await take(`message/${command.eventId}`, command, at);
  }

  async function menu(native: NativeEvent): Promise<void> {
    const entry = menuEntry(native, ports.menu, hearing);
    if (entry === null) return logger.info("lark.menu_unknown", { key: native["event_key"] });
    const { eventId, workspace, person, text, at } = entry;
    // A menu tells no chat: it is the one in which the person last wrote to the bot, or else the person is written to.
    const chat = (await store.note("lark", directNote(workspace, person.person))) ?? person.person;
    const command = { conversation: conversationOf(workspace, chat), person, eventId, text, roles: [] };
    await take(`menu/${eventId}`, command, at);
  }

  async function chat(type: ChatEventType, native: NativeEvent): Promise<void> {
    const event = chatEventOf(type, native, hearing);
    if (event === null) return;
    await once(`event/${event.eventId}`, ageOf(native), async () => {
      await inbox.lifecycle(event.lifecycle);
      logger.info(`lark.chat_${event.lifecycle.kind}`, { ...event.lifecycle.conversation });
    });
  }

  async function take(key: string, command: InboundCommand, at: number | undefined): Promise<void> {
    if (at !== undefined && clock.now() - at > MAX_AGE_MS) return logger.warn("lark.command_too_old", { key, at });
    const { person: speaker } = command;
    // The platform waits: only a name that is known is told, and the next command knows more.
    const name = speaker.name ?? people.known(speaker.person);
    const person = { ...speaker, ...(name === undefined ? {} : { name }) };
    await once(key, at, async () => {
      const reply = await inbox.command({ ...command, person });
      if (name === undefined) background.run("lark.name_unknown", () => learnName(person.person));
      if (reply !== null) background.run("lark.reply_failed", () => ports.show(command, reply, at));
    });
  }

  async function learnName(openId: string): Promise<void> {
    await people.name(openId, NAME_MS);
  }

  async function once(key: string, at: number | undefined, work: () => Promise<void>): Promise<void> {
    const outcome = await claims.once(key, at, ANSWER_MS, async () => {
      try {
        await work();
      } catch (thrown) {
        logger.error("lark.event_failed", { key, error: messageOf(thrown) });
        throw thrown;
      }
    });
    if (outcome === "duplicate") logger.info("lark.event_repeated", { key });
    if (outcome !== "again") return;
    logger.warn("lark.event_late", { key });
    throw new Error("not finished in time; push it again");
  }

  async function rememberDirect({ conversation, person }: InboundCommand): Promise<void> {
    const name = directNote(conversation.workspace, person.person);
    if ((await store.note("lark", name)) === conversation.conversation) return;
    await store.saveNote("lark", name, conversation.conversation);
  }

  return {
    "im.message.receive_v1": message,
    "application.bot.menu_v6": menu,
    ...Object.fromEntries(chatEventTypes.map((type) => [type, (native: NativeEvent) => chat(type, native)])),
  };
}

function directNote(workspace: string, person: string): string {
  return `direct/${workspace}/${person}`;
}

function ageOf(native: NativeEvent): number | undefined {
  const at = Number(native["create_time"]);
  return Number.isFinite(at) && at > 0 ? at : undefined;
}
