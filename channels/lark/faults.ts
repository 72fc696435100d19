// What the platform's refusals mean for the sender: every code that is known, and what follows for those that are not.
import { ChannelError, type ChannelFault } from "../../src/ports/channel.ts";
import { LarkHttpError } from "./http.ts";

/** Codes of a tenant token that the platform does not take: it is dropped and fetched again, once. */
const tokenCodes = new Set([99991661, 99991663, 99991664, 99991668, 99991671, 99991677]);

/** The tenant's calls of this month are used up. */
export const QUOTA_CODE = 99991403;

/** A card visible to one person cannot stand in this kind of chat: topics, threads and direct chats have none. */
const NO_EPHEMERAL_CODE = 18053;

/** How long nothing is sent after the monthly quota was refused, ms. */
export const QUOTA_PAUSE_MS = 60 * 60_000;
/** Custom bots are refused at full and half hours, when everybody posts: the crowd passes, ms. */
const CROWD_WAIT_MS = 15_000;
/** How long to wait when the platform limits us and does not say for how long, ms. */
const DEFAULT_WAIT_MS = 1_000;

/**
 * By code. 230006 is "bot ability is not activated" on the platform's pages, though others repeat calls after it:
 * `auth` is both told to the operator and tried again.
 */
const faults: Readonly<Record<number, ChannelFault>> = {
  // Permissions and credentials.
  10003: "auth",
  10014: "auth",
  99991672: "auth",
  99991679: "auth",
  230006: "auth",
  230027: "auth",
  // Rates; 9499 and 11232 are those of custom bots.
  99991400: "rate_limited",
  [QUOTA_CODE]: "rate_limited",
  230020: "rate_limited",
  // A card that somebody presses at this moment.
  200810: "rate_limited",
  9499: "rate_limited",
  11232: "rate_limited",
  // The place: not a member, not available to the person, dissolved, or not allowed to speak.
  230002: "forbidden",
  230013: "forbidden",
  230018: "forbidden",
  230029: "forbidden",
  230035: "forbidden",
  230038: "forbidden",
  230053: "forbidden",
  232009: "forbidden",
  // The message: recalled, deleted, its topic gone, too old to be updated, or no card.
  230011: "gone",
  230019: "gone",
  230031: "gone",
  230050: "gone",
  230054: "gone",
  230110: "gone",
  231003: "gone",
  // Size.
  230025: "too_large",
  19036: "too_large",
  // Still on its way: the same call with the same uuid will tell.
  230049: "uncertain",
  // Custom bots: signature or time, keyword, address.
  19001: "auth",
  19021: "auth",
  19024: "rejected",
  [NO_EPHEMERAL_CODE]: "rejected",
};

/** Reasons within a refused card (230099) that a smaller card cures: too many tables or elements. */
const sizeReasons = new Set([11310]);

/** What a person can do, by code; shown in logs and in the channel's health. */
const remedies: Readonly<Record<number, string>> = {
  10003: "check channels.lark.app_id and domain: an app of Feishu does not exist on Lark",
  10014: "check the app's secret",
  99991672: "give the app the scope it names and publish a version",
  99991679: "give the app the scope it names and publish a version",
  [QUOTA_CODE]: "the tenant's monthly quota of calls is used up: wait for the next month or raise the plan",
  230002: "add the bot to the group",
  230006: "switch the bot ability on and publish a version",
  230013: "widen the app's availability to that person",
  230018: "allow the bot to speak in the group's settings",
  230027: "give the app the scopes of the README and publish a version",
  19001: "check the custom bot's address",
  19021: "check the custom bot's signing secret and the clock of this machine",
  19024: "set the keyword of the custom bot's security settings",
};

/** The number that a refused card (230099) gives within its text. */
export function cardReason(reason: string): number | undefined {
  const found = /ErrCode:?\s*(\d+)/i.exec(reason);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

export function isTokenRefusal(thrown: unknown): boolean {
  return thrown instanceof LarkHttpError && tokenCodes.has(thrown.code);
}

/** Whether the platform answered with that code, to the call itself or to the one for its token. */
export function hasCode(thrown: unknown, code: number): boolean {
  const answer = thrown instanceof ChannelError ? thrown.cause : thrown;
  return answer instanceof LarkHttpError && answer.code === code;
}

/**
 * For what goes before a message (its token, a look at its chat, an upload): when nobody knows what became of that, the
 * message itself has certainly not been sent. Always throws.
 */
export function unsentAsYet(thrown: unknown): never {
  if (!(thrown instanceof ChannelError) || thrown.fault !== "uncertain") throw thrown;
  throw new ChannelError("not_sent", thrown.message, { cause: thrown.cause });
}

/** Whether the content was refused, not the place: plain text may still be taken. */
export function isContentRefusal(thrown: unknown): boolean {
  if (!(thrown instanceof ChannelError) || thrown.fault !== "rejected") return false;
  const { cause } = thrown;
  return cause instanceof LarkHttpError && (cause.code === 230099 || cause.code === 200830 || cause.code === 230001);
}

/** Whatever a call threw, as the fault that tells the sender what to do. Its message holds nothing of the request. */
export function toChannelError(thrown: unknown): ChannelError {
  if (thrown instanceof ChannelError) return thrown;
  if (!(thrown instanceof LarkHttpError)) {
    return new ChannelError("uncertain", thrown instanceof Error ? thrown.message : String(thrown));
  }
  const fault = faultOf(thrown);
  const remedy = remedies[thrown.code];
  const message = remedy === undefined ? thrown.message : `${thrown.message}; ${remedy}`;
  return new ChannelError(fault, message, {
    cause: thrown,
    ...(fault === "rate_limited" ? { retryAfterMs: waitOf(thrown) } : {}),
  });
}

function faultOf({ stage, status, code, reason }: LarkHttpError): ChannelFault {
  if (stage === "unsent") return "not_sent";
  if (stage === "lost") return "uncertain";
  if (tokenCodes.has(code)) return "auth";
  if (code === 230099) return sizeReasons.has(cardReason(reason) ?? 0) ? "too_large" : "rejected";
  // Custom bots say with one code that there are too many posts, and that one is malformed.
  if (code === 9499 && /bad request/i.test(reason)) return "rejected";
  const known = faults[code];
  if (known !== undefined) return known;
  if (status === 429) return "rate_limited";
  if (status === 401) return "auth";
  if (status === 413) return "too_large";
  if (status === 403) return "forbidden";
  if (status >= 500 || status === 408) return "uncertain";
  return "rejected";
}

function waitOf({ code, resetSeconds }: LarkHttpError): number {
  if (code === QUOTA_CODE) return QUOTA_PAUSE_MS;
  if (code === 11232 && resetSeconds === undefined) return CROWD_WAIT_MS;
  return resetSeconds === undefined ? DEFAULT_WAIT_MS : Math.max(DEFAULT_WAIT_MS, Math.ceil(resetSeconds * 1_000));
}
