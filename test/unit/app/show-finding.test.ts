// A finding's card after a command about it: it says what the button would have made it say, where it stands.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createComposeDelivery } from "../../../src/app/compose-delivery.ts";
import { createDeliverNext } from "../../../src/app/deliver.ts";
import { noLinks } from "../../../src/cards/links.ts";
import { readableText } from "../../../src/cards/readable-text.ts";
import type { Card } from "../../../src/core/card.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { type CommandProduct, createCommandProduct, otherConversation } from "../../fakes/command-product.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";
import { assessed } from "../../fakes/problems.ts";
import { publishChange } from "../../fakes/publish-change.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const texts = createTexts({ folders: [] });
let product: CommandProduct;
let id: string;

beforeEach(async () => {
  product = await createCommandProduct();
  const { store, clock, channel, directory } = product;
  await product.say("subscribe demo");
  await publishChange({ store, clock, subscriptions: directory, problems: [assessed("p1"), assessed("p2")] });
  const ids = createFixedIds();
  const digest = () => Promise.reject(new Error("no digest is owed"));
  const compose = createComposeDelivery({ store, texts, links: () => noLinks, clock, ids, digest });
  const channels = new Map([["fake", channel]]);
  const next = createDeliverNext({ store, channels, compose, clock, ids, logger: silentLogger });
  while (await next());
  id = (await store.findingsByKeys("demo", ["p1"]))[0]?.id ?? "";
});
afterEach(() => product.remove());

/** The cards in threads: those about problems. */
const cards = (): readonly Card[] =>
  product.channel.kept.flatMap(({ ref, content }) =>
    ref.thread !== undefined && "card" in content ? [content.card] : [],
  );

function cardOf(title: string): { readonly text: string; readonly labels: readonly string[] } {
  const card = cards().find((one) => readableText(one).includes(title));
  if (card === undefined) throw new Error(`no card is about ${title}`);
  const labels = card.blocks.flatMap((block) =>
    block.kind === "actions" ? block.actions.map(({ label }) => label) : [],
  );
  return { text: readableText(card), labels };
}

it("shows a dismissal by command, who and why, and a reopening, and touches no other card", async () => {
  const before = cardOf("Problem p1");
  const other = cardOf("Problem p2");
  const count = cards().length;
  expect(before.labels).toEqual(["Dismiss", "Acknowledge", "Mute this kind"]);
  await product.say(`dismiss ${id} by design`);
  expect(cardOf("Problem p1").text).toContain("Dismissed by ada: by design");
  expect(cardOf("Problem p1").labels).toEqual(["Reopen"]);
  await product.say(`reopen ${id}`);
  expect(cardOf("Problem p1")).toEqual(before);
  expect(cardOf("Problem p2")).toEqual(other);
  expect(cards()).toHaveLength(count);
});

it("answers all the same where the platform refuses the edit, or nothing was shown", async () => {
  product.channel.faults.push({ fault: "gone", when: "before" });
  expect((await product.say(`dismiss ${id} by design`)).text).toContain("ada dismissed src/a.ts:3");
  expect(cardOf("Problem p1").text).not.toContain("Dismissed by");
  const elsewhere = await product.say(`reopen ${id}`, { conversation: otherConversation });
  expect(elsewhere.text).toContain("ada reopened src/a.ts:3");
});
