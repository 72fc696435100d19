// Gets a change ready for an agent: base and head, files, diff, run directory; or finds that there is nothing to review.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommentableFile, commentableLines } from "../core/anchor.ts";
import type { Change, ChangedFile, Revision } from "../core/change.ts";
import { passesGlobs } from "../core/glob.ts";
import type { RunId } from "../core/ids.ts";
import type { Review } from "../core/review.ts";
import { isReviewable } from "../core/reviewable.ts";
import type { RunPaths } from "../ports/agent.ts";
import type { ChangeDiff, ChangedFiles, Vcs } from "../ports/vcs.ts";
import { type ChangeFacts, changeFileVersion } from "../report-tools/change-file.ts";

/** Bounds of one run, from the configuration. */
export interface RunLimits {
  /** The whole attempt, ms. */
  readonly reviewMs: number;
  /** Diff that is read, bytes; what is over it is left out and said. */
  readonly diffBytes: number;
  /** Largest file that is written into the run directory, bytes. */
  readonly fileBytes: number;
  /** All files of one side together, bytes. */
  readonly runBytes: number;
}

export interface PreparedChange {
  readonly change: Change;
  /** The changed files, narrowed by the review's `path:` globs. */
  readonly files: readonly ChangedFile[];
  readonly diff: ChangeDiff;
  /** Commentable lines by path. */
  readonly commentable: ReadonlyMap<string, CommentableFile>;
  /** The list of files was cut. */
  readonly truncated: boolean;
}

export type Preparation =
  | { readonly kind: "ready"; readonly prepared: PreparedChange }
  | {
      readonly kind: "nothing";
      readonly reason: "no_changed_files" | "no_reviewable_code" | "no_matching_subscription";
    };

/** Lists the changed files, narrowed by globs (none: all of them). Throws the VCS's AppErrors. */
export async function listFiles(
  vcs: Vcs,
  change: Change,
  globs: readonly string[],
  signal: AbortSignal,
): Promise<ChangedFiles> {
  const listed = await vcs.listChanges(change, { signal });
  return { ...listed, files: listed.files.filter((file) => passesGlobs(file.path, globs, [])) };
}

/** Reads the diff of the listed files. Throws the VCS's AppErrors. */
export async function prepareChange(
  vcs: Vcs,
  change: Change,
  listed: ChangedFiles,
  limits: RunLimits,
  signal: AbortSignal,
): Promise<Preparation> {
  const { files } = listed;
  if (files.length === 0) return { kind: "nothing", reason: "no_changed_files" };
  if (!isReviewable(files)) return { kind: "nothing", reason: "no_reviewable_code" };
  const diff = await vcs.diff(change, files, { signal, maxBytes: limits.diffBytes });
  const commentable = new Map<string, CommentableFile>();
  for (const file of diff.diff.files) {
    if (file.newPath === null) continue;
    const path = displayPath(file.newPath);
    commentable.set(path, commentableLines(diff.diff, file, path));
  }
  return { kind: "ready", prepared: { change, files, diff, commentable, truncated: listed.truncated } };
}

/** Diff paths are bytes as latin1; people and agents see UTF-8. */
function displayPath(rawPath: string): string {
  return Buffer.from(rawPath, "latin1").toString("utf8");
}

/** What change.json says of the change. */
export function changeFacts(prepared: PreparedChange, review: Review, run: RunId): ChangeFacts {
  const { change, files, diff, commentable, truncated } = prepared;
  return {
    schemaVersion: changeFileVersion,
    runId: run,
    reviewId: review.id,
    repository: { alias: change.repository, vcs: change.vcs },
    head: revisionFacts(change.head),
    base: change.base === "empty" ? "empty" : revisionFacts(change.base),
    baseReason: change.baseReason,
    spec: change.spec,
    files: files.map((file) => ({
      path: file.path,
      ...(file.oldPath === undefined ? {} : { oldPath: file.oldPath }),
      kind: file.kind,
      isBinary: file.isBinary,
      isGenerated: file.isGenerated,
      isSymlink: file.isSymlink,
      isSubmodule: file.isSubmodule,
      isLfs: file.isLfs,
      hunks: [...(commentable.get(file.path)?.hunks ?? [])],
      added: [...(commentable.get(file.path)?.added ?? [])],
    })),
    locale: review.locale,
    omitted: [...diff.omitted],
    truncated: truncated || diff.truncated,
  };
}

function revisionFacts(revision: Revision): Exclude<ChangeFacts["base"], "empty"> {
  const { canonical, display, author, message, time } = revision;
  return { revision: canonical, display, author, message, time };
}

/** Writes both sides of the changed files into the run directory. */
export async function materialiseRun(
  vcs: Vcs,
  prepared: PreparedChange,
  paths: RunPaths,
  limits: RunLimits,
  signal: AbortSignal,
): Promise<void> {
  const { change, files } = prepared;
  const options = { files, maxFileBytes: limits.fileBytes, maxTotalBytes: limits.runBytes, signal };
  await vcs.materialise(change, { ...options, side: "new", directory: paths.source });
  if (change.base !== "empty") await vcs.materialise(change, { ...options, side: "old", directory: paths.base });
}

/** Reads the new side of changed files from the run directory, each once; null where it was not written. */
export function createSourceReader(
  paths: RunPaths,
  files: readonly ChangedFile[],
): (path: string) => Promise<readonly string[] | null> {
  const known = new Set(files.filter((file) => file.kind !== "delete").map((file) => file.path));
  const read = new Map<string, Promise<readonly string[] | null>>();
  return (path) => {
    if (!known.has(path)) return Promise.resolve(null);
    const cached = read.get(path);
    if (cached !== undefined) return cached;
    const lines = readFile(join(paths.source, path), "utf8").then(
      (text) => text.split("\n"),
      () => null,
    );
    read.set(path, lines);
    return lines;
  };
}
