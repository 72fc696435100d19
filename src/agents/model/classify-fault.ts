// Understands why a request to a model failed: worth another try, and when; another model's turn; or the end of the budget.
import { APICallError } from "ai";
import type { TroubleKind } from "./task.ts";

export type ModelFault =
  /** The same request may succeed later, not before so many ms where the endpoint says when. */
  | { readonly kind: "later"; readonly afterMs: number; readonly message: string }
  /** What was sent is more than the model reads at once. */
  | { readonly kind: "too_long"; readonly message: string }
  /** The proxy's budget is used up: no model will answer. */
  | { readonly kind: "budget"; readonly message: string }
  | { readonly kind: "never"; readonly trouble: TroubleKind; readonly message: string };

/** Most of an endpoint's words that are passed on. */
const longestMessage = 300;

/** @param now ms since the epoch, against which a date in Retry-After is read. */
export function classifyFault(thrown: unknown, now: number): ModelFault {
  if (!APICallError.isInstance(thrown)) {
    // A broken stream, a body that is no JSON, a connection that ended.
    return { kind: "later", afterMs: 0, message: short(thrown instanceof Error ? thrown.message : String(thrown)) };
  }
  const { statusCode: status, responseHeaders = {}, responseBody = "" } = thrown;
  const message = short(status === undefined ? thrown.message : `${status}: ${thrown.message}`);
  if (status === undefined) return { kind: "later", afterMs: 0, message };
  if (status === 402 && isProxyBudget(responseBody)) return { kind: "budget", message };
  if (status === 401 || status === 402 || status === 403) return { kind: "never", trouble: "auth", message };
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) {
    return { kind: "later", afterMs: retryAfterMs(responseHeaders, now), message };
  }
  if (status === 413 || (status === 400 && tooLong.test(responseBody))) return { kind: "too_long", message };
  return { kind: "never", trouble: "refused", message };
}

const tooLong =
  /context.?(?:length|window|limit)|maximum context|too many tokens|prompt is too long|input.{0,40}too long|exceeds? the (?:maximum|limit|model)/i;

/** The words of our own proxy: a provider's 402 is about an account. */
function isProxyBudget(body: string): boolean {
  return /The budget of [\d.]+ [^"]{0,60}is used up/.test(body);
}

/** What an endpoint asks for, ms: a number of seconds, a date, or ms where it says so; 0 where it says nothing. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number {
  const exact = Number(headers["retry-after-ms"]);
  if (headers["retry-after-ms"] !== undefined && Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers["retry-after"]?.trim();
  if (given === undefined || given === "") return 0;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

function short(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, longestMessage);
}
