// What the git adapter's tests share: an adapter over a repository, with real processes and a clock that tells real time.
import { realpathSync } from "node:fs";
import type { Clock } from "../../../../src/ports/clock.ts";
import type { Vcs } from "../../../../src/ports/vcs.ts";
import { type OpenProcessRequest, type Processes, processes } from "../../../../src/process/spawn.ts";
import { createGitVcs } from "../../../../src/vcs/git/git-vcs.ts";
import type { GitVcsOptions } from "../../../../src/vcs/git/options.ts";
import { temporaryDirectory } from "../../../fakes/git-repository.ts";

export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export interface Fixture {
  readonly vcs: Vcs;
  readonly cacheDir: string;
  /** The arguments of every process that was started. */
  readonly started: (readonly string[])[];
  remove(): void;
}

export function openVcs(path: string, options: Partial<GitVcsOptions> = {}): Fixture {
  const cache = temporaryDirectory("aicr-cache-");
  const started: (readonly string[])[] = [];
  const watched = <R extends OpenProcessRequest>(request: R): R => {
    started.push(request.argv);
    return request;
  };
  const recording: Processes = {
    run: (request) => processes.run(watched(request)),
    open: (request) => processes.open(watched(request)),
  };
  const vcs = createGitVcs({
    repository: "repo",
    source: { kind: "path", path: realpathSync(path) },
    cacheDir: cache.path,
    processes: recording,
    clock,
    ...options,
  });
  return { vcs, cacheDir: cache.path, started, remove: cache.remove };
}

/** The AppError's reason, for short expectations. */
export async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return "no error";
  } catch (error) {
    return error instanceof Error && "reason" in error ? error.reason : error;
  }
}
