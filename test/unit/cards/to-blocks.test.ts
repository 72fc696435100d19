// Markdown becomes blocks; values and messages can never break out of their place, ping anyone, or hide where a link leads.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMarkdown } from "../../../src/cards/read-markdown.ts";
import { readProse } from "../../../src/cards/read-prose.ts";
import { blocksText } from "../../../src/cards/readable-text.ts";
import { toBlocks, untrustedBlocks } from "../../../src/cards/to-blocks.ts";
import type { Block } from "../../../src/core/card.ts";
import { type Slot, slotPlaceholder } from "../../../src/ports/texts.ts";

const slot = (index: number) => slotPlaceholder(index);
const fill = (markdown: string, ...slots: readonly Slot[]) =>
  toBlocks({ markdown, slots: new Map(slots.map((value, index) => [slot(index), value])) });
const text = (value: string): Block => ({ kind: "text", children: [{ kind: "text", text: value }] });
const paragraph = (value: string) => blocksText(untrustedBlocks(value));

describe("E17 text that looks like Markdown and is none", () => {
  it.each([
    ["#123 is broken", [text("#123 is broken")]],
    ["-1 is the answer", [text("-1 is the answer")]],
    ["+1 from me", [text("+1 from me")]],
    ["1986. A great year", [text("1986. A great year")]],
    ["1986) A great year", [text("1986) A great year")]],
    ["a_b_c and 2*3", [text("a_b_c and 2*3")]],
    ["x < y && y > z", [text("x < y && y > z")]],
    ["items[0][1] is read", [text("items[0][1] is read")]],
    ["~5 ms", [text("~5 ms")]],
    ["C:\\dir\\file", [text("C:\\dir\\file")]],
  ])("keeps %j as it is", (markdown, blocks) => {
    expect(untrustedBlocks(markdown)).toEqual(blocks);
  });

  it("escapes nothing that a value holds", () => {
    for (const value of [
      "#123 is broken",
      "-1 is",
      "# heading",
      "- item",
      "*a*",
      "`b`",
      "| c |",
      "[d](e)",
      "<f>",
      "1. g",
    ]) {
      expect(fill(slot(0), { kind: "text", text: value })).toEqual([text(value)]);
    }
  });
});

describe("untrusted Markdown", () => {
  it("demotes headings, setext ones too", () => {
    const blocks = untrustedBlocks("# One\n\nTwo\n===\n\n###### Six");
    expect(blocks.map((block) => block.kind === "heading" && block.level)).toEqual([4, 4, 6]);
  });

  it("keeps what is inside fences, quotes, tables and lists", () => {
    expect(untrustedBlocks("````md\n```js\n1\n```\n````")).toEqual([
      { kind: "code", language: "md", text: "```js\n1\n```" },
    ]);
    expect(untrustedBlocks("> quoted")).toEqual([{ kind: "quote", blocks: [text("quoted")] }]);
    expect(untrustedBlocks("| a | b |\n| - | - |\n| 1 | 2 |")).toMatchObject([
      { kind: "table", rows: [[[{ text: "1" }], [{ text: "2" }]]] },
    ]);
    expect(untrustedBlocks("- [x] done\n- [ ] open")).toEqual([
      { kind: "list", ordered: false, items: [[text("[x] done")], [text("[ ] open")]] },
    ]);
    expect(untrustedBlocks("3. c\n4. d")).toMatchObject([{ kind: "list", ordered: true, start: 3 }]);
  });

  it("ends an unclosed fence with the message", () => {
    const blocks = fill(`${slot(0)}\n\nafter`, { kind: "markdown", text: "before\n\n```ts\nconst a" });
    expect(blocks).toEqual([text("before"), { kind: "code", language: "ts", text: "const a" }, text("after")]);
  });

  it("shows where links lead, as text", () => {
    expect(paragraph("[github.com](http://evil.test)")).toBe("github.com (http://evil.test)");
    expect(paragraph("[x](javascript:alert)")).toBe("x (javascript:alert)");
    expect(paragraph("https://x.test/a and <https://x.test/b>")).toBe("https://x.test/a and https://x.test/b");
    expect(paragraph("[a][b]\n\n[b]: http://x.test")).toBe("a (http://x.test)");
    expect(paragraph("![logo](http://x.test/a.png)")).toBe("logo (http://x.test/a.png)");
    expect(paragraph("[b]: http://x.test")).toBe("[b]: http://x.test");
  });

  it("shows footnotes at the end, and breaks where the writer broke", () => {
    expect(paragraph("a[^1]\nb  \nc\n\n[^1]: note")).toBe("a[1]\nb\nc\n[1] note");
  });

  it("shows HTML as it was written, and decodes entities", () => {
    expect(paragraph("<b>bold</b> &lt;i&gt; &amp;")).toBe("<b>bold</b> <i> &");
    expect(paragraph("<!-- hidden -->")).toBe("<!-- hidden -->");
    expect(paragraph("<script>\nalert(1)\n</script>")).toBe("<script>\nalert(1)\n</script>");
  });

  it.each([
    "@everyone",
    "@here",
    "@channel",
    "@all",
    "<!channel>",
    "<!here|x>",
    "<!subteam^S1>",
    "<@U012AB3CD>",
    "<@&123>",
    "<@!9>",
    "<at id=all></at>",
    '<at user_id="all">x</at>',
    "&#64;everyone",
    "@&#101;veryone",
    "`<!channel>`",
    "**@here**",
    "| @all |\n| - |",
  ])("makes the mention in %s inert", (markdown) => {
    const shown = paragraph(markdown);
    expect(shown).toMatch(/[@<]\u2060/);
    expect(shown).not.toMatch(/@(everyone|here|channel|all)|<!|<@|<at/);
  });

  it("leaves mail addresses of other names, and code blocks, as they are", () => {
    expect(paragraph("ada@example.test")).toBe("ada@example.test");
    expect(untrustedBlocks("```\n@here = 1\n```")).toEqual([{ kind: "code", text: "@here = 1" }]);
  });

  it("shows what is invisible", () => {
    expect(paragraph("a\u202eb\u0007c\u001b[31m")).toBe("a\\u202eb␇c␛[31m");
    expect(untrustedBlocks("```\n\u202e\u001b\n```")).toEqual([{ kind: "code", text: "\\u202e␛" }]);
    expect(paragraph("\ud800 \ue0000\ue001")).toBe("\ufffd \ufffd0\ufffd");
  });
});

describe("slots", () => {
  const anything = fc.oneof(
    fc.string(),
    fc.constantFrom("```", "# a", "- b", "\n\n---\n", "| a |\n|-|", "</b>", "\ue0001\ue001", "`", "**"),
  );
  const value = fc.array(anything, { maxLength: 6 }).map((parts) => parts.join("\n"));

  it("cannot break out of their place", () => {
    fc.assert(
      fc.property(value, value, (first, second) => {
        const blocks = fill(
          `- start ${slot(0)} end\n\n| | |\n|-|-|\n| label | x${slot(1)}y |\n\n${slot(2)}\n\nlast`,
          { kind: "text", text: first },
          { kind: "code", text: second },
          { kind: "markdown", text: second },
        );
        expect(blocks[0]).toMatchObject({ kind: "list", ordered: false });
        expect(blocks[0]?.kind === "list" && blocks[0].items.length).toBe(1);
        expect(blocks[1]).toMatchObject({ kind: "fields", fields: [{ label: "label" }] });
        expect(blocks.at(-1)).toEqual(text("last"));
        expect(JSON.stringify(blocks)).not.toMatch(/"kind":"(?:link|image)"|\\ue000/);
      }),
    );
  });

  it("stand in headings, links, code and fences of the template", () => {
    expect(fill(`## ${slot(0)}`, { kind: "text", text: "# a" })).toEqual([
      { kind: "heading", level: 2, children: [{ kind: "text", text: "# a" }] },
    ]);
    expect(
      fill(`\`\`\`${slot(0)}\n${slot(1)}\n\`\`\``, { kind: "text", text: "ts" }, { kind: "text", text: "```" }),
    ).toMatchObject([{ kind: "code", text: "```" }]);
    expect(
      fill(`[${slot(0)}](${slot(1)})`, { kind: "text", text: "a](b" }, { kind: "text", text: "https://x.test/" }),
    ).toEqual([
      {
        kind: "text",
        children: [{ kind: "link", url: "https://x.test/", children: [{ kind: "text", text: "a](b" }] }],
      },
    ]);
  });

  it("make links of http, https and mailto only", () => {
    const link = (url: string) => fill(slot(0), { kind: "link", text: "a\nb", url });
    expect(link("https://x.test/")).toMatchObject([{ children: [{ kind: "link", children: [{ text: "a␊b" }] }] }]);
    for (const url of ["javascript:alert(1)", "data:text/html,x", "//x.test", "https://x.test/ y", ""]) {
      expect(link(url)).toMatchObject([{ children: [{ kind: "text", text: "a␊b" }] }]);
    }
  });

  it("leave nothing behind when they are empty", () => {
    expect(fill(`- ${slot(0)}\n\n**${slot(0)}**\n\n> ${slot(0)}\n\n# ${slot(0)}`, { kind: "text", text: "" })).toEqual(
      [],
    );
  });

  it("clip a first line", () => {
    expect(fill(`- ${slot(0)}`, { kind: "lead", text: "`a` is null\n\nmore" })).toMatchObject([
      {
        items: [
          [
            {
              children: [
                { kind: "code", text: "a" },
                { kind: "text", text: " is null" },
              ],
            },
          ],
        ],
      },
    ]);
    expect(blocksText(fill(slot(0), { kind: "lead", text: "word ".repeat(100) })).length).toBeLessThanOrEqual(140);
  });
});

describe("the short cut for prose", () => {
  const pieces = fc.constantFrom(
    ..."# - 1. ` `` * _ a_b \\ \\a & &amp; < <b > | [ ]( [a] ]: : ! ![ ~ = === @here www.x.test http://x.test/a_b . , ( ) é 检查 👩‍👩‍👧 \t +1 a".split(
      " ",
    ),
    "\n",
    "\n\n",
    "  ",
    " ",
    "    ",
    "code",
    "a@b.test",
  );
  const texts = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(""));

  it("gives what the full parser gives", () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.string()), (markdown) => {
        const short = readProse(markdown);
        if (short !== null) expect(short).toEqual(readMarkdown(markdown, "untrusted"));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(["http://x.test/a_b`#`", "see HTTPS://x.test/`a` b", "www.x.test`a`b`c`"])(
    "leaves an address that runs into backticks to the full parser: %s",
    (markdown) => expect(readProse(markdown)).toBeNull(),
  );

  it("is taken by the messages that agents mostly write", () => {
    const message = "`user` may be null here (see load()): line 12 reads user_name[0], a < b.\n\n循环变量被共享。";
    expect(readProse(message)).toHaveLength(2);
  });
});
