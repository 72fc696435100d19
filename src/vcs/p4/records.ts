// Reads what `p4 -ztag -Mj` prints: one JSON object a line, its kind told by its fields alone.

/** Named values of one tagged record. */
export type P4Record = Readonly<Record<string, string>>;

export interface P4Message {
  readonly text: string;
  /** 1 information, 2 warning, 3 failure, 4 fatal. */
  readonly severity: number;
  readonly generic: number;
}

export interface P4Output {
  readonly records: readonly P4Record[];
  /** Warnings and errors, which come in the same stream, often with exit code 0. */
  readonly messages: readonly P4Message[];
}

/** Null for anything that is not exactly such output, a torn last line included. */
export function readOutput(stdout: Buffer): P4Output | null {
  const records: P4Record[] = [];
  const messages: P4Message[] = [];
  const text = stdout.toString("utf8");
  if (text !== "" && !text.endsWith("\n")) return null;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const fields = readLine(line);
    if (fields === null) return null;
    const message = asMessage(fields);
    if (message !== null) messages.push(message);
    else if (isInformation(fields)) messages.push({ text: String(fields["data"]), severity: 1, generic: 0 });
    else if (isRecord(fields)) records.push(fields);
    else return null;
  }
  return { records, messages };
}

function readLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.assign(Object.create(null), value)
      : null;
  } catch {
    return null;
  }
}

function asMessage(fields: Record<string, unknown>): P4Message | null {
  const { data, severity, generic } = fields;
  if (typeof data !== "string" || typeof severity !== "number" || typeof generic !== "number") return null;
  return { text: data.trim(), severity, generic };
}

function isInformation(fields: Record<string, unknown>): boolean {
  return typeof fields["data"] === "string" && typeof fields["level"] === "number" && Object.keys(fields).length === 2;
}

/** All values are strings; a lone `data` is file content, which we never ask for in this form. */
function isRecord(fields: Record<string, unknown>): fields is Record<string, string> {
  const keys = Object.keys(fields);
  if (keys.length === 0 || (keys.length === 1 && keys[0] === "data")) return false;
  return keys.every((key) => typeof fields[key] === "string");
}
