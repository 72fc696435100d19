// The platform's messages: create, reply, update, recall, cards for one person, with its limits, codes and idempotency.
import * as z from "zod";
import type { Clock } from "../../../src/ports/clock.ts";
import { type ApiAnswer, createWindow, done, readStrictly, refused } from "./api-answers.ts";
import { judgeCard } from "./api-cards.ts";
import type { FakeMessage, LarkState } from "./api-state.ts";

const uuid = z.string().min(1).max(50).optional();
const draft = { msg_type: z.enum(["text", "post", "image", "file", "interactive"]), content: z.string(), uuid };
const created = z.strictObject({ receive_id: z.string(), ...draft });
const replied = z.strictObject({ ...draft, reply_in_thread: z.boolean().optional() });
const patched = z.strictObject({ content: z.string() });
const shown = z.strictObject({
  chat_id: z.string(),
  open_id: z.string(),
  msg_type: z.literal("interactive"),
  card: z.record(z.string(), z.unknown()),
});
const taken = z.strictObject({ message_id: z.string() });

const HOUR_MS = 3_600_000;
const UPDATE_LIFE_MS = 14 * 24 * HOUR_MS;
const MAX_CARD_BYTES = 30 * 1024;
const MAX_TEXT_BYTES = 150 * 1024;

export interface MessageCalls {
  create(query: URLSearchParams, body: unknown): ApiAnswer;
  reply(message: string, body: unknown): ApiAnswer;
  patch(message: string, body: unknown): ApiAnswer;
  recall(message: string): ApiAnswer;
  showToOne(body: unknown): ApiAnswer;
  takeFromOne(body: unknown): ApiAnswer;
}

export function createMessageCalls(state: LarkState, clock: Clock): MessageCalls {
  const { chats, messages } = state;
  const byUuid = new Map<string, { readonly message: FakeMessage; readonly at: number }>();
  const chatRate = createWindow(5, 1_000);
  const updateRate = createWindow(5, 1_000);

  function repeated(key: string | undefined): FakeMessage | undefined {
    const known = key === undefined ? undefined : byUuid.get(key);
    return known !== undefined && clock.now() - known.at < HOUR_MS ? known.message : undefined;
  }

  /** @param written the content as it stands in the request, whose size counts: mostly as a text within JSON. */
  function judge(
    type: string,
    content: string,
    written = JSON.stringify(content),
  ): { readonly answer: ApiAnswer } | { readonly content: unknown } {
    const most = type === "text" ? MAX_TEXT_BYTES : MAX_CARD_BYTES;
    if (Buffer.byteLength(written) > most)
      return { answer: refused(230025, "The length of the message content reaches its limit") };
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch {
      return { answer: refused(230001, "invalid request, ext=content is not a string in json format") };
    }
    if (type === "interactive") {
      const fault = judgeCard(value, (key) => state.uploads.get(key)?.kind === "image");
      if (fault !== null) return { answer: cardRefusal(fault.errCode, fault.errMsg) };
    }
    if (type === "text" && !z.strictObject({ text: z.string().min(1) }).safeParse(value).success) {
      return { answer: refused(230001, "invalid request, ext=text is empty") };
    }
    if (type === "file" && state.uploads.get((value as { file_key?: string }).file_key ?? "")?.kind !== "file") {
      return { answer: refused(230001, "invalid request, ext=invalid file_key") };
    }
    return { content: value };
  }

  /** Whether the bot may write into that chat. */
  function closed(chatId: string): ApiAnswer | null {
    const chat = chats.get(chatId);
    if (chat?.isDissolved === true)
      return refused(232009, "Your request specifies a chat which has already been dissolved.");
    if (chat?.isBotMember !== true) return refused(230002, "The bot can not be outside the group.");
    return null;
  }

  function put(chatId: string, type: string, content: string, key: string | undefined, root?: string): ApiAnswer {
    const known = repeated(key);
    if (known !== undefined) return done(viewOf(known));
    const shut = closed(chatId);
    if (shut !== null) return shut;
    if (!chatRate(chatId, clock.now())) return refused(230020, "This operation triggers the frequency limit.");
    const judged = judge(type, content);
    if ("answer" in judged) return judged.answer;
    const message = state.add({
      chat: chatId,
      from: "bot",
      type,
      content: judged.content,
      ...(root === undefined ? {} : { root }),
    });
    if (key !== undefined) byUuid.set(key, { message, at: clock.now() });
    return done(viewOf(message));
  }

  return {
    create(query, body) {
      const read = readStrictly(created, body);
      if (!read.ok) return read.answer;
      const { receive_id: receiver, msg_type: type, content, uuid: key } = read.value;
      switch (query.get("receive_id_type")) {
        case "chat_id":
          return put(receiver, type, content, key);
        case "open_id":
          if (!/^ou_[0-9A-Za-z]+$/.test(receiver)) return refused(230001, "invalid request, ext=invalid receive_id");
          return put(state.directChat(receiver).id, type, content, key);
        default:
          return refused(230001, "invalid request, ext=receive_id_type is required");
      }
    },
    reply(id, body) {
      const read = readStrictly(replied, body);
      if (!read.ok) return read.answer;
      const message = messages.get(id);
      if (message === undefined || message.onlyFor !== undefined) return refused(231003, "The message is not found");
      if (message.isRecalled) return refused(230011, "The message was withdrawn.");
      const { msg_type: type, content, uuid: key, reply_in_thread: inThread = false } = read.value;
      // Outside a thread a reply only quotes: it opens no topic.
      const root = inThread || message.threadId !== undefined ? (message.root ?? message.id) : undefined;
      return put(message.chat, type, content, key, root);
    },
    patch(id, body) {
      const read = readStrictly(patched, body);
      if (!read.ok) return read.answer;
      const message = messages.get(id);
      if (message === undefined || message.onlyFor !== undefined) return refused(231003, "The message is not found");
      if (message.from !== "bot") return refused(230012, "Bot is NOT the sender of the message.");
      if (message.isRecalled) return refused(230011, "The message was withdrawn.");
      if (message.type !== "interactive")
        return refused(230054, "This operation is not supported for this message type.");
      if (clock.now() - message.createdAt > UPDATE_LIFE_MS)
        return refused(230031, "The message can only be updated within 14 days.");
      if (!updateRate(id, clock.now())) return refused(230020, "This operation triggers the frequency limit.");
      const judged = judge("interactive", read.value.content);
      if ("answer" in judged) return judged.answer;
      message.content = judged.content;
      message.edits += 1;
      message.editedAt = clock.now();
      return done();
    },
    recall(id) {
      const message = messages.get(id);
      if (message === undefined || message.onlyFor !== undefined) return refused(231003, "The message is not found");
      if (message.from !== "bot") return refused(230026, "No permission to recall this message.");
      if (message.isRecalled) return refused(230011, "The message was withdrawn.");
      message.isRecalled = true;
      return done();
    },
    showToOne(body) {
      const read = readStrictly(shown, body);
      if (!read.ok) return read.answer;
      const { chat_id: chatId, open_id: person, card } = read.value;
      if (chats.get(chatId)?.mode !== "group") return refused(18053, "chat can not be thread");
      const shut = closed(chatId);
      if (shut !== null) return shut;
      const judged = judge("interactive", JSON.stringify(card), JSON.stringify(card));
      if ("answer" in judged) return judged.answer;
      const message = state.add({
        chat: chatId,
        from: "bot",
        type: "interactive",
        content: judged.content,
        onlyFor: person,
      });
      return done({ message_id: message.id });
    },
    takeFromOne(body) {
      const read = readStrictly(taken, body);
      if (!read.ok) return read.answer;
      const message = messages.get(read.value.message_id);
      if (message?.onlyFor === undefined || message.isRecalled) return refused(231003, "The message is not found");
      message.isRecalled = true;
      return done();
    },
  };
}

function cardRefusal(errCode: number, errMsg: string): ApiAnswer {
  return refused(230099, `Failed to create card content, ext=ErrCode: ${errCode}; ErrMsg: ${errMsg}; `);
}

function viewOf({ id, chat, root, threadId, type, createdAt }: FakeMessage): Readonly<Record<string, unknown>> {
  return {
    message_id: id,
    chat_id: chat,
    msg_type: type,
    ...(root === undefined ? {} : { root_id: root, parent_id: root }),
    ...(threadId === undefined ? {} : { thread_id: threadId }),
    create_time: String(createdAt),
    deleted: false,
    updated: false,
  };
}
