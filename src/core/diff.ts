// Reads unified diffs (git, svn) and Perforce's bare hunks in one strict pass; results are offsets, lines are cut on demand.
import { afterLine, corrupt, headerText, LF, lineEnd, startsWith } from "./diff-bytes.ts";
import { concludeFile, type DiffFile } from "./diff-conclusion.ts";
import { createDraft, type Draft } from "./diff-draft.ts";
import { checkOrder, type Dialect, type Hunk, type HunkLine, isHunkHeader, linesOf, readHunk } from "./diff-hunks.ts";
import { addGitHeader, p4Draft, readHeaderLine, readLabels, readPropertyLine } from "./diff-sections.ts";
import { AppError } from "./errors.ts";

export type { DiffFile } from "./diff-conclusion.ts";
export type { Hunk, HunkLine } from "./diff-hunks.ts";

export interface Diff {
  readonly bytes: Uint8Array;
  readonly files: readonly DiffFile[];
}

/** What a diff may begin with when it holds no file at all: a mail, a log entry, a changelist without differences. */
const emptyPreamble = /^(?:From |commit |Change \d|Differences \.\.\.|[A-Za-z][A-Za-z-]*: )/;

interface State {
  readonly bytes: Buffer;
  readonly files: DiffFile[];
  /** The file being read; null in prose. */
  draft: Draft | null;
  /** Inside svn's `Property changes on:` block of the draft. */
  inProperties: boolean;
}

/**
 * Reads a whole diff. Prose is allowed before the first file and behind a signature (format-patch, git log, p4 describe).
 * Throws AppError `corrupt` for malformed input and `unsupported` for combined diffs.
 */
export function readDiff(input: Uint8Array): Diff {
  const bytes = asBuffer(input);
  const state: State = { bytes, files: [], draft: null, inProperties: false };
  let pos = 0;
  while (pos < bytes.length) {
    const end = lineEnd(bytes, pos);
    pos = openFile(state, pos, end) ?? readOn(state, pos, end);
  }
  closeFile(state);
  if (state.files.length === 0) checkEmpty(bytes);
  return { bytes, files: state.files };
}

function closeFile(state: State): void {
  if (state.draft !== null) state.files.push(concludeFile(state.draft, state.bytes));
  state.draft = null;
  state.inProperties = false;
}

function begin(state: State, draft: Draft): Draft {
  closeFile(state);
  state.draft = draft;
  return draft;
}

/** Begins a file if the line at `at` is the first of one; gives the offset of what follows, or null. */
function openFile(state: State, at: number, end: number): number | null {
  const { bytes, draft } = state;
  const next = afterLine(bytes, end);
  switch (bytes[at]) {
    case 0x64: // d
      if (startsWith(bytes, at, "diff --git ")) {
        // Under svn's `Index:` it is one more header of the same file.
        const continues = draft?.form === "svn" && isBare(draft) && !state.inProperties;
        addGitHeader(continues ? draft : begin(state, createDraft(at, "git")), bytes, at, end);
        return next;
      }
      if (startsWith(bytes, at, "diff --cc ") || startsWith(bytes, at, "diff --combined ")) throw combined(at);
      return null;
    case 0x49: // I
      if (!startsWith(bytes, at, "Index: ") || !startsWith(bytes, next, "=====")) return null;
      begin(state, createDraft(at, "svn", headerText(bytes, at + 7, end)));
      return afterLine(bytes, lineEnd(bytes, next));
    case 0x3d: {
      // =
      const header = startsWith(bytes, at, "==== //") ? p4Draft(bytes, at, end) : null;
      if (header === null) return null;
      begin(state, header);
      return next;
    }
    case 0x2d: // -
      if ((draft !== null && draft.hunks.length === 0) || !isPlainStart(bytes, at, next)) return null;
      return readLabels(begin(state, createDraft(at, "plain")), bytes, at, end);
    default:
      return null;
  }
}

/** Reads a line (or hunk, or block) that begins no file; gives the offset of what follows. */
function readOn(state: State, at: number, end: number): number {
  const { bytes, draft } = state;
  const next = afterLine(bytes, end);
  if (draft === null) return next;
  if (state.inProperties) {
    readPropertyLine(draft, bytes, at);
    return next;
  }
  if (isHunkHeader(bytes, at)) return addHunk(draft, bytes, at);
  if (end === at) return next;
  if (startsWith(bytes, at, "Property changes on: ")) {
    state.inProperties = true;
    draft.properties = "other";
    return next;
  }
  const after = draft.hunks.length > 0 ? -1 : readHeaderLine(draft, bytes, at, end);
  if (after >= 0) return after;
  if (!endsFile(bytes, at)) throw corrupt(bytes, at, "a line that belongs to no hunk and is no header");
  closeFile(state);
  return next;
}

function isBare(draft: Draft): boolean {
  return draft.headerStart < 0 && draft.oldLabelStart < 0 && !draft.isBinary && draft.hunks.length === 0;
}

/**
 * Reads Perforce's bare hunks (`p4 describe -du`, `p4 diff2 -du` without their headers), whose empty side names the next
 * line, and gives them git's numbering. Throws AppError `corrupt`.
 */
export function readHunks(input: Uint8Array): readonly Hunk[] {
  const bytes = asBuffer(input);
  const hunks: Hunk[] = [];
  let pos = 0;
  while (pos < bytes.length) {
    if (bytes[pos] === LF) {
      pos++;
      continue;
    }
    if (!isHunkHeader(bytes, pos)) throw corrupt(bytes, pos, "a line that belongs to no hunk");
    const hunk = readHunk(bytes, pos, "p4");
    checkOrder(bytes, pos, hunks.at(-1), hunk);
    hunks.push(hunk);
    pos = hunk.end;
  }
  return hunks;
}

/** The lines of one hunk, cut while they are asked for. */
export function hunkLines(diff: Pick<Diff, "bytes">, hunk: Hunk): Generator<HunkLine, void, undefined> {
  return linesOf(asBuffer(diff.bytes), hunk);
}

/** A line's content as text: UTF-8 with replacement characters, or latin1, which loses no byte. */
export function lineText(
  diff: Pick<Diff, "bytes">,
  line: Pick<HunkLine, "start" | "end">,
  encoding: "utf8" | "latin1" = "utf8",
): string {
  return asBuffer(diff.bytes).toString(encoding, line.start, line.end);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function addHunk(draft: Draft, bytes: Buffer, at: number): number {
  if (draft.form !== "p4" && draft.oldLabelStart < 0) throw corrupt(bytes, at, "a hunk without '---' and '+++'");
  const dialect: Dialect = draft.form === "p4" ? "p4" : draft.form === "svn" ? "svn" : "git";
  const hunk = readHunk(bytes, at, dialect);
  checkOrder(bytes, at, draft.hunks.at(-1), hunk);
  draft.hunks.push(hunk);
  return hunk.end;
}

/** `---`, `+++` and `@@` in a row begin a file without any other header. */
function isPlainStart(bytes: Buffer, at: number, second: number): boolean {
  if (!startsWith(bytes, at, "--- ") || !startsWith(bytes, second, "+++ ")) return false;
  return isHunkHeader(bytes, afterLine(bytes, lineEnd(bytes, second)));
}

/** A signature, the next mail, the next log entry, or the command line that `diff -r` prints. */
function endsFile(bytes: Buffer, at: number): boolean {
  return ["-- ", "From ", "commit ", "diff -"].some((word) => startsWith(bytes, at, word));
}

function checkEmpty(bytes: Buffer): void {
  let at = 0;
  while (bytes[at] === LF) at++;
  if (at === bytes.length) return;
  if (!emptyPreamble.test(bytes.toString("latin1", at, at + 80))) throw corrupt(bytes, at, "a text without any file");
}

function combined(offset: number): AppError {
  return new AppError("unsupported", `The diff is a combined one (at byte ${offset}), with more than one old side.`, {
    remedy: "Compare two trees: diff the merge against one of its parents.",
  });
}
