// The frame of the command line: a table of commands, each loaded when it is called, with strict options and its own help.
import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearestWord } from "../core/command.ts";
import { AppError, toAppError } from "../core/errors.ts";
import { createRedactor } from "../telemetry/redact.ts";
import type { CommandIo } from "./io.ts";

/**
 * Exit codes that scripts and supervisors may rely on: 0 done (for reviews and checks: nothing found), 1 found something,
 * 2 failed, 78 a platform refuses the bot until an operator corrects its settings (sysexits' EX_CONFIG): do not restart.
 */
export type ExitCode = 0 | 1 | 2 | 78;

export interface CommandModule {
  /** Everything after the command's name, as typed. */
  run(argv: readonly string[], io: CommandIo): Promise<ExitCode>;
}

export interface CommandEntry {
  /** One word, or two (`mcp output`). */
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

export async function runCommandLine(
  argv: readonly string[],
  commands: readonly CommandEntry[],
  io: CommandIo,
  version: string,
): Promise<ExitCode> {
  const [first, second] = argv;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    io.stdout(overview(commands));
    return first === undefined ? 2 : 0;
  }
  if (first === "--version" || first === "-v") {
    io.stdout(`${version}\n`);
    return 0;
  }
  const entry =
    commands.find(({ name }) => name === `${first} ${second ?? ""}`) ?? commands.find(({ name }) => name === first);
  if (entry === undefined) return report(unknownCommand(argv, commands), io);
  try {
    const command = await entry.load();
    return await command.run(argv.slice(entry.name.split(" ").length), io);
  } catch (thrown) {
    return report(thrown, io);
  }
}

function unknownCommand([first = "", second]: readonly string[], commands: readonly CommandEntry[]): AppError {
  const names = commands.map(({ name }) => name);
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length > 0) {
    const said = second === undefined ? first : `${first} ${second}`;
    return new AppError("bad_request", `There is no command ${said}.`, { remedy: `Say one of: ${group.join(", ")}.` });
  }
  const near = nearestWord(first, names);
  const hint = near === null ? "" : `Did you mean ${near}? `;
  const remedy = `${hint}See the commands with: aicr-bot --help`;
  return new AppError("bad_request", `There is no command ${first}.`, { remedy });
}

/** Says what went wrong and what to do; a stack only where AICR_DEBUG asks for it. */
export function report(thrown: unknown, io: Pick<CommandIo, "stderr" | "env">): 2 {
  const error = toAppError(thrown);
  // What failed may quote an address with its password.
  const { redact } = createRedactor();
  io.stderr(redact(`${error.message}\n${error.remedy}\n`));
  if (io.env["AICR_DEBUG"] === "1") {
    const cause = error.cause instanceof Error ? error.cause : error;
    io.stderr(redact(`${cause.stack ?? cause.message}\n`));
  }
  return 2;
}

export interface ParsedOptions {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Reads options strictly: what is unknown or lacks its value is refused. Throws AppError `bad_request` with the usage. */
export function readOptions(
  argv: readonly string[],
  options: NonNullable<ParseArgsConfig["options"]>,
  usage: string,
): ParsedOptions {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message.split(". ", 1)[0] : String(thrown);
    throw new AppError("bad_request", `${message}.`, { remedy: `Usage: ${usage}` });
  }
}

/** The value of a text option, checked against the allowed ones. Throws AppError `bad_request`. */
export function oneOf<T extends string>(value: unknown, allowed: readonly T[], option: string): T | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  throw new AppError("bad_request", `--${option} cannot be ${JSON.stringify(value)}.`, {
    remedy: `Say one of: ${allowed.join(", ")}.`,
  });
}

function overview(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Reviews code changes and speaks only when there is something to say.

Usage: aicr-bot <command> [options]

${lines.join("\n")}

Each command explains itself with --help. Exit codes: 0 done and nothing found, 1 something found, 2 failed.
`;
}
