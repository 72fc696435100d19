// JSON answers of the HTTP surface: every error is {error: {code, message, remedy}}, and nothing may be cached.
import { type ErrorCode, toAppError } from "../../src/core/errors.ts";

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

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${JSON.stringify(value)}\n`, {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}

export function errorAnswer(status: number, fault: Fault, headers: Readonly<Record<string, string>> = {}): Response {
  const { code, message, remedy } = fault;
  return jsonAnswer(status, { error: { code, message, remedy } }, headers);
}

/** The answer for anything thrown: its sentence and remedy, never its stack or its detail. */
export function thrownAnswer(thrown: unknown): Response {
  const error = toAppError(thrown);
  const headers: Record<string, string> = error.retryable ? { "retry-after": "5" } : {};
  return errorAnswer(statuses[error.code], error, headers);
}

export function methodNotAllowed(allowed: readonly string[]): Response {
  const list = allowed.join(", ");
  return errorAnswer(
    405,
    {
      code: "method_not_allowed",
      message: "This address does not take that method.",
      remedy: `Use ${list}.`,
    },
    { allow: list },
  );
}
