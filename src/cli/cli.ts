// The commands of `aicr-bot`, by name; each is loaded when it is called.
import { type CommandEntry, type ExitCode, runCommandLine } from "./command-line.ts";
import { serverCommand } from "./commands/mcp.ts";
import type { CommandIo } from "./io.ts";

const commands: readonly CommandEntry[] = [
  {
    name: "serve",
    summary: "serve the web chat and review what is asked for",
    load: () => import("./commands/serve.ts"),
  },
  { name: "review", summary: "review a change and print the report", load: () => import("./commands/review.ts") },
  { name: "digest", summary: "sum up the reviews of a week", load: () => import("./commands/digest.ts") },
  { name: "check", summary: "clustered diagnostics of the project here", load: () => import("./commands/check.ts") },
  {
    name: "mcp output",
    summary: "the tool server through which agents report",
    load: async () => serverCommand(async () => (await import("../mcp/output.ts")).runMcpOutput),
  },
  {
    name: "mcp checks",
    summary: "the tool server that gives agents diagnostics",
    load: async () => serverCommand(async () => (await import("../mcp/checks.ts")).runMcpChecks),
  },
  {
    name: "templates check",
    summary: "look for mistakes in message templates and texts",
    load: () => import("./commands/templates.ts"),
  },
  { name: "doctor", summary: "look for what is wrong, and say what to do", load: () => import("./commands/doctor.ts") },
];

export function runCli(argv: readonly string[], io: CommandIo, version: string): Promise<ExitCode> {
  return runCommandLine(argv, commands, io, version);
}
