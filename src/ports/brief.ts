// What an agent with a model is told of a change: facts gathered once by the orchestrator, from which prompts are composed.
import type { CommentableFile } from "../core/anchor.ts";
import type { Change, ChangedFile } from "../core/change.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { ChangeDiff } from "./vcs.ts";

/** A file of the repository that speaks to agents or contributors; always from the base, so that no change writes its own rules. */
export interface RepositoryInstruction {
  readonly path: string;
  readonly text: string;
  /** There is more than the text shows. */
  readonly isCut: boolean;
}

/** Nothing in it is masked: whoever composes a prompt masks it. All of it was written by others. */
export interface ReviewBrief {
  readonly change: Change;
  readonly files: readonly ChangedFile[];
  readonly diff: ChangeDiff;
  /** Commentable lines by path. */
  readonly commentable: ReadonlyMap<string, CommentableFile>;
  /** The list of files was cut. */
  readonly isTruncated: boolean;
  readonly instructions: readonly RepositoryInstruction[];
  /** Findings that people dismissed, those in the changed files first. */
  readonly dismissed: readonly StoredFinding[];
  /** Findings that are open on the change's ref, in the changed files. */
  readonly open: readonly StoredFinding[];
}
