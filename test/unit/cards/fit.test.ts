// Fitting loses no text, keeps every limit, and never cuts inside a cluster, an entity, a link or a fence.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fit as fitCard, halved } from "../../../src/cards/fit.ts";
import { blocksTextSize, blockTextSize, fieldTextSize, jsonBytes } from "../../../src/cards/measure.ts";
import { blocksText, readableText } from "../../../src/cards/readable-text.ts";
import { toBlocks } from "../../../src/cards/to-blocks.ts";
import type { Block, Card, CardLimits, Inline, Page } from "../../../src/core/card.ts";
import { AppError } from "../../../src/core/errors.ts";
import { cards, limits } from "./arbitrary-cards.ts";

const runs = { numRuns: 150 };

/** What a person reads, without the spaces and line ends that a cut may move. */
const dense = (text: string) => text.replace(/\s+/gu, "");

function textOf(pages: readonly Page[], attachment?: { readonly text: string }): string {
  const [first] = pages;
  const shown = pages.map((page) => blocksText(page.card.blocks)).join("\n");
  const attached =
    attachment === undefined ? "" : blocksText(toBlocks({ markdown: attachment.text, slots: new Map() }));
  return `${first?.card.title ?? ""}\n${shown}\n${attached}`;
}

function everyBlock(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block) => {
    if (block.kind === "list") return [block, ...block.items.flatMap(everyBlock)];
    return block.kind === "quote" ? [block, ...everyBlock(block.blocks)] : [block];
  });
}

function expectWithin(page: Page, given: CardLimits): void {
  const within = (value: number, limit: number | undefined) => expect(value).toBeLessThanOrEqual(limit ?? Infinity);
  const { card } = page;
  within(card.title.length + blocksTextSize(card.blocks), given.pageText);
  within(jsonBytes(page) - 1, given.pageBytes);
  within(card.blocks.length, given.blocks);
  within(card.title.length, given.title);
  within(card.fallback.length, given.fallback);
  within(card.blocks.filter((block) => block.kind === "table").length, given.tables);
  for (const block of card.blocks) {
    if (block.kind === "code") within(blockTextSize(block), given.codeText);
    if (["text", "heading", "quote", "list"].includes(block.kind)) within(blockTextSize(block), given.blockText);
    if (block.kind === "table") {
      within(block.rows.length, given.tableRows);
      within(block.header.length, given.tableColumns);
    }
    if (block.kind === "fields") {
      within(block.fields.length, given.fields);
      for (const field of block.fields) within(fieldTextSize(field), given.fieldText);
    }
    if (block.kind === "actions") {
      within(block.actions.length, given.actions);
      for (const action of block.actions) within(action.label.length, given.actionLabel);
    }
  }
}

const text = (value: string): Block => ({ kind: "text", children: [{ kind: "text", text: value }] });
const cardOf = (...blocks: readonly Block[]): Card => ({ title: "T", tone: "info", fallback: "f", blocks });

describe("laws", () => {
  it("loses no text, whatever the limits", () => {
    fc.assert(
      fc.property(cards, limits, (card, given) => {
        const { pages, attachment } = fitCard(card, given);
        expect(dense(textOf(pages, attachment))).toBe(dense(readableText(card)));
      }),
      runs,
    );
  });

  it("keeps every limit on every page", () => {
    fc.assert(
      fc.property(cards, limits, (card, given) => {
        const { pages } = fitCard(card, given);
        expect(pages.length).toBeGreaterThan(0);
        expect(pages.length).toBeLessThanOrEqual(given.pages ?? Infinity);
        for (const page of pages) expectWithin(page, given);
      }),
      runs,
    );
  });

  it("keeps every button, in order", () => {
    fc.assert(
      fc.property(cards, limits, (card, { pages: _, ...given }) => {
        const tokens = (blocks: readonly Block[]) =>
          everyBlock(blocks).flatMap((block) =>
            block.kind === "actions" ? block.actions.map((action) => action.token) : [],
          );
        const fitted = fitCard(card, given).pages.flatMap((page) => tokens(page.card.blocks));
        expect(fitted).toEqual(tokens(card.blocks));
      }),
      runs,
    );
  });

  it("changes nothing without limits", () => {
    fc.assert(
      fc.property(cards, (card) => {
        expect(fitCard(card, {})).toEqual({ pages: [{ card }] });
      }),
    );
  });
});

describe("E16 cutting text never splits a grapheme, an entity, a link or a code fence", () => {
  const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
  const clusters = (value: string) => [...segmenter.segment(value)].map(({ segment }) => segment);

  it.each(["👩‍👩‍👧‍👦", "🇻🇳🇨🇳", "é̂", "한국", "é", "क्षि"])("keeps %s whole at every limit", (cluster) => {
    const whole = cluster.repeat(60);
    for (let blockText = 60; blockText < 100; blockText++) {
      const pieces = fitCard(cardOf(text(whole)), { blockText }).pages[0]?.card.blocks.map((block) =>
        blocksText([block]),
      );
      expect(pieces?.flatMap(clusters)).toEqual(clusters(whole));
    }
  });

  it("keeps an entity whole", () => {
    for (let blockText = 60; blockText < 100; blockText++) {
      const { pages } = fitCard(cardOf(text(`${"x".repeat(50)}&amp;${"y".repeat(50)}`)), { blockText });
      const pieces = pages[0]?.card.blocks.map((block) => blocksText([block])) ?? [];
      expect(pieces.filter((piece) => piece.includes("&amp;"))).toHaveLength(1);
    }
  });

  it("keeps a link whole", () => {
    const link: Inline = { kind: "link", url: "https://x.test/a", children: [{ kind: "text", text: "src/app.ts:12" }] };
    for (let length = 0; length < 90; length++) {
      const children: Inline[] = [
        { kind: "text", text: "y".repeat(length) },
        link,
        { kind: "text", text: " and more" },
      ];
      const { pages } = fitCard(cardOf({ kind: "text", children }), { blockText: 60 });
      const links = JSON.stringify(pages).match(/"kind":"link"/g);
      expect(links).toHaveLength(1);
      expect(JSON.stringify(pages)).toContain(JSON.stringify(link));
    }
  });

  it("cuts a long fence into whole ones of the same language, between lines", () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index} of the code`);
    const { pages } = fitCard(cardOf({ kind: "code", language: "cpp", text: lines.join("\n") }), { codeText: 200 });
    const blocks = pages.flatMap((page) => page.card.blocks);
    expect(blocks.length).toBeGreaterThan(4);
    for (const block of blocks) expect(block).toMatchObject({ kind: "code", language: "cpp" });
    expect(blocks.flatMap((block) => (block.kind === "code" ? block.text.split("\n") : []))).toEqual(lines);
  });
});

describe("the ladder", () => {
  const table: Block = {
    kind: "table",
    header: [[{ kind: "text", text: "File" }], [{ kind: "text", text: "Lines" }]],
    rows: [[[{ kind: "text", text: "检查.ts" }], [{ kind: "text", text: "12" }]]],
  };

  it("keeps a table where there are tables, and aligns it as code where there are none", () => {
    expect(fitCard(cardOf(table), { tables: 1 }).pages[0]?.card.blocks).toEqual([table]);
    const [code] = fitCard(cardOf(table), { tables: 0 }).pages[0]?.card.blocks ?? [];
    expect(code).toEqual({ kind: "code", text: "File     Lines\n检查.ts  12" });
    expect(fitCard(cardOf(table, table), { tables: 1 }).pages[0]?.card.blocks.map((block) => block.kind)).toEqual([
      "table",
      "code",
    ]);
  });

  it("continues on the next page, and says which of how many it is", () => {
    const { pages } = fitCard(cardOf(text("a".repeat(150)), text("b".repeat(150))), { pageText: 200 });
    expect(pages.map((page) => page.part)).toEqual([
      { number: 1, of: 2 },
      { number: 2, of: 2 },
    ]);
    expect(pages.every((page) => page.card.title === "T")).toBe(true);
  });

  it("attaches what needs more pages than a card may take, unless the channel has no files", () => {
    const card = cardOf(text("a".repeat(150)), text("b*".repeat(75)));
    const { pages, attachment } = fitCard({ ...card, title: "2 problems in demo" }, { pageText: 250, pages: 1 });
    expect(pages).toHaveLength(1);
    expect(attachment).toMatchObject({ name: "2-problems-in-demo.md", mediaType: "text/markdown" });
    expect(attachment?.text).toBe(`${"b\\*".repeat(75)}\n`);
    const noFiles = fitCard(card, { pageText: 250, pages: 1 }, { files: false });
    expect(noFiles.pages).toHaveLength(2);
    expect(noFiles.attachment).toBeUndefined();
  });

  it("does not leave a heading behind", () => {
    const heading: Block = { kind: "heading", level: 3, children: [{ kind: "text", text: "Changed files" }] };
    const { pages } = fitCard(cardOf(text("a".repeat(150)), heading, text("b".repeat(150))), { pageText: 200 });
    expect(pages[1]?.card.blocks[0]).toEqual(heading);
    expect(pages[0]?.card.blocks).toHaveLength(1);
  });

  it("continues the numbers of a list, and gives none twice", () => {
    const items = Array.from({ length: 9 }, (_, index) => [
      text(`item ${index + 1} ${"w ".repeat(index === 4 ? 90 : 5)}`),
    ]);
    const blocks =
      fitCard(cardOf({ kind: "list", ordered: true, items }), { blockText: 100 }).pages[0]?.card.blocks ?? [];
    let next = 1;
    for (const block of blocks) {
      if (block.kind !== "list") continue;
      expect(block.start ?? 1).toBe(next);
      next += block.items.length;
    }
    expect(next).toBe(10);
  });

  it("turns buttons that open a page into links where a channel has none", () => {
    const actions: Block = { kind: "actions", actions: [{ label: "Open", url: "https://x.test/", style: "default" }] };
    expect(fitCard(cardOf(actions), { actions: 0 }).pages[0]?.card.blocks).toEqual([
      {
        kind: "text",
        children: [{ kind: "link", url: "https://x.test/", children: [{ kind: "text", text: "Open" }] }],
      },
    ]);
  });

  it("fits half the limits after a refusal", () => {
    expect(halved({ pageText: 9_000, blocks: 45, tables: 1, pages: 5, title: 150 })).toEqual({
      pageText: 4_500,
      blocks: 22,
      tables: 0,
      pages: 10,
      title: 150,
    });
  });

  it("refuses limits without room for text", () => {
    expect(() => fitCard(cardOf(text("a")), { pageText: 20 })).toThrow(AppError);
    expect(() => fitCard(cardOf(text("a")), { pageBytes: 200 })).toThrow(AppError);
  });

  it("is quick with a long text of wide characters", () => {
    const started = performance.now();
    fitCard(cardOf(text("检查空指针".repeat(20_000))), { blockText: 3_000, pageText: 9_000 });
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

it("walks into quotes and lists", () => {
  // The generator must reach nested forms, or the laws above would prove little.
  const sample = fc.sample(cards, 200).flatMap((card) => everyBlock(card.blocks));
  expect(new Set(sample.map((block) => block.kind)).size).toBe(9);
});
