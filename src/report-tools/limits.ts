// The caps of the report tools, as the contract states them; one table, so that schema, message and check cannot differ.
import { lastLine } from "../ports/vcs.ts";

const kib = 1024;

/** Bytes are UTF-8 bytes; characters are code points. */
export const caps = {
  messageBytes: 8 * kib,
  suggestionBytes: 8 * kib,
  summaryBytes: 64 * kib,
  titleCharacters: 200,
  fingerprintCharacters: 200,
  categoryCharacters: 64,
  reasonBytes: kib,
  pathBytes: 1_024,
  /** Text of one context answer. */
  contextBytes: 256 * kib,
  /** Problems a pass. */
  problems: 500,
  /** Summaries, context requests and attribution requests a pass, each; the contract caps problems alone. */
  otherEntries: 500,
  /** The whole state file; far above any real review, and what its reader is willing to hold. */
  stateBytes: 32 * kib * kib,
  /** Highest line number that is believed. */
  line: lastLine,
} as const;

/** `8192` → `8 KiB`; other counts stay bytes. */
export function showBytes(bytes: number): string {
  if (bytes >= kib * kib && bytes % (kib * kib) === 0) return `${bytes / (kib * kib)} MiB`;
  return bytes >= kib && bytes % kib === 0 ? `${bytes / kib} KiB` : `${bytes} bytes`;
}
