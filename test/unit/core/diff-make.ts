// Writes unified diffs from two contents by the longest common subsequence: a second opinion that shares no code with the reader.
import { splitLines } from "./diff-apply.ts";

export interface MakeOptions {
  /** Context lines around a change. */
  readonly context: number;
  /** `p4` gives bare hunks with Perforce's numbering, `git` a whole file section. */
  readonly numbering: "git" | "p4";
}

interface Edit {
  readonly marker: " " | "-" | "+";
  readonly text: Buffer;
  /** Lines of each side before this one. */
  readonly old: number;
  readonly fresh: number;
}

export function makeDiff(old: Buffer, fresh: Buffer, options: MakeOptions): Buffer {
  const edits = compare(splitLines(old, false), splitLines(fresh, false));
  const parts: Buffer[] =
    options.numbering === "git"
      ? [Buffer.from("diff --git a/x y b/x y\nindex 1234567..89abcde 100644\n--- a/x y\t\n+++ b/x y\t\n")]
      : [];
  for (const [from, to] of groups(edits, options.context)) {
    const hunk = edits.slice(from, to);
    const first = hunk[0] as Edit;
    const oldLines = hunk.filter((edit) => edit.marker !== "+").length;
    const newLines = hunk.filter((edit) => edit.marker !== "-").length;
    const place = (before: number, lines: number): string => {
      const start = lines === 0 && options.numbering === "git" ? before : before + 1;
      return lines === 1 && options.numbering === "git" ? `${start}` : `${start},${lines}`;
    };
    parts.push(Buffer.from(`@@ -${place(first.old, oldLines)} +${place(first.fresh, newLines)} @@\n`));
    for (const { marker, text } of hunk) {
      parts.push(Buffer.from(marker), text);
      if (text.at(-1) !== 10) parts.push(Buffer.from("\n\\ No newline at end of file\n"));
    }
  }
  return Buffer.concat(parts);
}

function compare(a: readonly Buffer[], b: readonly Buffer[]): Edit[] {
  const same = (i: number, j: number): boolean => (a[i] as Buffer).equals(b[j] as Buffer);
  const length = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => length[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      (length[i] as number[])[j] = same(i, j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(i, j))
      edits.push({ marker: " ", text: a[i] as Buffer, old: i++, fresh: j++ });
    else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ marker: "-", text: a[i] as Buffer, old: i++, fresh: j });
    } else edits.push({ marker: "+", text: b[j] as Buffer, old: i, fresh: j++ });
  }
  return edits;
}

/** Index ranges of the hunks: changes with their context, those that touch joined. */
function groups(edits: readonly Edit[], context: number): [number, number][] {
  const found: [number, number][] = [];
  for (const [index, edit] of edits.entries()) {
    if (edit.marker === " ") continue;
    const from = Math.max(0, index - context);
    const to = Math.min(edits.length, index + 1 + context);
    const last = found.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else found.push([from, to]);
  }
  return found;
}
