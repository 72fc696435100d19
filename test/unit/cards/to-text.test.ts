// Cards on a terminal: wrapped by display width, coloured and linked where that is wanted, never with a stray escape sequence.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth, padded } from "../../../src/cards/display-width.ts";
import { blocksText } from "../../../src/cards/readable-text.ts";
import { tableAsCode } from "../../../src/cards/table-as-code.ts";
import { cardToText } from "../../../src/cards/to-text.ts";
import { wrapped } from "../../../src/cards/wrap-text.ts";
import type { Block, Card, Inline } from "../../../src/core/card.ts";
import { cards } from "./arbitrary-cards.ts";

const plain = { colour: false, links: false, width: 40 };
const text = (value: string): Inline => ({ kind: "text", text: value });
const cardOf = (...blocks: readonly Block[]): Card => ({ title: "2 problems", tone: "danger", fallback: "", blocks });

it("writes plain text in a pipe", () => {
  const card = cardOf(
    { kind: "fields", fields: [{ label: "Branch", value: [text("main")] }] },
    { kind: "text", children: [text("see "), { kind: "link", url: "https://x.test/", children: [text("a.ts:1")] }] },
    {
      kind: "list",
      ordered: false,
      items: [[{ kind: "text", children: [text("one two three four five six seven eight")] }]],
    },
    { kind: "code", language: "diff", text: "-a\n+b" },
    { kind: "quote", blocks: [{ kind: "text", children: [{ kind: "code", text: "x" }] }] },
    {
      kind: "actions",
      actions: [
        { label: "Open", url: "https://x.test/", style: "default" },
        { label: "Dismiss", token: "v1:a", style: "default" },
      ],
    },
  );
  expect(cardToText({ ...card, link: "https://x.test/c" }, plain)).toBe(
    `2 problems (https://x.test/c)

Branch: main

see a.ts:1 (https://x.test/)

• one two three four five six seven
  eight

    -a
    +b

│ \`x\`

Open (https://x.test/)
`,
  );
});

it("colours and links where they are wanted", () => {
  const card = cardOf({ kind: "text", children: [{ kind: "link", url: "https://x.test/", children: [text("a")] }] });
  expect(cardToText(card, { colour: true, links: true, width: 40 })).toBe(
    "\u001b[1;31m2 problems\u001b[0m\n\n\u001b]8;;https://x.test/\u001b\\\u001b[4ma\u001b[0m\u001b]8;;\u001b\\\n",
  );
});

it("loses no text", () => {
  fc.assert(
    fc.property(cards, fc.integer({ min: 20, max: 120 }), (card, width) => {
      const shown = cardToText({ ...card, title: "" }, { colour: false, links: true, width });
      const rest = [...shown.replace(/\u001b\]8;;[^\u001b]*\u001b\\/g, "")][Symbol.iterator]();
      // Markers and signs are added between, so the card's text is found in order, not in one piece.
      for (const sign of blocksText(card.blocks).replace(/\s/gu, "")) {
        let next = rest.next();
        while (next.done !== true && next.value !== sign) next = rest.next();
        expect(next.value).toBe(sign);
      }
    }),
    { numRuns: 40 },
  );
});

describe("wrapping", () => {
  it("counts columns, not characters", () => {
    expect(wrapped("检查空指针，然后返回。", 8)).toEqual(["检查空指", "针，然后", "返回。"]);
    expect(wrapped("a-very-long-word-without-spaces", 10)).toEqual(["a-very-lon", "g-word-wit", "hout-space", "s"]);
    expect(wrapped("one\ntwo three", 5)).toEqual(["one", "two", "three"]);
    expect(wrapped("\u001b[1mone two\u001b[0m three", 7)).toEqual(["\u001b[1mone two\u001b[0m", "three"]);
  });

  it("keeps every line within the width, and every character", () => {
    const words = fc.array(fc.constantFrom("a", "word", "检查", "👩‍👩‍👧‍👦", "é", ",", "longer-word"), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 4, max: 40 }), (parts, width) => {
        const lines = wrapped(parts.join(" "), width);
        // A closing sign may hang over the edge by its own width.
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width + 1);
        expect(lines.join("").replace(/ /g, "")).toBe(parts.join(""));
      }),
    );
  });
});

it("measures wide and invisible characters", () => {
  expect(["abc", "检查", "👩‍👩‍👧‍👦", "é", "\u2060", "한", "ｱ", "❤️"].map(displayWidth)).toEqual([
    3, 4, 2, 1, 0, 2, 1, 2,
  ]);
  expect(padded("检", 4)).toBe("检  ");
  expect(tableAsCode({ kind: "table", header: [[text("a")], []], rows: [[[text("检查")], [text("b")]]] }).text).toBe(
    "a\n检查  b",
  );
});
