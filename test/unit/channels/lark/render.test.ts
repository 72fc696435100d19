// A page as a card: colours, marks, lists, tables, buttons, people and parts, as people will see them; and as text.
import { describe, expect, it } from "vitest";
import { larkCapabilities, larkWebhookCapabilities } from "../../../../channels/lark/capabilities.ts";
import { buildCard } from "../../../../channels/lark/card/build-card.ts";
import { placeOfClick, readButtonValue, writeButtonValue } from "../../../../channels/lark/card/button-value.ts";
import type { CardElement, LarkCard } from "../../../../channels/lark/card/elements.ts";
import { lintCard } from "../../../../channels/lark/card/lint-card.ts";
import { renderCard, renderText } from "../../../../channels/lark/render.ts";
import { fit as fitCard, halved } from "../../../../src/cards/fit.ts";
import type { Block, Card, Inline, Page, Tone } from "../../../../src/core/card.ts";
import { replies, root } from "../../../fakes/sample-cards.ts";
import { plainCard } from "../../../fakes/scripted-inbox.ts";

const say = (text: string): Inline => ({ kind: "text", text });
const paragraph = (text: string): Block => ({ kind: "text", children: [say(text)] });

function elementsOf(blocks: readonly Block[], changes: Partial<Card> = {}): readonly CardElement[] {
  return buildCard({ card: plainCard("T", { blocks, ...changes }) }).body.elements;
}

function markdownOf(blocks: readonly Block[]): readonly string[] {
  return elementsOf(blocks).map((element) => (element.tag === "markdown" ? element.content : `<${element.tag}>`));
}

describe("the frame", () => {
  it.each([
    ["neutral", "grey"],
    ["good", "green"],
    ["info", "blue"],
    ["warning", "orange"],
    ["danger", "red"],
  ] as const)("of a %s card is %s", (tone: Tone, template) => {
    expect(buildCard({ card: plainCard("T", { tone }) }).header.template).toBe(template);
  });

  it("is always of 2.0 and can always be updated: a card of 1.0 could never take its place (200830)", () => {
    expect(buildCard({ card: root })).toMatchObject({ schema: "2.0", config: { update_multi: true } });
  });

  it("tells the list of chats the fallback, and which part of how many it is", () => {
    const card = buildCard({ card: plainCard("Title", { fallback: "In short" }), part: { number: 2, of: 3 } });
    expect(card.config.summary.content).toBe("In short");
    expect(card.header.text_tag_list).toMatchObject([{ tag: "text_tag", text: { content: "2/3" } }]);
    expect(buildCard({ card: root }).header.text_tag_list).toBeUndefined();
  });

  it("gives every element an id of its own", () => {
    const ids = [...JSON.stringify(buildCard({ card: replies[0] ?? root })).matchAll(/"element_id":"([^"]+)"/g)].map(
      ([, id]) => id,
    );
    expect(ids.length).toBeGreaterThan(4);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("shows where the title leads, unless the card leads there already", () => {
    const link = "https://git.example.org/demo/commit/4f2a";
    const shown = elementsOf([paragraph("x")], { link });
    expect(shown.at(-1)).toMatchObject({ content: `[git.example.org/demo/commit/4f2a](${link})` });
    const button: Block = { kind: "actions", actions: [{ label: "Open", url: link, style: "default" }] };
    expect(elementsOf([button], { link })).toHaveLength(1);
  });

  it("cuts a title that is too long for a header without breaking a character", () => {
    const { header } = buildCard({ card: plainCard("🙂".repeat(400)) });
    expect(header.title.content.length).toBeLessThanOrEqual(300);
    expect(header.title.content).not.toMatch(/\p{Surrogate}/u);
  });
});

describe("blocks", () => {
  it("are one element each", () => {
    expect(
      markdownOf([
        { kind: "heading", level: 2, children: [say("Why")] },
        paragraph("Because."),
        { kind: "divider" },
        { kind: "code", language: "ts", text: "let a;" },
        { kind: "quote", blocks: [paragraph("said")] },
      ]),
    ).toEqual(["#### Why", "Because.", "<hr>", "```ts\nlet a;\n```", "> said"]);
  });

  it("put fields on lines of one paragraph: one newline alone is none", () => {
    const fields = [
      { label: "Branch", value: [say("main")] },
      { label: "Author", value: [say("Linh Trần")] },
    ];
    expect(markdownOf([{ kind: "fields", fields }])).toEqual(["**Branch**  main<br>**Author**  Linh Trần"]);
  });

  it("nest lists by four spaces, and number from where they start", () => {
    const inner: Block = { kind: "list", ordered: false, items: [[paragraph("a")], [paragraph("b")]] };
    const list: Block = {
      kind: "list",
      ordered: true,
      start: 3,
      items: [[paragraph("one"), inner], [paragraph("two")]],
    };
    expect(markdownOf([list])).toEqual(["3. one\n    - a\n    - b\n4. two"]);
  });

  it("put code of a list item behind its line, and go on with the numbers", () => {
    const code: Block = { kind: "code", text: "x" };
    const list: Block = { kind: "list", ordered: true, items: [[paragraph("one"), code], [paragraph("two")], [code]] };
    expect(markdownOf([list])).toEqual(["1. one", "```\nx\n```", "2. two\n3.", "```\nx\n```"]);
  });

  it("write tables whose rows are all as wide as the header", () => {
    const table: Block = {
      kind: "table",
      header: [[say("a")], [say("b")]],
      rows: [[[say("1")]], [[say("x|y")], [say("2")], [say("3")]]],
    };
    expect(markdownOf([table])).toEqual(["| a | b |\n| --- | --- |\n| 1 | &nbsp; |\n| x&#124;y | 2 |"]);
  });

  it("show a table within a list as code: only those at the top are counted by whoever fitted the card", () => {
    const table: Block = { kind: "table", header: [[say("a")]], rows: [[[say("1")]]] };
    const nested: Block = { kind: "list", ordered: false, items: [[paragraph("x"), table]] };
    expect(markdownOf([nested])).toEqual(["- x", "```\na\n1\n```"]);
  });

  it("name a picture that is elsewhere: only uploaded ones can be shown", () => {
    expect(markdownOf([{ kind: "image", url: "https://example.org/x.png", alt: "a chart" }])).toEqual(["a chart"]);
  });

  it("leave out what is empty", () => {
    expect(markdownOf([paragraph(""), { kind: "code", text: "" }, { kind: "actions", actions: [] }])).toEqual([
      "&nbsp;",
    ]);
  });
});

describe("buttons", () => {
  const actions: Block = {
    kind: "actions",
    actions: [
      { label: "Dismiss", token: "v1:abc", style: "danger" },
      { label: "Open", url: "https://example.org/a", style: "primary" },
      { label: "Bad", url: "javascript:alert(1)", style: "default" },
    ],
  };

  it("stand in columns that wrap, with what a click carries as an object", () => {
    const card = buildCard({ card: plainCard("T", { blocks: [actions] }) }, { place: { chat: "oc_1" } });
    const [row] = card.body.elements;
    expect(row).toMatchObject({ tag: "column_set", flex_mode: "flow" });
    const made = row?.tag === "column_set" ? row.columns.flatMap(({ elements }) => elements) : [];
    expect(made).toMatchObject([
      {
        type: "danger",
        text: { content: "Dismiss" },
        behaviors: [{ type: "callback", value: { token: "v1:abc", chat: "oc_1" } }],
      },
      { type: "primary", behaviors: [{ type: "open_url", default_url: "https://example.org/a" }] },
    ]);
  });

  it("that nobody would hear are left out", () => {
    const card = buildCard({ card: plainCard("T", { blocks: [actions] }) }, { hearsClicks: false });
    expect(JSON.stringify(card)).not.toContain("v1:abc");
    expect(JSON.stringify(card)).toContain("https://example.org/a");
  });

  it("read back what they carry, and nothing else", () => {
    const value = { token: "v1:abc", chat: "oc_1", message: "om_1", isEphemeral: true };
    expect(readButtonValue(writeButtonValue(value))).toEqual(value);
    expect(readButtonValue({ token: "v1:abc", chat: 1, more: "x" })).toEqual({ token: "v1:abc" });
    for (const other of [null, "v1:abc", 1, {}, { token: 1 }, []]) expect(readButtonValue(other)).toBeNull();
  });

  it("lead a click to the conversation and message that the core knows", () => {
    const clicked = { chat: "oc_direct", message: "om_9" };
    expect(placeOfClick({ token: "v1:a" }, clicked)).toEqual({ conversation: "oc_direct", message: "om_9" });
    expect(placeOfClick({ token: "v1:a", chat: "oc_1" }, clicked)).toEqual({ conversation: "oc_1", message: "om_9" });
    expect(placeOfClick({ token: "v1:a", isEphemeral: true }, clicked).message).toBe("ephemeral.om_9");
    expect(placeOfClick({ token: "v1:a", isEphemeral: true, message: "ephemeral.om_1" }, clicked).message).toBe(
      "ephemeral.om_1",
    );
  });
});

describe("people", () => {
  const mentions = [
    { channel: "lark", workspace: "t", person: "ou_author" },
    { channel: "lark", workspace: "t", person: "not an id><at id=all>", name: "Ann" },
  ];

  it("are mentioned in a line of their own, by open ids alone", () => {
    const { body } = buildCard({ card: root, mentions });
    expect(body.elements[0]).toMatchObject({ content: "<at id=ou_author></at> @Ann" });
  });

  it("are mentioned in a text in the text's own dialect", () => {
    expect(renderText({ card: plainCard("T"), mentions })).toBe('<at user_id="ou_author"></at> @Ann\n\nT');
  });
});

describe("text in place of a card", () => {
  it("says everything: part, blocks, links of buttons, and where the title leads", () => {
    const text = renderText({ card: replies[0] ?? root, part: { number: 1, of: 2 } });
    expect(text).toContain("High · src/payments/retry.ts:42-44 (1/2)");
    expect(text).toContain("provider.charge(order.total, order.card);");
    expect(text).toContain("Open: https://git.example.org/demo/src/payments/retry.ts#L42");
  });

  it("is too large over 140 KB", () => {
    const blocks: readonly Block[] = [{ kind: "code", text: "x".repeat(150 * 1024) }];
    expect(() => renderText({ card: plainCard("T", { blocks }) })).toThrow(/140 KB/);
  });
});

describe("what the core fits by the capabilities", () => {
  const long = (size: number): string => "word_with_marks *x* <y> 字 ".repeat(Math.ceil(size / 26)).slice(0, size);
  const vast: Card = plainCard("Vast", {
    blocks: [
      ...Array.from(
        { length: 12 },
        (_, index): Block => ({ kind: "code", language: "ts", text: `${index}${long(3_000)}` }),
      ),
      ...Array.from(
        { length: 6 },
        (): Block => ({
          kind: "table",
          header: [[say("a")], [say("b")]],
          rows: Array.from({ length: 20 }, () => [[say(long(40))], [say("2")]]),
        }),
      ),
      ...Array.from({ length: 50 }, (_, index): Block => paragraph(`${index} ${long(400)}`)),
      ...Array.from(
        { length: 30 },
        (): Block => ({
          kind: "actions",
          actions: Array.from({ length: 6 }, () => ({ label: "Go", token: "v1:a", style: "default" as const })),
        }),
      ),
    ],
  });

  function outcome(page: Page): "card" | "too_large" {
    try {
      const checked = renderCard(page, { place: { chat: "oc_1" } });
      expect(checked.ok).toBe(true);
      return "card";
    } catch (thrown) {
      expect(thrown).toMatchObject({ fault: "too_large" });
      return "too_large";
    }
  }

  it("is a card that the linter passes, page after page; at half the limits every page is", () => {
    const full = fitCard(vast, larkCapabilities.limits).pages.map(outcome);
    expect(full.filter((one) => one === "card").length).toBeGreaterThan(full.length / 2);
    const half = fitCard(vast, halved(larkCapabilities.limits)).pages.map(outcome);
    expect(new Set(half)).toEqual(new Set(["card"]));
  });

  it("fits into a custom bot's 20 KB at half the limits", () => {
    for (const page of fitCard(vast, halved(larkWebhookCapabilities.limits)).pages) {
      const checked = renderCard(page, { hearsClicks: false });
      expect(checked.ok && Buffer.byteLength(JSON.stringify(checked.card)) < 20 * 1024 - 300).toBe(true);
    }
  });

  it("has its tables as code from the fourth on", () => {
    const [first] = fitCard({ ...vast, blocks: vast.blocks.slice(12, 18) }, larkCapabilities.limits).pages;
    const card: LarkCard = buildCard({ card: first?.card ?? root });
    expect(JSON.stringify(card).match(/\| --- \|/g)).toHaveLength(3);
    expect(lintCard(card)).toEqual([]);
  });
});
