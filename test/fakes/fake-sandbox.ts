// A sandbox that runs nothing: it keeps what it was told to run and ends as it is told to.
import type { Sandbox, SandboxCommand, SandboxExit, SandboxView } from "../../src/ports/sandbox.ts";
import { viewInPlace } from "../../src/sandbox/view.ts";

export function fakeSandbox(
  exit: Partial<SandboxExit> = {},
  chunks: readonly Buffer[] = [],
  view: Sandbox["view"] = viewInPlace,
): { readonly sandbox: Sandbox; readonly commands: SandboxCommand[]; readonly views: SandboxView[] } {
  const commands: SandboxCommand[] = [];
  const views: SandboxView[] = [];
  const sandbox: Sandbox = {
    name: "fake",
    capabilities: {
      backend: "native",
      isIsolated: false,
      enforces: {
        wall: "hard",
        idle: "hard",
        output: "hard",
        memory: "watched",
        processes: "watched",
        files: "none",
        network: "none",
      },
    },
    view(scope) {
      const seen = view(scope);
      views.push(seen);
      return seen;
    },
    async run(command) {
      commands.push(command);
      for (const chunk of chunks) command.onStdout?.(chunk);
      return { reason: "exited", code: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), ...exit };
    },
  };
  return { sandbox, commands, views };
}
