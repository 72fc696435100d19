// Runs agents as ordinary processes of this machine: limits and whole-tree kill, but no wall around files or network.
import type { Sandbox } from "../ports/sandbox.ts";
import type { Processes } from "../process/spawn.ts";

/** What an agent gets between SIGTERM and SIGKILL to write its last state, ms. */
const GRACE_MS = 3000;

/** @param parts.processes starts the programs; the real one is `processes` of src/process/spawn.ts. */
export function createNativeSandbox(parts: { readonly processes: Processes }): Sandbox {
  return {
    name: "native",
    async run(command, signal) {
      const result = await parts.processes.run({
        argv: command.argv,
        cwd: command.cwd,
        env: command.env,
        deadlineMs: command.deadlineMs,
        maxStdoutBytes: command.maxOutputBytes,
        maxStderrBytes: command.maxOutputBytes,
        graceMs: GRACE_MS,
        leftovers: "kill",
        signal,
        ...(command.stdin !== undefined && { stdin: command.stdin }),
        ...(command.onStdout && { onStdout: command.onStdout }),
      });
      return {
        reason: result.reason,
        code: result.reason === "exited" ? result.code : null,
        stdout: result.stdout,
        stderr: result.reason === "spawn_failed" ? Buffer.from(result.message) : result.stderr,
      };
    },
  };
}
