// Reads one hunk: its header, and its body of which only the first byte of each line matters.
import { afterLine, CR, corrupt, LF, lineEnd, startsWith } from "./diff-bytes.ts";

/** A hunk in git's numbering: a side without lines starts at the line before the gap. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Offset of the first body line. */
  readonly start: number;
  /** Offset after the last body line, its "no newline" marker included. */
  readonly end: number;
  /** Subversion counts a lone carriage return as a line break; git and Perforce do not. */
  readonly breaksAtCr: boolean;
}

/** Who wrote the hunks; they number empty sides and break lines differently. */
export type Dialect = "git" | "svn" | "p4";

/** One body line; offsets count bytes of the diff. */
export interface HunkLine {
  readonly kind: "context" | "added" | "deleted";
  /** The content without its marker: from `start` to before `end`; a CR before the line feed belongs to it. */
  readonly start: number;
  readonly end: number;
  /** Offset after the line's own break: the bytes from `start` to here are the line as it stands in the file. */
  readonly breakEnd: number;
  /** 1-based; absent on added lines. */
  readonly oldLine?: number;
  /** 1-based; absent on deleted lines. */
  readonly newLine?: number;
  /** The file ends here without a line break. */
  readonly noEol: boolean;
}

const plus = 43;
const minus = 45;
const space = 32;
const backslash = 92;

export function isHunkHeader(bytes: Buffer, at: number): boolean {
  return startsWith(bytes, at, "@@ -");
}

/** Reads the hunk whose `@@` line begins at `at`; the next line begins at its `end`. Throws `corrupt`. */
export function readHunk(bytes: Buffer, at: number, dialect: Dialect): Hunk {
  const numbers: Numbers = { pos: at + "@@ -".length, start: 0, lines: 0 };
  readRange(bytes, at, numbers);
  let oldStart = numbers.start;
  const oldLines = numbers.lines;
  if (!startsWith(bytes, numbers.pos, " +")) throw badHeader(bytes, at);
  numbers.pos += 2;
  readRange(bytes, at, numbers);
  let newStart = numbers.start;
  const newLines = numbers.lines;
  if (!startsWith(bytes, numbers.pos, " @@")) throw badHeader(bytes, at);
  if (oldLines === 0 && newLines === 0) throw corrupt(bytes, at, "a hunk of no lines");
  // Perforce names the line after the gap, and counts from 1 in an empty file.
  if (dialect === "p4" && oldLines === 0) oldStart--;
  if (dialect === "p4" && newLines === 0) newStart--;
  if (oldStart < (oldLines === 0 ? 0 : 1) || newStart < (newLines === 0 ? 0 : 1)) {
    throw corrupt(bytes, at, "a hunk that begins before the first line");
  }
  // What follows the second @@ is the function's name, of any length: it is not looked at.
  const start = afterLine(bytes, lineEnd(bytes, numbers.pos));
  const breaksAtCr = dialect === "svn";
  const end = readBody(bytes, start, oldLines, newLines, breaksAtCr);
  return { oldStart, oldLines, newStart, newLines, start, end, breaksAtCr };
}

interface Numbers {
  pos: number;
  start: number;
  lines: number;
}

/** Reads `start` or `start,lines`; a count that is left out means 1. */
function readRange(bytes: Buffer, at: number, numbers: Numbers): void {
  numbers.start = readNumber(bytes, at, numbers);
  numbers.lines = 1;
  if (bytes[numbers.pos] !== 44) return;
  numbers.pos++;
  numbers.lines = readNumber(bytes, at, numbers);
}

function readNumber(bytes: Buffer, at: number, numbers: Numbers): number {
  const from = numbers.pos;
  let value = 0;
  for (let digit = (bytes[from] ?? 0) - 48; digit >= 0 && digit <= 9; digit = (bytes[numbers.pos] ?? 0) - 48) {
    value = value * 10 + digit;
    numbers.pos++;
  }
  // No file has more lines than ten digits count.
  if (numbers.pos === from || numbers.pos - from > 10) throw badHeader(bytes, at);
  return value;
}

function badHeader(bytes: Buffer, at: number): Error {
  return corrupt(bytes, at, "a hunk header that is none");
}

/** Throws `corrupt` unless `hunk` lies behind `previous` on both sides. */
export function checkOrder(bytes: Buffer, at: number, previous: Hunk | undefined, hunk: Hunk): void {
  if (previous === undefined) return;
  if (first(hunk.oldStart, hunk.oldLines) < past(previous.oldStart, previous.oldLines)) {
    throw corrupt(bytes, at, "hunks that overlap on the old side");
  }
  if (first(hunk.newStart, hunk.newLines) < past(previous.newStart, previous.newLines)) {
    throw corrupt(bytes, at, "hunks that overlap on the new side");
  }
}

function first(start: number, lines: number): number {
  return lines === 0 ? start + 1 : start;
}

function past(start: number, lines: number): number {
  return first(start, lines) + lines;
}

function readBody(bytes: Buffer, at: number, oldLines: number, newLines: number, breaksAtCr: boolean): number {
  let oldLeft = oldLines;
  let newLeft = newLines;
  let pos = at;
  let last = 0;
  while (oldLeft > 0 || newLeft > 0) {
    const marker = bytes[pos];
    // A bare line feed is an empty context line: git writes it so with diff.suppressBlankEmpty.
    if (marker === space || marker === LF) {
      oldLeft--;
      newLeft--;
    } else if (marker === plus) newLeft--;
    else if (marker === minus) oldLeft--;
    else if (marker === backslash) {
      pos = readNoEol(bytes, pos, last, oldLeft, newLeft);
      last = 0;
      continue;
    } else if (marker === undefined) throw corrupt(bytes, pos, "the diff ends inside a hunk");
    else throw corrupt(bytes, pos, "a line inside a hunk that is neither context, added nor deleted");
    if (oldLeft < 0 || newLeft < 0) throw corrupt(bytes, pos, "more lines on one side than the hunk's header says");
    last = marker;
    const next = breaksAtCr ? nextBreak(bytes, pos) : bytes.indexOf(LF, pos) + 1;
    if (next <= 0) throw corrupt(bytes, pos, "the diff ends inside a line");
    pos = next;
  }
  return bytes[pos] === backslash ? readNoEol(bytes, pos, last, oldLeft, newLeft) : pos;
}

/** Steps over `\ No newline at end of file`, which may stand only behind the last line of a side. */
function readNoEol(bytes: Buffer, at: number, last: number, oldLeft: number, newLeft: number): number {
  if (!startsWith(bytes, at, "\\ ")) throw corrupt(bytes, at, "a line inside a hunk that begins with a backslash");
  const misplaced = last === 0 || (last !== plus && oldLeft > 0) || (last !== minus && newLeft > 0);
  if (misplaced) throw corrupt(bytes, at, "a 'no newline' marker that is not behind the last line");
  return afterLine(bytes, lineEnd(bytes, at));
}

/** Offset after the next LF, CR LF or lone CR; -1 when there is none. */
function nextBreak(bytes: Buffer, from: number): number {
  for (let pos = from; pos < bytes.length; pos++) {
    const byte = bytes[pos];
    if (byte === LF) return pos + 1;
    if (byte === CR && bytes[pos + 1] !== LF) return pos + 1;
  }
  return -1;
}

/** The lines of a hunk that was read before, cut one by one. */
export function* linesOf(bytes: Buffer, hunk: Hunk): Generator<HunkLine, void, undefined> {
  let oldLine = first(hunk.oldStart, hunk.oldLines);
  let newLine = first(hunk.newStart, hunk.newLines);
  let pos = hunk.start;
  while (pos < hunk.end) {
    const marker = bytes[pos];
    const next = hunk.breaksAtCr ? nextBreak(bytes, pos) : bytes.indexOf(LF, pos) + 1;
    const noEol = next < hunk.end && bytes[next] === backslash;
    const end = next - 1;
    const start = marker === LF ? pos : pos + 1;
    const place = { start, end, breakEnd: noEol ? end : next, noEol };
    if (marker === plus) yield { kind: "added", ...place, newLine: newLine++ };
    else if (marker === minus) yield { kind: "deleted", ...place, oldLine: oldLine++ };
    else yield { kind: "context", ...place, oldLine: oldLine++, newLine: newLine++ };
    pos = noEol ? afterLine(bytes, lineEnd(bytes, next)) : next;
  }
}
