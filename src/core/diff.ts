// Reads unified diffs (git, svn) and Perforce's bare hunks in one strict pass; results are offsets, lines are cut on demand.

/** Paths are the header's bytes as latin1. Offsets count bytes of `Diff.bytes`. */
export interface DiffFile {
  readonly oldPath: string | null;
  readonly newPath: string | null;
  readonly kind: "add" | "modify" | "delete" | "rename" | "copy";
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly isBinary: boolean;
  readonly hunks: readonly Hunk[];
}

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Offset of the first body line. */
  readonly start: number;
  /** Offset after the last body line. */
  readonly end: number;
}

export interface Diff {
  readonly bytes: Uint8Array;
  readonly files: readonly DiffFile[];
}
