// Cards of every kind of block and inline, with texts that look like markup of every dialect.
import fc from "fast-check";
import type { Block, Card, Inline } from "../../../../src/core/card.ts";

/** What an attacker, or an unlucky commit message, would write. */
export const nastyTexts = [
  "<at id=all></at>",
  "<at id=ou_victim></at>",
  '<at user_id="all">everyone</at>',
  '<at user_id="ou_victim">x</at>',
  "<AT ID=ALL></AT>",
  "< at id=all>",
  "&lt;at id=all&gt;&lt;/at&gt;",
  "&#60;at id=all&#62;",
  "<person id='ou_victim'></person>",
  "![x](img_v3_x)",
  "![x](https://tracker.example.org/p.png)",
  "[click](https://evil.example.org)",
  "[click](javascript:alert(1))",
  "<https://evil.example.org>",
  "https://evil.example.org",
  "www.evil.example.org",
  "<link url='https://evil.example.org'>x</link>",
  "<a href='https://evil.example.org'>x</a>",
  "<font color='red'>x</font>",
  "**bold**",
  "*em*",
  "__bold__",
  "_em_",
  "~~gone~~",
  "`code`",
  "``` js\nx\n```",
  "````",
  "# heading",
  "- item",
  "+ item",
  "1. item",
  "> quote",
  "| a | b |",
  "| --- | --- |",
  "---",
  "===",
  "    indented",
  "\tindented",
  ":DONE:",
  "$x$",
  "\\*",
  "a\nb",
  "a\r\n\r\nb",
  "<br>",
  "<!-- x -->",
  "\u0000\u0007",
  "\ud800",
  "é 报告 Báo cáo 🙂",
];

export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...nastyTexts),
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.constantFrom(" ", "\n", ""),
    ),
    {
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(""));

const anyUrl = fc.oneof(
  fc.constantFrom(
    "https://git.example.org/a_b/(c)?x=1&copy=2#L9",
    "javascript:alert(1)",
    "https://example.org/)[x](https://evil.example.org",
    "https://example.org/**x**|y`z`",
    "https://example.org/<at id=all></at>",
    "not an address",
  ),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
);

const { inline } = fc.letrec<{ inline: Inline }>((tie) => ({
  inline: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({ kind: fc.constant("text" as const), text: anyText }),
    fc.record({ kind: fc.constant("code" as const), text: anyText }),
    fc.constant({ kind: "break" as const }),
    fc.record({
      kind: fc.constantFrom("strong" as const, "emphasis" as const, "strike" as const),
      children: fc.array(tie("inline"), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("link" as const), url: anyUrl, children: fc.array(tie("inline"), { maxLength: 2 }) }),
  ),
}));

export const anyInlines: fc.Arbitrary<readonly Inline[]> = fc.array(inline, { maxLength: 5 });

const cells = fc.array(anyInlines, { minLength: 1, maxLength: 3 });

const { block } = fc.letrec<{ block: Block }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({ kind: fc.constant("text" as const), children: anyInlines }),
    fc.record({
      kind: fc.constant("heading" as const),
      level: fc.constantFrom(1 as const, 3 as const, 6 as const),
      children: anyInlines,
    }),
    fc.record({ kind: fc.constant("code" as const), language: fc.constantFrom("ts", "x y", "`"), text: anyText }),
    fc.record({
      kind: fc.constant("fields" as const),
      fields: fc.array(fc.record({ label: anyText, value: anyInlines }), { maxLength: 3 }),
    }),
    fc.constant({ kind: "divider" as const }),
    fc.record({ kind: fc.constant("image" as const), url: anyUrl, alt: anyText }),
    fc.record({
      kind: fc.constant("list" as const),
      ordered: fc.boolean(),
      items: fc.array(fc.array(tie("block"), { maxLength: 2 }), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("quote" as const), blocks: fc.array(tie("block"), { maxLength: 2 }) }),
    fc.record({ kind: fc.constant("table" as const), header: cells, rows: fc.array(cells, { maxLength: 3 }) }),
  ),
}));

const actions: fc.Arbitrary<Block> = fc.record({
  kind: fc.constant("actions" as const),
  actions: fc.array(
    fc.record(
      {
        label: anyText,
        style: fc.constantFrom("default" as const, "primary" as const, "danger" as const),
        token: fc.constant("v1:abc"),
        url: anyUrl,
      },
      { requiredKeys: ["label", "style"] },
    ),
    { maxLength: 3 },
  ),
});

export const anyCard: fc.Arbitrary<Card> = fc.record(
  {
    title: anyText,
    tone: fc.constantFrom("neutral" as const, "good" as const, "info" as const, "warning" as const, "danger" as const),
    link: anyUrl,
    fallback: anyText,
    blocks: fc.array(fc.oneof({ arbitrary: block, weight: 4 }, { arbitrary: actions, weight: 1 }), { maxLength: 5 }),
  },
  { requiredKeys: ["title", "tone", "fallback", "blocks"] },
);
