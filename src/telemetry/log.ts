// Structured logging by pino to stderr; every value is redacted on its way, errors with their causes too.
import pino from "pino";
import type { Logger } from "../ports/logger.ts";
import type { Redactor } from "../ports/redactor.ts";
import { createRedactor } from "./redact.ts";

export interface LoggerOptions {
  readonly level: "debug" | "info" | "warn" | "error" | "silent";
  /** Default: one that knows `secrets` and how secrets look. */
  readonly redactor?: Redactor;
  /** Secrets known by value. */
  readonly secrets?: readonly string[];
  /** Takes one JSON line with its line feed. Default: stderr, written before the call returns. */
  readonly write?: (line: string) => void;
}

/** Deeper values are cut: a log line is no dump. */
const deepest = 6;
/** Most entries of one list or object. */
const mostEntries = 100;
/** Longest text of one value, UTF-16 units. */
const longestText = 16_384;

/** Fields whose value is secret whatever it looks like. */
const secretField =
  /(?:password|passwd|passphrase|secret|token|api_?key|private_?key|credential|authorization|cookie)s?$/i;

export function createLogger(options: LoggerOptions): Logger {
  const redactor = options.redactor ?? createRedactor(options.secrets);
  const { write } = options;
  const destination = write === undefined ? pino.destination({ fd: 2, sync: true }) : { write };
  const root = pino(
    {
      level: options.level,
      base: null,
      messageKey: "event",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return wrap(root, redactor);
}

function wrap(target: pino.Logger, redactor: Redactor): Logger {
  const clean = (fields: Record<string, unknown>): Record<string, unknown> => {
    const seen = new Set<object>();
    return cleanObject(Object.entries(fields), redactor, seen, 1);
  };
  const at = (level: "debug" | "info" | "warn" | "error"): Logger["info"] => {
    return (event, fields) => {
      if (target.isLevelEnabled(level)) target[level](clean(fields ?? {}), redactor.redact(event));
    };
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => wrap(target.child(clean(fields)), redactor),
  };
}

function cleanValue(value: unknown, redactor: Redactor, seen: Set<object>, depth: number): unknown {
  if (typeof value === "string") return cleanText(value, redactor);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return "[circular]";
  if (depth > deepest) return "[deeper]";
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return cleanText(value.href, redactor);
  // Only ancestors count as circular: the same object twice side by side is none.
  seen.add(value);
  try {
    if (value instanceof Error) return cleanError(value, redactor, seen, depth);
    if (Array.isArray(value)) return cleanList(value, redactor, seen, depth);
    if (value instanceof Set) return cleanList([...value], redactor, seen, depth);
    if (value instanceof Map) {
      return cleanObject(
        [...value].map(([key, item]) => [String(key), item]),
        redactor,
        seen,
        depth + 1,
      );
    }
    return cleanObject(Object.entries(value), redactor, seen, depth + 1);
  } catch {
    return "[unreadable]";
  } finally {
    seen.delete(value);
  }
}

function cleanText(text: string, redactor: Redactor): string {
  // What is looked at reaches further than what is kept, so that no secret is cut in two and passes for none.
  const redacted = redactor.redact(text.slice(0, 2 * longestText));
  return redacted.length > longestText ? `${redacted.slice(0, longestText)}…` : redacted;
}

function cleanList(items: readonly unknown[], redactor: Redactor, seen: Set<object>, depth: number): unknown[] {
  const kept = items.slice(0, mostEntries).map((item) => cleanValue(item, redactor, seen, depth + 1));
  if (items.length > mostEntries) kept.push(`[${items.length - mostEntries} more]`);
  return kept;
}

function cleanObject(
  entries: readonly (readonly [string, unknown])[],
  redactor: Redactor,
  seen: Set<object>,
  depth: number,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of entries.slice(0, mostEntries)) {
    const name = redactor.redact(key);
    kept[name] = secretField.test(key) && typeof value === "string" ? "***" : cleanValue(value, redactor, seen, depth);
  }
  if (entries.length > mostEntries) kept["more"] = entries.length - mostEntries;
  return kept;
}

/** Message, stack and cause are no enumerable fields, so that pino's own serialiser would let them pass unseen. */
function cleanError(error: Error, redactor: Redactor, seen: Set<object>, depth: number): Record<string, unknown> {
  const own = Object.entries(error).filter(([key]) => key !== "name" && key !== "message" && key !== "stack");
  return {
    type: error.name,
    message: cleanText(error.message, redactor),
    ...(error.stack === undefined ? {} : { stack: cleanText(error.stack, redactor) }),
    ...cleanObject(own, redactor, seen, depth + 1),
    ...(error.cause === undefined ? {} : { cause: cleanValue(error.cause, redactor, seen, depth + 1) }),
  };
}
