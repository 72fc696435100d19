// Arbitrary cards and limits for the property tests of fitting and writing.
import fc from "fast-check";
import type { Block, Card, CardLimits, Inline } from "../../../src/core/card.ts";

/** Words in several scripts, clusters of several code points, entities and Markdown specials. */
const samples = [
  ...["null", "a", "Überlauf", "检查空指针", "kiểm tra", "👩‍👩‍👧‍👦", "🇻🇳🇨🇳", "e\u0301\u0302", "&amp;", "&lt;x"],
  ...["#1", "*", "`", "``", "|", "1.", "-", "+", "<b>", "[a](b)", "![", "_x_", "~~", "\\", ":", "=", "http://x.test"],
];
const word = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...samples) },
  { weight: 2, arbitrary: fc.stringMatching(/^[!-~]{1,6}$/) },
  { weight: 1, arbitrary: fc.integer({ min: 40, max: 200 }).map((length) => "x".repeat(length)) },
);

export const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(" "));

const inline: fc.Arbitrary<Inline> = fc.letrec<{ inline: Inline }>((tie) => ({
  inline: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    words.map((text): Inline => ({ kind: "text", text })),
    words.map((text): Inline => ({ kind: "code", text })),
    fc.constant<Inline>({ kind: "break" }),
    fc.record({
      kind: fc.constantFrom("strong" as const, "emphasis" as const, "strike" as const),
      children: fc.array(tie("inline"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("link" as const),
      url: fc.constantFrom("https://x.test/a", "https://x.test/a_(b)?c=d#L12"),
      children: words.map((text): readonly Inline[] => [{ kind: "text", text }]),
    }),
  ),
})).inline;

export const inlines = fc.array(inline, { minLength: 1, maxLength: 3 });

const code = fc.array(words, { minLength: 1, maxLength: 8 }).map((lines) => lines.join("\n"));

const leaf: fc.Arbitrary<Block> = fc.oneof(
  inlines.map((children): Block => ({ kind: "text", children })),
  fc.record({
    kind: fc.constant("heading" as const),
    level: fc.constantFrom(2 as const, 4 as const),
    children: inlines,
  }),
  fc.record({ kind: fc.constant("code" as const), language: fc.constantFrom("ts", "cpp"), text: code }),
  fc
    .array(fc.record({ label: words, value: inlines }), { minLength: 1, maxLength: 6 })
    .map((fields): Block => ({ kind: "fields", fields })),
  fc.integer({ min: 1, max: 4 }).chain((columns) => {
    const row = fc.array(inlines, { minLength: columns, maxLength: columns });
    return fc.record({ kind: fc.constant("table" as const), header: row, rows: fc.array(row, { maxLength: 3 }) });
  }),
  fc.constant<Block>({ kind: "divider" }),
);

/** Buttons stand at the top level only. */
const buttons = fc
  .array(
    fc.record({ label: words, token: fc.stringMatching(/^[0-9a-f]{8}$/), style: fc.constant("default" as const) }),
    { minLength: 1, maxLength: 7 },
  )
  .map((actions): Block => ({ kind: "actions", actions }));

const block: fc.Arbitrary<Block> = fc.letrec<{ block: Block }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    leaf,
    fc.record({
      kind: fc.constant("list" as const),
      ordered: fc.boolean(),
      items: fc.array(fc.array(tie("block"), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    }),
    fc.array(tie("block"), { minLength: 1, maxLength: 3 }).map((blocks): Block => ({ kind: "quote", blocks })),
  ),
})).block;

export const cards: fc.Arbitrary<Card> = fc.record({
  title: words,
  tone: fc.constantFrom("good" as const, "danger" as const),
  fallback: words,
  blocks: fc.array(fc.oneof({ weight: 5, arbitrary: block }, { weight: 1, arbitrary: buttons }), { maxLength: 5 }),
});

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

export const limits: fc.Arbitrary<CardLimits> = fc
  .record({
    pageText: optional(fc.integer({ min: 200, max: 5_000 })),
    pageBytes: optional(fc.integer({ min: 2_000, max: 30_000 })),
    blocks: optional(fc.integer({ min: 2, max: 50 })),
    blockText: optional(fc.integer({ min: 60, max: 3_000 })),
    codeText: optional(fc.integer({ min: 60, max: 3_000 })),
    title: optional(fc.integer({ min: 10, max: 150 })),
    fallback: optional(fc.integer({ min: 10, max: 500 })),
    fields: optional(fc.integer({ min: 0, max: 10 })),
    fieldText: optional(fc.integer({ min: 40, max: 2_000 })),
    tables: optional(fc.integer({ min: 0, max: 5 })),
    tableRows: optional(fc.integer({ min: 1, max: 100 })),
    tableColumns: optional(fc.integer({ min: 1, max: 20 })),
    actions: optional(fc.integer({ min: 1, max: 5 })),
    actionLabel: optional(fc.integer({ min: 2, max: 75 })),
    pages: optional(fc.integer({ min: 1, max: 20 })),
  })
  .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)));
