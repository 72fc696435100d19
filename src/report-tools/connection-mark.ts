// The mark of a client that reached the tool server: without one a pass never had its tools, whatever it says of itself.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { replaceFileSync } from "./atomic-file.ts";
import { readJsonDocument } from "./json-document.ts";

/** Beside the state file and named after it, so that it is removed with the stale state of an earlier pass. */
export function markPath(statePath: string): string {
  return `${statePath}.connected`;
}

const MAX_BYTES = 4_096;

const mark = z.object({
  runId: z.string(),
  /** Name and version that the client gave itself. */
  client: z.string().max(200),
  /** Whether it asked for the list of tools: before that its model knows of none. */
  hasListed: z.boolean(),
});

export type ConnectionMark = z.output<typeof mark>;

/** Writes the mark whole. That it cannot be written costs the session nothing: the state file tells too. */
export function markConnected(statePath: string, given: ConnectionMark): void {
  try {
    const path = markPath(statePath);
    const text = JSON.stringify({ ...given, client: given.client.slice(0, 200) });
    replaceFileSync(path, `${path}.${randomBytes(6).toString("hex")}.tmp`, [Buffer.from(text)]);
  } catch {
    // See above.
  }
}

/** The mark of a pass; null when its tools were never reached, or when what lies there is of another pass or no mark at all. */
export function readConnection(statePath: string, runId: string): ConnectionMark | null {
  const read = readJsonDocument(markPath(statePath), MAX_BYTES, mark);
  return read.kind === "ok" && read.value.runId === runId ? read.value : null;
}
