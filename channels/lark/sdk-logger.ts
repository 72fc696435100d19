// The SDK's log lines through our logger: its sentences alone, because the objects it logs hold secrets and tokens.
import type { Logger } from "../../src/ports/logger.ts";

/** The logger that the SDK takes; it hands over everything it was given as one array. */
export interface SdkLogger {
  error(...given: readonly unknown[]): void;
  warn(...given: readonly unknown[]): void;
  info(...given: readonly unknown[]): void;
  debug(...given: readonly unknown[]): void;
  trace(...given: readonly unknown[]): void;
}

/** Longest line that is kept, UTF-16 code units. */
const MAX_LINE = 500;

/** @param secrets texts that never stand in a line, whatever the SDK makes of them. */
export function createSdkLogger(logger: Logger, secrets: readonly string[]): SdkLogger {
  function line(given: readonly unknown[]): string {
    const words = given
      .flat(2)
      .map(word)
      .filter((part) => part !== "");
    const text = secrets.reduce(
      (rest, secret) => (secret === "" ? rest : rest.split(secret).join("[hidden]")),
      words.join(" "),
    );
    return text
      .replace(/\b(wss?:\/\/[^\s/?]+)\S*/g, "$1/…")
      .replace(/Bearer\s+[\w.\-~+/]+/gi, "Bearer [hidden]")
      .slice(0, MAX_LINE);
  }

  return {
    // What the SDK calls an error is mostly a retry of its own; the channel logs what matters by itself.
    error: (...given) => logger.warn("lark.sdk", { text: line(given) }),
    warn: (...given) => logger.warn("lark.sdk", { text: line(given) }),
    info: (...given) => logger.debug("lark.sdk", { text: line(given) }),
    debug: (...given) => logger.debug("lark.sdk", { text: line(given) }),
    trace: () => undefined,
  };
}

/** Strings and the names of errors; every other object is left out. */
function word(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return "";
}
