// Writes the changed files of one side into a fresh directory, blob by blob: no filters, no hooks, no links followed.
import type { Change, ChangedFile } from "../../core/change.ts";
import type { Materialised, MaterialisedFile, MaterialiseOptions } from "../../ports/vcs.ts";
import { isSafePath, writeFresh } from "../fresh-file.ts";
import { type Objects, readSizes, withObjects } from "./objects.ts";
import { requireFullId } from "./revision-syntax.ts";
import type { Git, GitRun } from "./run-git.ts";
import { createTrees } from "./trees.ts";

type SkipReason = Materialised["skipped"][number]["reason"];
type Options = Pick<MaterialiseOptions, "side" | "directory" | "files" | "maxFileBytes" | "maxTotalBytes">;

const SUBMODULE = "160000";

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

/** Null when written. */
async function write(objects: Objects, id: string, directory: string, path: string): Promise<SkipReason | null> {
  const object = await objects.read(id);
  if (typeof object === "string" || object.type !== "blob") return "missing";
  const outcome = await writeFresh(directory, path, object.bytes);
  return outcome === "written" ? null : outcome;
}
