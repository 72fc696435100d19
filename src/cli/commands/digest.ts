// `aicr-bot digest [<repo>…]`: sums up what the server's store remembers of a window of time, and prints it.
import { createMakeDigest, type DigestRequest } from "../../app/make-digest.ts";
import type { DigestSection } from "../../cards/compose-digest.ts";
import { cardToMarkdown } from "../../cards/to-markdown.ts";
import { cardToText } from "../../cards/to-text.ts";
import { composeTexts } from "../../compose-texts.ts";
import { loadConfig } from "../../config/load.ts";
import { parseDuration } from "../../core/duration.ts";
import { AppError } from "../../core/errors.ts";
import { locales } from "../../ports/texts.ts";
import { createSystemClock } from "../../process/system-clock.ts";
import { createSqliteStore } from "../../store/sqlite/store.ts";
import { createLogger } from "../../telemetry/log.ts";
import { type ExitCode, oneOf, readOptions } from "../command-line.ts";
import type { CommandIo } from "../io.ts";

const usage = "aicr-bot digest [<repo>…] [--since 7d] [--format text|markdown|json] [--lang en|zh-CN|vi]";

const help = `Sums up reviews and findings of a window of time, from the store of the server here.

Usage: ${usage}

  [<repo>…]          repositories of the configuration; default: all of them
  --since <window>   30m, 12h or 7d (default)
  --tz <zone>        the time zone of the times shown; default: UTC
  --format <form>    text (default), markdown or json
  --lang <language>  en, zh-CN or vi; default: the configuration's
  --config <file>    the configuration; default: aicr-bot.yaml here, if there is one

Exit code: 0 done, 2 failed.
`;

const options = {
  since: { type: "string" },
  tz: { type: "string" },
  format: { type: "string" },
  lang: { type: "string" },
  config: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const { values, positionals } = readOptions(argv, options, usage);
  if (values["help"] === true) {
    io.stdout(help);
    return 0;
  }
  const format = oneOf(values["format"], ["text", "markdown", "json"], "format") ?? "text";
  const file = text(values["config"]);
  const config = await loadConfig({ cwd: io.cwd, env: io.env, ...(file === undefined ? {} : { file }) });
  const aliases = config.repositories.map(({ alias }) => alias);
  const unknown = positionals.find((alias) => !aliases.includes(alias));
  if (unknown !== undefined) {
    throw new AppError("not_found", `There is no repository ${unknown} in the configuration.`, {
      remedy: `Name one of: ${aliases.join(", ")}.`,
    });
  }
  const to = createSystemClock().now();
  const request: DigestRequest = {
    repositories: positionals.length === 0 ? aliases : positionals,
    from: to - windowOf(text(values["since"]) ?? "7d"),
    to,
    locale: oneOf(values["lang"], locales, "lang") ?? config.language,
    timeZone: zoneOf(text(values["tz"]) ?? "UTC"),
  };
  const logger = createLogger({ level: io.env["AICR_DEBUG"] === "1" ? "debug" : "silent", secrets: config.secrets });
  const store = await createSqliteStore({ directory: config.dataDir, logger });
  try {
    const make = createMakeDigest({ store, texts: composeTexts(config), permalink: async () => null });
    const { card, sections } = await make(request);
    if (format === "json") {
      const { from } = request;
      const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      io.stdout(`${JSON.stringify({ ...period, repositories: sections.map(sectionJson) }, null, 2)}\n`);
    } else if (format === "markdown") io.stdout(cardToMarkdown(card));
    else {
      const colour = io.stdoutIsTerminal && io.env["NO_COLOR"] === undefined;
      const width = Math.min(io.columns, 100);
      io.stdout(cardToText(card, { colour, links: io.stdoutIsTerminal, width }));
    }
    return 0;
  } finally {
    await store.close();
  }
}

function sectionJson({ top, ...section }: DigestSection): object {
  const gravest = top.map(({ finding: { id, severity, file, line, title } }) => ({ id, severity, file, line, title }));
  return { ...section, top: gravest };
}

function windowOf(since: string): number {
  const ms = parseDuration(since);
  if (ms !== null) return ms;
  throw new AppError("bad_request", `${since} is no window of time.`, { remedy: "Say 30m, 12h or 7d." });
}

function zoneOf(timeZone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return timeZone;
  } catch (cause) {
    throw new AppError("bad_request", `${timeZone} is no time zone.`, { remedy: "Say Europe/Berlin or UTC.", cause });
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
