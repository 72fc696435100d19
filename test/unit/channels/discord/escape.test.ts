// Text stays text: whatever somebody writes, Discord shows it and does nothing else, and what is invisible is left out.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cleanText,
  codeSpan,
  escapeText,
  fenced,
  maskedLink,
  mentionOf,
  safeUrl,
} from "../../../../channels/discord/escape.ts";
import { blocksMarkdown, inlineMarkdown } from "../../../../channels/discord/markdown.ts";
import type { Inline } from "../../../../src/core/card.ts";
import { type Live, readDiscordMarkdown } from "../../../fakes/discord/markdown-reader.ts";

const bits = [
  ..."\\*_~`|[]()<>#-+>@:.!/\"' \n\t",
  ...["@everyone", "@here", "<@123>", "<@&1>", "<#1>", "<t:1:R>", "<:a:1>", "</x:1>", "<id:home>", ":100:", ":smile:"],
  ...[
    "https://evil.example",
    "[click](https://evil.example)",
    "](https://evil.example)",
    "discord.gg/abc",
    "discord.com/invite/abc",
    "steam://run",
  ],
  ...[
    "# ",
    "-# ",
    "- ",
    "1. ",
    "> ",
    ">>> ",
    "||",
    "```",
    "``",
    "__",
    "**",
    "~~",
    "a",
    "Z",
    "9",
    "\u8bc4",
    "\u1ec7",
    "\u{1f600}",
  ],
  ...["\u202e", "\u200b", "\u2060", "\u2066", "\u0007", "\ud800", "\u00ad", "\r\n", "\u2028", "\u{e0041}"],
];
const hostile = fc.array(fc.constantFrom(...bits), { maxLength: 24 }).map((parts) => parts.join(""));
const runs = { numRuns: 600 };

/** What a person sees where nothing is alive: joiners have no width. */
const seen = (text: string) => cleanText(text);

function reads(markdown: string): { text: string; live: readonly Live[] } {
  return readDiscordMarkdown(markdown);
}

describe("the reader that the tests trust", () => {
  it.each([
    ["<@1> <@!2>", ["user", "user"]],
    ["<@&1> <#2> <t:1:R> </a:1>", ["role", "channel", "timestamp", "command"]],
    ["hey @everyone and @here", ["everyone", "everyone"]],
    ["file.ts:100:5", ["emoji"]],
    ["[x](https://a.b) <https://a.b> https://a.b", ["link", "link", "link"]],
    ["discord.gg/abc", ["invitation"]],
    ["**a** *b* __c__ ~~d~~ ||e|| _f_", Array(6).fill("format")],
    ["# a\n-# b\n- c\n1. d\n> e", Array(5).fill("format")],
    ["`a` ```b```", ["code", "block"]],
    ["\\*a\\* \\# snake_case_name", []],
  ])("finds what is alive in %j", (source, kinds) => {
    expect(reads(source).live.map(({ kind }) => kind)).toEqual(kinds);
  });

  it("shows escapes inside a label, and makes no link of a label that is an address", () => {
    expect(reads("[a\\_b](https://a.b)").live[0]?.label).toBe("a\\_b");
    expect(reads("[https://good.example](https://evil.example)").live.filter(({ kind }) => kind === "link")).toEqual(
      [],
    );
  });
});

describe("text", () => {
  it("is shown as it is, and nothing in it is alive", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { live, text: shown } = reads(escapeText(text, true));
        expect(live).toEqual([]);
        expect(shown).toBe(seen(text));
      }),
      runs,
    );
  });

  it("never grows to more than twice its length and a little", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(escapeText(text, true).length).toBeLessThanOrEqual(2 * cleanText(text).length);
      }),
      runs,
    );
  });

  it.each([
    ["__init__.py", "\\_\\_init\\_\\_.py"],
    ["a - b", "a - b"],
    ["- item", "\\- item"],
    ["12. item", "12\\. item"],
    ["12.5", "12.5"],
    ["see src/a.ts:100:5", "see src/a.ts\\:100\\:5"],
    ["1 < 2 > 1", "1 \\< 2 > 1"],
  ])("is escaped no more than it has to be: %j", (text, escaped) => {
    expect(escapeText(text, true)).toBe(escaped);
  });
});

describe("a line of text, code, links and marks", () => {
  const url = "https://git.example.org/a_b/c?d=(e)";
  const leaf: fc.Arbitrary<Inline> = fc.oneof(
    hostile.map((text): Inline => ({ kind: "text", text })),
    hostile.map((text): Inline => ({ kind: "code", text })),
    hostile.map((text): Inline => ({ kind: "link", url, children: [{ kind: "text", text }] })),
    hostile.map((text): Inline => ({ kind: "link", url: `javascript:${text}`, children: [{ kind: "text", text }] })),
    fc.constant<Inline>({ kind: "break" }),
  );
  const marked = fc
    .tuple(fc.constantFrom("strong" as const, "emphasis" as const, "strike" as const), fc.array(leaf, { maxLength: 3 }))
    .map(([kind, children]): Inline => ({ kind, children }));
  const inlines = fc.array(fc.oneof(leaf, marked), { maxLength: 6 });

  it("has no mention, no emoji, no invitation, and no link but our own", () => {
    fc.assert(
      fc.property(inlines, fc.boolean(), (given, isLineStart) => {
        for (const { kind, text } of reads(inlineMarkdown(given, isLineStart)).live) {
          if (kind === "link") expect(text).toBe("https://git.example.org/a_b/c?d=%28e%29");
          else expect(["format", "code"]).toContain(kind);
        }
      }),
      runs,
    );
  });

  it("has no heading, quote or list of its own", () => {
    fc.assert(
      fc.property(inlines, (given) => {
        const signs = reads(inlineMarkdown(given, true)).live.filter(({ kind }) => kind === "format");
        for (const { text } of signs) expect(text).toMatch(/^(?:\*\*?|~~)/);
      }),
      runs,
    );
  });

  it("is as harmless in quotes, lists and fields", () => {
    fc.assert(
      fc.property(inlines, hostile, (given, label) => {
        const text = { kind: "text", children: given } as const;
        const markdown = blocksMarkdown([
          { kind: "quote", blocks: [text, { kind: "quote", blocks: [text] }] },
          { kind: "list", ordered: true, items: [[text, { kind: "code", text: label }], []] },
          { kind: "fields", fields: [{ label, value: given }] },
          { kind: "image", url: "https://tracker.example/x.png", alt: label },
          { kind: "table", header: [given], rows: [[given]] },
        ]);
        const kinds = new Set(reads(markdown).live.map(({ kind }) => kind));
        for (const kind of kinds) expect(["format", "code", "block", "link"]).toContain(kind);
      }),
      runs,
    );
  });
});

describe("a link's label", () => {
  it("is shown as it is, and leads where the link leads", () => {
    fc.assert(
      fc.property(hostile, (label) => {
        const { live, text } = reads(maskedLink(label, "https://git.example.org/"));
        const [only, ...others] = live;
        expect(others).toEqual([]);
        expect(only).toMatchObject({ kind: "link", text: "https://git.example.org/" });
        const line = cleanText(label).replaceAll("\n", " ").trim();
        if (line === "") return;
        const lookalike = line.replaceAll("`", "\u02cb").replaceAll("[", "\uff3b").replaceAll("]", "\uff3d");
        expect([line, lookalike]).toContain(text);
      }),
      runs,
    );
  });

  it("that is an address itself is the address, so that it cannot claim another", () => {
    expect(maskedLink("https://git.example.org/", "https://git.example.org/")).toBe(
      "[git.example.org/](https://git.example.org/)",
    );
    expect(reads(maskedLink("https://bank.example", "https://evil.example/")).live).toMatchObject([
      { kind: "link", text: "https://evil.example/" },
    ]);
  });
});

describe("code", () => {
  it("holds its text, whatever backticks are in it", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = cleanText(text).replaceAll("\n", " ");
        const { live } = reads(codeSpan(text));
        expect(live).toEqual(line === "" ? [] : [{ kind: "code", text: line }]);
      }),
      runs,
    );
  });

  it("in a block ends where the block ends", () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom("ts", "DIFF", "c++", "a`b", "x\ny", '"><script>'), (text, language) => {
        const { live } = reads(`${fenced(text, language)}\n`);
        expect(live.map(({ kind }) => kind)).toEqual(["block"]);
        expect(live[0]?.text.trim()).toBe(cleanText(text).trim());
      }),
      runs,
    );
  });
});

describe("addresses and people", () => {
  it.each([
    ["javascript:alert(1)", null],
    [" java\tscript:alert(1)", null],
    ["data:text/html,x", null],
    ["discord://-/channels/1", null],
    ["https://bank.example@evil.example/", null],
    ["nonsense", null],
    ["https://a.example/b(c)<d>[e]`f", "https://a.example/b%28c%29%3Cd%3E%5Be%5D%60f"],
    ["HTTP://a.example", "http://a.example/"],
  ])("%j is opened as %j", (url, safe) => {
    expect(safeUrl(url)).toBe(safe);
  });

  it("a person is mentioned by an id, and by nothing else", () => {
    expect(mentionOf("123")).toBe("<@123>");
    for (const person of ["&123", "123> @everyone", "", "everyone"]) expect(mentionOf(person)).toBeNull();
  });
});
