// How the product reads a version control system. Adapters: git, later P4 and SVN. Faults are AppErrors of the codes below.
import type { Change, ChangedFile, Revision, VcsKind } from "../core/change.ts";
import type { Diff } from "../core/diff.ts";

/** Every call is bounded; a call past its deadline fails with `timeout` and leaves no process behind. */
export interface VcsLimits {
  readonly signal?: AbortSignal;
  /** Budget of the call in ms. */
  readonly deadlineMs?: number;
  /** Most bytes the call may read from the VCS; past them the answer says `truncated` or fails with `too_large`. */
  readonly maxBytes?: number;
}

export interface LineRange {
  /** 1-based, inclusive. */
  readonly start: number;
  /** `lastLine` for a range that goes on to the end of the file, wherever that is. */
  readonly end: number;
}

/** The highest line number that is believed anywhere (the largest 32-bit integer). */
export const lastLine = 2_147_483_647;

export interface ChangedFiles {
  readonly files: readonly ChangedFile[];
  /** Set when the list was cut at a limit. */
  readonly truncated: boolean;
}

export interface ChangeDiff {
  /** The parsed diff of all text files; paths come from the VCS's own listing, not from headers. */
  readonly diff: Diff;
  /** Bytes of the diff as read. */
  readonly bytes: number;
  /** Set when the diff was cut at `maxBytes`; only whole files are kept. */
  readonly truncated: boolean;
  /** Paths whose diff was left out by the cut. */
  readonly omitted: readonly string[];
}

export interface MaterialisedFile {
  readonly path: string;
  readonly bytes: number;
}

export interface Materialised {
  readonly written: readonly MaterialisedFile[];
  readonly skipped: readonly {
    readonly path: string;
    readonly reason: "too_large" | "submodule" | "budget" | "missing" | "unsafe_path";
  }[];
}

export interface MaterialiseOptions extends VcsLimits {
  /** Which side: the new content of the changed files, or their pre-images. */
  readonly side: "new" | "old";
  /** A fresh, empty, existing directory. */
  readonly directory: string;
  readonly files: readonly ChangedFile[];
  /** Largest single file, bytes. */
  readonly maxFileBytes: number;
  /** All files together, bytes. */
  readonly maxTotalBytes: number;
}

export interface ContextRequest {
  /** Canonical name of the reviewed revision. */
  readonly revision: string;
  readonly path: string;
  readonly lines?: LineRange;
}

export interface FetchedContext {
  readonly path: string;
  readonly text: string;
  /** The line number of the text's first line. */
  readonly firstLine: number;
  readonly totalLines: number;
  readonly truncated: boolean;
}

export interface Attribution {
  readonly path: string;
  /** `partial`: a shallow history, a clipped range, or hidden revisions. */
  readonly status: "ok" | "partial" | "not_found";
  readonly entries: readonly AttributionEntry[];
}

export interface AttributionEntry {
  readonly line: number;
  readonly revision: string;
  readonly author: string;
  readonly authorEmail?: string;
  /** ms since the epoch. */
  readonly time?: number;
  readonly summary?: string;
}

export interface PolledEvent {
  readonly ref: string;
  /** Absent when the ref is new. */
  readonly before?: string;
  /** Absent when the ref is gone. */
  readonly head?: string;
  readonly forced: boolean;
}

export interface Poll {
  readonly events: readonly PolledEvent[];
  /** The cursor to store once the events are stored. */
  readonly next: string;
  /** The cursor was lost or unusable: events may be missing before `next`. */
  readonly gap: boolean;
}

export interface ResolveRequest {
  /** What a person typed (`main`, `1a2b3c4`, `a..b`, `v1.0`, empty for the newest of the default branch) or a feed gave. */
  readonly spec: string;
  /** For feeds: the full ref that moved. */
  readonly ref?: string;
  /** For feeds: the last reviewed head, if the change is to cover everything since. */
  readonly since?: string;
}

/** One configured repository. Made by its factory with credentials and paths; callers never pass URLs. */
export interface Vcs {
  readonly kind: VcsKind;
  readonly repository: string;
  /**
   * Finds the head, the base and the reason for it.
   * Throws AppError `bad_request` (malformed), `not_found` (unknown or ambiguous), `unavailable`, `auth`, `timeout`.
   */
  resolve(request: ResolveRequest, limits?: VcsLimits): Promise<Change>;
  listChanges(change: Change, limits?: VcsLimits): Promise<ChangedFiles>;
  /** The diff of the given files; of an empty list it is empty. */
  diff(change: Change, files: readonly ChangedFile[], limits?: VcsLimits): Promise<ChangeDiff>;
  /** Writes blobs as they are: no filters, no hooks, no links followed; a symlink becomes a text file with its target. */
  materialise(change: Change, options: MaterialiseOptions): Promise<Materialised>;
  fetchExtraContext(request: ContextRequest, limits?: VcsLimits): Promise<FetchedContext>;
  /** Never returns source text. */
  fetchAttribution(request: ContextRequest, limits?: VcsLimits): Promise<Attribution>;
  /** @param cursor what the last poll returned as `next`; null at first, which yields no events but a cursor. */
  poll(cursor: string | null, limit: number, limits?: VcsLimits): Promise<Poll>;
  /** Whether `ancestor` is `descendant` or is reachable from it. */
  isAncestor(ancestor: string, descendant: string, limits?: VcsLimits): Promise<boolean>;
  /** Checks that the repository can be reached and read; for doctor and start-up. */
  check(limits?: VcsLimits): Promise<{ readonly head: Revision | null; readonly defaultBranch: string | null }>;
}
