// Reads what stands above a file's hunks in the forms of git, svn, p4 and plain diff.
import { afterLine, corrupt, headerText, LF, lineEnd, startsWith } from "./diff-bytes.ts";
import { createDraft, type Draft } from "./diff-draft.ts";
import { findHalves, readP4Header, splitBinaryLine, splitGitHeader, unquote } from "./diff-paths.ts";

type Extended = readonly [prefix: string, apply: (draft: Draft, rest: string) => boolean];

function mode(side: "oldMode" | "newMode", means?: "created" | "deleted"): Extended[1] {
  return (draft, rest) => {
    if (!/^[0-7]{5,6}$/.test(rest)) return false;
    draft[side] = rest;
    if (means !== undefined) draft[means] = true;
    return true;
  };
}

function path(kind: "rename" | "copy", end: "from" | "to"): Extended[1] {
  return (draft, rest) => {
    // Subversion does not quote, and names the revision that it copied from.
    const name = draft.form === "svn" ? (end === "from" ? rest.replace(/@\d+$/, "") : rest) : unquote(rest);
    if (name === null || name === "") return false;
    draft.moved = kind;
    draft[end] = name;
    return true;
  };
}

function percent(_: Draft, rest: string): boolean {
  return /^\d{1,3}%$/.test(rest);
}

const extendedHeaders: readonly Extended[] = [
  ["old mode ", mode("oldMode")],
  ["new mode ", mode("newMode")],
  ["new file mode ", mode("newMode", "created")],
  ["deleted file mode ", mode("oldMode", "deleted")],
  ["copy from ", path("copy", "from")],
  ["copy to ", path("copy", "to")],
  ["rename from ", path("rename", "from")],
  ["rename to ", path("rename", "to")],
  ["similarity index ", percent],
  ["dissimilarity index ", percent],
];

/** Reads the `diff --git` line at `at` into the section. */
export function addGitHeader(draft: Draft, bytes: Buffer, at: number, end: number): void {
  draft.headerStart = at + "diff --git ".length;
  draft.headerEnd = end;
  draft.halves = findHalves(bytes, draft.headerStart, end);
  if (draft.halves !== null) return;
  draft.names = splitGitHeader(headerText(bytes, draft.headerStart, end), draft.form === "git");
}

/** @returns the section of a `====` line, or null when the line is none. */
export function p4Draft(bytes: Buffer, at: number, end: number): Draft | null {
  const header = readP4Header(headerText(bytes, at, end));
  if (header === null) return null;
  const draft = createDraft(at, "p4", header.path);
  draft.isBinary = /binary|apple|resource/.test(header.types);
  draft.created = header.revision === 1;
  return draft;
}

/**
 * Reads one header line (or block) of a section that has no hunks yet.
 * @returns the offset of what follows, or -1 when the line is no header.
 */
export function readHeaderLine(draft: Draft, bytes: Buffer, at: number, end: number): number {
  const next = afterLine(bytes, end);
  if (startsWith(bytes, at, "--- ")) return readLabels(draft, bytes, at, end);
  if (draft.headerStart >= 0) {
    if (startsWith(bytes, at, "index ")) {
      readBlobs(draft, bytes, at, end);
      return next;
    }
    if (startsWith(bytes, at, "GIT binary patch")) {
      draft.isBinary = true;
      return skipBinaryPatch(bytes, next);
    }
    for (const [prefix, apply] of extendedHeaders) {
      if (!startsWith(bytes, at, prefix)) continue;
      if (!apply(draft, headerText(bytes, at + prefix.length, end))) {
        throw corrupt(bytes, at, `a header '${prefix.trim()}' without its value`);
      }
      return next;
    }
  }
  if (startsWith(bytes, at, "Binary files ")) {
    readBinaryLine(draft, bytes, at, end);
    return next;
  }
  if (draft.form === "svn" && startsWith(bytes, at, "Cannot display: ")) {
    draft.isBinary = true;
    return startsWith(bytes, next, "svn:mime-type = ") ? afterLine(bytes, lineEnd(bytes, next)) : next;
  }
  // Perforce says in a line of prose why there is no hunk (`(... files differ ...)`, a revision that is gone).
  return draft.form === "p4" && /^[(/A-Za-z]/.test(bytes.toString("latin1", at, at + 1)) ? next : -1;
}

/** Reads the pair of `---` and `+++`. */
export function readLabels(draft: Draft, bytes: Buffer, at: number, end: number): number {
  const second = afterLine(bytes, end);
  if (draft.oldLabelStart >= 0 || !startsWith(bytes, second, "+++ ")) {
    throw corrupt(bytes, at, "a '---' line without its '+++' line");
  }
  draft.oldLabelStart = at + 4;
  draft.oldLabelEnd = end;
  draft.newLabelStart = second + 4;
  draft.newLabelEnd = lineEnd(bytes, second);
  return afterLine(bytes, draft.newLabelEnd);
}

/** Notes a line of an svn property block; of its hunks nothing counts as code. */
export function readPropertyLine(draft: Draft, bytes: Buffer, at: number): void {
  if (startsWith(bytes, at, "Added: svn:mime-type")) draft.properties = "type_added";
  else if (startsWith(bytes, at, "Deleted: svn:mime-type")) draft.properties = "type_deleted";
}

/** `index 1234567..89abcde 100644`; the mode stands there when it did not change. */
function readBlobs(draft: Draft, bytes: Buffer, at: number, end: number): void {
  let pos = skipHex(bytes, at + "index ".length);
  if (startsWith(bytes, pos, "..")) pos = skipHex(bytes, pos + 2);
  else throw corrupt(bytes, at, "an 'index' header without two blobs");
  draft.hasBlobs = true;
  if (pos === end) return;
  // Nearly every file has this mode: it is not worth a string of its own each time.
  if (end - pos === 7 && startsWith(bytes, pos, " 100644")) {
    draft.oldMode ??= "100644";
    draft.newMode ??= "100644";
    return;
  }
  const text = headerText(bytes, pos, end);
  if (!/^ [0-7]{5,6}$/.test(text)) throw corrupt(bytes, at, "an 'index' header with more than blobs and a mode");
  draft.oldMode ??= text.slice(1);
  draft.newMode ??= text.slice(1);
}

function skipHex(bytes: Buffer, from: number): number {
  let pos = from;
  for (let byte = bytes[pos] ?? 0; isHex(byte); byte = bytes[pos] ?? 0) pos++;
  if (pos === from) throw corrupt(bytes, from, "an 'index' header without two blobs");
  return pos;
}

function isHex(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 102);
}

function readBinaryLine(draft: Draft, bytes: Buffer, at: number, end: number): void {
  const text = /^Binary files (.*) differ$/s.exec(headerText(bytes, at, end))?.[1];
  if (text === undefined) throw corrupt(bytes, at, "a 'Binary files' line without its end");
  draft.isBinary = true;
  if (draft.headerStart < 0 || draft.halves !== null || draft.names !== null) return;
  draft.names = splitBinaryLine(text, headerText(bytes, draft.headerStart, draft.headerEnd));
}

/** Steps over the one or two blocks of base-85 lines behind `GIT binary patch`. */
function skipBinaryPatch(bytes: Buffer, from: number): number {
  let pos = from;
  let blocks = 0;
  while (blocks < 2 && (startsWith(bytes, pos, "literal ") || startsWith(bytes, pos, "delta "))) {
    const end = lineEnd(bytes, pos);
    if (!/^(?:literal|delta) \d+$/.test(headerText(bytes, pos, end))) {
      throw corrupt(bytes, pos, "a binary block without its size");
    }
    pos = afterLine(bytes, end);
    const first = pos;
    for (let stop = lineEnd(bytes, pos); isBase85Line(bytes, pos, stop); stop = lineEnd(bytes, pos)) {
      pos = afterLine(bytes, stop);
    }
    if (pos === first) throw corrupt(bytes, pos, "a binary block without data");
    // An empty line ends a block; svn leaves the last one out.
    if (bytes[pos] === LF) pos++;
    blocks++;
  }
  if (blocks === 0) throw corrupt(bytes, pos, "a binary patch without data");
  return pos;
}

/** The first letter says how many bytes the line holds; every 4 of them take 5 characters. */
function isBase85Line(bytes: Buffer, at: number, end: number): boolean {
  const letter = bytes[at] ?? 0;
  const held = letter >= 65 && letter <= 90 ? letter - 64 : letter >= 97 && letter <= 122 ? letter - 70 : 0;
  if (held === 0 || end - at !== 1 + Math.ceil(held / 4) * 5) return false;
  return /^[0-9A-Za-z!#$%&()*+\-;<=>?@^_`{|}~]+$/.test(bytes.toString("latin1", at, end));
}
