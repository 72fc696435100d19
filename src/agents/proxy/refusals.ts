// Refusals of the proxy, in the shape that the client of each provider understands as an error.
import type { Operation } from "./operations.ts";

export type RefusalKind =
  | "not_allowed"
  | "model_not_allowed"
  | "too_large"
  | "bad_body"
  | "fetches_elsewhere"
  | "budget"
  | "busy"
  | "unreachable"
  | "too_slow";

export interface Refusal {
  readonly kind: RefusalKind;
  /** One sentence for whoever reads the agent's log. */
  readonly message: string;
}

const statuses: Readonly<Record<RefusalKind, number>> = {
  not_allowed: 403,
  model_not_allowed: 403,
  too_large: 413,
  bad_body: 400,
  fetches_elsewhere: 400,
  // Not 429: a client would wait and ask again, and the answer would stay the same.
  budget: 402,
  busy: 503,
  unreachable: 502,
  too_slow: 504,
};

export function statusOf({ kind }: Refusal): number {
  return statuses[kind];
}

/** The JSON body. */
export function refusalBody(form: Operation["form"], { kind, message }: Refusal): unknown {
  switch (form) {
    case "anthropic":
      return { type: "error", error: { type: anthropicTypes[kind] ?? "invalid_request_error", message } };
    case "google":
      return { error: { code: statuses[kind], message, status: googleStatuses[kind] ?? "INVALID_ARGUMENT" } };
    default:
      return { error: { message, type: openAiTypes[kind] ?? "invalid_request_error", param: null, code: kind } };
  }
}

/** The same as an event of a stream that has begun already. */
export function refusalEvent(form: Operation["form"], refusal: Refusal): string {
  const data = `data: ${JSON.stringify(refusalBody(form, refusal))}\n\n`;
  return form === "anthropic" || form === "openai-responses" ? `event: error\n${data}` : data;
}

const anthropicTypes: Partial<Record<RefusalKind, string>> = {
  not_allowed: "permission_error",
  model_not_allowed: "permission_error",
  too_large: "request_too_large",
  budget: "billing_error",
  busy: "overloaded_error",
  unreachable: "api_error",
  too_slow: "timeout_error",
};

const openAiTypes: Partial<Record<RefusalKind, string>> = {
  budget: "insufficient_quota",
  busy: "server_error",
  unreachable: "server_error",
  too_slow: "server_error",
};

const googleStatuses: Partial<Record<RefusalKind, string>> = {
  not_allowed: "PERMISSION_DENIED",
  model_not_allowed: "PERMISSION_DENIED",
  budget: "RESOURCE_EXHAUSTED",
  busy: "UNAVAILABLE",
  unreachable: "UNAVAILABLE",
  too_slow: "DEADLINE_EXCEEDED",
};
