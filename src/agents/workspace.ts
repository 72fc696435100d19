// Makes, guards and removes run directories; what goes into them is written by others.
import { chmod, lstat, mkdir, open, readdir, realpath, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { AppError, toAppError } from "../core/errors.ts";
import type { ReviewId, RunId } from "../core/ids.ts";
import type { RunPaths } from "../ports/agent.ts";
import type { FetchedContext } from "../ports/vcs.ts";
import type { Workspace } from "../ports/workspace.ts";
import { codeOf } from "../report-tools/atomic-file.ts";
import { readChangeFile, setCurrentRun } from "../report-tools/change-file.ts";
import { foldRepositoryPath } from "../report-tools/repository-path.ts";
import { stateFileName } from "../report-tools/state-file.ts";
import { writeReadable } from "./manifest.ts";
import { listTree, openTree, sealTree } from "./sealed-tree.ts";

export interface WorkspaceOptions {
  /** Folder of all run directories, `<data>/runs`; made when missing, for this user alone. */
  readonly runsDir: string;
}

export interface RunWorkspace extends Workspace {
  /** Removes the run directories last touched before a moment (ms since the epoch); tells how many. */
  purgeRuns(before: number): Promise<number>;
}

export function createWorkspace(options: WorkspaceOptions): RunWorkspace {
  // One at a time: each opens folders of the sealed tree and seals them again.
  let keeping: Promise<void> = Promise.resolve();

  return {
    async create(review, attempt) {
      const paths = runPaths(options.runsDir, review, attempt);
      try {
        await mkdir(options.runsDir, { recursive: true, mode: 0o700 });
        // A leftover of the same attempt is of a process that died before it reported anything.
        await removeTree(paths.root);
        await mkdir(paths.root);
        for (const folder of [paths.source, paths.base, paths.agent, paths.tmp]) await mkdir(folder);
      } catch (thrown) {
        throw unwritable(paths.root, thrown);
      }
      return paths;
    },

    async preparePass(paths, run) {
      try {
        // In this order: once the id is set an orphan of the earlier pass writes nothing, so what is then removed stays away.
        setCurrentRun(paths.change, run);
        for (const name of await readdir(paths.agent)) {
          if (name.startsWith(stateFileName)) await rm(join(paths.agent, name), { recursive: true, force: true });
        }
        await sealTree(paths.source);
        await sealTree(paths.base);
        await writeManifest(paths, run);
      } catch (thrown) {
        throw unwritable(paths.root, thrown);
      }
    },

    keepFetched(paths, context) {
      const kept = keeping.then(() => keepFetched(paths, context));
      keeping = kept.catch(() => {});
      return kept;
    },

    async purgeRuns(before) {
      let purged = 0;
      for (const name of await readdir(options.runsDir).catch(() => [])) {
        const root = join(options.runsDir, name);
        const stats = await lstat(root).catch(() => null);
        if (stats === null || !stats.isDirectory() || stats.mtimeMs >= before) continue;
        await removeTree(root);
        purged++;
      }
      return purged;
    },
  };
}

/** The paths of an attempt's run directory, whether it exists or not. */
export function runPaths(runsDir: string, review: ReviewId, attempt: number): RunPaths {
  const root = join(runsDir, `${review}-${attempt}`);
  const agent = join(root, "agent");
  return {
    root,
    change: join(root, "change.json"),
    source: join(root, "source"),
    base: join(root, "base"),
    agent,
    tmp: join(root, "tmp"),
    state: join(agent, stateFileName),
  };
}

/** Keeps a fetched file where the agent finds it. A file that is there already stays: it may be one of the change. */
async function keepFetched(paths: RunPaths, context: FetchedContext): Promise<void> {
  const folded = foldRepositoryPath(context.path);
  if (!folded.ok) throw outside(context.path);
  const target = join(paths.source, folded.path);
  const release = await openTree(paths.source, dirname(folded.path));
  try {
    await mkdir(dirname(target), { recursive: true });
    // The tree is written by us without links, but an agent of the same user may have planted one since.
    const root = await realpath(paths.source);
    const folder = await realpath(dirname(target));
    if (folder !== root && !folder.startsWith(root + sep)) throw outside(context.path);
    const file = await open(target, "wx", 0o444).catch((fault: unknown) => {
      if (codeOf(fault) === "EEXIST") return null;
      throw fault;
    });
    await file?.writeFile(context.text);
    await file?.close();
  } finally {
    await release();
  }
}

/** manifest.json says what the agent can read: the changed files that were written, those that were not, and fetched ones. */
async function writeManifest(paths: RunPaths, run: RunId): Promise<void> {
  const change = readChangeFile(paths.change);
  if (change.kind !== "ok") return;
  const source = await listTree(paths.source);
  const base = await listTree(paths.base);
  const onNewSide = new Set(change.facts.files.filter((file) => file.kind !== "delete").map((file) => file.path));
  const written = new Set(source.map((file) => file.path));
  writeReadable(paths.root, {
    schemaVersion: 1,
    runId: run,
    source: source.filter((file) => onNewSide.has(file.path)),
    fetched: source.filter((file) => !onNewSide.has(file.path)),
    skipped: [...onNewSide].filter((path) => !written.has(path)),
    base,
  });
}

/** Removes a run directory, whose folders may be read-only: sealed by us, or by its agent. */
async function removeTree(root: string): Promise<void> {
  await openAll(root);
  await rm(root, { recursive: true, force: true });
}

async function openAll(folder: string): Promise<void> {
  await chmod(folder, 0o755).catch(() => {});
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await openAll(join(folder, entry.name));
}

function unwritable(path: string, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError("unavailable", `The run directory ${path} cannot be written (${codeOf(thrown)}).`, {
    remedy: "Free disk space under the data directory, and check that the bot may write there.",
    reason: "run_directory",
    cause: toAppError(thrown),
  });
}

function outside(path: string): AppError {
  return new AppError("forbidden", `${path} lies outside the run directory.`, {
    remedy: "Nothing needs to be done: the file was not written.",
  });
}
