// What is reviewed: a Change is a base and a head of one repository, with the files that differ between them.

export type VcsKind = "git" | "p4" | "svn";

export type RevisionFlag = "merge" | "root" | "pending" | "restricted" | "forced" | "shallow";

export interface Revision {
  readonly vcs: VcsKind;
  /** The full immutable name: a 40- or 64-digit hex id, a changelist number, a revision number. */
  readonly canonical: string;
  /** The short name that people read: `1a2b3c4d5e`, `12345`, `r123`. */
  readonly display: string;
  readonly author: string;
  readonly authorEmail?: string;
  /** Commit time in ms since the epoch. */
  readonly time: number;
  /** The whole message; its first line is the subject. */
  readonly message: string;
  readonly parents: readonly string[];
  readonly flags: readonly RevisionFlag[];
}

/** Why the base is what it is; shown to people and kept in the store. */
export type BaseReason = "first_parent" | "empty_tree" | "merge_base" | "range" | "own_delta" | "last_reviewed";

export interface Change {
  /** Alias of the configured repository. */
  readonly repository: string;
  readonly vcs: VcsKind;
  readonly head: Revision;
  /** `"empty"` where everything in the head is new. */
  readonly base: Revision | "empty";
  readonly baseReason: BaseReason;
  /** The full ref (`refs/heads/main`) or the VCS's stream of changes; findings are open or resolved per ref. */
  readonly ref: string;
  /** True when `ref` is the default branch (always true on P4 and SVN). */
  readonly isDefaultBranch: boolean;
  /** What the person or feed asked for, as given. */
  readonly spec: string;
  /** The files that changed, deleted ones included, once they are listed; at most 500 of them. */
  readonly files?: readonly ChangeFileName[];
  /** How many files changed, those left out of `files` included. */
  readonly fileCount?: number;
}

/** A changed file as people see it listed. */
export type ChangeFileName = Pick<ChangedFile, "kind" | "path" | "oldPath">;

export type FileChangeKind = "add" | "modify" | "delete" | "rename" | "copy" | "type" | "mode";

export interface ChangedFile {
  readonly kind: FileChangeKind;
  /** Repository-relative POSIX path on the new side (on the old side for a delete), for display; invalid UTF-8 is replaced. */
  readonly path: string;
  /** The path's bytes as latin1: what the VCS must be asked for. */
  readonly rawPath: string;
  readonly oldPath?: string;
  readonly oldRawPath?: string;
  /** Octal text such as `100644`, where the VCS has modes. */
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly isBinary: boolean;
  readonly isSymlink: boolean;
  readonly isSubmodule: boolean;
  readonly isLfs: boolean;
  /** Marked `linguist-generated` or `linguist-vendored` by the repository's own attributes. */
  readonly isGenerated: boolean;
  /** Size of the new side in bytes, where there is one. */
  readonly size?: number;
}

export function baseName(change: Pick<Change, "base">): string {
  return change.base === "empty" ? "empty" : change.base.canonical;
}
