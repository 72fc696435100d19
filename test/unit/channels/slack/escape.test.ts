// Nothing in a text comes alive: no mention, no link that lies, no broken entity, no hidden direction, in any of a message's forms.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelLies, webAddress } from "../../../../channels/slack/blocks/links.ts";
import { clip, escapedParts, mrkdwnText, plainText } from "../../../../channels/slack/escape.ts";
import { renderClassic, renderPage, renderText } from "../../../../channels/slack/render.ts";
import type { Page } from "../../../../src/core/card.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { checkBlocks } from "../../../fakes/slack/block-kit.ts";
import { nasty, ourUrls, page } from "../../../fakes/slack/hostile-pages.ts";
import { mrkdwn, readMessage } from "../../../fakes/slack/read-message.ts";

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
