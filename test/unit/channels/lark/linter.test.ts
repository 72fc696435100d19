// The linter refuses what the platform would refuse, each card with its verdict; and every card that we make passes both judges.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildCard } from "../../../../channels/lark/card/build-card.ts";
import { isSizeVerdict, lintCard } from "../../../../channels/lark/card/lint-card.ts";
import { renderCard, renderImage } from "../../../../channels/lark/render.ts";
import type { Card } from "../../../../src/core/card.ts";
import { judgeCard } from "../../../fakes/lark/api-cards.ts";
import { help, hostile, nothing, replies, root, steps } from "../../../fakes/sample-cards.ts";
import { plainCard } from "../../../fakes/scripted-inbox.ts";
import { anyCard } from "./any-card.ts";

type Json = Record<string, unknown>;

const text = (content: string): Json => ({ tag: "plain_text", content });
const markdown = (content: string, more: Json = {}): Json => ({ tag: "markdown", content, ...more });
const button = (more: Json = {}): Json => ({ tag: "button", text: text("Go"), ...more });
const inColumns = (element: Json): Json => ({ tag: "column_set", columns: [{ tag: "column", elements: [element] }] });
const table = "| a |\n| --- |\n| 1 |";
const input = (name: string): Json => ({ tag: "input", name });
const submit = button({ name: "send", form_action_type: "submit" });

function card(elements: readonly Json[], more: Json = {}): Json {
  return {
    schema: "2.0",
    config: { update_multi: true },
    header: { title: text("Title"), template: "blue" },
    body: { elements },
    ...more,
  };
}

/** Name, card, the rule and path of the verdict; the last: whether the platform's description refuses it as well. */
const broken: readonly (readonly [string, unknown, string, string, boolean])[] = [
  ["an unknown property of the card", card([markdown("x")], { elements: [] }), "unknown_property", "elements", true],
  [
    "wide_screen_mode of 1.0",
    card([markdown("x")], { config: { update_multi: true, wide_screen_mode: true } }),
    "unknown_property",
    "config.wide_screen_mode",
    true,
  ],
  ["i18n_elements of 1.0", card([markdown("x")], { i18n_elements: {} }), "unknown_property", "i18n_elements", true],
  ["a global fallback", card([markdown("x")], { fallback: {} }), "unknown_property", "fallback", true],
  [
    "an unknown property of an element",
    card([markdown("x", { href: {} })]),
    "unknown_property",
    "body.elements[0].href",
    true,
  ],
  ["schema 1.0", card([markdown("x")], { schema: "1.0" }), "schema", "schema", true],
  [
    "no update_multi",
    card([markdown("x")], { config: { update_multi: false } }),
    "update_multi",
    "config.update_multi",
    true,
  ],
  [
    "elements beside the body",
    { schema: "2.0", config: { update_multi: true }, elements: [] },
    "missing",
    "body",
    true,
  ],
  ["201 elements, nested texts counted", card(Array.from({ length: 101 }, () => button())), "elements", "", true],
  ["more than 28 KB", card([markdown("x".repeat(28 * 1024))]), "bytes", "", false],
  [
    "more than 30 KB in a request, where every quotation mark takes two bytes",
    card(Array.from({ length: 196 }, (_, index) => markdown('"'.repeat(30), { element_id: `e${index}` }))),
    "bytes",
    "",
    false,
  ],
  [
    "a fourth Markdown table",
    card([markdown(table), markdown(table), markdown(`${table}\n\n${table}`)]),
    "tables",
    "",
    true,
  ],
  [
    "five Markdown tables in one element",
    card([markdown(Array.from({ length: 5 }, () => table).join("\n\n"))]),
    "tables",
    "body.elements[0]",
    true,
  ],
  [
    "a sixth table element",
    card(Array.from({ length: 6 }, () => ({ tag: "table", columns: [{}], rows: [] }))),
    "tables",
    "",
    false,
  ],
  [
    "a table within a column",
    card([inColumns({ tag: "table", columns: [{}], rows: [] })]),
    "placement",
    "body.elements[0].columns[0].elements[0]",
    true,
  ],
  [
    "an id that begins with a digit",
    card([markdown("x", { element_id: "1x" })]),
    "element_id",
    "body.elements[0].element_id",
    true,
  ],
  [
    "an id of 21 characters",
    card([markdown("x", { element_id: `a${"b".repeat(20)}` })]),
    "element_id",
    "body.elements[0].element_id",
    true,
  ],
  [
    "one id twice",
    card([markdown("x", { element_id: "a" }), markdown("y", { element_id: "a" })]),
    "element_id",
    "body.elements[1].element_id",
    true,
  ],
  [
    "four tags in the header",
    card([markdown("x")], {
      header: {
        title: text("T"),
        text_tag_list: Array.from({ length: 4 }, () => ({ tag: "text_tag", text: text("t") })),
      },
    }),
    "header_tags",
    "header.text_tag_list",
    true,
  ],
  [
    "a colour that headers do not have",
    card([markdown("x")], { header: { title: text("T"), template: "pink" } }),
    "value",
    "header.template",
    true,
  ],
  [
    "six levels of containers",
    card([inColumns(inColumns(inColumns(markdown("x"))))]),
    "nesting",
    "body.elements[0].columns[0].elements[0].columns[0].elements[0].columns[0]",
    false,
  ],
  ["the note of 1.0", card([{ tag: "note", elements: [] }]), "removed_tag", "body.elements[0]", true],
  ["the action of 1.0", card([{ tag: "action", actions: [button()] }]), "removed_tag", "body.elements[0]", true],
  [
    "a form without a submit button",
    card([{ tag: "form", name: "f", elements: [input("why")] }]),
    "form",
    "body.elements[0]",
    true,
  ],
  [
    "two inputs of one name",
    card([{ tag: "form", name: "f", elements: [input("why"), input("why"), submit] }]),
    "input_name",
    "body.elements[0].elements[1].name",
    true,
  ],
  [
    "an input without a name",
    card([{ tag: "form", name: "f", elements: [{ tag: "input" }, submit] }]),
    "input_name",
    "body.elements[0].elements[0].name",
    true,
  ],
  [
    "a question without a title",
    card([button({ confirm: { text: text("Sure?") } })]),
    "confirm",
    "body.elements[0].confirm",
    true,
  ],
  [
    "a button that opens a script",
    card([button({ behaviors: [{ type: "open_url", default_url: "javascript:alert(1)" }] })]),
    "url",
    "body.elements[0].behaviors[0].default_url",
    true,
  ],
  [
    "a button whose value is a text",
    card([button({ behaviors: [{ type: "callback", value: "v1:x" }] })]),
    "value",
    "body.elements[0].behaviors[0].value",
    true,
  ],
  ["a link to a script", card([markdown("[x](javascript:alert)")]), "url", "body.elements[0]", false],
  ["a picture by address", card([markdown("![x](https://example.org/x.png)")]), "image", "body.elements[0]", true],
  [
    "a picture element by address",
    card([{ tag: "img", img_key: "https://example.org/x.png", alt: text("") }]),
    "image",
    "body.elements[0].img_key",
    true,
  ],
  ["a mention of everybody", card([markdown("<at id=all></at>")]), "mention", "body.elements[0]", false],
  [
    "a header's icon text in place of the title",
    card([markdown("x")], { header: { title: "Title" } }),
    "shape",
    "header.title",
    true,
  ],
  ["no card at all", "card", "shape", "", true],
];

describe("the linter", () => {
  it("knows at least twenty broken cards", () => {
    expect(broken.length).toBeGreaterThanOrEqual(20);
  });

  it.each(broken)("refuses %s", (_, given, rule, path) => {
    expect(lintCard(given)).toContainEqual(expect.objectContaining({ rule, path }));
  });

  it.each(broken.filter(([, , , , isJudged]) => isJudged))("and the platform's description refuses %s", (_, given) => {
    expect(judgeCard(given, () => false)).not.toBeNull();
  });

  it("keeps its verdict on each of them", async () => {
    const verdicts = Object.fromEntries(broken.map(([name, given]) => [name, lintCard(given)]));
    const golden = JSON.stringify(verdicts, null, 2);
    await expect(`${golden}\n`).toMatchFileSnapshot("../../../fixtures/lark/broken-cards.json");
  });

  it("passes the same cards once they are whole", () => {
    const whole = card([
      markdown(`${table}\n\n${table}`, { element_id: "a" }),
      inColumns(
        inColumns(
          button({ confirm: { title: text("Sure?") }, behaviors: [{ type: "callback", value: { token: "v1:x" } }] }),
        ),
      ),
      { tag: "form", name: "f", elements: [input("why"), submit] },
    ]);
    expect(lintCard(whole)).toEqual([]);
    expect(judgeCard(whole, () => false)).toBeNull();
  });

  it("tells apart what a smaller card cures", () => {
    const verdicts = [
      ...lintCard(card([markdown("x".repeat(30_000))])),
      ...lintCard(card([markdown("x", { href: 1 })])),
    ];
    expect(verdicts.map((verdict) => [verdict.rule, isSizeVerdict(verdict)])).toEqual([
      ["bytes", true],
      ["unknown_property", false],
    ]);
  });

  it("finds no pictures and links within code", () => {
    const code = card([
      markdown("`![x](y)` and [x](https://example.org)"),
      markdown("```\n[x](javascript:1)\n![x](y)\n```"),
    ]);
    expect(lintCard(code)).toEqual([]);
  });

  it("counts no table within code", () => {
    const fences = card([
      markdown(`\`\`\`\n${table}\n${table}\n\`\`\``),
      markdown(table),
      markdown(table),
      markdown(table),
    ]);
    expect(lintCard(fences)).toEqual([]);
  });
});

const samples: Readonly<Record<string, Card>> = {
  root,
  reply: replies[0] ?? plainCard("none"),
  "reply-without-buttons": replies[1] ?? plainCard("none"),
  step: steps[0] ?? plainCard("none"),
  nothing,
  help,
  hostile,
};

describe("the sample cards", () => {
  it.each(Object.keys(samples))("%s is as it was, and both judges pass it", async (name) => {
    const page = { card: samples[name] ?? plainCard("none") };
    const made = buildCard(page, { place: { chat: "oc_group" } });
    const verdicts = lintCard(made);
    const golden = JSON.stringify({ verdicts, card: made }, null, 2);
    await expect(`${golden}\n`).toMatchFileSnapshot(`../../../fixtures/lark/${name}.json`);
    expect(verdicts).toEqual([]);
    expect(judgeCard(made, () => false)).toBeNull();
  });

  it("and a chart's card", async () => {
    const made = renderImage("img_v3_0001", "Problems a day");
    const golden = JSON.stringify({ verdicts: lintCard(made), card: made }, null, 2);
    await expect(`${golden}\n`).toMatchFileSnapshot("../../../fixtures/lark/chart.json");
    expect(judgeCard(made, (key) => key === "img_v3_0001")).toBeNull();
  });
});

/** Null for what is too large. */
function rendered(given: Card): ReturnType<typeof renderCard> | null {
  try {
    return renderCard({ card: given }, { place: { chat: "oc_group" } });
  } catch (thrown) {
    expect(thrown).toMatchObject({ fault: "too_large" });
    return null;
  }
}

describe("whatever the core composes", () => {
  it("is a card that both judges pass, or too large", () => {
    fc.assert(
      fc.property(anyCard, (given) => {
        const checked = rendered(given);
        expect(checked === null || (checked.ok && judgeCard(checked.card, () => false) === null)).toBe(true);
      }),
    );
  });
});
