// Masks secrets in a request to a model, wherever its client put them: no provider is to see what a repository leaked.
import type { Redactor } from "../../ports/redactor.ts";

/** Ids, and what providers sign or encrypt and want back to the letter; and bytes, in which nothing can be read. */
const untouched: ReadonlySet<string> = new Set([
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "previous_response_id",
  "model",
  "name",
  "type",
  "role",
  "signature",
  "thoughtSignature",
  "thought_signature",
  "encrypted_content",
  "data",
]);

const deepest = 64;

/** @param request JSON as it was parsed; not changed. */
export function maskRequest(request: unknown, redactor: Redactor): unknown {
  return mask(request, redactor, 0);
}

function mask(value: unknown, redactor: Redactor, depth: number): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (typeof value !== "object" || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item) => mask(item, redactor, depth + 1));
  const fields = Object.entries(value).map(([name, field]) => {
    const isKept = typeof field === "string" && untouched.has(name);
    return [name, isKept ? field : mask(field, redactor, depth + 1)] as const;
  });
  return Object.fromEntries(fields);
}
