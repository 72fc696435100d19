// The fake's response addresses: five posts within thirty minutes, and the message whose button was pressed may be replaced.
import type { Clock } from "../../../src/ports/clock.ts";
import { isRecord } from "./block-check.ts";
import type { Given } from "./web-api-arguments.ts";
import { contentRefusal } from "./web-api-messages.ts";
import type { SlackState } from "./web-api-state.ts";

const MAX_POSTS = 5;
const known: ReadonlySet<string> = new Set([
  "text",
  "blocks",
  "response_type",
  "replace_original",
  "delete_original",
  "thread_ts",
  "unfurl_links",
  "unfurl_media",
  "metadata",
]);

export interface ResponseUrlAnswer {
  readonly status: number;
  readonly text: string;
  readonly outcome: string;
  readonly given: Given;
}

export function answerResponseUrl(state: SlackState, clock: Clock, id: string, body: Buffer): ResponseUrlAnswer {
  const given = parsed(body);
  const refuse = (error: string, status = 404): ResponseUrlAnswer => ({ status, text: error, outcome: error, given });
  const address = state.responseUrls.get(id);
  if (address === undefined) return refuse("no_service");
  if (clock.now() >= address.expiresAt) return refuse("expired_url");
  if (address.posts >= MAX_POSTS) return refuse("used_url");
  const team = state.teams.get(address.team);
  const conversation = team?.conversations.get(address.conversation);
  const bot = team?.installations[0];
  if (conversation === undefined || bot === undefined) return refuse("channel_not_found");
  if (Object.keys(given).length === 0) return refuse("invalid_payload", 400);
  const stranger = Object.keys(given).find((key) => !known.has(key));
  if (stranger !== undefined) return refuse("invalid_payload", 400);
  address.posts += 1;
  const ok: ResponseUrlAnswer = { status: 200, text: "ok", outcome: "ok", given };
  const standing = conversation.messages.find(({ ts }) => ts === address.message);
  if (given["delete_original"] === true) {
    if (standing !== undefined) conversation.messages.splice(conversation.messages.indexOf(standing), 1);
    return ok;
  }
  const refused = contentRefusal(given);
  if (refused !== null) return refuse(String(refused["error"]), 400);
  const text = String(given["text"]);
  const blocks = Array.isArray(given["blocks"]) ? (given["blocks"] as unknown[]) : [];
  if (given["replace_original"] === true && standing !== undefined) {
    standing.text = text;
    standing.blocks = blocks;
    standing.edits += 1;
    return ok;
  }
  conversation.messages.push({
    ts: state.nextTs(),
    user: bot.botUserId,
    botId: bot.botId,
    text,
    blocks,
    ...(given["response_type"] === "in_channel" ? {} : { onlyFor: address.user }),
    reactions: new Map(),
    edits: 0,
    isTombstone: false,
  });
  return ok;
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
