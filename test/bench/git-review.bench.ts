// What reading a small change costs, in starts of git: resolve, listing, diff and export against as many bare starts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../src/ports/clock.ts";
import { type Processes, processes } from "../../src/process/spawn.ts";
import { createGitVcs } from "../../src/vcs/git/git-vcs.ts";
import { createRepository, temporaryDirectory } from "../fakes/git-repository.ts";
import { type Bench, interleave } from "./bench.ts";

const clock: Clock = { now: Date.now, monotonic: () => performance.now(), after: () => () => undefined };
/** Starts of git that one review of a small change may take. */
const MOST_STARTS = 10;

export const bench: Bench = async () => {
  const repository = createRepository();
  const scratch = temporaryDirectory();
  try {
    repository.commit(
      { files: { "src/a.ts": "export const a = 1;\n", "README.md": "# Hello\n" } },
      { files: { "src/a.ts": "export const a = 2;\n", "src/b.ts": "export const b = 1;\n" } },
    );
    let starts = 0;
    const counting: Processes = {
      run: (request) => {
        starts++;
        return processes.run(request);
      },
      open: (request) => {
        starts++;
        return processes.open(request);
      },
    };
    const vcs = createGitVcs({
      repository: "bench",
      source: { kind: "path", path: repository.path },
      cacheDir: join(scratch.path, "cache"),
      processes: counting,
      clock,
    });
    let round = 0;
    const review = async (): Promise<void> => {
      starts = 0;
      const change = await vcs.resolve({ spec: "" });
      const { files } = await vcs.listChanges(change);
      await vcs.diff(change, files);
      for (const side of ["new", "old"] as const) {
        const directory = join(scratch.path, `${side}${round++}`);
        mkdirSync(directory);
        await vcs.materialise(change, { side, directory, files, maxFileBytes: 1 << 20, maxTotalBytes: 1 << 20 });
      }
    };
    await review();
    const used = starts;
    const bare = async (): Promise<void> => {
      for (let start = 0; start < used; start++) {
        await processes.run({
          argv: ["git", "--version"],
          cwd: "/",
          env: { PATH: process.env["PATH"] ?? "" },
          deadlineMs: 10_000,
          maxStdoutBytes: 1000,
          maxStderrBytes: 1000,
        });
      }
    };
    const medians = await interleave({ review, bare }, 15);
    const [ours = 0, floor = 1] = [medians["review"], medians["bare"]];
    return [
      { name: "git starts of a small review", value: used, comparison: "at most", limit: MOST_STARTS, note: "a count" },
      {
        name: "small review over its bare git starts",
        value: ours / floor,
        comparison: "at most",
        limit: 2.5,
        note: `${ours.toFixed(1)} ms against ${floor.toFixed(1)} ms`,
      },
    ];
  } finally {
    repository.remove();
    scratch.remove();
  }
};
