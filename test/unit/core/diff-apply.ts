// Applies the hunks of a read diff to the old content, so that tests compare whole files instead of trusting numbers.
import { type Diff, type Hunk, hunkLines } from "../../../src/core/diff.ts";

/**
 * The new content. Throws when a context or deleted line is not what stands in the old content, or a line's number is wrong.
 * @param breaksAtCr whether the old content's lines end at lone carriage returns too, as svn counts them.
 */
export function applyHunks(diff: Pick<Diff, "bytes">, hunks: readonly Hunk[], old: Buffer, breaksAtCr = false): Buffer {
  const lines = splitLines(old, breaksAtCr);
  const bytes = Buffer.from(diff.bytes.buffer, diff.bytes.byteOffset, diff.bytes.byteLength);
  const out: Buffer[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const first = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    while (at < first) out.push(need(lines[at++], "a line before the hunk"));
    let oldSeen = 0;
    let newSeen = 0;
    for (const line of hunkLines(diff, hunk)) {
      const exact = bytes.subarray(line.start, line.breakEnd);
      if (line.kind !== "added") {
        const expected = need(lines[at++], "a line of the hunk");
        if (!expected.equals(exact))
          throw new Error(`Old line ${at}: ${expected.toString()} is not ${exact.toString()}`);
        if (line.oldLine !== at) throw new Error(`Old line ${at} was numbered ${line.oldLine}`);
        oldSeen++;
      }
      if (line.kind !== "deleted") {
        out.push(exact);
        if (line.newLine !== out.length) throw new Error(`New line ${out.length} was numbered ${line.newLine}`);
        newSeen++;
      }
    }
    if (oldSeen !== hunk.oldLines || newSeen !== hunk.newLines) throw new Error("The hunk's counts are wrong");
  }
  while (at < lines.length) out.push(need(lines[at++], "a line behind the hunks"));
  return Buffer.concat(out);
}

function need(line: Buffer | undefined, what: string): Buffer {
  if (line === undefined) throw new Error(`The old content lacks ${what}`);
  return line;
}

/** Every line with its own break. */
export function splitLines(content: Buffer, breaksAtCr: boolean): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let i = 0; i < content.length; i++) {
    const lone = breaksAtCr && content[i] === 13 && content[i + 1] !== 10;
    if (content[i] !== 10 && !lone) continue;
    lines.push(content.subarray(start, i + 1));
    start = i + 1;
  }
  if (start < content.length) lines.push(content.subarray(start));
  return lines;
}
