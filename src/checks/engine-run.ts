// One run of one engine: started with its limits, and every way it can end turned into an outcome.
import type { Diagnostic } from "../ports/check-engine.ts";
import type { Processes } from "../process/spawn.ts";
import type { EngineLimits, EngineName } from "./limits.ts";
import type { EngineFault } from "./messages.ts";

export type EngineOutcome =
  | { readonly status: "ok"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly status: "error"; readonly fault: EngineFault };

export interface EngineCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface EngineRunOptions {
  readonly run: Processes["run"];
  readonly engine: EngineName;
  readonly limits: EngineLimits;
  readonly signal?: AbortSignal;
  /** What is left of the engine's time in this check, ms; the whole of it by default. */
  readonly remainingMs?: number;
}

export type EngineText =
  | { readonly status: "ok"; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly status: "error"; readonly fault: EngineFault };

/** Exit codes are left to the adapters: a linter that finds something exits with 1, and so does one that failed. */
export async function runEngine(command: EngineCommand, options: EngineRunOptions): Promise<EngineText> {
  const limit = options.limits.deadlineMs[options.engine];
  const result = await options.run({
    ...command,
    deadlineMs: Math.max(1, Math.min(limit, options.remainingMs ?? limit)),
    maxStdoutBytes: options.limits.maxOutputBytes,
    maxStderrBytes: 64 * 1024,
    leftovers: "kill",
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  switch (result.reason) {
    case "exited":
      return {
        status: "ok",
        code: result.code,
        stdout: result.stdout.toString("utf8"),
        stderr: result.stderr.toString("utf8"),
      };
    case "timeout":
      return { status: "error", fault: { kind: "timeout", seconds: Math.round(limit / 1000) } };
    case "output_exceeded":
      return {
        status: "error",
        fault: { kind: "output_exceeded", mebibytes: Math.round(options.limits.maxOutputBytes / 1024 / 1024) },
      };
    case "cancelled":
      return failed(null, "cancelled");
    case "spawn_failed":
      return { status: "error", fault: { kind: "missing" } };
  }
}

/** The fault of an engine that ended without a report. */
export function failed(code: number | null, said: string): { status: "error"; fault: EngineFault } {
  return { status: "error", fault: { kind: "failed", code, detail: lastWords(said) } };
}

/** The first line that is marked as an error, else the last one; without ANSI sequences, at most 200 characters. */
function lastWords(text: string): string {
  const lines = text
    // Frames are coloured even when told not to, if the environment forces it.
    .replace(/\u001b\[[0-9;]*m/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^at /.test(line));
  const marked = lines.find((line) => /^[×✖x] /.test(line))?.slice(2);
  // A script that Node cannot run ends with Node's version, below the error itself.
  const thrown = lines.find((line) => /^(?:\w*Error|error): /.test(line));
  return (marked ?? thrown ?? lines.at(-1) ?? "").slice(0, 200);
}

/** Splits arguments so that no command line outgrows the system's limit (Linux: 2 MiB for argv and environment). */
export function chunkArguments(args: readonly string[], maxBytes = 256 * 1024): readonly (readonly string[])[] {
  const chunks: string[][] = [];
  let current: string[] = [];
  let size = 0;
  for (const arg of args) {
    const bytes = Buffer.byteLength(arg) + 1;
    if (current.length > 0 && size + bytes > maxBytes) {
      chunks.push(current);
      current = [];
      size = 0;
    }
    current.push(arg);
    size += bytes;
  }
  if (current.length > 0) chunks.push(current);
  return chunks;
}

/** What an engine's environment holds: enough to run, no secret, no switch of the caller's. */
export function engineEnvironment(source: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const env: Record<string, string> = { HOME: home, LANG: "C.UTF-8", NO_COLOR: "1", TERM: "dumb" };
  for (const name of ["PATH", "TMPDIR", "SystemRoot", "TEMP"]) {
    const value = source[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
