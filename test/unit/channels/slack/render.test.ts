// Cards as Slack messages: the sample cards' JSON against what is kept of them and against Slack's limits, and each block by itself.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxBlocks, maxBlockText } from "../../../../channels/slack/blocks/budget.ts";
import { actionPrefix, openPrefix } from "../../../../channels/slack/blocks/buttons.ts";
import { slackCapabilities } from "../../../../channels/slack/capabilities.ts";
import { renderBlocks, renderClassic, renderPage, renderText } from "../../../../channels/slack/render.ts";
import { fit as fitCard, halved } from "../../../../src/cards/fit.ts";
import type { Block, Card, Inline, Page } from "../../../../src/core/card.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import * as samples from "../../../fakes/sample-cards.ts";
import { checkBlocks } from "../../../fakes/slack/block-kit.ts";
import { readMessage } from "../../../fakes/slack/read-message.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/slack/", import.meta.url));
const [reply, otherReply] = samples.replies;
const [step] = samples.steps;
if (reply === undefined || otherReply === undefined || step === undefined) throw new Error("sample cards are missing");

const say = (text: string): Inline => ({ kind: "text", text });
const table: Card = {
  title: "Digest of demo",
  tone: "info",
  fallback: "Digest of demo: 12 problems in 7 days",
  blocks: [
    { kind: "heading", level: 2, children: [say("Findings a week")] },
    {
      kind: "table",
      header: [[say("Kind")], [say("New")], [say("Resolved")]],
      rows: [
        [[{ kind: "code", text: "null-deref" }], [say("3")], [say("1")]],
        [[say("secrets & tokens")], [say("12")], []],
      ],
    },
    {
      kind: "quote",
      blocks: [{ kind: "text", children: [say("Everything "), { kind: "strong", children: [say("counts")] }] }],
    },
    {
      kind: "list",
      ordered: true,
      start: 3,
      items: [
        [
          { kind: "text", children: [say("first")] },
          { kind: "code", text: "x = 1" },
        ],
        [
          { kind: "text", children: [say("second")] },
          { kind: "list", ordered: false, items: [[{ kind: "text", children: [say("inner")] }]] },
        ],
        [{ kind: "text", children: [say("third")] }],
      ],
    },
    { kind: "image", url: "https://git.example.org/chart.png", alt: "Problems a day" },
    { kind: "divider" },
  ],
};
const mentions = [{ channel: "slack", workspace: "T0001", person: "U0001", name: "Linh" }];
const pages: Readonly<Record<string, Page>> = {
  step: { card: step },
  root: { card: samples.root, mentions },
  reply: { card: reply, part: { number: 1, of: 2 } },
  "other-reply": { card: otherReply },
  nothing: { card: samples.nothing },
  help: { card: samples.help },
  hostile: { card: samples.hostile },
  digest: { card: table },
};

/** `AICR_WRITE_FIXTURES=1` writes the files anew, for a person to look at and to commit. */
function kept(name: string, value: unknown): unknown {
  const path = `${fixtures}${name}.json`;
  if (process.env["AICR_WRITE_FIXTURES"] === "1") {
    mkdirSync(fixtures, { recursive: true });
    writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
  }
  return JSON.parse(readFileSync(path, "utf8")) as unknown;
}

describe("sample cards", () => {
  it.each(Object.entries(pages))("%s is rendered as kept, within Slack's limits", (name, page) => {
    const forms = { newest: renderPage(page), classic: renderClassic(page), text: renderText(page) };
    expect(forms).toEqual(kept(name, forms));
    for (const { text, blocks } of Object.values(forms)) {
      expect(checkBlocks(blocks, "message")).toEqual({ mistakes: [], isTooLong: false });
      expect(blocks.length).toBeLessThanOrEqual(maxBlocks);
      expect(text).not.toBe("");
    }
  });

  it("say the same in every form", () => {
    const words = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
    const { newest, classic } = { newest: renderPage({ card: reply }), classic: renderClassic({ card: reply }) };
    const plain = words(readMessage(newest).text).replace(/^red circle /, "");
    expect(words(readMessage(classic).text)).toBe(plain);
  });

  it("notify those whom the page mentions, and nobody else", () => {
    const named = [
      ...mentions,
      ...mentions,
      { channel: "lark", workspace: "x", person: "ou_1" },
      { channel: "slack", workspace: "T0001", person: "<!here>" },
    ];
    const page = { card: samples.root, mentions: named };
    expect(readMessage(renderPage(page)).mentions).toEqual(["user U0001"]);
    expect(readMessage(renderClassic(page)).mentions).toEqual(["@U0001"]);
    expect(readMessage(renderText(page)).mentions).toEqual(["@U0001"]);
    expect(readMessage({ text: renderPage(page).text, blocks: [] }).mentions).toEqual([]);
  });

  it("keep nothing of an attack alive", () => {
    const json = JSON.stringify(renderPage({ card: samples.hostile }));
    expect(json).not.toMatch(/"url":"(?!https:\/\/tracker)/);
    // The core keeps the pictures of its own templates alone; here one is asked for, and becomes a link where none can be shown.
    const { links } = readMessage(renderClassic({ card: samples.hostile }));
    expect(links).toEqual([{ url: "https://tracker.example.org/pixel.png", label: "pixel" }]);
  });
});

describe("blocks", () => {
  const one = (block: Block): unknown => renderBlocks([block])[0];

  it("go on counting after what interrupts a list", () => {
    const lists = (
      renderBlocks(table.blocks.slice(3, 4))[0] as { elements: { type: string; offset?: number; indent?: number }[] }
    ).elements;
    expect(lists.map(({ type, offset, indent }) => [type, offset, indent])).toEqual([
      ["rich_text_list", 2, undefined],
      ["rich_text_preformatted", undefined, undefined],
      ["rich_text_list", 3, undefined],
      ["rich_text_list", undefined, 1],
      ["rich_text_list", 4, undefined],
    ]);
  });

  it("make a table where one fits, and aligned text of the others", () => {
    const cell = [say("x")];
    const wide: Block = { kind: "table", header: Array.from({ length: 21 }, () => cell), rows: [] };
    const long: Block = { kind: "table", header: [cell], rows: Array.from({ length: 100 }, () => [cell]) };
    const vast: Block = { kind: "table", header: [cell], rows: [[[say("x".repeat(10_001))]]] };
    for (const block of [wide, long, vast]) expect(one(block)).toMatchObject({ type: "rich_text" });
    const most: Block = {
      kind: "table",
      header: Array.from({ length: 20 }, () => cell),
      rows: Array.from({ length: 99 }, () => [cell]),
    };
    expect(one(most)).toMatchObject({ type: "table" });
    expect(checkBlocks([one(most)], "message").mistakes).toEqual([]);
    expect(renderBlocks([table.blocks[1] ?? most, most]).map(({ type }) => type)).toEqual(["table", "rich_text"]);
  });

  it("tell buttons from links by their ids, each once in a message", () => {
    const actions = [
      { label: "Dismiss", token: "v1:abc", style: "danger" },
      { label: "Open", url: "https://git.example.org/a", style: "default" },
      { label: "Nowhere", url: "javascript:alert(1)", style: "default" },
      { label: "x".repeat(200), token: "v1:def", style: "primary" },
    ] as const;
    const blocks = renderBlocks([
      { kind: "actions", actions },
      { kind: "actions", actions },
    ]) as unknown as { elements: { action_id: string; value?: string; url?: string; text: { text: string } }[] }[];
    const buttons = blocks.flatMap(({ elements }) => elements);
    expect(buttons.map(({ action_id }) => action_id)).toEqual(
      [0, 4].flatMap((first) => [
        `${actionPrefix}${first}`,
        `${openPrefix}${first + 1}`,
        `${actionPrefix}${first + 3}`,
      ]),
    );
    expect(buttons.map(({ value }) => value).slice(0, 3)).toEqual(["v1:abc", undefined, "v1:def"]);
    expect(buttons[2]?.text.text).toHaveLength(75);
  });

  it("split more buttons than a row holds", () => {
    const actions = Array.from({ length: 60 }, (_, index) => ({
      label: `B${index}`,
      token: `v1:${index}`,
      style: "default" as const,
    }));
    const blocks = renderBlocks([{ kind: "actions", actions }]) as unknown as { elements: unknown[] }[];
    expect(blocks.map(({ elements }) => elements.length)).toEqual([25, 25, 10]);
    expect(checkBlocks(blocks, "message").mistakes).toEqual([]);
  });

  it("put a long or linked title into a line of text, a short one into a header", () => {
    const type = (title: string, link?: string): unknown =>
      renderPage({ card: { title, tone: "good", fallback: "x", blocks: [], ...(link === undefined ? {} : { link }) } })
        .blocks[0]?.type;
    expect(type("Short")).toBe("header");
    expect(type("x".repeat(149))).toBe("rich_text");
    expect(type("Linked", "https://git.example.org/")).toBe("rich_text");
    expect(type("Not linked", "javascript:x")).toBe("header");
  });

  it("show only pictures that Slack can fetch", () => {
    expect(one({ kind: "image", url: "https://example.org/a.png", alt: "" })).toEqual({
      type: "image",
      image_url: "https://example.org/a.png",
      alt_text: "\u2026",
    });
    expect(one({ kind: "image", url: "http://127.0.0.1/a.png", alt: "chart" })).toMatchObject({ type: "rich_text" });
  });
});

describe("limits", () => {
  const faultOf = (call: () => unknown): string => {
    try {
      call();
    } catch (thrown) {
      if (thrown instanceof ChannelError) return thrown.fault;
      throw thrown;
    }
    return "none";
  };
  const text = (length: number): Block => ({ kind: "text", children: [say("x".repeat(length))] });

  it("refuse more blocks and more text than the budget", () => {
    const page = (blocks: readonly Block[]): Page => ({ card: { title: "", tone: "neutral", fallback: "x", blocks } });
    expect(faultOf(() => renderPage(page(Array.from({ length: maxBlocks }, () => text(1)))))).toBe("none");
    expect(faultOf(() => renderPage(page(Array.from({ length: maxBlocks + 1 }, () => text(1)))))).toBe("too_large");
    expect(faultOf(() => renderPage(page([text(maxBlockText)])))).toBe("none");
    expect(faultOf(() => renderPage(page([text(maxBlockText + 1)])))).toBe("too_large");
    expect(faultOf(() => renderText(page([text(maxBlockText + 1)])))).toBe("too_large");
  });

  const inline = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 400 }).map(say),
    fc.string({ maxLength: 200 }).map((code): Inline => ({ kind: "code", text: code })),
    fc
      .string({ maxLength: 60 })
      .map((label): Inline => ({ kind: "link", url: "https://git.example.org/demo/src/a.ts", children: [say(label)] })),
  );
  const block: fc.Arbitrary<Block> = fc.oneof(
    fc.array(inline, { maxLength: 12 }).map((children): Block => ({ kind: "text", children })),
    fc.string({ maxLength: 4_000 }).map((code): Block => ({ kind: "code", text: code })),
    fc.array(fc.array(inline, { maxLength: 3 }), { maxLength: 30 }).map(
      (items): Block => ({
        kind: "list",
        ordered: false,
        items: items.map((children) => [{ kind: "text", children }]),
      }),
    ),
    fc.tuple(fc.integer({ min: 1, max: 22 }), fc.integer({ min: 0, max: 120 }), fc.string({ maxLength: 40 })).map(
      ([columns, rows, cell]): Block => ({
        kind: "table",
        header: Array.from({ length: columns }, () => [say(cell)]),
        rows: Array.from({ length: rows }, () => Array.from({ length: columns }, () => [say(cell)])),
      }),
    ),
    fc
      .array(fc.tuple(fc.string({ maxLength: 50 }), fc.array(inline, { maxLength: 2 })), { maxLength: 14 })
      .map((fields): Block => ({ kind: "fields", fields: fields.map(([label, value]) => ({ label, value })) })),
  );
  const card = fc.record({
    title: fc.string({ unit: "grapheme", maxLength: 400 }),
    tone: fc.constantFrom("neutral" as const, "danger" as const),
    fallback: fc.string({ maxLength: 500 }),
    blocks: fc.array(block, { maxLength: 8 }),
  });

  it("of the channel leave every fitted page renderable in its newest form", () => {
    fc.assert(
      fc.property(card, fc.boolean(), (given, isHalved) => {
        const limits = isHalved ? halved(slackCapabilities.limits) : slackCapabilities.limits;
        for (const page of fitCard(given, limits).pages) {
          const { blocks } = renderPage({ ...page, mentions });
          expect(checkBlocks(blocks, "message")).toEqual({ mistakes: [], isTooLong: false });
        }
      }),
      { numRuns: 60 },
    );
  });
});
