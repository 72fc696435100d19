// Concludes from a finished section what happened to the file and what it is called.
import { corrupt } from "./diff-bytes.ts";
import type { Draft } from "./diff-draft.ts";
import type { Hunk } from "./diff-hunks.ts";
import { gitLabel, type NamePair, stripPrefixes } from "./diff-paths.ts";

/** Paths are the header's bytes as latin1. */
export interface DiffFile {
  /** Null for an added file. */
  readonly oldPath: string | null;
  /** Null for a deleted file. */
  readonly newPath: string | null;
  readonly kind: "add" | "modify" | "delete" | "rename" | "copy";
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly isBinary: boolean;
  /** Only Subversion properties changed (of a file or a directory); there is no code in it. */
  readonly propertiesOnly: boolean;
  readonly hunks: readonly Hunk[];
}

/** Throws `corrupt` where the section contradicts itself or something is missing. */
export function concludeFile(draft: Draft, bytes: Buffer): DiffFile {
  if (draft.isBinary && draft.hunks.length > 0) throw corrupt(bytes, draft.at, "a binary file with hunks");
  const names = namesOf(draft, bytes);
  const kind = draft.moved ?? (names.old === null ? "add" : names.new === null ? "delete" : "modify");
  if (draft.form === "git") checkComplete(draft, kind, bytes);
  const file: { -readonly [K in keyof DiffFile]: DiffFile[K] } = {
    oldPath: names.old,
    newPath: names.new,
    kind,
    isBinary: draft.isBinary,
    propertiesOnly: draft.properties !== "none" && !draft.isBinary && draft.hunks.length === 0 && kind === "modify",
    hunks: draft.hunks,
  };
  if (draft.oldMode !== null && names.old !== null) file.oldMode = draft.oldMode;
  if (draft.newMode !== null && names.new !== null) file.newMode = draft.newMode;
  return file;
}

function checkComplete(draft: Draft, kind: DiffFile["kind"], bytes: Buffer): void {
  if (draft.hunks.length > 0) return;
  if (draft.oldLabelStart >= 0) throw corrupt(bytes, draft.at, "a file whose hunks are missing");
  if (draft.hasBlobs && kind === "modify" && draft.oldMode === draft.newMode && !draft.isBinary) {
    throw corrupt(bytes, draft.at, "a file whose content differs, without a hunk");
  }
}

interface Names {
  readonly old: string | null;
  readonly new: string | null;
}

function namesOf(draft: Draft, bytes: Buffer): Names {
  if (draft.moved !== null) {
    if (draft.from !== null && draft.to !== null) return { old: draft.from, new: draft.to };
    throw corrupt(bytes, draft.at, `a ${draft.moved} that lacks one of its paths`);
  }
  if (draft.form === "p4") return side(draft.index ?? "", draft.created, false);
  if (draft.form === "svn" && draft.headerStart < 0) return svnNames(draft, bytes);
  return unifiedNames(draft, bytes);
}

function side(name: string, isNew: boolean, isGone: boolean): Names {
  return { old: isNew ? null : name, new: isGone ? null : name };
}

/** Names of svn's own form, which says in the label whether a side exists. */
function svnNames(draft: Draft, bytes: Buffer): Names {
  const name = draft.index ?? "";
  if (draft.oldLabelStart >= 0) return side(name, labelOf(draft, bytes, "old").gone, labelOf(draft, bytes, "new").gone);
  // Without labels svn does not say what happened: a section without a body is an empty file that was added, and a
  // binary file came or went together with the property that makes it binary.
  const isNew = draft.isBinary ? draft.properties === "type_added" : draft.properties !== "type_deleted";
  return side(name, isNew, !isNew && draft.properties === "type_deleted");
}

/** Names of git's form (also under svn's `Index:`) and of plain diffs. */
function unifiedNames(draft: Draft, bytes: Buffer): Names {
  const { halves } = draft;
  if (halves !== null && draft.form === "git") {
    const fast = bytes.toString("latin1", halves.pathStart, halves.middle);
    if (draft.oldLabelStart < 0) return checked(draft, bytes, side(fast, draft.created, draft.deleted));
    const oldSame = sameBytes(bytes, draft.headerStart, halves.middle, draft.oldLabelStart, draft.oldLabelEnd);
    const newSame = sameBytes(bytes, halves.middle + 1, draft.headerEnd, draft.newLabelStart, draft.newLabelEnd);
    if (oldSame && newSame) return side(fast, false, false);
  }
  const header = headerPair(draft, bytes);
  const labels = labelPair(draft, bytes);
  const pair = header !== null && header.old === header.new ? header : (labels.stripped ?? header);
  if (pair === null || pair.old === "" || pair.new === "") {
    throw corrupt(bytes, draft.at, "a file without a readable path");
  }
  checkLabel(draft, bytes, labels.old, pair.old);
  checkLabel(draft, bytes, labels.new, pair.new);
  const isNew = draft.created || labels.old.gone;
  const isGone = draft.deleted || labels.new.gone;
  return checked(draft, bytes, { old: isNew ? null : pair.old, new: isGone ? null : pair.new });
}

function checked(draft: Draft, bytes: Buffer, names: Names): Names {
  if (names.old === null && names.new === null) throw corrupt(bytes, draft.at, "a file that is both added and deleted");
  return names;
}

/** Whether a label repeats a half of the header; a tab closes labels that hold spaces. */
function sameBytes(bytes: Buffer, start: number, end: number, labelStart: number, labelEnd: number): boolean {
  const length = end - start;
  const labelLength = labelEnd - labelStart;
  if (labelLength !== length && !(labelLength === length + 1 && bytes[labelEnd - 1] === 9)) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== bytes[labelStart + i]) return false;
  return true;
}

function headerPair(draft: Draft, bytes: Buffer): NamePair | null {
  const { halves } = draft;
  if (halves !== null) {
    const name = bytes.toString("latin1", halves.pathStart, halves.middle);
    return { old: name, new: name };
  }
  return draft.names === null ? null : stripPrefixes(draft.names);
}

interface Label {
  /** With its prefix; empty when there is no label. */
  readonly text: string;
  /** The side does not exist. */
  readonly gone: boolean;
}

function labelOf(draft: Draft, bytes: Buffer, which: "old" | "new"): Label {
  const start = which === "old" ? draft.oldLabelStart : draft.newLabelStart;
  if (start < 0) return { text: "", gone: false };
  const raw = bytes.toString("latin1", start, which === "old" ? draft.oldLabelEnd : draft.newLabelEnd);
  // Only git quotes; svn and plain diffs put a tab and a note behind the path.
  const text = draft.form === "git" ? gitLabel(raw) : (raw.split("\t")[0] ?? "");
  if (text === null || text === "") throw corrupt(bytes, start, "a '---' or '+++' line without a readable path");
  return { text, gone: text === "/dev/null" || (draft.form === "svn" && raw.endsWith("\t(nonexistent)")) };
}

interface Labels {
  readonly old: Label;
  readonly new: Label;
  /** Both names without prefixes, as far as labels alone tell. */
  readonly stripped: NamePair | null;
}

function labelPair(draft: Draft, bytes: Buffer): Labels {
  const old = labelOf(draft, bytes, "old");
  const fresh = labelOf(draft, bytes, "new");
  if (old.text === "") return { old, new: fresh, stripped: null };
  const pair = { old: old.text, new: fresh.text };
  if (old.gone || fresh.gone) {
    const name = withoutLetter(old.gone ? fresh.text : old.text);
    return { old, new: fresh, stripped: { old: name, new: name } };
  }
  // A plain diff has a prefix only if both its names begin with a single letter's folder.
  const bare = draft.form === "plain" && (withoutLetter(pair.old) === pair.old || withoutLetter(pair.new) === pair.new);
  return { old, new: fresh, stripped: bare ? pair : stripPrefixes(pair) };
}

function withoutLetter(name: string): string {
  return name.replace(/^[a-z0-9]\//, "");
}

function checkLabel(draft: Draft, bytes: Buffer, label: Label, name: string): void {
  if (label.text === "" || label.gone || label.text === name || label.text.endsWith(`/${name}`)) return;
  throw corrupt(bytes, draft.at, "a '---' or '+++' path that is not the header's");
}
