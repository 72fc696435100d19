// Cuts a byte stream into lines, holds at most one line's cap in memory, and skips what is longer.

export interface LineSink {
  onLine(line: string): void;
  /** Called once for each line over the cap, as soon as the cap is passed. */
  onOverflow(): void;
}

export interface LineReader {
  push(chunk: Buffer): void;
}

/** @param maxBytes longest line without its line feed, in bytes. */
export function createLineReader(maxBytes: number, sink: LineSink): LineReader {
  let parts: Buffer[] = [];
  let held = 0;
  let skipping = false;

  return { push };

  function push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      take(chunk.subarray(from, at));
      endLine();
      from = at + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  }

  function take(part: Buffer): void {
    if (skipping) return;
    held += part.length;
    if (held > maxBytes) {
      skipping = true;
      parts = [];
      sink.onOverflow();
      return;
    }
    parts.push(part);
  }

  function endLine(): void {
    const line = skipping ? null : Buffer.concat(parts).toString("utf8");
    parts = [];
    held = 0;
    skipping = false;
    if (line !== null) sink.onLine(line);
  }
}
