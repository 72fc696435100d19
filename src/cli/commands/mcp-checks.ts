// `aicr-bot mcp checks`: the aicr-checks tool server.
import { packageVersion } from "../../config/paths.ts";
import { runMcpChecks } from "../../mcp/checks.ts";
import type { ExitCode } from "../command-line.ts";
import type { CommandIo } from "../io.ts";

export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  await runMcpChecks(argv, io.env, { version: packageVersion(), stop: io.signal, announce: io.stderr });
  return 0;
}
