// Pages of whatever an attacker could put into them, for properties of the renderer.
import fc from "fast-check";
import type { Block, Inline, Page } from "../../../src/core/card.ts";

export const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "<!channel>",
        "<!here>",
        "<!everyone|all>",
        "<@U0001>",
        "<@W0001|boss>",
        "<#C0001|general>",
        "<!subteam^S0001>",
        "<!date^1^{date}|x>",
        "<https://evil.example.com|https://bank.example.com>",
        "<mailto:a@b.example|a>",
        "&lt;!channel&gt;",
        "&amp;lt;",
        "&",
        "<",
        ">",
        "|",
        "`",
        "```",
        "*",
        "_",
        "~",
        "\n",
        "\r\n",
        "\u2028",
        "\u202e",
        "\u2066",
        "\ud800",
        "\udc00",
        "\u0000",
        "\u001b[31m",
        "@here",
        "@channel",
        ":smile:",
        "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}",
        "https://bank.example.com/login",
        "www.bank.com",
        "bank.org",
        "word ",
        "src/setup.sh:3",
        "\u4e2d\u6587",
        "\u2060",
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
      fc.string({ unit: "grapheme", maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

export const ourUrls = [
  "https://git.example.org/demo/a.ts#L1",
  "http://git.example.org/?a=1&b=<2>|3",
  "mailto:team@example.org",
];
const badUrls = [
  "javascript:alert(1)",
  "https://bank.com@evil.example/",
  "https://a b/",
  "data:text/html,x",
  "https://e\u202e.example/",
  "//x",
];

const inline: fc.Arbitrary<Inline> = fc.letrec<{ inline: Inline }>((tie) => ({
  inline: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constantFrom("text" as const, "code" as const), text: nasty }),
    fc.constant({ kind: "break" as const }),
    fc.record({
      kind: fc.constantFrom("strong" as const, "emphasis" as const, "strike" as const),
      children: fc.array(tie("inline"), { maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("link" as const),
      url: fc.oneof(fc.constantFrom(...ourUrls, ...badUrls), nasty),
      children: fc.array(fc.record({ kind: fc.constant("text" as const), text: nasty }), { maxLength: 2 }),
    }),
  ),
})).inline;

const inlines = fc.array(inline, { maxLength: 4 });
const leaf: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), children: inlines }),
  fc.record({
    kind: fc.constant("heading" as const),
    level: fc.constantFrom(1 as const, 3 as const),
    children: inlines,
  }),
  fc.record({ kind: fc.constant("code" as const), text: nasty }),
  fc.record({ kind: fc.constant("divider" as const) }),
  fc.record({ kind: fc.constant("image" as const), url: fc.constantFrom(...ourUrls, ...badUrls), alt: nasty }),
  fc.record({
    kind: fc.constant("fields" as const),
    fields: fc.array(fc.record({ label: nasty, value: inlines }), { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant("table" as const),
    header: fc.array(inlines, { minLength: 1, maxLength: 3 }),
    rows: fc.array(fc.array(inlines, { maxLength: 4 }), { maxLength: 3 }),
  }),
);
const nested: fc.Arbitrary<Block> = fc.letrec<{ block: Block }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({
      kind: fc.constant("list" as const),
      ordered: fc.boolean(),
      start: fc.nat(20),
      items: fc.array(fc.array(tie("block"), { maxLength: 2 }), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("quote" as const), blocks: fc.array(tie("block"), { maxLength: 2 }) }),
  ),
})).block;
const actions: fc.Arbitrary<Block> = fc.record({
  kind: fc.constant("actions" as const),
  actions: fc.array(
    fc.oneof(
      fc.record({ label: nasty, token: fc.constant("v1:abc"), style: fc.constant("primary" as const) }),
      fc.record({ label: nasty, url: fc.constantFrom(...ourUrls, ...badUrls), style: fc.constant("default" as const) }),
    ),
    { maxLength: 3 },
  ),
});
export const page: fc.Arbitrary<Page> = fc.record({
  card: fc.record(
    {
      title: nasty,
      tone: fc.constantFrom("neutral" as const, "good" as const, "danger" as const),
      link: fc.constantFrom(...ourUrls, ...badUrls),
      fallback: nasty,
      blocks: fc.array(fc.oneof({ weight: 5, arbitrary: nested }, { weight: 1, arbitrary: actions }), { maxLength: 4 }),
    },
    { requiredKeys: ["title", "tone", "fallback", "blocks"] },
  ),
});
