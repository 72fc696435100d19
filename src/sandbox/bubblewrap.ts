// Runs agents behind bubblewrap: namespaces of their own for files, network, processes and users, and no powers in any of them.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { AppError } from "../core/errors.ts";
import type { Sandbox, SandboxCommand, SandboxView } from "../ports/sandbox.ts";
import type { Processes, StartedProcess } from "../process/spawn.ts";
import type { Cgroups } from "./cgroup.ts";
import { withRelay } from "./relay-entry.ts";
import { runBounded } from "./run-bounded.ts";
import {
  identityFiles,
  isInSystem,
  removeFolder,
  type SystemPart,
  systemParts,
  writeIdentity,
} from "./system-mounts.ts";
import { createTreeWatch } from "./tree-watch.ts";
import { viewBehindWall } from "./view.ts";

export interface BubblewrapParts {
  readonly processes: Processes;
  /** Path or name of `bwrap`. */
  readonly program?: string;
  /** Node and the bundle of the relay, which is the agent's only way to a model. */
  readonly relay: readonly [node: string, entry: string];
  /** Where the kernel can bound a tree; without it memory and processes are watched. */
  readonly cgroups?: Cgroups | null;
}

/** What an agent may write outside its folders: in memory, bytes. */
const SCRATCH_BYTES = 64 * 1024 * 1024;

export function createBubblewrapSandbox(parts: BubblewrapParts): Sandbox {
  const isHard = parts.cgroups != null;
  return {
    name: "bubblewrap",
    capabilities: {
      backend: "bubblewrap",
      isIsolated: true,
      enforces: {
        wall: "hard",
        idle: "hard",
        output: "hard",
        memory: isHard ? "hard" : "watched",
        processes: isHard ? "hard" : "watched",
        files: "hard",
        network: "hard",
      },
    },
    view: viewBehindWall,
    async run(command, signal) {
      const view = requireView(command, "bubblewrap");
      const identity = await mkdtemp(join(tmpdir(), "aicr-box-"));
      try {
        await writeIdentity(identity, view.home);
        const system = await systemParts();
        const [first, ...rest] = withRelay(parts.relay, view, command.argv, "when_needed");
        const argv: readonly [string, ...string[]] = [
          parts.program ?? "bwrap",
          ...wall(view, system, identity, [...parts.relay]),
          "--chdir",
          command.cwd,
          "--",
          first,
          ...rest,
        ];
        return await runBounded(parts.processes, {
          argv,
          cwd: identity,
          env: command.env,
          command,
          signal,
          cgroups: parts.cgroups ?? null,
          askToEnd: askInside,
        });
      } finally {
        await removeFolder(identity);
      }
    },
  };
}

/** Throws AppError `internal`: a backend that walls off cannot guess what is to be seen. */
export function requireView(command: SandboxCommand, backend: string): SandboxView {
  if (command.view !== undefined) return command.view;
  throw new AppError("internal", `A command for ${backend} does not say what its program may see.`, {
    remedy: "Report this to the maintainers: it is a mistake in the bot.",
  });
}

function wall(
  view: SandboxView,
  system: readonly SystemPart[],
  identity: string,
  programs: readonly string[],
): string[] {
  const size = String(SCRATCH_BYTES);
  const args = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "aicr"];
  for (const { path, linkTo } of system) {
    args.push(...(linkTo === undefined ? ["--ro-bind", path, path] : ["--symlink", linkTo, path]));
  }
  for (const file of identityFiles) args.push("--ro-bind", join(identity, basename(file)), file);
  args.push("--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev");
  args.push("--size", size, "--tmpfs", "/tmp");
  const own = programs.map((path) => ({ host: path, inside: path, isWritable: false }));
  for (const { host, inside, isWritable } of [...own, ...view.mounts]) {
    if (!isInSystem(host, system)) args.push(isWritable ? "--bind" : "--ro-bind", host, inside);
  }
  // The kernel's settings ask for the user, not for powers: as root inside a bot's sandbox could else rewrite the machine's own.
  args.push("--remount-ro", "/proc", "--remount-ro", "/");
  return args;
}

/**
 * SIGTERM for the agent and what it started. bwrap itself is spared, twice: outside, and as the first process inside. It would
 * die at once and take the agent with it before that could write its last state.
 */
async function askInside(started: StartedProcess): Promise<void> {
  const { pids } = await createTreeWatch(started).sample({ deeperThan: 1 });
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // Ended between the look and the signal.
    }
  }
}
