// What Slack's answers and the failures on the way to it mean for the sender.
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from "@slack/web-api";
import * as z from "zod";
import { ChannelError, type ChannelFault } from "../../src/ports/channel.ts";

/** For an answer 429 that does not say when to come again, s. */
export const defaultRetryAfterS = 30;

/**
 * Slack's error codes by what the sender can do. `fatal_error` and `internal_error` say of themselves that a part may have been
 * done; `request_timeout` means that Slack did not get the whole request.
 */
const codes: Readonly<Record<Exclude<ChannelFault, "rejected">, readonly string[]>> = {
  rate_limited: ["ratelimited", "rate_limited"],
  not_sent: [
    "service_unavailable",
    "request_timeout",
    "team_added_to_org",
    "org_login_required",
    "external_channel_migrating",
  ],
  uncertain: ["fatal_error", "internal_error", "update_failed", "file_update_failed"],
  too_large: ["msg_too_long", "msg_blocks_too_long", "too_many_attachments"],
  gone: [
    "message_not_found",
    "thread_not_found",
    "invalid_thread_ts",
    "cannot_reply_to_message",
    "cant_update_message",
    "cant_delete_message",
    "edit_window_closed",
    "block_mismatch",
    "file_not_found",
    "file_deleted",
  ],
  forbidden: [
    "channel_not_found",
    "invalid_channel",
    "not_in_channel",
    "user_not_in_channel",
    "is_archived",
    "is_inactive",
    "restricted_action",
    "restricted_action_read_only_channel",
    "restricted_action_thread_only_channel",
    "restricted_action_non_threadable_channel",
    "posting_to_channel_denied",
    "no_permission",
    "access_denied",
    "ekm_access_denied",
    "message_limit_exceeded",
    "messages_tab_disabled",
    "method_not_supported_for_channel_type",
    "cannot_dm_bot",
    "user_not_found",
    "user_not_visible",
    "user_disabled",
    "users_not_found",
    "team_not_found",
  ],
  auth: [
    "not_authed",
    "invalid_auth",
    "account_inactive",
    "token_revoked",
    "token_expired",
    "missing_scope",
    "not_allowed_token_type",
    "team_access_not_granted",
    "two_factor_setup_required",
    "enterprise_is_restricted",
    "accesslimited",
  ],
};

const faultOfCode: ReadonlyMap<string, ChannelFault> = new Map(
  Object.entries(codes).flatMap(([fault, names]) => names.map((name) => [name, fault as ChannelFault] as const)),
);

/** What a failed call was. */
export interface SlackFailure {
  /** Slack's own code, where there is one. */
  readonly code?: string;
  /** The scope that is missing. */
  readonly needed?: string;
  /** Where in the blocks Slack found a mistake, as JSON pointers with its words. */
  readonly pointers: readonly string[];
  readonly error: ChannelError;
}

const failureData = z.looseObject({
  needed: z.string().optional(),
  errors: z.array(z.unknown()).optional(),
  response_metadata: z
    .looseObject({ messages: z.array(z.string()).optional(), retryAfter: z.number().optional() })
    .optional(),
});

/** @param installUrl where an administrator installs the app anew. */
export function slackFailure(thrown: unknown, method: string, installUrl?: string): SlackFailure {
  if (thrown instanceof ChannelError) return { pointers: [], error: thrown };
  if (thrown instanceof WebAPIPlatformError) return fromAnswer(thrown.data.error, thrown.data, method, installUrl);
  if (thrown instanceof WebAPIRateLimitedError) {
    return failed("rate_limited", `Slack asks ${method} to wait.`, { retryAfterMs: thrown.retryAfter * 1_000 });
  }
  if (thrown instanceof WebAPIHTTPError) return fromStatus(thrown.statusCode, method);
  const cause = thrown instanceof WebAPIRequestError ? thrown.original : thrown;
  return fromNetwork(cause, method);
}

/** @param code the `error` of Slack's answer; where the answer was no JSON at all, the whole of it. */
export function fromAnswer(code: unknown, data: unknown, method: string, installUrl?: string): SlackFailure {
  if (typeof code !== "string" || !/^[a-z][a-z0-9_.:-]{0,79}$/i.test(code)) {
    const size = typeof code === "string" ? code.length : 0;
    // Never the page itself: it is whatever stood between the bot and Slack, and may be of any size.
    return failed("uncertain", `Slack's answer to ${method} is no JSON (${size} characters).`);
  }
  const parsed = failureData.safeParse(data);
  const { needed, errors = [], response_metadata: about } = parsed.success ? parsed.data : {};
  const pointers = [...errors.map(pointerOf), ...(about?.messages ?? [])]
    .map((text) => text.slice(0, 300))
    .slice(0, 10);
  const options = { code, pointers, ...(needed === undefined ? {} : { needed }) };
  if (code === "missing_scope") {
    const where = installUrl === undefined ? "its settings at api.slack.com/apps" : installUrl;
    const remedy = `Add the scope ${needed ?? "that the call needs"} to the app and install it anew: ${where}`;
    // A post needs an operator; without a scope for the rest, only that rest is missing.
    return failed(method.startsWith("chat.") ? "auth" : "rejected", `Slack refused ${method}. ${remedy}`, options);
  }
  const fault = faultOfCode.get(code) ?? "rejected";
  if (fault === "rate_limited") {
    const retryAfterMs = (about?.retryAfter ?? defaultRetryAfterS) * 1_000;
    return failed(fault, `Slack asks ${method} to wait.`, { ...options, retryAfterMs });
  }
  return failed(fault, `Slack refused ${method}: ${code}.`, options);
}

export function fromStatus(status: number, method: string): SlackFailure {
  const message = `Slack answered ${method} with HTTP ${status}.`;
  if (status === 429) return failed("rate_limited", message, { retryAfterMs: defaultRetryAfterS * 1_000 });
  if (status === 413) return failed("too_large", message);
  // What a gateway refuses has not reached Slack; what fails behind it may have been done.
  return failed(status >= 400 && status < 500 && status !== 408 ? "not_sent" : "uncertain", message);
}

/** Failures before a connection stood, and with it before anything was sent. */
const beforeSending =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_SSL_.*|ERR_TLS_.*|CERT_.*|.*_CERT(?:_.*)?|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/;

export function fromNetwork(thrown: unknown, method: string): SlackFailure {
  const found = networkCodes(thrown);
  const isUnsent = found.length > 0 && found.every((code) => beforeSending.test(code));
  const why = found.length > 0 ? found.join(", ") : thrown instanceof Error ? thrown.name : "unknown";
  return failed(isUnsent ? "not_sent" : "uncertain", `The call ${method} got no answer from Slack (${why}).`, {
    cause: thrown,
  });
}

/** Codes of an error's causes; an attempt over several addresses has one for each. */
function networkCodes(thrown: unknown, depth = 0): readonly string[] {
  if (typeof thrown !== "object" || thrown === null || depth > 5) return [];
  if (thrown instanceof AggregateError) return thrown.errors.flatMap((error) => networkCodes(error, depth + 1));
  if ("cause" in thrown && thrown.cause !== undefined) return networkCodes(thrown.cause, depth + 1);
  return "code" in thrown && typeof thrown.code === "string" ? [thrown.code] : [];
}

const blockError = z.looseObject({
  pointer: z.string().optional(),
  message: z.string().optional(),
  code: z.string().optional(),
});

function pointerOf(error: unknown): string {
  if (typeof error === "string") return error;
  const parsed = blockError.safeParse(error);
  if (!parsed.success) return "?";
  return [parsed.data.pointer, parsed.data.code, parsed.data.message].filter((part) => part !== undefined).join(" ");
}

interface FailureOptions {
  readonly code?: string;
  readonly needed?: string;
  readonly pointers?: readonly string[];
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

function failed(fault: ChannelFault, message: string, options: FailureOptions = {}): SlackFailure {
  const { code, needed, pointers = [], retryAfterMs, cause } = options;
  const error = new ChannelError(fault, message, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause }),
  });
  return { pointers, error, ...(code === undefined ? {} : { code }), ...(needed === undefined ? {} : { needed }) };
}
