// A logger that keeps its lines, so that a test can look for an event or for what must never stand there.
import type { Logger } from "../../src/ports/logger.ts";

export interface LineLogger extends Logger {
  readonly lines: readonly {
    readonly level: string;
    readonly event: string;
    readonly fields: Readonly<Record<string, unknown>>;
  }[];
  /** Everything as one text, errors with their messages and causes. */
  text(): string;
  has(event: string): boolean;
}

export function createLineLogger(): LineLogger {
  const lines: { level: string; event: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const add =
    (level: string) =>
    (event: string, fields: Record<string, unknown> = {}): void =>
      void lines.push({ level, event, fields });
  const logger: LineLogger = {
    lines,
    debug: add("debug"),
    info: add("info"),
    warn: add("warn"),
    error: add("error"),
    child: () => logger,
    text: () => JSON.stringify(lines, (_, value: unknown) => (value instanceof Error ? everythingOf(value) : value)),
    has: (event) => lines.some((line) => line.event === event),
  };
  return logger;
}

/** What any reader of an error could find in it, hidden or not. */
export function everythingOf(thrown: unknown, depth = 0): unknown {
  if (typeof thrown !== "object" || thrown === null || depth > 6) return String(thrown);
  const own = Object.fromEntries(
    Object.getOwnPropertyNames(thrown).map((name) => [
      name,
      everythingOf((thrown as Record<string, unknown>)[name], depth + 1),
    ]),
  );
  return { name: thrown.constructor.name, ...own };
}
