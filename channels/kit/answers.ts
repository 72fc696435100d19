// JSON answers of the HTTP surface: every error is {error: {code, message, remedy}}, and nothing may be cached.
import { type ErrorCode, toAppError } from "../../src/core/errors.ts";
import type { PlainAnswer } from "./plain.ts";

export interface Fault {
  /** A word for programs: an ErrorCode, or a narrower one of the HTTP surface such as `method_not_allowed`. */
  readonly code: string;
  /** What went wrong, one sentence. */
  readonly message: string;
  /** What to do about it, one sentence. */
  readonly remedy: string;
}

const statuses: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  auth: 401,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  unsupported: 422,
  cancelled: 409,
  config: 500,
  corrupt: 500,
  internal: 500,
  unavailable: 503,
  timeout: 504,
};

/** For an answer that does not come in time. */
export const lateFault: Fault = {
  code: "timeout",
  message: "The request took too long; it may still be carried out.",
  remedy: "Look at the conversation before you send it again.",
};

type ExtraHeaders = Readonly<Record<string, string>>;

export function plainJson(status: number, value: unknown, headers: ExtraHeaders = {}): PlainAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
    body: `${JSON.stringify(value)}\n`,
  };
}

export function plainError(status: number, fault: Fault, headers: ExtraHeaders = {}): PlainAnswer {
  const { code, message, remedy } = fault;
  return plainJson(status, { error: { code, message, remedy } }, headers);
}

/** The answer for anything thrown: its sentence and remedy, never its stack or its detail. */
export function plainThrown(thrown: unknown): PlainAnswer {
  const error = toAppError(thrown);
  return plainError(statuses[error.code], error, error.retryable ? { "retry-after": "5" } : {});
}

export function plainMethodNotAllowed(allowed: readonly string[]): PlainAnswer {
  const list = allowed.join(", ");
  const message = "This address does not take that method.";
  return plainError(405, { code: "method_not_allowed", message, remedy: `Use ${list}.` }, { allow: list });
}

export function toResponse({ body, status, headers }: PlainAnswer): Response {
  return new Response(body, { status, headers });
}

export function jsonAnswer(status: number, value: unknown, headers: ExtraHeaders = {}): Response {
  return toResponse(plainJson(status, value, headers));
}

export function errorAnswer(status: number, fault: Fault, headers: ExtraHeaders = {}): Response {
  return toResponse(plainError(status, fault, headers));
}

export function thrownAnswer(thrown: unknown): Response {
  return toResponse(plainThrown(thrown));
}

export function methodNotAllowed(allowed: readonly string[]): Response {
  return toResponse(plainMethodNotAllowed(allowed));
}
