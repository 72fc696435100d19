// The conversation as the web channel keeps it: every change is committed to the chat log, then told to the open streams.
import type { Page } from "../../src/core/card.ts";
import type { ConversationRef, MessageRef, PersonRef } from "../../src/core/delivery.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { ChatLog, ChatMessage } from "../../src/ports/store.ts";
import { maxPageBytes } from "./capabilities.ts";
import type { StreamEvent, Streams } from "./client.ts";
import { renderMessage, renderPage } from "./render.ts";

export interface MessageLogPorts {
  readonly chat: ChatLog;
  readonly streams: Pick<Streams, "publish">;
  readonly ids: Ids;
  readonly clock: Clock;
}

export interface Place {
  readonly conversation: string;
  readonly thread: string | undefined;
  readonly visibility: ChatMessage["visibility"];
}

export interface MessageLog {
  append(message: Omit<ChatMessage, "editedAt">, key: string): Promise<ChatMessage>;
  /** Posts a page of the bot once per key. Throws ChannelError `gone` when the thread's root is, `too_large` over the limit. */
  appendPage(place: Place, page: Page, key: string): Promise<ChatMessage>;
  /** Throws ChannelError `gone` when there is no such message, `too_large` over the limit. */
  edit(id: string, page: Page): Promise<void>;
  remove(id: string): Promise<void>;
  /** What was appended or edited at or after a time, as events, oldest change first. */
  changedSince(conversation: string, since: number): Promise<readonly StreamEvent[]>;
  conversation(id: string): ConversationRef;
  refOf(message: ChatMessage): MessageRef;
  /** Until people can sign in, whoever reaches the page is the one person of the web chat. */
  readonly person: PersonRef;
}

/** Root messages that a resuming client is brought up to date with. */
const MAX_RESUMED = 200;

export function createMessageLog({ chat, streams, ids, clock }: MessageLogPorts): MessageLog {
  async function append(message: Omit<ChatMessage, "editedAt">, key: string): Promise<ChatMessage> {
    const kept = await chat.append(message, key);
    // A key seen before gives the earlier message, which was told when it was new.
    if (kept.id === message.id) streams.publish(kept.conversation, appended(kept));
    return kept;
  }

  const here = { channel: "web", workspace: "local" } as const;
  return {
    append,
    person: { ...here, person: "local" },
    conversation: (conversation) => ({ ...here, conversation }),
    refOf: ({ conversation, thread, id }) => ({
      ...here,
      conversation,
      ...(thread === undefined ? {} : { thread }),
      message: id,
    }),
    async appendPage({ conversation, thread, visibility }, page, key) {
      const rendered = checkedPage(page);
      if (thread !== undefined) {
        const root = await chat.get(thread);
        if (root?.conversation !== conversation) throw new ChannelError("gone", "The thread's root message is gone.");
      }
      return append(
        {
          id: ids.next("ms"),
          conversation,
          ...(thread === undefined ? {} : { thread }),
          from: "bot",
          visibility,
          ...rendered,
          createdAt: clock.now(),
        },
        key,
      );
    },
    async edit(id, page) {
      const edited = await chat.edit(id, { ...checkedPage(page), now: clock.now() });
      if (edited === null) throw new ChannelError("gone", "The message to edit is gone.");
      streams.publish(edited.conversation, updated(edited));
    },
    async remove(id) {
      const message = await chat.get(id);
      // Removing what is gone is done already.
      if (message === null || !(await chat.remove(id))) return;
      streams.publish(message.conversation, { name: "message.removed", at: clock.now(), data: { id } });
    },
    async changedSince(conversation, since) {
      const messages = await chat.list(conversation, MAX_RESUMED);
      return messages
        .filter((message) => changedAt(message) >= since)
        .sort((a, b) => changedAt(a) - changedAt(b))
        .map((message) => (message.createdAt >= since ? appended(message) : updated(message)));
    },
  };
}

function checkedPage(page: Page): { readonly text: string; readonly card: string } {
  const rendered = renderPage(page);
  if (Buffer.byteLength(rendered.card) > maxPageBytes) {
    throw new ChannelError("too_large", `The page has more than ${maxPageBytes / 1024} KiB.`);
  }
  return rendered;
}

function changedAt(message: ChatMessage): number {
  return message.editedAt ?? message.createdAt;
}

function appended(message: ChatMessage): StreamEvent {
  return { name: "message", at: changedAt(message), data: renderMessage(message) };
}

function updated(message: ChatMessage): StreamEvent {
  return { name: "message.updated", at: changedAt(message), data: renderMessage(message) };
}
