// `aicr-bot check [paths…]`: diagnostics of the project here, for people, scripts and CI.
import { type Checks, createChecks } from "../../checks/checks.ts";
import { type Locale, locales } from "../../ports/texts.ts";
import { formatGithub, formatJson, formatText } from "../check-format.ts";
import { checkTexts } from "../check-texts.ts";
import { type ExitCode, oneOf, readOptions } from "../command-line.ts";
import type { CommandIo } from "../io.ts";
import { createProgressLine } from "../progress-line.ts";

const usage = "aicr-bot check [paths…] [--format text|json|github] [--locale en|zh-CN|vi]";

const help = `Checks the project in the working directory with oxlint, tsc and biome.

Usage: ${usage}

  [paths…]           files and folders of the project; default: all of it
  --format <form>    text (default), json, or github (annotations of GitHub Actions)
  --locale <lang>    en (default), zh-CN or vi
  --project <dir>    the project; default: the working directory
  --no-cache         neither use nor keep earlier results

Exit code: 0 clean, 1 issues found, 2 error.
`;

const options = {
  format: { type: "string" },
  locale: { type: "string" },
  lang: { type: "string" },
  project: { type: "string" },
  "no-cache": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** A check that takes longer than this says that it is running, ms. */
const quietMs = 1_000;

export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const { values, positionals } = readOptions(argv, options, usage);
  if (values["help"] === true) {
    io.stdout(help);
    return 0;
  }
  const format = oneOf(values["format"], ["text", "json", "github"], "format") ?? "text";
  const locale = oneOf(values["locale"] ?? values["lang"], locales, "locale") ?? "en";
  const project = values["project"];
  const checks = createChecks({
    trust: "own",
    root: typeof project === "string" ? project : io.cwd,
    locale,
    env: io.env,
    ...(values["no-cache"] === true ? { cacheDir: null } : {}),
    onNotice: (text) => io.stderr(`${text}\n`),
  });
  const answer = await withProgress(checks, positionals.length === 0 ? ["."] : positionals, locale, io);
  if (answer.kind === "refused") {
    io.stderr(`${answer.message}\n`);
    return 2;
  }
  if (format === "json") io.stdout(formatJson(answer));
  else if (format === "github") io.stdout(formatGithub(answer, locale));
  else {
    const colour = io.stdoutIsTerminal && io.env["NO_COLOR"] === undefined;
    io.stdout(formatText(answer, locale, { colour }));
  }
  return answer.response.status === "clean" ? 0 : answer.response.status === "issues_found" ? 1 : 2;
}

async function withProgress(
  checks: Checks,
  paths: readonly string[],
  locale: Locale,
  io: CommandIo,
): ReturnType<Checks["check"]> {
  const line = createProgressLine(io);
  const started = performance.now();
  const timer = setInterval(() => {
    line.show(checkTexts(locale).running(Math.round((performance.now() - started) / 1000)));
  }, quietMs);
  try {
    return await checks.check(paths, io.signal);
  } finally {
    clearInterval(timer);
    line.wipe();
  }
}
