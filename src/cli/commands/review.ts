// `aicr-bot review <alias|path> <rev>`: reviews a change and prints the report.
import type { ProgressNote } from "../../app/show-progress.ts";
import { composeAnswer } from "../../cards/compose-answer.ts";
import { composeFailure } from "../../cards/compose-failure.ts";
import { composeNote } from "../../cards/compose-note.ts";
import { composeReport } from "../../cards/compose-report.ts";
import { cardToMarkdown } from "../../cards/to-markdown.ts";
import { cardToText } from "../../cards/to-text.ts";
import { composeTexts, createLinks } from "../../compose-texts.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import type { Card } from "../../core/card.ts";
import { AppError } from "../../core/errors.ts";
import { locales, type Texts } from "../../ports/texts.ts";
import { createLogger } from "../../telemetry/log.ts";
import { type ExitCode, oneOf, readOptions } from "../command-line.ts";
import type { CommandIo } from "../io.ts";
import { createProgressLine } from "../progress-line.ts";
import { reviewJson } from "../review-json.ts";
import { type ReviewRun, runOneReview } from "../review-run.ts";

const usage = "aicr-bot review <alias|path> [<rev>] [--format text|markdown|json] [--lang en|zh-CN|vi]";

const help = `Reviews a change and prints the report.

Usage: ${usage}

  <alias|path>       a repository of the configuration, or a folder that holds one
  <rev>              a commit, tag, branch or range a..b; default: the newest change of the default branch
  --format <form>    text (default), markdown or json
  --lang <language>  en, zh-CN or vi; default: the configuration's
  --agent <name>     the agent that reviews; default: the repository's
  --path <glob>      only files that match; may be repeated
  --config <file>    the configuration; default: aicr-bot.yaml here, if there is one

Exit code: 0 clean or skipped, 1 problems found, 2 failed.
`;

const options = {
  format: { type: "string" },
  lang: { type: "string" },
  agent: { type: "string" },
  path: { type: "string", multiple: true },
  config: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const { values, positionals } = readOptions(argv, options, usage);
  if (values["help"] === true) {
    io.stdout(help);
    return 0;
  }
  const [repository, rev = "", ...rest] = positionals;
  if (repository === undefined || rest.length > 0) {
    const what = repository === undefined ? "No repository was named." : `One word is too many: ${rest[0]}.`;
    throw new AppError("bad_request", what, { remedy: `Usage: ${usage}` });
  }
  const format = oneOf(values["format"], ["text", "markdown", "json"], "format") ?? "text";
  const file = text(values["config"]);
  const config = await loadConfig({ cwd: io.cwd, env: io.env, ...(file === undefined ? {} : { file }) });
  const locale = oneOf(values["lang"], locales, "lang") ?? config.language;
  const agent = text(values["agent"]);
  const texts = composeTexts(config);
  const line = createProgressLine(io);
  const spec = rev === "" ? "HEAD" : rev;
  const onProgress = (note: ProgressNote): void => line.show(progressText(note, texts, locale, repository, spec));
  const logger = createLogger({ level: io.env["AICR_DEBUG"] === "1" ? "debug" : "silent", secrets: config.secrets });
  try {
    const finished = await runOneReview(
      { repository, rev, paths: textList(values["path"]), locale, ...(agent === undefined ? {} : { agent }) },
      { config, cwd: io.cwd, logger, signal: io.signal, onProgress },
    );
    line.wipe();
    const output = format === "json" ? `${JSON.stringify(reviewJson(finished), null, 2)}\n` : render(finished, format);
    if (finished.review.status === "failed" && format !== "json") io.stderr(output);
    else io.stdout(output);
    return exitCode(finished);
  } finally {
    line.wipe();
  }

  function render(finished: ReviewRun, form: "text" | "markdown"): string {
    const cards = cardsOf(finished, config, texts, locale);
    if (form === "markdown") return cards.map(cardToMarkdown).join("\n---\n\n");
    const colour = io.stdoutIsTerminal && io.env["NO_COLOR"] === undefined;
    const style = { colour, links: io.stdoutIsTerminal, width: Math.min(io.columns, 100) };
    return cards.map((card) => cardToText(card, style)).join("\n\n");
  }
}

function cardsOf({ review, report }: ReviewRun, config: Config, texts: Texts, locale: string): Card[] {
  const links = createLinks(config)(review.repository);
  if (report === null) {
    const failure = review.failure ?? { message: `The review is ${review.status}.`, remedy: "Start it again." };
    return [composeFailure({ texts, failure, review, locale, links })];
  }
  if (report.outcome !== "reported") return [composeAnswer({ texts, review, report, locale, links })];
  const files = review.change?.files;
  const { root, thread } = composeReport({
    texts,
    review,
    report,
    locale,
    links,
    threadLimit: Number.POSITIVE_INFINITY,
    ...(files === undefined ? {} : { files }),
  });
  return [root, ...thread.map(({ card }) => card)];
}

function progressText(note: ProgressNote, texts: Texts, locale: string, repository: string, spec: string): string {
  const files = note.kind === "reviewing" ? { files: note.files } : {};
  return composeNote({ texts, locale }, `progress.${note.kind}`, { repository, spec, ...files }).title;
}

function exitCode({ review }: ReviewRun): ExitCode {
  if (review.status === "reported") return 1;
  return review.status === "clean" || review.status === "skipped" ? 0 : 2;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}
