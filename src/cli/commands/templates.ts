// `aicr-bot templates check [folders…]`: every mistake in templates and text catalogues, with file and line.
import { resolve } from "node:path";
import { loadConfig } from "../../config/load.ts";
import { checkTemplates } from "../../templates/check-templates.ts";
import { type ExitCode, readOptions } from "../command-line.ts";
import type { CommandIo } from "../io.ts";

const usage = "aicr-bot templates check [folders…] [--config <file>]";

const help = `Checks the message templates and text catalogues of the given folders; without any, the built-in ones.

Usage: ${usage}

  [folders…]         folders that shadow the built-in templates, the strongest first; default: the configuration's
  --config <file>    the configuration; default: aicr-bot.yaml here, if there is one

Exit code: 0 all is well, 1 mistakes found.
`;

const options = { config: { type: "string" }, help: { type: "boolean", short: "h" } } as const;

export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const { values, positionals } = readOptions(argv, options, usage);
  if (values["help"] === true) {
    io.stdout(help);
    return 0;
  }
  if (positionals.length > 0) {
    return runTemplatesCheck(
      positionals.map((folder) => resolve(io.cwd, folder)),
      io,
    );
  }
  const file = values["config"];
  const config = await loadConfig({ cwd: io.cwd, env: io.env, ...(typeof file === "string" ? { file } : {}) });
  return runTemplatesCheck(config.templateFolders, io);
}

/** Prints one line for each mistake; 1 when there is one. */
export function runTemplatesCheck(folders: readonly string[], io: Pick<CommandIo, "stdout">): ExitCode {
  const mistakes = checkTemplates(folders);
  for (const { file, line, message } of mistakes) io.stdout(`${file}:${line}: ${message}\n`);
  if (mistakes.length === 0) io.stdout("Every template and catalogue reads well.\n");
  return mistakes.length === 0 ? 0 : 1;
}
