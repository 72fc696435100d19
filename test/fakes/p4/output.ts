// Renders what the real client prints under `-ztag -Mj`: sorted keys, values as text, messages with severity and generic code.

export interface Message {
  readonly text: string;
  readonly severity: number;
  readonly generic: number;
}

export type Line = Readonly<Record<string, string>> | Message;

/** Severity 2: the command goes on and ends with exit code 0. */
export function warning(text: string): Message {
  return { text, severity: 2, generic: 17 };
}

export function failure(text: string, generic: number): Message {
  return { text, severity: 3, generic };
}

export function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "severity" in value && "text" in value;
}

export function render(line: Line): string {
  if (isMessage(line)) {
    return `${JSON.stringify({ data: `${line.text}\n`, generic: line.generic, severity: line.severity })}\n`;
  }
  // Values end at the first NUL, as the real client's do.
  const sorted = Object.entries(line)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, value.split("\0")[0] ?? ""] as const);
  return `${JSON.stringify(Object.fromEntries(sorted))}\n`;
}

/** What the adapter may never do; a fake that let it pass would prove nothing. */
export class Violation extends Error {
  override readonly name = "Violation";
}
