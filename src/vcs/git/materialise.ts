// Writes the changed files of one side into a fresh directory, blob by blob: no filters, no hooks, no links followed.
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Change, ChangedFile } from "../../core/change.ts";
import type { Materialised, MaterialisedFile, MaterialiseOptions } from "../../ports/vcs.ts";
import { type Objects, readSizes, withObjects } from "./objects.ts";
import { requireFullId } from "./revision-syntax.ts";
import type { Git, GitRun } from "./run-git.ts";
import { createTrees } from "./trees.ts";

type SkipReason = Materialised["skipped"][number]["reason"];
type Options = Pick<MaterialiseOptions, "side" | "directory" | "files" | "maxFileBytes" | "maxTotalBytes">;

const SUBMODULE = "160000";
const READ_ONLY = 0o444;

interface Wanted {
  readonly file: ChangedFile;
  /** Display path of the side; where it lies under the directory. */
  readonly path: string;
  readonly id: string;
}

export async function materialise(git: Git, run: GitRun, change: Change, options: Options): Promise<Materialised> {
  const revision = options.side === "new" ? change.head : change.base;
  const skipped: { path: string; reason: SkipReason }[] = [];
  const candidates = options.files.flatMap((file) => {
    const raw = rawPathOn(options.side, file);
    if (raw === null) return [];
    const path = Buffer.from(raw, "latin1").toString("utf8");
    if (isSafePath(path)) return [{ file, raw, path }];
    skipped.push({ path, reason: "unsafe_path" });
    return [];
  });
  if (revision === "empty" || candidates.length === 0) return { written: [], skipped };
  const commit = requireFullId(revision.canonical, change.repository);

  return withObjects(git, run, git.subject, async (objects) => {
    const trees = createTrees(objects, commit, git.subject);
    const wanted: Wanted[] = [];
    for (const { file, raw, path } of candidates) {
      const entry = await trees.find(raw);
      if (entry === null || entry.mode === "040000") skipped.push({ path, reason: "missing" });
      else if (entry.mode === SUBMODULE) skipped.push({ path, reason: "submodule" });
      else wanted.push({ file, path, id: entry.id });
    }
    const sizes = await readSizes(git, run, [...new Set(wanted.map(({ id }) => id))]);
    const written: MaterialisedFile[] = [];
    let total = 0;
    for (const { path, id } of wanted) {
      const size = sizes.get(id);
      const reason =
        size === undefined
          ? "missing"
          : size > options.maxFileBytes
            ? "too_large"
            : total + size > options.maxTotalBytes
              ? "budget"
              : await write(objects, id, options.directory, path);
      if (reason !== null) {
        skipped.push({ path, reason });
        continue;
      }
      total += size ?? 0;
      written.push({ path, bytes: size ?? 0 });
    }
    return { written, skipped };
  });
}

/** The path on a side, or null where the side has no such file. */
function rawPathOn(side: "new" | "old", file: ChangedFile): string | null {
  if (side === "new") return file.kind === "delete" ? null : file.rawPath;
  return file.kind === "add" ? null : (file.oldRawPath ?? file.rawPath);
}

/** Whether a path stays below the directory on every file system, and cannot pose as a repository's administration. */
function isSafePath(path: string): boolean {
  if (path === "" || path.includes("\0") || path.includes("\\") || /^[A-Za-z]:/.test(path)) return false;
  return path.split("/").every((part) => {
    // `.git` also as case-folding and NTFS file systems know it, and with the characters HFS+ ignores.
    const plain = part.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "").toLowerCase();
    return part !== "" && part !== "." && part !== ".." && !/^(\.git|git~\d+)[. ]*$/.test(plain) && part.length <= 255;
  });
}

/** Null when written. A path that is already there (a file where a folder must be, two names that fold to one) is unsafe. */
async function write(objects: Objects, id: string, directory: string, path: string): Promise<SkipReason | null> {
  const object = await objects.read(id);
  if (typeof object === "string" || object.type !== "blob") return "missing";
  const target = join(directory, path);
  try {
    await mkdir(join(target, ".."), { recursive: true });
    // We alone write here and never write a link, so that no component can lead elsewhere; `wx` refuses a second writer.
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(target, flags, READ_ONLY);
    try {
      await handle.writeFile(object.bytes);
    } finally {
      await handle.close();
    }
    return null;
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      /^(EEXIST|ENOTDIR|ENAMETOOLONG|EISDIR|EILSEQ)$/.test(String(error.code))
    ) {
      return "unsafe_path";
    }
    throw error;
  }
}
