// What is known of one file of a diff while its section is read.
import type { Hunk } from "./diff-hunks.ts";
import type { HeaderHalves, NamePair } from "./diff-paths.ts";

/** A file's section while it is read; offsets are -1 until known. */
export interface Draft {
  /** Offset of its first line. */
  readonly at: number;
  readonly form: "git" | "svn" | "p4" | "plain";
  /** Path of svn's `Index:` line, or p4's header. */
  readonly index: string | null;
  /** What follows `diff --git `. */
  headerStart: number;
  headerEnd: number;
  halves: HeaderHalves | null;
  /** Names of a header that is no two halves. */
  names: NamePair | null;
  created: boolean;
  deleted: boolean;
  moved: "rename" | "copy" | null;
  from: string | null;
  to: string | null;
  oldMode: string | null;
  newMode: string | null;
  oldLabelStart: number;
  oldLabelEnd: number;
  newLabelStart: number;
  newLabelEnd: number;
  hasBlobs: boolean;
  isBinary: boolean;
  properties: "none" | "other" | "type_added" | "type_deleted";
  readonly hunks: Hunk[];
}

export function createDraft(at: number, form: Draft["form"], index: string | null = null): Draft {
  return {
    at,
    form,
    index,
    headerStart: -1,
    headerEnd: -1,
    halves: null,
    names: null,
    created: false,
    deleted: false,
    moved: null,
    from: null,
    to: null,
    oldMode: null,
    newMode: null,
    oldLabelStart: -1,
    oldLabelEnd: -1,
    newLabelStart: -1,
    newLabelEnd: -1,
    hasBlobs: false,
    isBinary: false,
    properties: "none",
    hunks: [],
  };
}
