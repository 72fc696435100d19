// Runs git in our closed environment within a call's budget, and turns its failures into faults.
import type { Clock } from "../../ports/clock.ts";
import type { VcsLimits } from "../../ports/vcs.ts";
import type { OpenProcess, Processes, ProcessResult } from "../../process/spawn.ts";
import { cancelled, damaged, gitMissing, type Subject, timedOut, tooLarge } from "./faults.ts";

/** The time and the signal of one Vcs call, shared by all its processes. */
export interface Budget {
  readonly signal?: AbortSignal;
  /** What is left, ms; 0 when used up. */
  remainingMs(): number;
}

export function createBudget(clock: Clock, limits: VcsLimits | undefined, defaultMs: number): Budget {
  const until = clock.monotonic() + (limits?.deadlineMs ?? defaultMs);
  return {
    ...(limits?.signal && { signal: limits.signal }),
    remainingMs: () => Math.max(0, until - clock.monotonic()),
  };
}

export interface GitRun {
  readonly env: Readonly<Record<string, string>>;
  readonly budget: Budget;
  readonly stdin?: string | Uint8Array;
  /** Default 64 MiB. */
  readonly maxBytes?: number;
}

export interface Git {
  /** What the faults are about. */
  readonly subject: Subject;
  /** Runs to the end and gives stdout. Throws an AppError for anything but exit code 0. */
  output(args: readonly string[], run: GitRun): Promise<Buffer>;
  /** Runs to the end; a non-zero exit and a cut output are outcomes. Throws for timeout, cancellation and a missing git. */
  attempt(
    args: readonly string[],
    run: GitRun,
  ): Promise<Extract<ProcessResult, { reason: "exited" | "output_exceeded" }>>;
  /** Throws for a budget that is used up. */
  open(args: readonly string[], run: GitRun): OpenProcess;
}

const MAX_STDERR_BYTES = 16 << 10;
const DEFAULT_MAX_BYTES = 64 << 20;

/** @param directory the working directory of every git process; holds no repository that git could discover. */
export function createGit(processes: Processes, directory: string, subject: Subject): Git {
  function request(args: readonly string[], run: GitRun) {
    return {
      argv: ["git", "--no-pager", ...args] as const,
      cwd: directory,
      env: run.env,
      deadlineMs: run.budget.remainingMs(),
      maxStderrBytes: MAX_STDERR_BYTES,
      ...(run.budget.signal && { signal: run.budget.signal }),
    };
  }

  async function attempt(args: readonly string[], run: GitRun) {
    const result = await processes.run({
      ...request(args, run),
      maxStdoutBytes: run.maxBytes ?? DEFAULT_MAX_BYTES,
      ...(run.stdin !== undefined && { stdin: run.stdin }),
    });
    if (result.reason === "exited" || result.reason === "output_exceeded") return result;
    throw endFault(result, subject);
  }

  return {
    subject,
    attempt,
    async output(args, run) {
      const result = await attempt(args, run);
      if (result.reason === "output_exceeded") throw tooLarge(subject);
      if (result.code !== 0) throw damaged(subject, `git ${args[0]}: ${result.stderr.toString()}`);
      return result.stdout;
    },
    open(args, run) {
      // Like a run, it starts nothing late: a quick git would answer before a timer of no time.
      if (run.budget.remainingMs() <= 0) throw timedOut(subject);
      return processes.open(request(args, run));
    },
  };
}

/** The fault of a process that did not come to its own end. */
export function endFault(result: ProcessResult, subject: Subject): Error {
  switch (result.reason) {
    case "timeout":
      return timedOut(subject);
    case "cancelled":
      return cancelled(subject);
    case "output_exceeded":
      return tooLarge(subject);
    case "spawn_failed":
      return gitMissing(result.message);
    case "exited":
      return damaged(subject, result.stderr.toString());
  }
}
