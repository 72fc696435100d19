// Discord's refusals as the faults that tell the core what to do.
import { ChannelError, type ChannelFault } from "../../src/ports/channel.ts";
import type { Refusal } from "./rest.ts";

/** Codes of Discord's that we act on, by what they mean. */
export const codes = {
  unknownChannel: 10003,
  unknownGuild: 10004,
  unknownMessage: 10008,
  unknownUser: 10013,
  unknownWebhook: 10015,
  unknownInteraction: 10062,
  slowMode: 20016,
  antiSpam: 20026,
  channelWriteLimit: 20028,
  guildWriteLimit: 20029,
  tooManyCommands: 30032,
  threadFull: 30033,
  commandCreations: 30034,
  tooManyOldEdits: 30046,
  unauthorized: 40001,
  tooLargeRequest: 40005,
  alreadyAnswered: 40060,
  serviceLimited: 40062,
  tagRequired: 40067,
  badUserAgent: 40333,
  missingAccess: 50001,
  emptyMessage: 50006,
  directMessagesClosed: 50007,
  notATextChannel: 50008,
  missingPermissions: 50013,
  wrongChannelType: 50024,
  invalidToken: 50027,
  invalidBody: 50035,
  archivedThread: 50083,
  noMutualServer: 50278,
  overloaded: 130000,
  threadExists: 160004,
  lockedThread: 160005,
  tooManyThreads: 160006,
  autoMod: 200000,
  autoModTitle: 200001,
  threadNameRequired: 220001,
  harmfulLinks: 240000,
  noFiles: 400001,
} as const;

const faults: ReadonlyMap<number, ChannelFault> = new Map([
  [codes.unknownMessage, "gone"],
  // Edited too often since it grew old: a new message takes its place.
  [codes.tooManyOldEdits, "gone"],
  [codes.unknownChannel, "forbidden"],
  [codes.unknownGuild, "forbidden"],
  [codes.unknownUser, "forbidden"],
  [codes.missingAccess, "forbidden"],
  [codes.missingPermissions, "forbidden"],
  [codes.directMessagesClosed, "forbidden"],
  [codes.noMutualServer, "forbidden"],
  [codes.notATextChannel, "forbidden"],
  [codes.tagRequired, "forbidden"],
  [codes.slowMode, "rate_limited"],
  [codes.channelWriteLimit, "rate_limited"],
  [codes.guildWriteLimit, "rate_limited"],
  [codes.serviceLimited, "rate_limited"],
  [codes.overloaded, "rate_limited"],
  [codes.antiSpam, "auth"],
  [codes.unauthorized, "auth"],
  [codes.badUserAgent, "auth"],
  [codes.tooLargeRequest, "too_large"],
]);

/** What somebody can do about it, as a sentence. */
const remedies: ReadonlyMap<number, string> = new Map([
  [codes.missingAccess, "Let the bot see the channel (View Channel)."],
  [codes.tagRequired, "Give the forum the tags clean, findings and error, or let posts go without a tag."],
  [codes.badUserAgent, "Let the proxy keep the User-Agent header."],
  [codes.antiSpam, "Discord holds the bot for spam: open the Developer Portal and follow what it says there."],
  [codes.directMessagesClosed, "The person takes no direct messages from this server."],
]);

/** When Discord names no time. */
const DEFAULT_WAIT_MS = 60_000;

export interface Attempt {
  /** What was tried, to follow "Discord refused to". */
  readonly doing: string;
  /** Names of the permissions that it needs. */
  readonly needs?: readonly string[];
  /**
   * Whether it only prepares the message: when nobody knows whether it was done, the message itself was certainly not sent, and doing
   * it again does no harm.
   */
  readonly isPreparation?: boolean;
}

export function channelError(refusal: Refusal, attempt: Attempt): ChannelError {
  const fault = faultOf(refusal, attempt);
  const wait = fault === "rate_limited" ? { retryAfterMs: refusal.retryAfterMs ?? DEFAULT_WAIT_MS } : {};
  return new ChannelError(fault, sentence(refusal, attempt), { ...wait, cause: { code: refusal.code } });
}

function faultOf({ kind, status, code }: Refusal, { isPreparation = false }: Attempt): ChannelFault {
  if (kind === "unsent") return "not_sent";
  if (kind === "limited" || status === 429) return "rate_limited";
  const known = faults.get(code);
  if (known !== undefined) return known;
  if (kind === "lost" || status >= 500) return isPreparation ? "not_sent" : "uncertain";
  if (status === 401) return "auth";
  if (status === 413) return "too_large";
  // Without a code of Discord's it was not Discord but what stands before it, which blocks for a while.
  if (status === 403 && code === 0) return "rate_limited";
  return "rejected";
}

function sentence({ code, message }: Refusal, { doing, needs = [] }: Attempt): string {
  const said = message.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  const what = code === 0 ? said : `${said} (${code})`;
  const missing = code === codes.missingPermissions && needs.length > 0 ? ` It needs ${needs.join(", ")}.` : "";
  const remedy = remedies.get(code);
  return `Discord refused to ${doing}: ${what}.${missing}${remedy === undefined ? "" : ` ${remedy}`}`;
}

/** The body is ours to mend: Discord did not take it as it was, and it was certainly not sent. */
export function isBodyRefused({ code }: Refusal): boolean {
  return code === codes.invalidBody || code === codes.emptyMessage;
}

/** The server's filters did not let the text or its links through. */
export function isFiltered({ code }: Refusal): boolean {
  return code === codes.autoMod || code === codes.autoModTitle || code === codes.harmfulLinks;
}

/** The server, or the channel, takes no such file. */
export function isFileRefused({ code, status }: Refusal): boolean {
  const isKnown = code === codes.tooLargeRequest || code === codes.noFiles || code === codes.missingPermissions;
  return isKnown || status === 413;
}

/** The interaction's token does not answer any more. */
export function isTokenOver({ code }: Refusal): boolean {
  return code === codes.invalidToken || code === codes.unknownWebhook;
}
