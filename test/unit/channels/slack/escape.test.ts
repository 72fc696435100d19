// Nothing in a text comes alive: no mention, no link that lies, no broken entity, no hidden direction, in any of a message's forms.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelLies, webAddress } from "../../../../channels/slack/blocks/links.ts";
import { clip, escapedParts, mrkdwnText, plainText } from "../../../../channels/slack/escape.ts";
import { renderClassic, renderPage, renderText } from "../../../../channels/slack/render.ts";
import type { Block, Inline, Page } from "../../../../src/core/card.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { checkBlocks } from "../../../fakes/slack/block-kit.ts";
import { mrkdwn, readMessage } from "../../../fakes/slack/read-message.ts";

const nasty = fc
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

const ourUrls = [
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
const page: fc.Arbitrary<Page> = fc.record({
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

const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;
const allowed = new Set(ourUrls.map((url) => new URL(url).origin + new URL(url).pathname));

/** As a person would judge a link: does it show one host and lead to another? */
function deceives(label: string, url: string): boolean {
  const shown =
    /(?:https?:\/\/|www\.)([a-z0-9.-]+)/i.exec(label)?.[1] ??
    /(?:^|\s)([a-z0-9-]+\.(?:com|org))(?![a-z0-9-])/i.exec(label)?.[1];
  if (shown === undefined) return false;
  const strip = (host: string): string => host.toLowerCase().replace(/^www\.|\.$/g, "");
  return strip(shown) !== strip(new URL(url).hostname);
}

describe("any page", () => {
  it.each([
    ["newest", renderPage],
    ["classic", renderClassic],
    ["text", renderText],
  ] as const)("comes to rest in its %s form", (_name, render) => {
    fc.assert(
      fc.property(page, (given) => {
        let message: ReturnType<typeof render>;
        try {
          message = render(given);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ChannelError);
          expect((thrown as ChannelError).fault).toBe("too_large");
          return;
        }
        const read = readMessage(message);
        expect(read.mentions).toEqual([]);
        expect(read.broken).toEqual([]);
        for (const { url, label } of read.links) {
          expect(webAddress(url)).not.toBeNull();
          if (label !== url) expect(deceives(label, url), `${label} -> ${url}`).toBe(false);
        }
        expect(hidden.test(JSON.stringify(message).replace(/\\[nt]/g, ""))).toBe(false);
        for (const text of stringsOf(message)) expect(hidden.test(text)).toBe(false);
        expect(message.text).not.toBe("");
        expect(checkBlocks(message.blocks, "message")).toEqual({ mistakes: [], isTooLong: false });
      }),
      { numRuns: 400 },
    );
  });

  it("links nothing but web and mail addresses of a card's own links", () => {
    fc.assert(
      fc.property(page, (given) => {
        const own = JSON.stringify(given);
        try {
          for (const { url } of readMessage(renderPage(given)).links) {
            const { origin, pathname } = new URL(url);
            expect(allowed.has(origin + pathname) || own.includes(origin.slice(0, 8))).toBe(true);
          }
        } catch (thrown) {
          if (!(thrown instanceof ChannelError)) throw thrown;
        }
      }),
    );
  });
});

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

describe("texts", () => {
  it("say the same in rich_text and in markup as was given, but for what is hidden", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const given: Page = {
          card: {
            title: "T",
            tone: "neutral",
            fallback: "T",
            blocks: [{ kind: "text", children: [{ kind: "text", text }] }],
          },
        };
        const expected = plainText(text);
        const rich = readMessage(renderPage(given)).text.replace(/^T\n\n/, "");
        expect(rich).toBe(expected === "" ? " " : expected);
        if (expected.trim() !== "") {
          const classic = readMessage(renderClassic(given)).text.replace(/^T\n\n/, "");
          expect(classic).toBe(expected.replaceAll("`", "\u02cb"));
        }
      }),
    );
  });

  it("escape the three signs once", () => {
    expect(mrkdwnText("a & b <c> &amp;")).toBe("a &amp; b &lt;c&gt; &amp;amp;");
    expect(mrkdwnText("`x`")).toBe("\u02cbx\u02cb");
  });

  it("are cut between graphemes, with an ellipsis", () => {
    const family = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}";
    expect(clip("short", 10)).toBe("short");
    expect(clip(`ab${family}cd`, 6)).toBe("ab\u2026");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), fc.integer({ min: 1, max: 30 }), (text, limit) => {
        const cut = clip(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(/\p{Surrogate}/u.test(cut)).toBe(false);
        if (text.length <= limit) expect(cut).toBe(text);
      }),
    );
  });

  it("are parted within the limit, never inside an entity, and lose nothing", () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 12, max: 60 }), (text, limit) => {
        const parts = escapedParts(text, limit);
        for (const part of parts) {
          const reading = { links: [], mentions: [], broken: [] };
          mrkdwn(part, reading);
          expect(reading).toEqual({ links: [], mentions: [], broken: [] });
          expect(part.length).toBeLessThanOrEqual(limit);
        }
        expect(parts.join("")).toBe(mrkdwnText(text));
      }),
    );
  });
});

describe("links", () => {
  it.each([
    ["https://git.example.org/a", "https://git.example.org/a"],
    ["http://example.org/?q=a|b", "http://example.org/?q=a%7Cb"],
    ["https://example.org/<script>", "https://example.org/%3Cscript%3E"],
    ["mailto:a@example.org", "mailto:a@example.org"],
    ["https://EXAMPLE.org", "https://example.org/"],
    ["javascript:alert(1)", null],
    ["https://bank.com@evil.example/", null],
    ["https://user:pass@example.org/", null],
    ["java\tscript:x", null],
    [" https://example.org", null],
    ["https://example.org/\u202e", null],
    ["ftp://example.org/", null],
    ["slack://open", null],
    ["#fragment", null],
    [`https://example.org/${"a".repeat(3_000)}`, null],
  ])("%s becomes %s", (given, expected) => {
    expect(webAddress(given)).toBe(expected);
  });

  it.each([
    ["https://bank.com", true],
    ["see http://bank.com/login now", true],
    ["www.bank.com", true],
    ["bank.com", true],
    ["BANK.COM/path", true],
    ["paypal.com.evil.io", true],
    ["(bank.org)", true],
    ["\uff42ank.com", true],
    ["git.example.org", false],
    ["https://git.example.org/a", false],
    ["www.git.example.org", false],
    ["src/payments/retry.ts:42-44", false],
    ["setup.sh", false],
    ["main.py:3", false],
    ["README.md", false],
    ["4f2a91c07e", false],
    ["a.b.c", false],
    ["user@host.com", false],
    ["com.example.App", true],
  ])("a label %s over our address lies: %s", (label, expected) => {
    expect(labelLies(label, "https://git.example.org/demo")).toBe(expected);
  });
});
