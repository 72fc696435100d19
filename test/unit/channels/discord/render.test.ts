// Cards as Discord gets them: golden JSON of every sample card, Discord's limits, and bodies that its own description accepts.
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { discordCapabilities, MAX_BYTES, MAX_COMPONENTS, MAX_TEXT } from "../../../../channels/discord/capabilities.ts";
import { weigh } from "../../../../channels/discord/components/budget.ts";
import { carries, idsOf, nonceOf } from "../../../../channels/discord/nonce.ts";
import { renderPage, renderPlain, renderPlainEdit } from "../../../../channels/discord/render.ts";
import type { MessageBody } from "../../../../channels/discord/wire.ts";
import { fit as fitCard, halved } from "../../../../src/cards/fit.ts";
import type { ActionButton, Card, Page } from "../../../../src/core/card.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { messageMistakes } from "../../../fakes/discord/body-rules.ts";
import { specMistakes } from "../../../fakes/discord/rest-spec.ts";
import { help, hostile, nothing, replies, root, steps } from "../../../fakes/sample-cards.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";
import { cards } from "../../cards/arbitrary-cards.ts";

const fixtures = new URL("../../../fixtures/discord/", import.meta.url);

function mistakesOf(body: MessageBody): readonly string[] {
  return [...specMistakes("MessageCreateRequest", body), ...messageMistakes({ ...body }, { via: "bot" })];
}

function sole(card: Card): Page {
  const { pages } = fitCard(card, discordCapabilities.limits);
  const [page] = pages;
  if (page === undefined || pages.length > 1) throw new Error("the card takes several pages");
  return page;
}

describe("sample cards", () => {
  const audit: Page = { ...plainPage("demo main 4f2a91c07e: 1 high, 1 medium · by Linh Tr\u1ea7n"), quiet: true };
  const listed: Page = {
    ...plainPage("2 events", {
      blocks: [
        {
          kind: "list",
          ordered: false,
          items: [
            [
              {
                kind: "text",
                children: [
                  {
                    kind: "link",
                    url: "https://git.example.org/c/1",
                    children: [{ kind: "text", text: "demo main 4f2a: clean" }],
                  },
                ],
              },
            ],
            [{ kind: "text", children: [{ kind: "text", text: "demo main 5b1c: skipped: only generated files" }] }],
          ],
        },
      ],
    }),
    quiet: true,
  };
  const pages: Readonly<Record<string, Page>> = {
    "root.json": sole(root),
    "reply-high.json": sole(replies[0] ?? root),
    "reply-medium.json": sole(replies[1] ?? root),
    "nothing.json": sole(nothing),
    "help.json": sole(help),
    "progress.json": sole(steps[0] ?? root),
    "hostile.json": sole(hostile),
    "audit-line.json": audit,
    "audit-batch.json": listed,
  };

  it.each(Object.entries(pages))("%s", (name, page) => {
    const body = renderPage(page);
    expect(mistakesOf(body)).toEqual([]);
    const file = new URL(name, fixtures);
    const text = `${JSON.stringify(body, null, 2)}\n`;
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, "utf8"));
  });

  it("hold nothing that can be followed but http, and no script's address", () => {
    const text = JSON.stringify(renderPage(sole(hostile)));
    const urls = [...text.matchAll(/"url":"([^"]*)"/g)].map(([, url]) => url);
    expect(urls).toEqual([]);
    expect(text).not.toMatch(/\]\((?!https?:)/);
  });
});

/** With tokens as the core makes them. */
const arbitraryCard = cards.map(
  (card): Card => ({
    ...card,
    blocks: card.blocks.map((block) =>
      block.kind === "actions"
        ? { ...block, actions: block.actions.map(({ token, ...action }) => ({ ...action, token: `v1:${token}` })) }
        : block,
    ),
  }),
);

describe("limits", () => {
  it("what the core has fitted is within Discord's, or is refused so that the core can halve it, and then fits", () => {
    fc.assert(
      fc.property(arbitraryCard, (card) => {
        for (const page of fitCard(card, discordCapabilities.limits).pages) expectWithin(page);
        for (const page of fitCard(card, halved(discordCapabilities.limits)).pages) expectWithin(page);
      }),
      { numRuns: 100 },
    );
  });

  /** Refusing is right; sending too much is not. */
  function expectWithin(page: Page): void {
    try {
      const body = renderPage(page);
      expect(mistakesOf(body)).toEqual([]);
      const weight = weigh(body.components);
      expect(weight.components).toBeLessThanOrEqual(MAX_COMPONENTS);
      expect(weight.text).toBeLessThanOrEqual(MAX_TEXT);
      expect(weight.bytes).toBeLessThanOrEqual(MAX_BYTES);
    } catch (thrown) {
      if (!(thrown instanceof ChannelError)) throw thrown;
      expect(thrown.fault).toBe("too_large");
    }
  }

  it.each([
    ["\u8bc4\u5ba1\u53d1\u73b0", 3],
    ["Xem x\u00e9t thay \u0111\u1ed5i ", 2],
    ["plain words ", 1],
    ["snake_case_name ", 1],
  ])("ordinary text fills a page without being refused: %s", (word) => {
    const text = word.repeat(Math.ceil(9_000 / word.length));
    const card: Card = { ...nothing, blocks: [{ kind: "text", children: [{ kind: "text", text }] }] };
    for (const page of fitCard(card, discordCapabilities.limits).pages) expect(() => renderPage(page)).not.toThrow();
  });

  it("the worst of all texts fits as the core's plain page", () => {
    const text = "@".repeat(1_500).replaceAll("@", "_");
    const page = plainPage("_".repeat(200), { blocks: [{ kind: "text", children: [{ kind: "text", text }] }] });
    expect(mistakesOf(renderPage(page))).toEqual([]);
  });

  it.each([
    ["text", plainPage("x", { blocks: [{ kind: "code", text: "x".repeat(4_100) }] })],
    ["bytes", plainPage("x", { blocks: [{ kind: "code", text: "\u8bc4".repeat(3_300) }] })],
    [
      "components",
      plainPage("x", {
        blocks: Array.from({ length: 21 }, () => ({
          kind: "actions",
          actions: [{ label: "a", url: "https://a.b/", style: "default" }],
        })),
      }),
    ],
  ] as const)("too much of %s is too large", (_, page) => {
    expect(() => renderPage(page)).toThrow(expect.objectContaining({ fault: "too_large" }));
  });
});

describe("buttons", () => {
  const button = (n: number, changes: Partial<ActionButton> = {}): ActionButton => ({
    label: `Button ${n}`,
    token: `v1:t${n}`,
    style: "default",
    ...changes,
  });
  const withButtons = (...actions: ActionButton[]) =>
    renderPage(plainPage("x", { blocks: [{ kind: "actions", actions }] }));

  it("stand five in a row", () => {
    const body = withButtons(...Array.from({ length: 7 }, (_, n) => button(n)));
    expect(mistakesOf(body)).toEqual([]);
    const [container] = body.components;
    const rows = container !== undefined && "components" in container ? container.components.slice(1) : [];
    expect(rows.map((row) => ("components" in row ? row.components.length : 0))).toEqual([5, 2]);
  });

  it("have short labels, one id each, and addresses within Discord's length", () => {
    const long = `https://git.example.org/${"a".repeat(600)}`;
    const { token: _, ...link } = button(3, { label: "Open", url: long });
    const body = withButtons(
      button(1, { label: "\u{1f600}".repeat(60) }),
      button(1),
      button(2, { label: " \n" }),
      link,
    );
    expect(mistakesOf(body)).toEqual([]);
    const text = JSON.stringify(body);
    expect(text.match(/"custom_id":"v1:t1"/g)).toHaveLength(1);
    expect(text).toContain(`[Open](${long})`);
  });

  it("of another make are refused: nobody could answer them", () => {
    expect(() => withButtons(button(1, { token: "dismiss/1" }))).toThrow(
      expect.objectContaining({ fault: "rejected" }),
    );
  });
});

describe("other forms", () => {
  it("the plain ones are accepted too, whatever the card", () => {
    fc.assert(
      fc.property(arbitraryCard, (card) => {
        const [page] = fitCard(card, discordCapabilities.limits).pages;
        if (page === undefined) return;
        expect(mistakesOf(renderPlain(page))).toEqual([]);
        expect(mistakesOf(renderPlainEdit(page))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("a card without anything is still a message", () => {
    const empty = plainPage("", { fallback: "", blocks: [{ kind: "divider" }, { kind: "text", children: [] }] });
    for (const body of [renderPage(empty), renderPlain(empty), renderPlainEdit(empty)])
      expect(mistakesOf(body)).toEqual([]);
  });
});

describe("what a message is known by", () => {
  it("ids differ for every key, are within Discord's range, and are found in the message", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (key, other) => {
        const [first, second] = idsOf(key);
        for (const id of [first, second]) expect(id).toBeGreaterThan(0);
        for (const id of [first, second]) expect(id).toBeLessThanOrEqual(0x7fff_ffff);
        expect(first).not.toBe(second);
        const { components } = renderPage(plainPage("x"), { ids: [first, second] });
        expect(carries(components, idsOf(key))).toBe(true);
        if (key !== other) expect(carries(components, idsOf(other))).toBe(false);
        const line = renderPage({ ...plainPage("x"), quiet: true }, { ids: [first, second] });
        expect(carries(line.components, idsOf(key))).toBe(true);
      }),
    );
  });

  it("nonces are short, the same for the same, and another's for all others", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (place, key, other) => {
        expect(nonceOf(place, key)).toMatch(/^[\w-]{1,25}$/);
        expect(nonceOf(place, key)).toBe(nonceOf(place, key));
        if (key !== other) expect(nonceOf(place, key)).not.toBe(nonceOf(place, other));
        expect(nonceOf(place, key + other)).not.toBe(nonceOf(place + key, `${other}\u0000`));
      }),
    );
  });
});
