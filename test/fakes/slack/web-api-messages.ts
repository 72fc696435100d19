// The fake's methods about messages: posting, editing, deleting, reading back, reacting.

import { isRecord } from "./block-check.ts";
import { checkBlocks } from "./block-kit.ts";
import type { Given } from "./web-api-arguments.ts";
import type { FakeConversation, FakeInstallation, FakeMessage, FakeTeam, SlackState } from "./web-api-state.ts";

/** Who calls, and from where. */
export interface Caller {
  readonly state: SlackState;
  readonly team: FakeTeam;
  readonly bot: FakeInstallation;
}

export type Result = Readonly<Record<string, unknown>> & { readonly ok: boolean };
export type Method = (caller: Caller, given: Given) => Result;

export function refuse(error: string, more: Readonly<Record<string, unknown>> = {}): Result {
  return { ok: false, error, ...more };
}

export function scopeMissing({ bot }: Caller, needed: string): Result {
  return refuse("missing_scope", { needed, provided: [...bot.scopes].join(",") });
}

function word(given: Given, name: string): string {
  return typeof given[name] === "string" ? given[name] : "";
}

/** A conversation that the bot may know of; private ones only from within. */
export function visible({ team, bot }: Caller, id: string): FakeConversation | null {
  const found = team.conversations.get(id);
  if (found === undefined) return null;
  return found.kind === "public" || found.members.has(bot.botUserId) ? found : null;
}

function writable(caller: Caller, id: string): FakeConversation | Result {
  const found = visible(caller, id);
  if (found === null) return refuse("channel_not_found");
  if (found.isArchived) return refuse("is_archived");
  const isIn = found.members.has(caller.bot.botUserId);
  if (!isIn && !caller.bot.scopes.has("chat:write.public")) return refuse("not_in_channel");
  return found;
}

function isResult(value: FakeConversation | Result): value is Result {
  return "ok" in value;
}

/** Refuses what Slack refuses of a message's content; null when it is well. */
export function contentRefusal(given: Given): Result | null {
  const { text, blocks, attachments } = given;
  if (attachments !== undefined && (!Array.isArray(attachments) || attachments.length > 100)) {
    return refuse("too_many_attachments");
  }
  // Slack takes blocks without text; people who hear or are notified get nothing then.
  if (typeof text !== "string" || text === "") return refuse("no_text");
  if (blocks === undefined) return null;
  if (!Array.isArray(blocks)) return refuse("invalid_blocks_format");
  const { mistakes, isTooLong } = checkBlocks(blocks, "message");
  if (mistakes.length > 0) {
    const errors = mistakes.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`);
    return refuse("invalid_blocks", { errors, response_metadata: { messages: errors.map((one) => `[ERROR] ${one}`) } });
  }
  return isTooLong ? refuse("msg_blocks_too_long") : null;
}

function metadataRefusal(metadata: unknown): Result | null {
  if (metadata === undefined) return null;
  if (!isRecord(metadata) || typeof metadata["event_type"] !== "string" || !isRecord(metadata["event_payload"])) {
    return refuse("invalid_metadata_format");
  }
  const values = Object.values(metadata["event_payload"]).flatMap((one) =>
    isRecord(one) ? Object.values(one) : [one],
  );
  return values.every((one) => ["string", "number", "boolean"].includes(typeof one))
    ? null
    : refuse("invalid_metadata_schema");
}

function root(found: FakeConversation, thread: string): FakeMessage | undefined {
  return found.messages.find(
    ({ ts, thread: own, onlyFor }) => ts === thread && own === undefined && onlyFor === undefined,
  );
}

function make(caller: Caller, given: Given, more: Partial<FakeMessage>): FakeMessage {
  const { state, bot } = caller;
  const text = word(given, "text");
  return {
    ts: state.nextTs(),
    user: bot.botUserId,
    botId: bot.botId,
    text: text.slice(0, 40_000),
    blocks: Array.isArray(given["blocks"]) ? given["blocks"] : [],
    reactions: new Map(),
    edits: 0,
    isTombstone: false,
    ...more,
  };
}

export const postMessage: Method = (caller, given) => {
  const id = word(given, "channel");
  const found = writable(caller, id);
  if (isResult(found)) return found;
  const refused = contentRefusal(given) ?? metadataRefusal(given["metadata"]);
  if (refused !== null) return refused;
  const thread = given["thread_ts"];
  if (typeof thread === "string" && root(found, thread) === undefined) return refuse("thread_not_found");
  const message = make(caller, given, {
    ...(typeof thread === "string" ? { thread } : {}),
    ...(given["metadata"] === undefined ? {} : { metadata: given["metadata"] as NonNullable<FakeMessage["metadata"]> }),
  });
  found.messages.push(message);
  const warnings = word(given, "text").length > 40_000 ? { warning: "message_truncated" } : {};
  return { ok: true, channel: found.id, ts: message.ts, message: asJson(message, false), ...warnings };
};

export const postEphemeral: Method = (caller, given) => {
  const { bot, team } = caller;
  const found = visible(caller, word(given, "channel"));
  if (found === null) return refuse("channel_not_found");
  if (found.isArchived) return refuse("is_archived");
  if (!found.members.has(bot.botUserId)) return refuse("not_in_channel");
  const user = word(given, "user");
  if (!team.users.has(user) || !found.members.has(user)) return refuse("user_not_in_channel");
  const refused = contentRefusal(given);
  if (refused !== null) return refused;
  const thread = given["thread_ts"];
  const message = make(caller, given, { onlyFor: user, ...(typeof thread === "string" ? { thread } : {}) });
  found.messages.push(message);
  return { ok: true, message_ts: message.ts };
};

function owned(caller: Caller, found: FakeConversation, ts: string): FakeMessage | string {
  const message = found.messages.find((one) => one.ts === ts && one.onlyFor === undefined && !one.isTombstone);
  if (message === undefined) return "message_not_found";
  return message.botId === caller.bot.botId ? message : "cant_update_message";
}

export const update: Method = (caller, given) => {
  const found = visible(caller, word(given, "channel"));
  if (found === null) return refuse("channel_not_found");
  if (found.isArchived) return refuse("is_inactive");
  const message = owned(caller, found, word(given, "ts"));
  if (typeof message === "string") return refuse(message);
  const refused = contentRefusal(given) ?? metadataRefusal(given["metadata"]);
  if (refused !== null) return refused;
  message.text = word(given, "text").slice(0, 40_000);
  message.blocks = Array.isArray(given["blocks"]) ? given["blocks"] : [];
  if (given["metadata"] !== undefined) message.metadata = given["metadata"] as NonNullable<FakeMessage["metadata"]>;
  message.edits += 1;
  return { ok: true, channel: found.id, ts: message.ts, text: message.text, message: asJson(message, false) };
};

export const remove: Method = (caller, given) => {
  const found = visible(caller, word(given, "channel"));
  if (found === null) return refuse("channel_not_found");
  const message = owned(caller, found, word(given, "ts"));
  if (typeof message === "string") return refuse(message === "cant_update_message" ? "cant_delete_message" : message);
  const hasReplies = found.messages.some(({ thread, onlyFor }) => thread === message.ts && onlyFor === undefined);
  if (hasReplies) message.isTombstone = true;
  else found.messages.splice(found.messages.indexOf(message), 1);
  return { ok: true, channel: found.id, ts: message.ts };
};

export const permalink: Method = (caller, given) => {
  const found = visible(caller, word(given, "channel"));
  if (found === null) return refuse("channel_not_found");
  const ts = word(given, "message_ts");
  const message = found.messages.find((one) => one.ts === ts && one.onlyFor === undefined);
  if (message === undefined) return refuse("message_not_found");
  const thread = message.thread === undefined ? "" : `?thread_ts=${message.thread}&cid=${found.id}`;
  return { ok: true, permalink: `https://example.slack.com/archives/${found.id}/p${ts.replace(".", "")}${thread}` };
};

const historyScopes = { public: "channels", private: "groups", im: "im", mpim: "mpim" } as const;

/** Slack tells a conversation from its end, and a thread from its beginning. */
function read(
  caller: Caller,
  given: Given,
  order: "newest first" | "oldest first",
  pick: (message: FakeMessage) => boolean,
): Result {
  const found = visible(caller, word(given, "channel"));
  if (found === null) return refuse("channel_not_found");
  const needed = `${historyScopes[found.kind]}:history`;
  if (!caller.bot.scopes.has(needed)) return scopeMissing(caller, needed);
  if (!found.members.has(caller.bot.botUserId)) return refuse("not_in_channel");
  const limit = typeof given["limit"] === "number" ? given["limit"] : 100;
  if (limit < 1 || limit > 999) return refuse("invalid_limit");
  const oldest = word(given, "oldest") === "" ? "0" : word(given, "oldest");
  const inclusive = given["inclusive"] === true;
  const within = found.messages.filter(
    (one) =>
      one.onlyFor === undefined && pick(one) && (Number(one.ts) > Number(oldest) || (inclusive && one.ts === oldest)),
  );
  if (order === "newest first") within.reverse();
  const start = Number(Buffer.from(word(given, "cursor"), "base64url").toString() || "0");
  const messages = within.slice(start, start + limit).map((one) => asJson(one, given["include_all_metadata"] === true));
  const hasMore = start + limit < within.length;
  const next_cursor = hasMore ? Buffer.from(String(start + limit)).toString("base64url") : "";
  return { ok: true, messages, has_more: hasMore, response_metadata: { next_cursor } };
}

export const history: Method = (caller, given) =>
  read(caller, given, "newest first", ({ thread }) => thread === undefined);

export const replies: Method = (caller, given) => {
  const ts = word(given, "ts");
  const found = visible(caller, word(given, "channel"));
  if (found !== null && root(found, ts) === undefined) {
    const answer = read(caller, given, "oldest first", () => false);
    return answer.ok ? refuse("thread_not_found") : answer;
  }
  return read(caller, given, "oldest first", (one) => one.ts === ts || one.thread === ts);
};

function reaction(caller: Caller, given: Given, change: (users: Set<string>, message: FakeMessage) => Result): Result {
  const found = visible(caller, word(given, "channel"));
  if (found === null) return refuse("channel_not_found");
  if (found.isArchived) return refuse("is_archived");
  const message = found.messages.find((one) => one.ts === word(given, "timestamp") && one.onlyFor === undefined);
  if (message === undefined) return refuse("message_not_found");
  const name = word(given, "name");
  if (!/^[a-z0-9_+'-]+$/.test(name)) return refuse("invalid_name");
  const users = message.reactions.get(name) ?? new Set();
  const answer = change(users, message);
  if (users.size === 0) message.reactions.delete(name);
  else message.reactions.set(name, users);
  return answer;
}

export const addReaction: Method = (caller, given) =>
  reaction(caller, given, (users) => {
    if (users.has(caller.bot.botUserId)) return refuse("already_reacted");
    users.add(caller.bot.botUserId);
    return { ok: true };
  });

export const removeReaction: Method = (caller, given) =>
  reaction(caller, given, (users) => (users.delete(caller.bot.botUserId) ? { ok: true } : refuse("no_reaction")));

/** A message as Slack tells it. */
export function asJson(message: FakeMessage, withMetadata: boolean): Readonly<Record<string, unknown>> {
  const { ts, thread, user, botId, text, blocks, metadata, files } = message;
  return {
    type: "message",
    ts,
    text,
    ...(thread === undefined ? {} : { thread_ts: thread }),
    ...(user === undefined ? {} : { user }),
    ...(botId === undefined ? {} : { bot_id: botId }),
    ...(blocks.length === 0 ? {} : { blocks }),
    ...(withMetadata && metadata !== undefined ? { metadata } : {}),
    ...(files === undefined ? {} : { files: files.map(({ id, name, title }) => ({ id, name, title })) }),
  };
}
