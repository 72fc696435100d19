// git keeps the VCS contract, on real repositories.

import { processes } from "../../src/process/spawn.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createGitVcs } from "../../src/vcs/git/git-vcs.ts";
import { type Content, createRepository, temporaryDirectory } from "../fakes/git-repository.ts";
import { type VcsHarness, vcsContract } from "./vcs.ts";

const clock = createSystemClock();

const harness: VcsHarness = {
  unknown: ["no-such-branch", "deadbeef", "f".repeat(40), "main..no-such-branch"],
  malformed: ["HEAD@{1}", "a..b..c", "main.lock", "main^{/x}", ":/x"],
  // A branch is polled as a whole: what happened to it between two polls is one event.
  pollsEveryChange: false,
  make() {
    const cache = temporaryDirectory("aicr-cache-");
    const repo = createRepository();
    const open = () =>
      createGitVcs({
        repository: "repo",
        source: { kind: "path", path: repo.path },
        cacheDir: cache.path,
        processes,
        clock,
      });
    return {
      vcs: open(),
      reopen: open,
      commit(step) {
        const files: Record<string, Content> = {};
        for (const path of step.remove ?? []) files[path] = null;
        for (const { from, to, content } of step.move ?? []) Object.assign(files, { [from]: null, [to]: content });
        const [id] = repo.commit({ files: { ...files, ...step.write } });
        return id as string;
      },
      dispose() {
        repo.remove();
        cache.remove();
      },
    };
  },
};

vcsContract("git", harness);
