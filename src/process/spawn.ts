// The one way to start a program: argv only, a whole environment, a deadline, capped output, and no descendant left behind.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { PassThrough, Readable, type Writable } from "node:stream";
import { killTree, RUN_TOKEN, signalGroup, signalMarked } from "./tree.ts";

export interface ProcessRequest {
  /** The program and its arguments; never a shell line. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. A run token is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to the program's stdin, which is then closed; without it stdin is empty. */
  readonly stdin?: string | Uint8Array;
  /** Wall-clock limit, ms. */
  readonly deadlineMs: number;
  /** Past so many bytes of stdout the tree is killed. */
  readonly maxStdoutBytes: number;
  /** The last so many bytes of stderr are kept; more of it does no harm. */
  readonly maxStderrBytes: number;
  /** Time between SIGTERM and SIGKILL, ms; 0 (the default) kills at once. */
  readonly graceMs?: number;
  /** What happens to descendants that outlive a program which ended by itself; by default only those that hold its pipes die. */
  readonly leftovers?: "kill";
  readonly signal?: AbortSignal;
  readonly onStdout?: (chunk: Buffer) => void;
  readonly onStderr?: (chunk: Buffer) => void;
  /** Called once the program runs, for those who watch its tree. */
  readonly onStart?: (started: StartedProcess) => void;
  /** How the program is asked to end before it is killed; by default SIGTERM goes to everything of its tree. */
  readonly askToEnd?: (started: StartedProcess) => Promise<void>;
}

/** What finds the tree of a running program. */
export interface StartedProcess {
  readonly pid: number;
  /** Value of AICR_RUN_TOKEN in the environment of everything that it started. */
  readonly token: string;
}

/** Every outcome is expected; output read before an early end is kept. */
export type ProcessResult =
  /** `code` is null when a signal of somebody else ended the program. */
  | { readonly reason: "exited"; readonly code: number | null; readonly stdout: Buffer; readonly stderr: Buffer }
  | { readonly reason: "timeout" | "cancelled"; readonly stdout: Buffer; readonly stderr: Buffer }
  | { readonly reason: "output_exceeded"; readonly stdout: Buffer; readonly stderr: Buffer }
  /** The program could not be started; `message` says why (`ENOENT` and the like). */
  | { readonly reason: "spawn_failed"; readonly message: string; readonly stdout: Buffer; readonly stderr: Buffer };

export type OpenProcessRequest = Omit<ProcessRequest, "stdin" | "maxStdoutBytes" | "onStdout" | "onStderr">;

/** A program spoken with over its pipes. */
export interface OpenProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** How it ended. Never rejects. `stdout` of the result is empty. */
  readonly ended: Promise<ProcessResult>;
  /** Kills the whole tree at once and waits for the end. Harmless after the end. */
  kill(): Promise<void>;
}

/** The two functions of this file as one port, so that those who start programs can be tested without. */
export interface Processes {
  run(request: ProcessRequest): Promise<ProcessResult>;
  open(request: OpenProcessRequest): OpenProcess;
}

/** How long the pipes may stay open after the program's own exit before whoever holds them is killed, ms. */
const DRAIN_MS = 250;
/** How long a killed program may take to be reaped (a process in uninterruptible sleep does not die), ms. */
const REAP_MS = 2000;

type EarlyEnd = "timeout" | "cancelled" | "output_exceeded";

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessResult>;
  /** Begins the end; the first reason counts. */
  end(reason: EarlyEnd): void;
  kill(): Promise<void>;
}

/** Starts the program and watches it until nothing of it is left. Deadlines are real time: they bound a real process. */
function start(
  request: OpenProcessRequest,
  stdin: "pipe" | "ignore",
  stdout: () => Buffer,
  observeStderr?: (chunk: Buffer) => void,
): Running {
  const token = randomUUID();
  const errors = tail(request.maxStderrBytes);
  let early: EarlyEnd | null = null;
  let settle: (result: ProcessResult) => void = () => undefined;
  const ended = new Promise<ProcessResult>((resolve) => {
    settle = resolve;
  });

  const [program, ...args] = request.argv;
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...request.env, [RUN_TOKEN]: token },
    // A session of its own, so that the group can be signalled without us in it.
    detached: true,
    stdio: [stdin, "pipe", "pipe"],
    windowsHide: true,
  });

  let done = false;
  let closed = false;
  let exit: { readonly code: number | null } | null = null;
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, run: () => void): void => {
    timers.add(setTimeout(run, ms));
  };

  function finish(result: ProcessResult): void {
    if (done) return;
    done = true;
    for (const timer of timers) clearTimeout(timer);
    request.signal?.removeEventListener("abort", onAbort);
    // A survivor that still holds a pipe must not keep us waiting, nor our event loop alive.
    child.stdin?.destroy();
    child.stderr?.destroy();
    if (result.reason !== "exited") child.stdout?.destroy();
    child.unref();
    settle(result);
  }

  function finishNow(): void {
    const output = { stdout: stdout(), stderr: errors.bytes() };
    finish(early === null ? { reason: "exited", code: exit?.code ?? null, ...output } : { reason: early, ...output });
  }

  async function killAll(): Promise<void> {
    await killTree(child.pid, token);
    // After an exit of its own accord the rest of the output is still read; the pipes close now that nobody holds them.
    if (exit !== null && (early !== null || closed)) finishNow();
    else later(REAP_MS, finishNow);
  }

  /** One SIGTERM to each: the scan sees the group's members too, and the group stands in where there is no /proc. */
  async function askToEnd(pid: number): Promise<void> {
    if ((await signalMarked(token, "SIGTERM")) === 0) signalGroup(pid, "SIGTERM");
  }

  function end(reason: EarlyEnd): void {
    if (done || early !== null || child.pid === undefined) return;
    early = reason;
    if (exit !== null || !request.graceMs) {
      void killAll();
      return;
    }
    void (request.askToEnd?.({ pid: child.pid, token }) ?? askToEnd(child.pid));
    later(request.graceMs, () => void killAll());
  }

  const onAbort = (): void => end("cancelled");

  child.on("error", (error) => {
    if (child.pid !== undefined) return;
    finish({ reason: "spawn_failed", message: error.message, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) });
  });
  child.on("exit", (code) => {
    exit = { code };
    if (early !== null) void killAll();
    // Ordinarily `close` follows at once; if not, a descendant holds the pipes, and its output is not waited for.
    else later(DRAIN_MS, () => void killAll());
  });
  child.on("close", () => {
    closed = true;
    if (exit === null || early !== null) return;
    if (request.leftovers === "kill") void killAll();
    else finishNow();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    errors.add(chunk);
    observeStderr?.(chunk);
  });
  // Writing to a program that has ended or reads nothing is no fault of ours.
  child.stdin?.on("error", () => undefined);
  child.stdout?.on("error", () => undefined);
  child.stderr?.on("error", () => undefined);

  if (child.pid !== undefined) {
    request.onStart?.({ pid: child.pid, token });
    later(Math.max(0, request.deadlineMs), () => end("timeout"));
    if (request.signal?.aborted) end("cancelled");
    else request.signal?.addEventListener("abort", onAbort, { once: true });
  }

  return {
    child,
    ended,
    end,
    async kill() {
      if (done) return;
      early ??= "cancelled";
      await killAll();
      await ended;
    },
  };
}

/** Runs a program to its end and gives what it wrote. Never rejects. */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const nothing = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  if (request.signal?.aborted) return { reason: "cancelled", ...nothing };
  // A budget that is used up starts nothing: a quick program could win the race against a timer of no time.
  if (request.deadlineMs <= 0) return { reason: "timeout", ...nothing };
  const chunks: Buffer[] = [];
  let size = 0;
  const output = (): Buffer => Buffer.concat(chunks, size);
  let running: Running;
  try {
    running = start(request, request.stdin === undefined ? "ignore" : "pipe", output, request.onStderr);
  } catch (error) {
    return notStarted(error);
  }
  running.child.stdout?.on("data", (chunk: Buffer) => {
    const room = request.maxStdoutBytes - size;
    if (room <= 0 && chunk.length > 0) return running.end("output_exceeded");
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    chunks.push(kept);
    size += kept.length;
    request.onStdout?.(kept);
    if (kept.length < chunk.length) running.end("output_exceeded");
  });
  if (request.stdin !== undefined) running.child.stdin?.end(request.stdin);
  return running.ended;
}

/**
 * Starts a program whose pipes the caller uses. The caller reads stdout to its end or calls `kill`;
 * the deadline and the signal hold as for `runProcess`.
 */
export function openProcess(request: OpenProcessRequest): OpenProcess {
  let running: Running | null = null;
  let ended: Promise<ProcessResult>;
  try {
    running = start(request, "pipe", () => Buffer.alloc(0));
    ended = running.ended;
  } catch (error) {
    ended = Promise.resolve(notStarted(error));
  }
  // A program that could not be started has no pipes; what is written to it goes nowhere.
  const stdin = running?.child.stdin ?? new PassThrough().resume();
  const stdout = running?.child.stdout ?? Readable.from([]);
  return { stdin, stdout, ended, kill: () => running?.kill() ?? Promise.resolve() };
}

/** An argument with a NUL, too long a list of them, or no more file descriptors: Node throws instead of reporting. */
function notStarted(error: unknown): ProcessResult {
  const message = error instanceof Error ? error.message : String(error);
  return { reason: "spawn_failed", message, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
}

/** The real processes of this machine. */
export const processes: Processes = { run: runProcess, open: openProcess };

/** Keeps the last `limit` bytes of what is added. */
function tail(limit: number): { add(chunk: Buffer): void; bytes(): Buffer } {
  let chunks: Buffer[] = [];
  let size = 0;
  const cut = (): void => {
    const all = Buffer.concat(chunks, size);
    chunks = [all.subarray(Math.max(0, all.length - limit))];
    size = chunks[0]?.length ?? 0;
  };
  return {
    add(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > 2 * limit) cut();
    },
    bytes() {
      cut();
      return chunks[0] ?? Buffer.alloc(0);
    },
  };
}
