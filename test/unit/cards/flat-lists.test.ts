// The root card's lists are flat: no item of the built-in template may slip below another one, as reformatted templates let it.
import { describe, expect, it } from "vitest";
import { composeReport } from "../../../src/cards/compose-report.ts";
import { noLinks } from "../../../src/cards/links.ts";
import { readableText } from "../../../src/cards/readable-text.ts";
import type { Block } from "../../../src/core/card.ts";
import type { Review } from "../../../src/core/review.ts";
import { locales } from "../../../src/ports/texts.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";

const paths = ["src/a.ts", "src/b.ts", "src/c.ts"];

const review: Review = {
  id: "rv_1",
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
      canonical: "abc123",
      display: "abc",
      author: "Ada",
      time: 0,
      message: "Add three files",
      parents: [],
      flags: [],
    },
    base: "empty",
    baseReason: "first_parent",
    ref: "refs/heads/main",
    isDefaultBranch: true,
    spec: "main",
    files: paths.map((path) => ({ kind: "add", path })),
    fileCount: paths.length,
  },
};

const problems = paths.map((file) => ({
  problem: { file, line: 7, severity: "high", category: "bug", message: "This is wrong." } as const,
  anchored: true,
  fingerprint: file,
  keys: [file],
  anchorDigest: "",
}));

const texts = createTexts();

describe.each(locales)("the root card in %s", (locale) => {
  const report = {
    outcome: "reported",
    problems,
    summaries: [{ title: "In short", markdown: "All of it." }],
  } as const;
  const { root } = composeReport({ texts, review, report, locale, links: noLinks });

  it("has one flat list of problems and one of files", () => {
    const lists = root.blocks.filter((block) => block.kind === "list");
    expect(lists.map(({ items }) => items.map((item) => item.map(({ kind }) => kind)))).toEqual([
      [["text"], ["text"], ["text"]],
      [["text"], ["text"], ["text"]],
    ]);
  });

  it("has headings, fields and no markup left over", () => {
    const kinds = root.blocks.map(({ kind }: Block) => kind);
    expect(kinds).toEqual(["fields", "list", "heading", "text", "heading", "list"]);
    expect(readableText(root)).not.toMatch(/[{}|#]|\*\*/);
  });
});
