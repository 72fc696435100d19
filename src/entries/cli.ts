// The bundle behind the command `aicr-bot`.
import { runCli } from "../cli/cli.ts";
import { createProcessIo } from "../cli/io.ts";
import { packageVersion } from "../config/paths.ts";

process.exitCode = await runCli(process.argv.slice(2), createProcessIo(), packageVersion());
