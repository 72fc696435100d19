// What the Subversion adapter's tests share: an adapter over a real repository, recording every command.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Vcs } from "../../../../src/ports/vcs.ts";
import {
  type OpenProcessRequest,
  type Processes,
  type ProcessRequest,
  processes,
} from "../../../../src/process/spawn.ts";
import type { SvnVcsOptions } from "../../../../src/vcs/svn/options.ts";
import { createSvnVcs } from "../../../../src/vcs/svn/svn-vcs.ts";
import { temporaryDirectory } from "../../../fakes/git-repository.ts";
import { createSvnRepository, type SvnAction, type SvnRepository } from "../../../fakes/svn-repository.ts";
import { clock } from "../git/support.ts";

export { clock, reasonOf } from "../git/support.ts";

export interface Fixture {
  readonly vcs: Vcs;
  readonly cacheDir: string;
  /** Every process that was started. */
  readonly started: (ProcessRequest | OpenProcessRequest)[];
}

const cleanups: (() => void)[] = [];

/** Registers what is undone after a file's tests. */
export function later(cleanup: () => void): void {
  cleanups.push(cleanup);
}

export function cleanUp(): void {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
}

export function openSvn(url: string, options: Partial<SvnVcsOptions> = {}): Fixture {
  const cache = temporaryDirectory("aicr-cache-");
  cleanups.push(cache.remove);
  const started: (ProcessRequest | OpenProcessRequest)[] = [];
  const recording: Processes = {
    run: (request) => {
      started.push(request);
      return processes.run(request);
    },
    open: (request) => {
      started.push(request);
      return processes.open(request);
    },
  };
  const vcs = createSvnVcs({
    repository: "repo",
    url,
    allowFileUrls: true,
    cacheDir: cache.path,
    processes: recording,
    clock,
    ...options,
  });
  return { vcs, cacheDir: cache.path, started };
}

/** A repository whose trunk is reviewed, with these commits after its first one, which makes `trunk` and `branches`. */
export function trunk(
  commits: readonly (readonly SvnAction[])[],
  options: Partial<SvnVcsOptions> = {},
): Fixture & { readonly repo: SvnRepository } {
  const repo = createSvnRepository();
  cleanups.push(repo.remove);
  repo.commit([
    ["mkdir", "trunk"],
    ["mkdir", "branches"],
  ]);
  for (const actions of commits) repo.commit(actions);
  return { ...openSvn(`${repo.url}/trunk`, options), repo };
}

export function freshDirectory(): string {
  const made = temporaryDirectory();
  cleanups.push(made.remove);
  const directory = join(made.path, "source");
  mkdirSync(directory);
  return directory;
}

/** Kinds and paths of the files of a change, for short expectations. */
export async function listed(vcs: Vcs, spec: string): Promise<readonly string[]> {
  const { files } = await vcs.listChanges(await vcs.resolve({ spec }));
  return files.map(({ kind, path, oldPath }) => `${kind} ${oldPath === undefined ? "" : `${oldPath} > `}${path}`);
}

/** The added and deleted lines of every file of a change. */
export async function changedLines(vcs: Vcs, spec: string): Promise<Record<string, string>> {
  const { hunkLines, lineText } = await import("../../../../src/core/diff.ts");
  const change = await vcs.resolve({ spec });
  const { files } = await vcs.listChanges(change);
  const { diff } = await vcs.diff(change, files);
  return Object.fromEntries(
    diff.files.map((file) => [
      `${file.newPath ?? file.oldPath}`,
      file.hunks
        .flatMap((hunk) => [...hunkLines(diff, hunk)])
        .filter(({ kind }) => kind !== "context")
        .map((line) => `${line.kind === "added" ? "+" : "-"}${lineText(diff, line)}`)
        .join(" "),
    ]),
  );
}
