// Runs p4 in our closed environment within a call's budget, logs in at most once, and turns its messages into faults.
import type { AppError } from "../../core/errors.ts";
import type { Processes, ProcessResult } from "../../process/spawn.ts";
import { cancelled, type Subject, timedOut, tooLarge, unreachable } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import type { P4Environment } from "./environment.ts";
import { faultOf, garbled, p4Missing, type Trouble, troubleOf } from "./faults.ts";
import { type P4Message, type P4Record, readOutput } from "./records.ts";

export interface P4Run {
  readonly budget: Budget;
  /** What the person or agent named, for the faults. */
  readonly rev?: string;
  /** Default 64 MiB. */
  readonly maxBytes?: number;
  /** Troubles that the caller takes as part of the answer instead of a fault. */
  readonly expected?: readonly Trouble[];
  /** No record at all may be the whole truth (an empty list); otherwise it counts as an outage. */
  readonly mayBeEmpty?: boolean;
}

export interface P4Answer {
  readonly records: readonly P4Record[];
  /** Those expected troubles that occurred, in order. */
  readonly troubles: readonly Trouble[];
}

export interface P4 {
  readonly subject: Subject;
  /** Where private folders may be made. */
  readonly home: string;
  /** PATH of the environment. */
  readonly path: string;
  /** Runs `p4 -ztag -Mj` with these arguments. Throws an AppError for every trouble that is not expected. */
  records(args: readonly string[], run: P4Run): Promise<P4Answer>;
}

const MAX_STDERR_BYTES = 16 << 10;
const DEFAULT_MAX_BYTES = 64 << 20;
const SEVERITY_WARNING = 2;
const SEVERITY_FAILURE = 3;

export interface P4Account {
  readonly password?: string;
  readonly trustFingerprint?: string;
}

export function createP4(processes: Processes, environment: P4Environment, account: P4Account, subject: Subject): P4 {
  /** Counts the logins, so that calls which failed together share one. */
  let logins = 0;
  let loggingIn: Promise<void> | null = null;
  let trusting: Promise<void> | null = null;

  async function start(args: readonly string[], budget: Budget, maxStdoutBytes: number, stdin?: string) {
    const result = await processes.run({
      argv: ["p4", ...args],
      cwd: environment.home,
      env: environment.env,
      deadlineMs: budget.remainingMs(),
      maxStdoutBytes,
      maxStderrBytes: MAX_STDERR_BYTES,
      ...(stdin !== undefined && { stdin }),
      ...(budget.signal && { signal: budget.signal }),
    });
    if (result.reason !== "exited") throw endFault(result, subject);
    return result;
  }

  /** Installs the configured fingerprint. Nothing is ever accepted because a server shows it. */
  function trust(budget: Budget): Promise<void> {
    const { trustFingerprint } = account;
    if (trustFingerprint === undefined) return Promise.resolve();
    trusting ??= install(trustFingerprint, budget).catch((error) => {
      trusting = null;
      throw error;
    });
    return trusting;
  }

  async function install(fingerprint: string, budget: Budget): Promise<void> {
    const result = await start(["trust", "-i", fingerprint.toUpperCase()], budget, MAX_STDERR_BYTES);
    if (result.code !== 0) throw faultOf(troubleOf(textOf(result)), subject, textOf(result));
  }

  async function login(password: string, budget: Budget): Promise<void> {
    const result = await start(["login"], budget, MAX_STDERR_BYTES, `${password}\n`);
    if (result.code === 0) {
      logins++;
      return;
    }
    const text = textOf(result);
    const trouble = troubleOf(text);
    // Whatever else the server says about a login, it is the operator's to solve; only an outage passes by itself.
    throw faultOf(trouble === "unreachable" && !isConnectionFault(text) ? "auth" : trouble, subject, text);
  }

  async function attempt(args: readonly string[], run: P4Run): Promise<P4Answer | AppError> {
    const result = await start(["-ztag", "-Mj", ...args], run.budget, run.maxBytes ?? DEFAULT_MAX_BYTES);
    const about = run.rev === undefined ? subject : { ...subject, rev: run.rev };
    const output = readOutput(result.stdout);
    const stderr = result.stderr.toString().trim();
    const failure = output?.messages.find(({ severity }) => severity >= SEVERITY_FAILURE);
    if (failure) return judge([failure], run, about) ?? { records: [], troubles: troublesOf([failure]) };
    // Output that came with a failure, or that is torn, is not looked at any further.
    if (result.code !== 0) return faultOf(troubleOf(stderr), about, `exit ${result.code}: ${stderr}`);
    if (output === null) return garbled(about, `p4 ${args[0]}`);
    const isAnswered = output.records.length > 0;
    const warnings = output.messages.filter(
      (message) => message.severity === SEVERITY_WARNING && !(isAnswered && troubleIn(message) === "remark"),
    );
    const fault = judge(warnings, run, about);
    if (fault !== null) return fault;
    if (!isAnswered && warnings.length === 0) {
      // An unreachable server may end with exit code 0 and a word on stderr alone.
      if (stderr !== "") return faultOf(troubleOf(stderr), about, stderr);
      if (!run.mayBeEmpty) return unreachable(about, `p4 ${args[0]} gave no answer`);
    }
    return { records: output.records, troubles: troublesOf(warnings) };
  }

  return {
    subject,
    home: environment.home,
    path: environment.env["PATH"] ?? "",
    async records(args, run) {
      await trust(run.budget);
      const seen = logins;
      const first = await attempt(args, run);
      if (!(first instanceof Error)) return first;
      const { password } = account;
      if (first.code !== "auth" || password === undefined) throw first;
      if (logins === seen) {
        loggingIn ??= login(password, run.budget).finally(() => {
          loggingIn = null;
        });
        await loggingIn;
      }
      const second = await attempt(args, run);
      if (second instanceof Error) throw second;
      return second;
    },
  };
}

function troublesOf(messages: readonly P4Message[]): readonly Trouble[] {
  return messages.map(troubleIn);
}

/** An outage sends no warnings, so an unknown one is a remark. */
function troubleIn({ text, generic, severity }: P4Message): Trouble {
  const trouble = troubleOf(text, generic);
  return trouble === "unreachable" && severity === SEVERITY_WARNING ? "remark" : trouble;
}

/** The fault of the first message that is not expected. */
function judge(messages: readonly P4Message[], run: P4Run, subject: Subject): AppError | null {
  for (const message of messages) {
    const trouble = troubleIn(message);
    if (!run.expected?.includes(trouble)) return faultOf(trouble, subject, message.text);
  }
  return null;
}

function isConnectionFault(text: string): boolean {
  return /connect|P4PORT|TCP|SSL|partner exited/i.test(text);
}

function textOf(result: ProcessResult): string {
  return `${result.stderr.toString()}\n${result.stdout.toString()}`.trim();
}

function endFault(result: Exclude<ProcessResult, { reason: "exited" }>, subject: Subject): AppError {
  switch (result.reason) {
    case "timeout":
      return timedOut(subject);
    case "cancelled":
      return cancelled(subject);
    case "output_exceeded":
      return tooLarge(subject);
    case "spawn_failed":
      return p4Missing(result.message);
  }
}
