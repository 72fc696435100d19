// What the Perforce adapter's tests share: an adapter over the fake p4, with real processes and a clock that tells real time.
import type { Vcs } from "../../../../src/ports/vcs.ts";
import { processes } from "../../../../src/process/spawn.ts";
import type { P4VcsOptions } from "../../../../src/vcs/p4/options.ts";
import { createP4Vcs } from "../../../../src/vcs/p4/p4-vcs.ts";
import type { FakeDepot } from "../../../fakes/p4/depot.ts";
import { type FakeP4, installFakeP4 } from "../../../fakes/p4/install.ts";
import { clock } from "../git/support.ts";
import { depot } from "./sample-depot.ts";

export interface Fixture extends FakeP4 {
  readonly vcs: Vcs;
  /** Another adapter over the same server, with files of its own. */
  open(options?: Partial<P4VcsOptions>): Vcs;
}

export function openFixture(served: FakeDepot = depot(), options: Partial<P4VcsOptions> = {}): Fixture {
  const fake = installFakeP4(served);
  let opened = 0;
  const open = (more: Partial<P4VcsOptions> = {}): Vcs =>
    createP4Vcs({
      repository: "game",
      port: "127.0.0.1:1666",
      user: "bot",
      depotPath: "//depot/game/...",
      cacheDir: `${fake.cacheDir}-${opened++}`,
      processes,
      clock,
      ...options,
      // Everything else of the machine must stay outside.
      environment: { PATH: fake.path, P4PASSWD: "leak", P4CLIENT: "ann-ws", API_SECRET: "leak" },
      ...more,
    });
  return { ...fake, vcs: open(), open };
}
