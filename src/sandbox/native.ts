// Runs agents as ordinary processes of this machine: limits and whole-tree kill, but no wall around files or network.
import type { Sandbox } from "../ports/sandbox.ts";
import type { Processes } from "../process/spawn.ts";
import type { Cgroups } from "./cgroup.ts";
import { runBounded } from "./run-bounded.ts";
import { viewInPlace } from "./view.ts";

export interface NativeParts {
  /** Starts the programs; the real one is `processes` of src/process/spawn.ts. */
  readonly processes: Processes;
  /** Where the kernel can bound a tree; without it memory and processes are watched. */
  readonly cgroups?: Cgroups | null;
}

export function createNativeSandbox(parts: NativeParts): Sandbox {
  const isHard = parts.cgroups != null;
  return {
    name: "native",
    capabilities: {
      backend: "native",
      isIsolated: false,
      enforces: {
        wall: "hard",
        idle: "hard",
        output: "hard",
        memory: isHard ? "hard" : "watched",
        processes: isHard ? "hard" : "watched",
        files: "none",
        network: "none",
      },
    },
    view: viewInPlace,
    async run(command, signal) {
      const { argv, cwd, env } = command;
      return runBounded(parts.processes, { argv, cwd, env, command, signal, cgroups: parts.cgroups ?? null });
    },
  };
}
