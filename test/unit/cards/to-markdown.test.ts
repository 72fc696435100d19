// Cards written as Markdown read back as the same text, whatever they hold.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blocksText } from "../../../src/cards/readable-text.ts";
import { toBlocks } from "../../../src/cards/to-blocks.ts";
import { blocksToMarkdown, cardToMarkdown, fenced, inlineMarkdown } from "../../../src/cards/to-markdown.ts";
import type { Block, Inline } from "../../../src/core/card.ts";
import { cards } from "./arbitrary-cards.ts";

const read = (markdown: string) => toBlocks({ markdown, slots: new Map() });
// Reading neutralises mentions once more, by a joiner that nobody sees.
const dense = (text: string) => text.replace(/[\s\u2060]+/gu, "");
const text = (value: string): Inline => ({ kind: "text", text: value });

it("reads back as the same text", () => {
  fc.assert(
    fc.property(cards, ({ blocks }) => {
      expect(dense(blocksText(read(blocksToMarkdown(blocks))))).toBe(dense(blocksText(blocks)));
    }),
    { numRuns: 60 },
  );
});

it.each([
  "# no heading",
  "- no item",
  "1. no item",
  "a *b* c",
  "[a](b)",
  "<b>",
  "a | b",
  "> no quote",
  "~~x~~",
  "\\",
  "&amp;",
  "==",
  "!",
  "wow!",
])("keeps %j literal", (value) => {
  const block: Block = { kind: "text", children: [text(value)] };
  expect(read(blocksToMarkdown([block]))).toEqual([block]);
});

it("writes every kind of block", () => {
  const blocks: readonly Block[] = [
    { kind: "heading", level: 3, children: [text("Changed files")] },
    { kind: "list", ordered: true, start: 3, items: [[{ kind: "text", children: [{ kind: "code", text: "a`b" }] }]] },
    { kind: "code", language: "ts", text: "const fence = `\n```\n`;" },
    { kind: "quote", blocks: [{ kind: "text", children: [{ kind: "strong", children: [text("high")] }] }] },
    { kind: "table", header: [[text("a|b")], [text("c")]], rows: [[[{ kind: "code", text: "x|y" }], [text("")]]] },
    { kind: "divider" },
  ];
  expect(blocksToMarkdown(blocks)).toMatchInlineSnapshot(`
    "### Changed files

    3. \`\`a\`b\`\`

    \`\`\`\`ts
    const fence = \`
    \`\`\`
    \`;
    \`\`\`\`

    > **high**

    | a\\|b | c |
    | --- | --- |
    | \`x\\|y\` |  |

    ***
    "
  `);
  expect(read(blocksToMarkdown(blocks))).toMatchObject([...blocks.slice(0, 4), { kind: "table" }, { kind: "divider" }]);
});

describe("pieces", () => {
  it("makes the title a linked heading", () => {
    const card = { title: "2 problems", tone: "info", link: "https://x.test/a b", fallback: "", blocks: [] } as const;
    expect(cardToMarkdown(card)).toBe("# [2 problems](<https://x.test/a%20b>)\n");
  });

  it("fences longer than what is inside", () => {
    expect(fenced("````", "md")).toBe("`````md\n````\n`````");
  });

  it("writes emphasis only where Markdown reads it", () => {
    const strong = (value: string): Inline => ({ kind: "strong", children: [text(value)] });
    expect(inlineMarkdown([strong(" a ")])).toBe(" **a** ");
    expect(inlineMarkdown([strong("a"), strong("b")])).toBe("a**b**");
    expect(inlineMarkdown([text("检查"), strong("空"), text("指针")])).toBe("检查**空**指针");
  });
});
