// Perforce keeps the VCS contract, on the strict fake; the same suite runs on a real server where P4D_BIN names one.
import { describe } from "vitest";
import { processes } from "../../src/process/spawn.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createP4Vcs } from "../../src/vcs/p4/p4-vcs.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { startP4Server } from "../fakes/p4/real-server.ts";
import { createP4Repository } from "../fakes/p4/repository.ts";
import { type VcsHarness, vcsContract } from "./vcs.ts";

const clock = createSystemClock();

const expectations = {
  unknown: ["999", "@999", "@=999"],
  malformed: ["@label", "#3", "1,4", "@2024/01/01", "now", "99999999999", "0", "@=", "r12"],
  pollsEveryChange: true,
};

const onFake: VcsHarness = {
  ...expectations,
  make() {
    const cache = temporaryDirectory("aicr-cache-");
    const repo = createP4Repository("//depot/game");
    const open = () =>
      createP4Vcs({
        repository: "repo",
        port: "127.0.0.1:1666",
        user: "bot",
        depotPath: "//depot/game/...",
        cacheDir: cache.path,
        environment: { PATH: repo.path },
        processes,
        clock,
      });
    return {
      vcs: open(),
      reopen: open,
      commit: (step) => String(repo.submit(step)),
      dispose() {
        repo.remove();
        cache.remove();
      },
    };
  },
};

vcsContract("p4 (fake)", onFake);

const { P4D_BIN } = process.env;
if (P4D_BIN === undefined) {
  // No package of any registry brings a server, so not even AICR_REQUIRE_PEERS=1 can demand one.
  describe.skip("Perforce server (skipped: P4D_BIN names no p4d, and none can be installed by a package)", () =>
    vcsContract("p4 (server)", onFake));
} else {
  vcsContract("p4 (server)", {
    ...expectations,
    make() {
      const cache = temporaryDirectory("aicr-cache-");
      const server = startP4Server(P4D_BIN);
      const open = () =>
        createP4Vcs({
          repository: "repo",
          port: server.port,
          user: "bot",
          depotPath: "//depot/game/...",
          cacheDir: cache.path,
          processes,
          clock,
        });
      return {
        vcs: open(),
        reopen: open,
        commit: (step) => String(server.submit(step)),
        dispose() {
          server.stop();
          cache.remove();
        },
      };
    },
  });
}
