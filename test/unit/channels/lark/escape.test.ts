// Untrusted text is shown and never live, in cards and in texts, whatever it looks like.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildCard } from "../../../../channels/lark/card/build-card.ts";
import {
  escapeMarkdown,
  fenced,
  guardLineStart,
  inlineCode,
  messageText,
  plainText,
  webAddress,
} from "../../../../channels/lark/card/escape.ts";
import { writeCell, writeLine } from "../../../../channels/lark/card/write-inlines.ts";
import { renderText } from "../../../../channels/lark/render.ts";
import type { Inline } from "../../../../src/core/card.ts";
import { anyCard, anyText, nastyTexts } from "./any-card.ts";
import { readDialect } from "./dialect-reader.ts";

const nothingLive = {
  mentions: [],
  links: [],
  pictures: [],
  tags: [],
  blocks: [],
  code: [],
  strong: [],
  emphasis: [],
  strike: [],
  emoji: [],
};

/** What people should see: the same characters, but for controls, broken surrogates and the kinds of line end and space. */
function visible(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, "")
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replace(/\r\n?/g, "\n")
    .replace(/[\u00A0\t ]/g, " ");
}

describe("text in a card", () => {
  it.each(nastyTexts)("%j is shown as it is, and nothing of it is live", (text) => {
    const reading = readDialect(writeLine([{ kind: "text", text }]));
    expect(reading).toMatchObject(nothingLive);
    expect(visible(reading.text)).toBe(visible(text));
  });

  it("is never live, and always as it was", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const reading = readDialect(writeLine([{ kind: "text", text }]));
        expect(reading).toMatchObject(nothingLive);
        expect(visible(reading.text)).toBe(visible(text));
      }),
    );
  });

  it("keeps its meaning when it is written in pieces", () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 4 }), (texts) => {
        const reading = readDialect(writeLine(texts.map((text) => ({ kind: "text", text }))));
        expect(reading).toMatchObject(nothingLive);
      }),
    );
  });

  it("does not end the cell of a table", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cell = writeCell([
          { kind: "text", text },
          { kind: "code", text },
        ]);
        expect(cell).not.toMatch(/[|\n]/);
      }),
    );
  });
});

describe("marks of our own", () => {
  const wrap = (kind: "strong" | "emphasis" | "strike", text: string): Inline => ({
    kind,
    children: [{ kind: "text", text }],
  });

  it("are read as what they are, between any neighbours", () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        anyText,
        fc.constantFrom("strong" as const, "emphasis" as const, "strike" as const),
        (before, text, after, kind) => {
          const line = writeLine([{ kind: "text", text: before }, wrap(kind, text), { kind: "text", text: after }]);
          const reading = readDialect(line);
          const marked = visible(text).trim();
          expect(reading[kind].map((one) => visible(one).trim())).toEqual(marked === "" ? [] : [marked]);
          expect(reading).toMatchObject({ mentions: [], links: [], pictures: [], tags: [], code: [], emoji: [] });
        },
      ),
    );
  });

  it("stand clear of letters, which would keep the dialect from reading them", () => {
    const line = writeLine([
      { kind: "text", text: "a" },
      wrap("strong", "b"),
      { kind: "text", text: "c" },
      wrap("strong", "d"),
      { kind: "text", text: ", e" },
    ]);
    expect(line).toBe("a **b** c **d**, e");
  });

  it("follow each other without running together", () => {
    expect(writeLine([wrap("strong", "a"), wrap("emphasis", "b")])).toBe("**a** *b*");
  });

  it("lead to the web only, and nothing in an address ends the link", () => {
    fc.assert(
      fc.property(anyText, anyText, (label, tail) => {
        const url = `https://example.org/${tail}`;
        const reading = readDialect(
          writeLine([{ kind: "link", url, children: [{ kind: "text", text: `x${label}` }] }]),
        );
        const address = webAddress(url);
        expect(reading.links).toEqual(address === null ? [] : [address]);
        expect(reading).toMatchObject({ mentions: [], pictures: [], tags: [] });
      }),
    );
    for (const url of [
      "javascript:alert(1)",
      " java\tscript:x",
      "data:text/html,x",
      "lark://x",
      "file:///etc/passwd",
      "//x",
    ]) {
      expect(webAddress(url)).toBeNull();
    }
  });
});

describe("code", () => {
  it("stands in a fence longer than any run within, and comes out whole", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom("ts", "", "x`y", "a b"), (text, language) => {
        const reading = readDialect(fenced(text, language));
        expect(reading.code).toHaveLength(1);
        expect(visible(reading.code[0] ?? "").replaceAll("\u200B", "")).toBe(visible(text).replaceAll("\u200B", ""));
        expect(reading).toMatchObject({ mentions: [], links: [], pictures: [], tags: [], blocks: [] });
      }),
    );
    expect(fenced("a\n````\nb").startsWith("`````\n")).toBe(true);
  });

  it("within a line is a span, or plain text where a span cannot hold it", () => {
    expect(inlineCode("max_attempts")).toBe("`max_attempts`");
    expect(inlineCode("a `b`")).toBe("a &#96;b&#96;");
    fc.assert(
      fc.property(anyText, (text) => {
        const reading = readDialect(guardLineStart(inlineCode(text)));
        expect(reading).toMatchObject({
          mentions: [],
          links: [],
          pictures: [],
          tags: [],
          strong: [],
          emphasis: [],
          strike: [],
        });
        expect(visible(reading.text).replaceAll("\u200B", "")).toBe(visible(text).replaceAll("\u200B", ""));
      }),
    );
  });

  it("is no place for a mention either: it may be looked for before anything else is read", () => {
    expect(fenced("<at id=all></at>")).not.toMatch(/<\/?at/);
    expect(inlineCode('<at user_id="all">')).not.toMatch(/<at/);
  });
});

/** How a message of type `text` reads: mentions, a few tags, links and doubled marks. */
function liveInText(text: string): readonly string[] {
  return [/<\/?[a-z][^>]*>?/gi, /\[[^\]]*\]\([^)]*\)/g, /(\*\*|~~)(?=\S)[\s\S]*?\S\1/g].flatMap(
    (pattern) => text.match(pattern) ?? [],
  );
}

describe("text messages", () => {
  it("take mentions apart that a lenient reader would find", () => {
    for (const text of ['< at user_id="all">', '<\tAT user_id="all">', "< / at>"]) {
      expect(messageText(text)).not.toMatch(/<\s*\/?\s*at\b/i);
    }
  });

  it.each(nastyTexts)("%j is not live", (text) => {
    expect(liveInText(messageText(text))).toEqual([]);
  });

  it("hold what a card would say, and mention only whom the page mentions", () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const person = { channel: "lark", workspace: "t", person: "ou_author", name: "<at id=all></at>" };
        const mention = /<at user_id="ou_author">[^<]*(?:<\u200B[^<]*)*<\/at>/;
        const text = renderText({ card, mentions: [person] });
        expect(text).toMatch(mention);
        expect(liveInText(text.replace(mention, ""))).toEqual([]);
      }),
    );
  });
});

describe("plain elements", () => {
  it("take mentions apart, though no markup is read in them", () => {
    expect(plainText("<at id=all></at> <b>&amp;</b>")).toBe("<\u200Bat id=all><\u200B/at> <b>&amp;</b>");
  });
});

describe("a whole card", () => {
  it("mentions whom the page mentions, and nobody and nothing else", () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const mentions = [
          { channel: "lark", workspace: "t", person: "ou_author" },
          { channel: "lark", workspace: "t", person: "all", name: "all" },
        ];
        const json = JSON.stringify(buildCard({ card, mentions }));
        const found = json.match(/<\s*\/?\s*at\b[^>]*>/gi);
        expect(found).toEqual(["<at id=ou_author>", "</at>"]);
      }),
    );
  });

  it("escapes text in every element: no markup but ours is read", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const inlines: readonly Inline[] = [{ kind: "text", text }];
        const { body } = buildCard({
          card: {
            title: text,
            tone: "info",
            fallback: text,
            blocks: [
              { kind: "heading", level: 2, children: inlines },
              { kind: "list", ordered: false, items: [[{ kind: "text", children: inlines }]] },
              { kind: "quote", blocks: [{ kind: "text", children: inlines }] },
              { kind: "table", header: [inlines], rows: [[inlines]] },
              { kind: "fields", fields: [{ label: "F", value: inlines }] },
            ],
          },
        });
        for (const element of body.elements) {
          const reading = readDialect(element.tag === "markdown" ? element.content : "");
          expect(reading).toMatchObject({
            mentions: [],
            links: [],
            pictures: [],
            tags: [],
            code: [],
            emphasis: [],
            strike: [],
            emoji: [],
          });
          expect(reading.strong.filter((strong) => strong !== "F")).toEqual([]);
        }
      }),
    );
  });

  it("escapes nothing twice", () => {
    expect(escapeMarkdown("&lt;")).toBe("&#38;lt;");
  });
});
