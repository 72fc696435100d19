// Looks for a message by its key in Slack's history: found, certainly absent, or not to be known.
import { createHash } from "node:crypto";
import * as z from "zod";
import type { MessageRef } from "../../src/core/delivery.ts";
import type { Place } from "./places.ts";
import { refOf } from "./places.ts";
import { deliveryEvent, understood } from "./post-message.ts";
import { SlackCallError, type WebCalls } from "./web-calls.ts";

export type FindMessage = (place: Place, key: string, since: number) => Promise<MessageRef | "absent" | "unknown">;

const PAGE = 200;
/** More than a conversation holds between a send and the look for it; beyond it nothing is certain. */
const MAX_PAGES = 25;
/** How far Slack's clock and ours may be apart, ms. */
const SKEW_MS = 120_000;

const message = z.looseObject({
  ts: z.string(),
  thread_ts: z.string().optional(),
  bot_id: z.string().optional(),
  user: z.string().optional(),
  metadata: z
    .looseObject({ event_type: z.string(), event_payload: z.looseObject({ key: z.unknown() }).optional() })
    .optional(),
  files: z.array(z.looseObject({ name: z.string().nullish() })).optional(),
});
const page = z.looseObject({
  messages: z.array(message),
  has_more: z.boolean().optional(),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

/** Refusals that mean: here the app may not read. */
const unreadable: ReadonlySet<string | undefined> = new Set([
  "missing_scope",
  "not_in_channel",
  "channel_not_found",
  "no_permission",
  "access_denied",
  "not_allowed_token_type",
  "method_not_supported_for_channel_type",
  "team_access_not_granted",
]);

export function createFindMessage(calls: WebCalls): FindMessage {
  return async (place, key, since) => {
    // Ephemeral messages are in no history.
    if (place.onlyFor !== undefined) return "unknown";
    const { workspace, channel, thread } = place;
    const bot = await calls.bot(workspace);
    const oldest = (Math.max(0, since - SKEW_MS) / 1_000).toFixed(6);
    const method = thread === undefined ? "conversations.history" : "conversations.replies";
    const where = thread === undefined ? { channel } : { channel, ts: thread };
    const suffix = fileMark(key);
    let cursor: string | undefined;
    for (let read = 0; read < MAX_PAGES; read += 1) {
      const given = { ...where, oldest, inclusive: true, include_all_metadata: true, limit: PAGE };
      const answer = await readPage(workspace, method, cursor === undefined ? given : { ...given, cursor });
      if (typeof answer === "string") return answer;
      for (const one of answer.messages) {
        // Others may post metadata of the same name.
        if (one.bot_id !== bot.botId && one.user !== bot.botUserId) continue;
        const isSent = one.metadata?.event_type === deliveryEvent && one.metadata.event_payload?.key === key;
        const isFile = one.files?.some(({ name }) => name?.includes(suffix)) === true;
        if (isSent || isFile) return refOf(place, one.ts);
      }
      const next = answer.response_metadata?.next_cursor ?? "";
      if (next === "") return answer.has_more === true ? "unknown" : "absent";
      cursor = next;
    }
    return "unknown";
  };

  async function readPage(
    workspace: string,
    method: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<z.infer<typeof page> | "absent" | "unknown"> {
    try {
      return understood(page, await calls.read(workspace, method, given), method);
    } catch (thrown) {
      if (!(thrown instanceof SlackCallError)) throw thrown;
      if (unreadable.has(thrown.code)) return "unknown";
      // A thread that is gone holds no reply.
      if (thrown.code === "thread_not_found") return "absent";
      throw thrown;
    }
  }
}

/** What a file's name carries, so that an upload can be found by its key: a share of a file can have no metadata. */
export function fileMark(key: string): string {
  return `.${createHash("sha256").update(key).digest("hex").slice(0, 12)}`;
}
