// Reads the patch of a change in one bounded process, and gives each file the path of git's own listing.
import type { Change, ChangedFile } from "../../core/change.ts";
import { type Diff, type DiffFile, readDiff } from "../../core/diff.ts";
import type { ChangeDiff } from "../../ports/vcs.ts";
import { diffArguments } from "./diff-arguments.ts";
import { damaged } from "./faults.ts";
import { type RawEntry, readRawEntries } from "./raw-entries.ts";
import type { Git, GitRun } from "./run-git.ts";

/** Arguments may be 128 KiB each and about 2 MiB together; beyond a fraction of it the whole change is read and sorted out. */
const MAX_ARGUMENT_BYTES = 256 << 10;
/** The listing comes before the patch and does not count to its limit; this is room for some hundred thousand files. */
const MAX_LISTING_BYTES = 64 << 20;
const FILE_HEADER = "\ndiff --git ";

export async function readChangeDiff(
  git: Git,
  run: GitRun,
  change: Change,
  files: readonly ChangedFile[],
  limits: { readonly maxBytes: number; readonly maxDiffedFileBytes: number },
): Promise<ChangeDiff> {
  if (files.length === 0) return { diff: readDiff(new Uint8Array(0)), bytes: 0, truncated: false, omitted: [] };
  const args = diffArguments(change, ["--raw", "-p"], limits.maxDiffedFileBytes, pathArguments(files));
  const result = await git.attempt(args, { ...run, maxBytes: limits.maxBytes + MAX_LISTING_BYTES });
  if (result.reason === "exited" && result.code !== 0) {
    throw damaged(git.subject, `git diff-tree: ${result.stderr.toString()}`);
  }
  const { entries, end } = readRawEntries(result.stdout);
  // One NUL parts the listing from the patch.
  const whole = result.stdout.subarray(Math.min(end + 1, result.stdout.length));
  const cut = result.reason === "output_exceeded" || whole.length > limits.maxBytes;
  const patch = cut ? wholeFiles(whole.subarray(0, limits.maxBytes)) : whole;
  const parsed = readDiff(patch);
  const paired = pair(parsed, entries);
  if (!cut && paired.left > 0) throw damaged(git.subject, "the listing and the patch do not agree");

  const wanted = new Map(files.map((file) => [file.rawPath, file]));
  const shown = new Set<string>();
  const kept = paired.files.filter(({ entry, file }) => {
    const asked = wanted.get(entry.newPath);
    // A text file without hunks because of its size is left out, not called binary.
    if (asked === undefined || (file.isBinary && !asked.isBinary)) return false;
    shown.add(entry.newPath);
    return true;
  });
  const omitted = files.filter((file) => !shown.has(file.rawPath)).map((file) => file.path);
  return {
    diff: { bytes: parsed.bytes, files: kept.map(({ file }) => file) },
    bytes: patch.length,
    truncated: omitted.length > 0,
    omitted,
  };
}

/** Both names of every file; none (that is, all) where they do not fit or are not valid UTF-8 and so cannot be arguments. */
function pathArguments(files: readonly ChangedFile[]): readonly string[] {
  const paths: string[] = [];
  let bytes = 0;
  for (const file of files) {
    for (const raw of file.oldRawPath === undefined ? [file.rawPath] : [file.rawPath, file.oldRawPath]) {
      const path = Buffer.from(raw, "latin1").toString("utf8");
      bytes += raw.length + 1;
      if (bytes > MAX_ARGUMENT_BYTES || Buffer.from(path, "utf8").toString("latin1") !== raw) return [];
      paths.push(path);
    }
  }
  return paths;
}

/** Drops the file that a cut fell into: a line of content begins with a space or a sign, so this header is none. */
function wholeFiles(patch: Buffer): Buffer {
  const last = patch.lastIndexOf(FILE_HEADER);
  return patch.subarray(0, last < 0 ? 0 : last + 1);
}

interface Paired {
  readonly files: readonly { readonly entry: RawEntry; readonly file: DiffFile }[];
  /** Entries or patches without a partner. */
  readonly left: number;
}

/** Patches come in the order of the listing, one for each entry, but two for a change of type: the deletion and the addition. */
function pair(diff: Diff, entries: readonly RawEntry[]): Paired {
  const files: { entry: RawEntry; file: DiffFile }[] = [];
  let at = 0;
  for (const [position, entry] of entries.entries()) {
    const count = entry.status === "T" ? 2 : 1;
    const patches = diff.files.slice(at, at + count);
    if (patches.length < count) return { files, left: entries.length - position };
    at += count;
    for (const file of patches) {
      files.push({
        entry,
        file: {
          ...file,
          oldPath: file.kind === "add" ? null : entry.oldPath,
          newPath: file.kind === "delete" ? null : entry.newPath,
        },
      });
    }
  }
  return { files, left: diff.files.length - at };
}
