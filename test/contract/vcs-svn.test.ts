// Subversion keeps the VCS contract, on real repositories.

import { processes } from "../../src/process/spawn.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createSvnVcs } from "../../src/vcs/svn/svn-vcs.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { createSvnRepository, type SvnAction } from "../fakes/svn-repository.ts";
import { describeWithPeer } from "../peers.ts";
import { type Step, type VcsHarness, vcsContract } from "./vcs.ts";

const clock = createSystemClock();

const harness: VcsHarness = {
  unknown: ["r999", "999", "r0", "r998:r999"],
  malformed: ["HEAD", "r1:HEAD", "r2:r1", "PREV", "{2024-01-01}", "99999999999"],
  pollsEveryChange: true,
  make() {
    const cache = temporaryDirectory("aicr-cache-");
    const repo = createSvnRepository();
    const folders = new Set<string>();
    const open = () =>
      createSvnVcs({
        repository: "repo",
        url: repo.url,
        allowFileUrls: true,
        cacheDir: cache.path,
        processes,
        clock,
      });
    return {
      vcs: open(),
      reopen: open,
      commit: (step) => `r${repo.commit(actionsOf(step, folders))}`,
      dispose() {
        repo.remove();
        cache.remove();
      },
    };
  },
};

/** @param folders those that exist; the missing ones are made in the same revision. */
function actionsOf(step: Step, folders: Set<string>): readonly SvnAction[] {
  const actions: SvnAction[] = [];
  const enter = (path: string): void => {
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join("/");
      if (!folders.has(folder)) actions.push(["mkdir", folder]);
      folders.add(folder);
    }
  };
  for (const path of step.remove ?? []) actions.push(["rm", path]);
  for (const { from, to, content } of step.move ?? []) {
    enter(to);
    actions.push(["mv", from, to], ["put", to, content]);
  }
  for (const [path, content] of Object.entries(step.write ?? {})) {
    enter(path);
    actions.push(["put", path, content]);
  }
  return actions;
}

describeWithPeer("svnadmin", "Subversion", () => vcsContract("svn", harness));
