// Lists the files of a change with all that decides whether they can be reviewed: binary, LFS, submodule, generated.
import type { Change, ChangedFile, FileChangeKind } from "../../core/change.ts";
import type { ChangedFiles } from "../../ports/vcs.ts";
import { readGenerated } from "./attributes.ts";
import { isBinaryBlob, isLfsPointer, LFS_POINTER_BYTES, looksBinary } from "./blobs.ts";
import { diffArguments } from "./diff-arguments.ts";
import { damaged } from "./faults.ts";
import { type Objects, readSizes, withObjects } from "./objects.ts";
import { displayPath, type RawEntry, readBinaryPaths, readRawEntries } from "./raw-entries.ts";
import type { Git, GitRun } from "./run-git.ts";

interface ListLimits {
  readonly maxFiles: number;
  readonly maxDiffedFileBytes: number;
  /** Most bytes of git's listing. */
  readonly maxBytes: number;
  /** A directory for a short-lived index. */
  readonly temporary: string;
}

const KINDS: Readonly<Record<string, FileChangeKind>> = {
  A: "add",
  C: "copy",
  D: "delete",
  M: "modify",
  R: "rename",
  T: "type",
};
const SYMLINK = "120000";
const SUBMODULE = "160000";
const NO_MODE = "000000";

export async function listChanges(git: Git, run: GitRun, change: Change, limits: ListLimits): Promise<ChangedFiles> {
  const args = diffArguments(change, ["--raw", "--numstat"], limits.maxDiffedFileBytes, []);
  const result = await git.attempt(args, { ...run, maxBytes: limits.maxBytes });
  if (result.reason === "exited" && result.code !== 0) {
    throw damaged(git.subject, `git diff-tree: ${result.stderr.toString()}`);
  }
  const listing = readRawEntries(result.stdout, limits.maxFiles);
  const isCutShort = result.reason === "output_exceeded";
  const truncated = listing.cut || isCutShort;
  const { entries } = listing;
  if (entries.length === 0) return { files: [], truncated };

  // Of an output cut short numstat is missing, and only a look at the blobs tells what is binary.
  const binaryByGit = isCutShort ? null : readBinaryPaths(result.stdout, listing.end);
  const sizes = await readSizes(git, run, [...new Set(entries.filter(hasBlob).map(blobOf))]);
  const facts = await withObjects(git, run, git.subject, async (objects) => {
    const binary = new Set<string>();
    const lfs = new Set<string>();
    await Promise.all(
      entries.map(async (entry) => {
        const size = sizes.get(blobOf(entry));
        if (size === undefined || size > LFS_POINTER_BYTES || entry.newMode === SYMLINK) return;
        const object = await objects.read(blobOf(entry));
        if (typeof object !== "string" && isLfsPointer(object.bytes)) lfs.add(entry.newPath);
      }),
    );
    for (const entry of entries) {
      const size = sizes.get(blobOf(entry));
      if (size === undefined || !(binaryByGit?.has(entry.newPath) ?? true)) continue;
      const isBig = size > limits.maxDiffedFileBytes;
      // git calls everything over the threshold binary; the beginnings of those few are looked into.
      const isBinary = isBig
        ? await isBinaryBlob(git, run, blobOf(entry))
        : binaryByGit !== null || (await startsBinary(objects, blobOf(entry)));
      if (isBinary) binary.add(entry.newPath);
    }
    const generated = await readGenerated(git, run, objects, change, entries, limits.temporary);
    return { binary, lfs, generated };
  });

  const files = entries.map((entry): ChangedFile => {
    const size = entry.status === "D" || !hasBlob(entry) ? undefined : sizes.get(entry.newId);
    const renamed = entry.oldPath !== entry.newPath;
    return {
      kind: kindOf(entry),
      path: displayPath(entry.newPath),
      rawPath: entry.newPath,
      ...(renamed && { oldPath: displayPath(entry.oldPath), oldRawPath: entry.oldPath }),
      ...(entry.oldMode !== NO_MODE && { oldMode: entry.oldMode }),
      ...(entry.newMode !== NO_MODE && { newMode: entry.newMode }),
      isBinary: facts.binary.has(entry.newPath),
      isSymlink: modeOf(entry) === SYMLINK,
      isSubmodule: modeOf(entry) === SUBMODULE,
      isLfs: facts.lfs.has(entry.newPath),
      isGenerated: facts.generated.has(entry.newPath),
      ...(size !== undefined && { size }),
    };
  });
  return { files, truncated };
}

async function startsBinary(objects: Objects, id: string): Promise<boolean> {
  const object = await objects.read(id);
  return typeof object !== "string" && looksBinary(object.bytes);
}

function kindOf(entry: RawEntry): FileChangeKind {
  if (entry.status === "M" && entry.oldId === entry.newId) return "mode";
  return KINDS[entry.status] ?? "modify";
}

/** The side that people see: the new one, or the old one of a deleted file. */
function modeOf(entry: RawEntry): string {
  return entry.status === "D" ? entry.oldMode : entry.newMode;
}

function blobOf(entry: RawEntry): string {
  return entry.status === "D" ? entry.oldId : entry.newId;
}

function hasBlob(entry: RawEntry): boolean {
  return modeOf(entry) !== SUBMODULE;
}
