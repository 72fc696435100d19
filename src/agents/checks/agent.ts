// The `checks` agent: reviews without a model, in a process of its own, and speaks through the aicr.* tools alone.
import type { Agent, AgentPass, PassExit } from "../../ports/agent.ts";
import type { Sandbox, SandboxExit, SandboxView } from "../../ports/sandbox.ts";

/** Most bytes kept of the agent's own output: progress lines on stdout, complaints on stderr. */
const maxOutputBytes = 4 * 1024 * 1024;

export interface ChecksAgentParts {
  /** Where it runs; a function where that is found out first. */
  readonly sandbox: Sandbox | (() => Promise<Sandbox>);
  /** Absolute path of the agent's bundle (`dist/agent-checks.mjs`). */
  readonly entry: string;
  /** Absolute path of the output server's bundle (`dist/mcp-output.mjs`). */
  readonly toolServer: string;
  /** The node binary; by default the one that runs this process. */
  readonly node?: string;
  /** What it must be able to read beside its run directory, see `productFiles`. */
  readonly programs?: readonly string[];
}

export function createChecksAgent(parts: ChecksAgentParts): Agent {
  return {
    name: "checks",
    repairable: false,
    async run(pass, signal) {
      // It asks no questions, so that answers and repairs have nothing to add.
      if (pass.kind !== "initial") return { exit: "ok" };
      const sandbox = typeof parts.sandbox === "function" ? await parts.sandbox() : parts.sandbox;
      const { paths, resolver } = pass;
      const programs = parts.programs ?? [];
      const view = sandbox.view({ paths, programs, ...(resolver === undefined ? {} : { resolver }) });
      const exit = await sandbox.run(
        {
          argv: [parts.node ?? process.execPath, parts.entry, parts.toolServer],
          cwd: view.paths.agent,
          env: agentEnvironment(pass, view),
          view,
          deadlineMs: pass.deadlineMs,
          maxOutputBytes,
          onStdout: progressReader(pass.onProgress),
        },
        signal,
      );
      const failed = passExit(exit);
      return failed === "ok" ? { exit: "ok" } : { exit: failed, diagnostics: lastLines(exit.stderr) };
    },
  };
}

/** Everything the agent may know of its surroundings; nothing of the bot's own environment but how to find programs. */
function agentEnvironment(pass: AgentPass, view: SandboxView): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: view.home,
    LANG: "C.UTF-8",
    TMPDIR: view.paths.tmp,
    AICR_CHANGE_PATH: view.paths.change,
    AICR_RUN_ID: pass.runId,
    AICR_OUTPUT_STATE_PATH: view.paths.state,
    ...(view.resolver === undefined ? {} : { AICR_RESOLVER: view.resolver }),
  };
}

function passExit(exit: SandboxExit): PassExit {
  if (exit.reason === "timeout" || exit.reason === "cancelled") return exit.reason;
  return exit.reason === "exited" && exit.code === 0 ? "ok" : "failed";
}

function lastLines(stderr: Buffer): string {
  return stderr.subarray(-4_096).toString("utf8").trim();
}

/** Reads JSON lines `{"progress": "…"}`, which chunks may cut anywhere; anything else is ignored. */
function progressReader(onProgress: AgentPass["onProgress"]): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    // A line longer than any progress note is not one.
    rest = (lines.pop() ?? "").slice(0, 4_096);
    for (const line of lines) {
      const note = progressNote(line);
      if (note !== null) onProgress?.(note);
    }
  };
}

function progressNote(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || !("progress" in value)) return null;
    return typeof value.progress === "string" ? value.progress.slice(0, 200) : null;
  } catch {
    return null;
  }
}
