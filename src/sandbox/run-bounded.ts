// Runs one program within every bound that can be kept from outside: wall, idle and output, memory and processes by watching.
import type { SandboxCommand, SandboxExit } from "../ports/sandbox.ts";
import type { Processes, StartedProcess } from "../process/spawn.ts";
import type { Cgroups } from "./cgroup.ts";
import { createTreeWatch, type TreeWatch } from "./tree-watch.ts";

/** What an agent gets between SIGTERM and SIGKILL to write its last state, ms. */
const GRACE_MS = 3_000;
/** Time between two looks at memory and processes, ms. */
const WATCH_MS = 300;

export interface Bounded {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: SandboxCommand;
  readonly signal: AbortSignal;
  /** Bounds memory and processes in the kernel; null: they are watched. Undefined: the backend sees to it itself. */
  readonly cgroups?: Cgroups | null;
  readonly askToEnd?: (started: StartedProcess) => Promise<void>;
}

type Offence = "idle" | "memory_exceeded" | "processes_exceeded";

export async function runBounded(processes: Processes, bounded: Bounded): Promise<SandboxExit> {
  const { command, signal } = bounded;
  const breach = new AbortController();
  let offence: Offence | null = null;
  const group = (await bounded.cgroups?.create(command.limits ?? {}).catch(() => null)) ?? null;
  const isWatched = bounded.cgroups !== undefined && group === null;
  let watching: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  const trees: TreeWatch[] = [];
  const end = (reason: Offence): void => {
    offence ??= reason;
    breach.abort();
  };
  const heard = (): void => {
    clearTimeout(idle);
    if (command.idleMs !== undefined) idle = setTimeout(() => end("idle"), command.idleMs);
  };

  function watch(started: StartedProcess): void {
    const watched = createTreeWatch(started);
    trees.push(watched);
    const { memoryBytes = Number.POSITIVE_INFINITY, processes: most = Number.POSITIVE_INFINITY } = command.limits ?? {};
    const look = async (): Promise<void> => {
      const sample = await watched.sample();
      if (sample.memoryBytes > memoryBytes) end("memory_exceeded");
      if (sample.pids.length > most) end("processes_exceeded");
      // It would go on taking in the time that others get to end in good order.
      if (offence === "memory_exceeded" || offence === "processes_exceeded") await watched.kill();
      if (watching !== undefined) watching = setTimeout(() => void look(), WATCH_MS);
    };
    watching = setTimeout(() => void look(), 0);
  }

  heard();
  const result = await processes.run({
    argv: group?.enter(bounded.argv) ?? bounded.argv,
    cwd: bounded.cwd,
    env: bounded.env,
    deadlineMs: command.deadlineMs,
    maxStdoutBytes: command.maxOutputBytes,
    maxStderrBytes: command.maxOutputBytes,
    graceMs: GRACE_MS,
    leftovers: "kill",
    signal: AbortSignal.any([signal, breach.signal]),
    onStdout: (chunk) => {
      heard();
      command.onStdout?.(chunk);
    },
    onStderr: heard,
    onStart: (started) => {
      if (isWatched) watch(started);
    },
    ...(command.stdin !== undefined && { stdin: command.stdin }),
    ...(bounded.askToEnd && { askToEnd: bounded.askToEnd }),
  });
  clearTimeout(idle);
  clearTimeout(watching);
  watching = undefined;
  for (const tree of trees) await tree.kill();
  if (group !== null) {
    const refused = await group.refused();
    // A program that was refused something and ended well all the same is no offender.
    if (result.reason === "exited" && result.code !== 0) offence ??= refused;
    await group.kill();
    await group.remove();
  }
  return {
    reason: reasonOf(result.reason, offence, signal.aborted),
    code: result.reason === "exited" ? result.code : null,
    stdout: result.stdout,
    stderr: result.reason === "spawn_failed" ? Buffer.from(result.message) : result.stderr,
  };
}

/** An offence ended the program, or made it end by itself; a wish of the caller's counts more. */
function reasonOf(reason: SandboxExit["reason"], offence: Offence | null, isCancelled: boolean): SandboxExit["reason"] {
  if (offence === null || (isCancelled && reason === "cancelled")) return reason;
  return reason === "cancelled" || reason === "exited" ? offence : reason;
}
