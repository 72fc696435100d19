// Compares contents that a VCS gave us whole, all files of a change in one bounded `git diff --no-index`.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Diff, type DiffFile, readDiff } from "../core/diff.ts";
import type { Processes, ProcessResult } from "../process/spawn.ts";

/** Both contents of one text file, and what its entry in the diff is to say. */
export interface TextPair {
  /** Paths as latin1 bytes, null where the side does not exist, with the kind that the VCS's listing gave. */
  readonly file: Omit<DiffFile, "hunks" | "isBinary" | "propertiesOnly">;
  /** Null where the side does not exist. NULs, CRs and whatever encoding are compared as bytes; lines end at LF. */
  readonly old: Uint8Array | null;
  readonly new: Uint8Array | null;
}

export interface TextDiffLimits {
  /** What is left for the comparison once all contents are there, ms. */
  remainingMs(): number;
  /** Most bytes of the diff; only whole files are kept. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Every outcome is expected but `failed`, whose `result` the adapter turns into a fault of its own. */
export type TextDiff =
  | {
      readonly outcome: "compared";
      /** One entry for each kept pair, in their order; equal contents have no hunks. */
      readonly diff: Diff;
      /** Positions of the pairs that the cut at `maxBytes` left out. */
      readonly omitted: readonly number[];
    }
  | { readonly outcome: "failed"; readonly result: ProcessResult };

export interface TextDiffOptions {
  readonly processes: Processes;
  /** An existing directory of ours, absolute; the contents lie below it while they are compared. */
  readonly directory: string;
  /** PATH by which git is found; git is a program that the product requires anyway. */
  readonly path: string;
}

const MAX_STDERR_BYTES = 4 << 10;
const FILE_HEADER = "\ndiff --git ";
const ARGUMENTS = [
  "git",
  "--no-pager",
  "diff",
  "--no-index",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-renames",
  // The adapter has told text from binary before; a NUL further down must not turn a file opaque.
  "--text",
  "--unified=3",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--",
  "old",
  "new",
] as const;

/**
 * @param pairs may come as they are fetched: each is written down and let go.
 * Throws only what `pairs` throws, and for a disk that cannot be written.
 */
export async function diffTexts(
  pairs: AsyncIterable<TextPair> | Iterable<TextPair>,
  options: TextDiffOptions,
  limits: TextDiffLimits,
): Promise<TextDiff> {
  const folder = await mkdtemp(join(options.directory, "diff-"));
  try {
    const written = await writePairs(folder, pairs);
    const differing = written.filter(({ isSame }) => !isSame).length;
    if (differing === 0) return compared(written, Buffer.alloc(0), new Map());
    const result = await options.processes.run({
      argv: ARGUMENTS,
      cwd: folder,
      env: environment(options.path, folder),
      deadlineMs: limits.remainingMs(),
      maxStdoutBytes: limits.maxBytes,
      maxStderrBytes: MAX_STDERR_BYTES,
      ...(limits.signal && { signal: limits.signal }),
    });
    const isCut = result.reason === "output_exceeded";
    // 1 says that there are differences.
    if (!isCut && !(result.reason === "exited" && result.code === 1)) return { outcome: "failed", result };
    const bytes = isCut ? wholeFiles(result.stdout) : result.stdout;
    const found = new Map(readDiff(bytes).files.map((file) => [positionOf(file), file]));
    if (!isCut && found.size < differing) return { outcome: "failed", result };
    return compared(written, bytes, found);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface WrittenPair {
  readonly file: TextPair["file"];
  readonly isSame: boolean;
}

/** Files are named by their pair's position, so that no name of anybody's reaches the disk or git. */
async function writePairs(
  folder: string,
  pairs: AsyncIterable<TextPair> | Iterable<TextPair>,
): Promise<readonly WrittenPair[]> {
  const [oldFolder, newFolder] = [join(folder, "old"), join(folder, "new")];
  await Promise.all([mkdir(oldFolder), mkdir(newFolder)]);
  const written: WrittenPair[] = [];
  for await (const { file, old, new: fresh } of pairs) {
    const name = String(written.length).padStart(8, "0");
    const isSame = old !== null && fresh !== null && Buffer.compare(old, fresh) === 0;
    if (old !== null && !isSame) await writeFile(join(oldFolder, name), old, { mode: 0o600 });
    if (fresh !== null && !isSame) await writeFile(join(newFolder, name), fresh, { mode: 0o600 });
    written.push({ file, isSame });
  }
  return written;
}

function environment(path: string, folder: string): Record<string, string> {
  return {
    PATH: path,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    // The folder may lie in somebody's work tree, whose configuration and attributes do not count here.
    GIT_DIR: "/dev/null",
    GIT_PAGER: "cat",
  };
}

/** Drops the file that a cut fell into: a line of content begins with a space or a sign, so this header is none. */
function wholeFiles(patch: Buffer): Buffer {
  const last = patch.lastIndexOf(FILE_HEADER);
  return patch.subarray(0, last < 0 ? 0 : last + 1);
}

function positionOf(file: DiffFile): number {
  const path = file.newPath ?? file.oldPath ?? "";
  return Number(path.slice(path.lastIndexOf("/") + 1));
}

function compared(
  written: readonly WrittenPair[],
  bytes: Buffer,
  found: ReadonlyMap<number, DiffFile>,
): Extract<TextDiff, { outcome: "compared" }> {
  const files: DiffFile[] = [];
  const omitted: number[] = [];
  for (const [position, { file, isSame }] of written.entries()) {
    const read = found.get(position);
    if (read === undefined && !isSame) omitted.push(position);
    else files.push({ ...file, isBinary: false, propertiesOnly: false, hunks: read?.hunks ?? [] });
  }
  return { outcome: "compared", diff: { bytes, files }, omitted };
}
