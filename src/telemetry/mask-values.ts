// Masks secrets in whole values: every text in them but those by which things are found again.
import type { Redactor } from "../ports/redactor.ts";

/**
 * Names of fields that identify: what stands in them is compared, looked up or handed to a version control system, so that a
 * change of it would lose the thing. A branch may be called `sk-refactor-of-the-payment-module` and is no key.
 */
const identities: ReadonlySet<string> = new Set([
  "id",
  "review",
  "reviewId",
  "job",
  "token",
  "key",
  "keys",
  "jobKey",
  "delivery",
  "spec",
  "ref",
  "refs",
  "branch",
  "defaultBranch",
  "revision",
  "lastRevision",
  "canonical",
  "display",
  "parents",
  "file",
  "files",
  "path",
  "oldPath",
  "paths",
  "filters",
  "fingerprint",
  "anchorDigest",
  "repository",
  "alias",
  "agent",
  "locale",
  "cursor",
  "slot",
  "worker",
  "channel",
  "workspace",
  "conversation",
  "thread",
]);

/** Fields that hold JSON: what is masked is what the JSON says, so that it stays JSON and its own identities stay. */
const documents: ReadonlySet<string> = new Set(["page", "card"]);

const deepest = 64;

/**
 * The value with every secret in its texts replaced. What needs no change is given back as it is; bytes, dates and instances
 * of classes are left alone.
 */
export function maskValues<T>(value: T, redactor: Redactor): T {
  return mask(value, redactor, 0) as T;
}

function mask(value: unknown, redactor: Redactor, depth: number): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (typeof value !== "object" || value === null || depth > deepest) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mask(item, redactor, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  let isChanged = false;
  const fields = Object.entries(value).map(([name, field]) => {
    const masked = identities.has(name) ? field : maskField(name, field, redactor, depth + 1);
    isChanged ||= masked !== field;
    return [name, masked] as const;
  });
  return isChanged ? Object.fromEntries(fields) : value;
}

function maskField(name: string, field: unknown, redactor: Redactor, depth: number): unknown {
  if (typeof field !== "string" || !documents.has(name)) return mask(field, redactor, depth);
  try {
    const parsed: unknown = JSON.parse(field);
    const masked = mask(parsed, redactor, depth);
    return masked === parsed ? field : JSON.stringify(masked);
  } catch {
    return redactor.redact(field);
  }
}
