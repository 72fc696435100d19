// Runs agents in a container of podman or docker, whose root is empty: programs are the machine's own, mounted read-only.
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Sandbox, SandboxCommand, SandboxExit, SandboxView } from "../ports/sandbox.ts";
import type { Processes } from "../process/spawn.ts";
import { requireView } from "./bubblewrap.ts";
import { containerUlimits } from "./own-limits.ts";
import { withRelay } from "./relay-entry.ts";
import { runBounded } from "./run-bounded.ts";
import {
  identity,
  identityFiles,
  isInSystem,
  removeFolder,
  type SystemPart,
  systemParts,
  writeIdentity,
} from "./system-mounts.ts";
import { viewBehindWall } from "./view.ts";

export interface ContainerParts {
  readonly engine: "podman" | "docker";
  readonly processes: Processes;
  /** Path or name of the client; by default the engine's name. */
  readonly program?: string;
  /** Arguments right after the program, as `detect` found them to work: a runtime, a cgroup manager. */
  readonly globals?: readonly string[];
  /** Environment of the client: PATH, HOME, DOCKER_HOST and the like. The agent's is another. */
  readonly clientEnv: Readonly<Record<string, string>>;
  /**
   * An image of the operator's own that has what agents need; the machine's system is then not mounted.
   * Docker needs an image in any case: without one `detect` imports an empty one.
   */
  readonly image?: string;
  /** Whether `image` is the empty one, so that the system is mounted all the same. */
  readonly isImageEmpty?: boolean;
  readonly relay: readonly [node: string, entry: string];
}

const LABEL = "aicr-bot=sandbox";
/** What an agent may write outside its folders: in memory. */
const SCRATCH = "64m";
/** Where nobody set a limit. */
const DEFAULT_PROCESSES = 1_024;
/** How long the engine may take to remove a container, ms. */
const REMOVE_MS = 20_000;
/** What the engine adds to a run before it has begun, and after it should have ended, s. */
const SPARE_SECONDS = 30;
/** What the relay says of a program that SIGKILL ended. */
const KILLED = 137;

/** Should this process die, the container still ends, s. */
function lifetime({ deadlineMs }: SandboxCommand): number {
  return Math.ceil(deadlineMs / 1_000) + SPARE_SECONDS;
}

/** Forgets containers of a bot that was killed: they have ended by themselves and are at least an hour old. */
export async function removeLeftovers(
  parts: Pick<ContainerParts, "engine" | "globals" | "processes" | "clientEnv">,
): Promise<void> {
  const prune = ["container", "prune", "--force", "--filter", `label=${LABEL}`, "--filter", "until=1h"];
  await parts.processes.run({
    argv: [parts.engine, ...(parts.globals ?? []), ...prune],
    cwd: tmpdir(),
    env: parts.clientEnv,
    deadlineMs: REMOVE_MS,
    maxStdoutBytes: 64 * 1024,
    maxStderrBytes: 4 * 1024,
  });
}

export function createContainerSandbox(parts: ContainerParts): Sandbox {
  const client: readonly [string, ...string[]] = [parts.program ?? parts.engine, ...(parts.globals ?? [])];

  return {
    name: parts.engine,
    capabilities: {
      backend: parts.engine,
      isIsolated: true,
      enforces: {
        wall: "hard",
        idle: "hard",
        output: "hard",
        memory: "hard",
        processes: "hard",
        files: "hard",
        network: "hard",
      },
    },
    view: viewBehindWall,
    async run(command, signal) {
      const view = requireView(command, parts.engine);
      const name = `aicr-${randomUUID()}`;
      const folder = await mkdtemp(join(tmpdir(), "aicr-box-"));
      try {
        await writeIdentity(join(folder, "etc"), view.home);
        const options = await runOptions(view, command, name, folder);
        const argv = withRelay(parts.relay, view, command.argv, { always: true, seconds: lifetime(command) });
        const exit = await runBounded(parts.processes, {
          argv: [...client, ...options, ...argv],
          cwd: folder,
          env: parts.clientEnv,
          command,
          signal,
        });
        return judge(exit, command);
      } finally {
        // The client's death does not end its container: that is done by name, whatever happened.
        await engine(["rm", "--force", ...(parts.engine === "podman" ? ["--time", "0"] : []), name]);
        await removeFolder(folder);
      }
    },
  };

  async function runOptions(
    view: SandboxView,
    command: SandboxCommand,
    name: string,
    folder: string,
  ): Promise<string[]> {
    const isPodman = parts.engine === "podman";
    const [uid, gid] = identity();
    const { memoryBytes, processes = DEFAULT_PROCESSES } = command.limits ?? {};
    const options = ["run", "--name", name, "--label", LABEL, "--hostname", "aicr", "--network", "none"];
    options.push("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--log-driver", "none");
    options.push("--user", `${uid}:${gid}`, "--pids-limit", String(processes));
    for (const limit of await containerUlimits()) options.push("--ulimit", limit);
    options.push("--tmpfs", `/tmp:rw,size=${SCRATCH},mode=1777`, "--shm-size", SCRATCH);
    if (memoryBytes !== undefined) options.push("--memory", String(memoryBytes), "--memory-swap", String(memoryBytes));
    if (command.stdin !== undefined) options.push("--interactive");
    if (isPodman) {
      options.push("--timeout", String(lifetime(command)), "--read-only-tmpfs=false");
      // Without powers of its own the engine maps the user's files to somebody else unless told.
      if (uid !== 0) options.push("--userns", "keep-id");
    }
    const system = parts.image === undefined || parts.isImageEmpty === true ? await systemParts() : [];
    for (const mount of mountsOf(view, system, join(folder, "etc"))) options.push("--volume", mount);
    for (const [key, value] of Object.entries(command.env)) options.push("--env", `${key}=${value}`);
    options.push("--workdir", command.cwd);
    if (parts.image !== undefined) return [...options, "--entrypoint", "", parts.image];
    const root = join(folder, "root");
    await mkdir(root);
    return [...options, "--rootfs", root];
  }

  function mountsOf(view: SandboxView, system: readonly SystemPart[], etc: string): string[] {
    const own = parts.relay.map((path) => ({ host: path, inside: path, isWritable: false }));
    const isOwnImage = system.length === 0;
    return [
      // A link of the system is mounted as what it leads to: an empty root has no links.
      ...system.map(({ path }) => `${path}:${path}:ro`),
      ...(isOwnImage ? [] : identityFiles.map((file) => `${join(etc, basename(file))}:${file}:ro`)),
      ...[...own, ...view.mounts].flatMap(({ host, inside, isWritable }) =>
        isInSystem(host, system) ? [] : [`${host}:${inside}:${isWritable ? "rw" : "ro"}`],
      ),
    ];
  }

  /** The engines do not reliably tell; but nobody else sends SIGKILL to a program in a container that ends by itself. */
  function judge(exit: SandboxExit, command: SandboxCommand): SandboxExit {
    const isKilled = exit.reason === "exited" && exit.code === KILLED && command.limits?.memoryBytes !== undefined;
    return isKilled ? { ...exit, reason: "memory_exceeded" } : exit;
  }

  async function engine(args: readonly string[]): Promise<void> {
    await parts.processes.run({
      argv: [...client, ...args],
      cwd: tmpdir(),
      env: parts.clientEnv,
      deadlineMs: REMOVE_MS,
      maxStdoutBytes: 64 * 1024,
      maxStderrBytes: 4 * 1024,
    });
  }
}
