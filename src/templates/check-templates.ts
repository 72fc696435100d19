// Finds every mistake in templates and catalogues: parses all of them, and composes sample cards with them in every language.
import { composeAnswer } from "../cards/compose-answer.ts";
import { composeDigest } from "../cards/compose-digest.ts";
import { composeFailure } from "../cards/compose-failure.ts";
import { composeReport } from "../cards/compose-report.ts";
import { fit } from "../cards/fit.ts";
import { createLinkBuilder, noLinks } from "../cards/links.ts";
import type { Card, CardLimits } from "../core/card.ts";
import { locales, type Texts } from "../ports/texts.ts";
import { createCatalogues } from "./catalogues.ts";
import { checkCatalogues, mistakeOf, type TemplateMistake } from "./check-catalogues.ts";
import { createTextsOf } from "./create-texts.ts";
import { builtInTemplates, openTemplateFolder, type TemplateFolder } from "./folders.ts";
import { createTemplateEngine } from "./liquid.ts";
import { sampleDigests } from "./sample-digest.ts";
import { sampleFacts, sampleFiles, sampleReports, sampleReviews } from "./sample-reviews.ts";

/** Tight limits, so that samples need several pages. */
const limits: CardLimits = { pageText: 2_000, pageBytes: 12_000, blocks: 20, blockText: 800, tables: 0, title: 120 };

const links = createLinkBuilder({
  commit: "https://git.example.com/demo/commit/{rev}",
  file: "https://git.example.com/demo/src/{rev}/{path}",
  line: "#L{line}",
  lines: "#L{line}-L{endLine}",
});

/**
 * Checks override folders, each over the built-in one; without any, the built-in folder itself.
 * @returns mistakes by file and line; empty when all is well.
 */
export function checkTemplates(folders: readonly string[]): readonly TemplateMistake[] {
  const builtIn = openTemplateFolder(builtInTemplates());
  const paths = folders.length === 0 ? [builtIn.path] : folders;
  const mistakes = paths.flatMap((path) => checkFolder(path, builtIn));
  const byPlace = new Map(mistakes.map((mistake) => [`${mistake.file}:${mistake.line}: ${mistake.message}`, mistake]));
  return [...byPlace.values()].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

function checkFolder(path: string, builtIn: TemplateFolder): readonly TemplateMistake[] {
  let folder: TemplateFolder;
  try {
    folder = openTemplateFolder(path);
  } catch (thrown) {
    return [mistakeOf(thrown, path)];
  }
  const broken = [...checkCatalogues(folder, builtIn), ...checkSyntax(folder, builtIn)];
  // Samples cannot be composed with what cannot be read.
  return broken.length > 0 ? broken : checkSamples(folder, builtIn);
}

function checkSyntax(folder: TemplateFolder, builtIn: TemplateFolder): readonly TemplateMistake[] {
  const stack = [folder, builtIn];
  const engine = createTemplateEngine(stack, createCatalogues(stack));
  return folder.templates.flatMap((name) => {
    const file = folder.pathOf(name);
    return caught(file, () => engine.parse(folder.read(name) ?? "", file));
  });
}

function checkSamples(folder: TemplateFolder, builtIn: TemplateFolder): readonly TemplateMistake[] {
  const texts = createTextsOf([folder, builtIn]);
  const channels = new Set(folder.templates.map((name) => (name.includes("/") ? name.split("/")[0] : undefined)));
  return [undefined, ...channels].flatMap((channel) =>
    locales.flatMap((locale) =>
      sampleCards(texts, locale, channel).flatMap((compose) =>
        caught(folder.path, () => {
          for (const card of compose()) fit(card, limits);
        }),
      ),
    ),
  );
}

const week = { from: Date.UTC(2026, 0, 5), to: Date.UTC(2026, 0, 12), timeZone: "Europe/Berlin" };

/** Each composes some cards; apart, so that one mistake does not hide the others. */
function sampleCards(texts: Texts, locale: string, channel: string | undefined): readonly (() => readonly Card[])[] {
  const common = { texts, locale, links, ...(channel === undefined ? {} : { channel }) };
  const { resolved, unresolved } = sampleReviews;
  const { many, clean, skipped } = sampleReports;
  const reportCards = (input: Parameters<typeof composeReport>[0]) => {
    const { root, thread } = composeReport(input);
    return [root, ...thread.map(({ card }) => card)];
  };
  const failure = { message: "It failed.", remedy: "Try again.", reason: "timeout" };
  return [
    () => reportCards({ ...common, review: resolved, report: many, facts: sampleFacts, files: sampleFiles }),
    () => reportCards({ ...common, review: resolved, report: clean, links: noLinks }),
    () => reportCards({ ...common, review: unresolved, report: many, links: noLinks }),
    () => [composeAnswer({ ...common, review: resolved, report: many, reportUrl: "https://chat.example.com/1" })],
    () => [composeAnswer({ ...common, review: unresolved, report: clean, earlierMs: 120_000 })],
    () => [composeAnswer({ ...common, review: resolved, report: skipped, links: noLinks })],
    () => [composeFailure({ ...common, review: resolved, failure })],
    () => [composeFailure({ ...common, failure, links: noLinks })],
    ...sampleDigests.map((sections) => () => [composeDigest({ ...common, sections, ...week })]),
  ];
}

function caught(file: string, run: () => unknown): readonly TemplateMistake[] {
  try {
    run();
    return [];
  } catch (thrown) {
    return [mistakeOf(thrown, file)];
  }
}
