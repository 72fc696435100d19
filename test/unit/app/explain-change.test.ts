// The answer to `explain`: every subscription with its verdict, privately, and a failure that says what to do.
import { expect, test } from "vitest";
import { createExplainChange } from "../../../src/app/explain-change.ts";
import { configuredSubscriptions } from "../../../src/compose-listeners.ts";
import type { Card } from "../../../src/core/card.ts";
import { AppError } from "../../../src/core/errors.ts";
import { type Filters, noFilters } from "../../../src/core/subscription.ts";
import type { Subscriptions } from "../../../src/ports/listeners.ts";
import type { Vcs } from "../../../src/ports/vcs.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { change } from "../../contract/store-samples.ts";
import { changedFile } from "../../fakes/change-facts.ts";
import { createFakeChannel, fakeConversation, type KeptMessage } from "../../fakes/fake-channel.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const asker = { channel: "fake", workspace: "w", person: "ada" };

function cardOf(message: KeptMessage | undefined): Card {
  if (message === undefined || !("card" in message.content)) throw new Error("no card was sent");
  return message.content.card;
}

function setUp(filters: readonly Partial<Filters>[], resolve: Vcs["resolve"] = async () => change()) {
  const channel = createFakeChannel("fake");
  const subscribed = configuredSubscriptions({
    language: "en",
    subscriptions: filters.map((some, index) => ({
      conversation: { ...fakeConversation, conversation: `room${index}` },
      repository: "demo",
      filters: { ...noFilters, ...some },
      mode: index === 0 ? "audit" : "report",
      severity: "info",
    })),
  });
  const subscriptions: Subscriptions = { of: async () => subscribed, noProblems: () => "suppress" };
  const vcs = { resolve, listChanges: async () => ({ files: [changedFile({ path: "src/a.ts" })], truncated: false }) };
  const explain = createExplainChange({
    vcs: new Map([["demo", vcs as unknown as Vcs]]),
    subscriptions,
    channels: new Map([["fake", channel]]),
    texts: createTexts({ folders: [] }),
    logger: silentLogger,
  });
  return {
    channel,
    ask: (locale = "en") =>
      explain({ conversation: fakeConversation, person: asker, eventId: "e1", repository: "demo", rev: "", locale }),
  };
}

test("says who hears of a change and what stands in the way of the others, to the asker alone", async () => {
  const { ask, channel } = setUp([
    {},
    { branches: ["release/**"] },
    { notAuthors: ["Ada"] },
    { paths: ["docs/**"] },
    { paths: ["src/**"] },
  ]);
  const { first, answered } = ask();
  expect(first.title).toBe("Looking at who hears of demo HEAD");
  await answered;
  const [message] = channel.kept;
  expect(message?.onlyFor).toBe("ada");
  const card = cardOf(message);
  expect(card.title).toBe("demo aaaaaaaaaa: 2 subscriptions match of 5");
  const lines = card.blocks.flatMap((block) =>
    block.kind === "list"
      ? block.items.map(([item]) =>
          item?.kind === "text" && item.children[0]?.kind === "text" ? item.children[0].text : "",
        )
      : [],
  );
  expect(lines).toEqual([
    "fake:room0 hears of it (audit)",
    "fake:room4 hears of it (report)",
    "fake:room1 does not: branch main does not pass its filter",
    "fake:room2 does not: author Ada does not pass its filter",
    "fake:room3 does not: the changed file does not pass its filter",
  ]);
});

test.each(["en", "zh-CN", "vi"])("says so in %s where nobody is subscribed", async (locale) => {
  const { ask, channel } = setUp([]);
  await ask(locale).answered;
  expect(cardOf(channel.kept[0]).title).toContain("demo");
});

test("an outage is told with its remedy", async () => {
  const outage = new AppError("unavailable", "The server cannot be reached.", { remedy: "Start it." });
  const { ask, channel } = setUp([{}], async () => {
    throw outage;
  });
  await ask().answered;
  const text = JSON.stringify(channel.kept[0]?.content);
  expect(text).toContain("The server cannot be reached.");
  expect(text).toContain("Start it.");
});

test("an answer that cannot be sent harms nothing", async () => {
  const { ask, channel } = setUp([{}]);
  channel.faults.push({ fault: "forbidden", when: "before" });
  await expect(ask().answered).resolves.toBeUndefined();
});
