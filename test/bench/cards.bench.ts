// Composing a report of 50 problems and fitting it, against parsing the same Markdown alone.
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { composeReport } from "../../src/cards/compose-report.ts";
import { fit as fitCard } from "../../src/cards/fit.ts";
import { createLinkBuilder } from "../../src/cards/links.ts";
import { cardToMarkdown } from "../../src/cards/to-markdown.ts";
import type { CardLimits } from "../../src/core/card.ts";
import { type AssessedProblem, severities } from "../../src/core/problem.ts";
import type { Report } from "../../src/core/report.ts";
import type { Review } from "../../src/core/review.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { type Bench, interleave } from "./bench.ts";

const PROBLEMS = 50;
const ROUNDS = 25;

/** Slack's, the tightest mix of limits. */
const limits: CardLimits = {
  pageText: 9_000,
  blocks: 45,
  blockText: 3_000,
  codeText: 2_900,
  fields: 10,
  fieldText: 2_000,
  title: 150,
};

const messages = [
  "`user` may be null here: `load()` returns null when the session expired, and line 12 dereferences it.\n\nThe caller in `session.ts` does not check it either.",
  "The lock is taken in a different order than in `flush()`, so two threads can wait for each other forever.",
  "**Off by one.** The loop reads `items[length]`:\n\n- the last pass is out of bounds\n- `sum` becomes NaN\n\nSee [the docs](https://example.test/arrays).",
  "循环变量在闭包中被共享，回调执行时 `i` 已经是最终值。请改用 `let`，或把值作为参数传入。",
  "The token is written to the log.\n\n```ts\nlogger.info(token);\n```\n\nMask it, or leave it out.",
];

const suggestions = [
  "Return early when there is no user.",
  "Change the loop:\n\n```diff\n-for (var i = 0; i <= items.length; i++) {\n+for (let i = 0; i < items.length; i++) {\n```",
];

function problem(index: number): AssessedProblem {
  const line = 10 + index * 7;
  return {
    problem: {
      file: `src/module-${index % 9}/file_${index}.ts`,
      line,
      severity: severities[index % severities.length] ?? "low",
      category: "correctness",
      message: `${messages[index % messages.length]} (case ${index})`,
      suggestion: `Case ${index}. ${suggestions[index % suggestions.length]}`,
    },
    anchored: true,
    fingerprint: String(index).padStart(32, "0"),
    keys: [],
    anchorDigest: "",
    excerpt: {
      firstLine: line - 2,
      language: "typescript",
      lines: ["  const user = load(id);", "  const now = clock.now();", "  return user.name;", "}", ""],
    },
  };
}

const report: Report = {
  outcome: "reported",
  problems: Array.from({ length: PROBLEMS }, (_, index) => problem(index)),
  summaries: [
    { title: "Session handling", markdown: "The change moves sessions to the store.\n\n1. load\n2. check\n3. save" },
  ],
};

const review: Review = {
  id: "rv_bench",
  repository: "demo",
  spec: "main",
  agent: "checks",
  paths: [],
  locale: "en",
  requester: { kind: "feed", feed: "push" },
  status: "reported",
  attempt: 1,
  createdAt: 0,
  change: {
    repository: "demo",
    vcs: "git",
    head: {
      vcs: "git",
      canonical: "1a2b3c4d5e".repeat(4),
      display: "1a2b3c4d5e",
      author: "Ada",
      time: 0,
      message: "fix(session): keep *sessions* in the store",
      parents: [],
      flags: [],
    },
    base: "empty",
    baseReason: "first_parent",
    ref: "refs/heads/main",
    isDefaultBranch: true,
    spec: "main",
  },
};

export const bench: Bench = async () => {
  const texts = createTexts();
  const links = createLinkBuilder({
    commit: "https://git.example.test/demo/commit/{rev}",
    file: "https://git.example.test/demo/src/{rev}/{path}",
    line: "#L{line}",
  });
  const compose = () => {
    const { root, thread } = composeReport({ texts, review, report, locale: "en", links });
    return [root, ...thread.map(({ card }) => card)].map((card) => fitCard(card, limits));
  };
  const { root, thread } = composeReport({ texts, review, report, locale: "en", links });
  const markdown = [root, ...thread.map(({ card }) => card)].map(cardToMarkdown);
  const extensions = [gfm()];
  const mdastExtensions = [gfmFromMarkdown()];
  const parse = () => markdown.map((text) => fromMarkdown(text, { extensions, mdastExtensions }));
  for (let round = 0; round < 5; round++) {
    compose();
    parse();
  }
  const medians = await interleave({ compose, parse }, ROUNDS);
  const composing = medians["compose"] ?? Number.NaN;
  const parsing = medians["parse"] ?? Number.NaN;
  return [
    {
      name: `composing ${PROBLEMS} problems`,
      value: composing / parsing,
      comparison: "at most",
      limit: 1.5,
      note: `template → Markdown → card → fit ${composing.toFixed(1)} ms, parsing the same Markdown alone ${parsing.toFixed(1)} ms`,
    },
  ];
};
