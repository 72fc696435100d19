// Runs svn in our closed environment within a call's budget; what a failed command printed is never looked at.
import type { Processes, ProcessResult } from "../../process/spawn.ts";
import { cancelled, type Subject, timedOut, tooLarge } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import type { SvnEnvironment } from "./environment.ts";
import { type Failure, failureOf, faultOf, svnMissing } from "./faults.ts";
import type { SvnSource } from "./source.ts";

/** The outcomes of one command that are worth telling apart. */
export type SvnResult =
  | { readonly outcome: "ok"; readonly stdout: Buffer }
  /** Cut at the limit: the beginning of what it would have printed. */
  | { readonly outcome: "cut"; readonly stdout: Buffer }
  | { readonly outcome: "no_revision" | "no_path" | "directory" };

export interface SvnRun {
  readonly budget: Budget;
  /** Default 64 MiB. */
  readonly maxBytes?: number;
}

export interface Svn {
  readonly subject: Subject;
  readonly environment: SvnEnvironment;
  /**
   * @param command the subcommand, @param args its options, @param targets from `target()`.
   * Throws `auth`, `unavailable`, `timeout`, `cancelled`, `corrupt`, and `config` where svn is missing.
   */
  attempt(command: string, args: readonly string[], targets: readonly string[], run: SvnRun): Promise<SvnResult>;
  /** The same where anything but success is a fault; `too_large` for a cut output. */
  output(command: string, args: readonly string[], targets: readonly string[], run: SvnRun): Promise<Buffer>;
}

const MAX_STDERR_BYTES = 16 << 10;
const DEFAULT_MAX_BYTES = 64 << 20;

export function createSvn(processes: Processes, environment: SvnEnvironment, source: SvnSource, subject: Subject): Svn {
  const { username, password } = source;
  const always = [
    "--non-interactive",
    "--no-auth-cache",
    "--config-dir",
    environment.configuration,
    ...(username === undefined ? [] : ["--username", username]),
    ...(password === undefined ? [] : ["--password-from-stdin"]),
  ];

  async function run(
    command: string,
    args: readonly string[],
    targets: readonly string[],
    { budget, maxBytes }: SvnRun,
  ) {
    return processes.run({
      argv: ["svn", command, ...always, ...args, "--", ...targets],
      cwd: environment.directory,
      env: environment.env,
      // svn may ignore SIGTERM for long; without a grace time the tree gets SIGKILL at once.
      deadlineMs: budget.remainingMs(),
      maxStdoutBytes: maxBytes ?? DEFAULT_MAX_BYTES,
      maxStderrBytes: MAX_STDERR_BYTES,
      ...(password !== undefined && { stdin: password }),
      ...(budget.signal && { signal: budget.signal }),
    });
  }

  async function attempt(
    command: string,
    args: readonly string[],
    targets: readonly string[],
    limits: SvnRun,
  ): Promise<SvnResult> {
    const result = await run(command, args, targets, limits);
    if (result.reason === "output_exceeded") return { outcome: "cut", stdout: result.stdout };
    if (result.reason !== "exited") throw endFault(result, subject);
    if (result.code === 0) return { outcome: "ok", stdout: result.stdout };
    const stderr = result.stderr.toString();
    const failure = failureOf(stderr);
    if (isExpected(failure)) return { outcome: failure };
    throw faultOf(stderr, command, subject);
  }

  return {
    subject,
    environment,
    attempt,
    async output(command, args, targets, limits) {
      const result = await attempt(command, args, targets, limits);
      if (result.outcome === "ok") return result.stdout;
      if (result.outcome === "cut") throw tooLarge(subject);
      throw faultOf("", `${command}: ${result.outcome}`, subject);
    },
  };
}

function isExpected(failure: Failure): failure is "no_revision" | "no_path" | "directory" {
  return failure === "no_revision" || failure === "no_path" || failure === "directory";
}

/** The fault of a process that did not come to its own end. */
export function endFault(result: ProcessResult, subject: Subject): Error {
  switch (result.reason) {
    case "timeout":
      return timedOut(subject);
    case "cancelled":
      return cancelled(subject);
    case "spawn_failed":
      return svnMissing(result.message);
    case "output_exceeded":
      return tooLarge(subject);
    case "exited":
      return faultOf(result.stderr.toString(), "", subject);
  }
}
