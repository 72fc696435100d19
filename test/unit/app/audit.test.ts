// The audit of a busy conversation: every event is a line, several waiting ones are one message, and nothing is lost.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAuditCard } from "../../../src/app/audit-card.ts";
import { createComposeDelivery } from "../../../src/app/compose-delivery.ts";
import { createDeliverNext, type DeliverNext } from "../../../src/app/deliver.ts";
import { createTellAuditors } from "../../../src/app/tell-auditors.ts";
import { noLinks } from "../../../src/cards/links.ts";
import { readableText } from "../../../src/cards/readable-text.ts";
import type { Page } from "../../../src/core/card.ts";
import type { PlannedDelivery } from "../../../src/core/delivery.ts";
import type { ReviewId } from "../../../src/core/ids.ts";
import type { Report } from "../../../src/core/report.ts";
import { noFilters, type Subscription } from "../../../src/core/subscription.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { finding, problem, reviewed } from "../../contract/store-samples.ts";
import { createFakeChannel, type FakeChannel, fakeConversation } from "../../fakes/fake-channel.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../../fakes/temp-store.ts";

const clock = createFakeClock();
const ids = createFixedIds();
const texts = createTexts({ folders: [] });
let temp: TempStore;
let channel: FakeChannel;

beforeEach(async () => {
  temp = await createTempStore();
  channel = createFakeChannel("fake");
});
afterEach(() => temp.remove());

const line = (n: number, kind: PlannedDelivery["kind"] = "audit"): PlannedDelivery => ({
  id: ids.next("dl"),
  kind,
  target: { conversation: fakeConversation },
  locale: "en",
  facts: {
    notice: { key: "audit.reopened", params: { repository: "demo", place: `a.ts:${n}`, by: "Ann", title: "x" } },
  },
});

function sender(): DeliverNext {
  const audit = createAuditCard({ store: temp.store, texts, links: () => noLinks });
  return createDeliverNext({
    store: temp.store,
    channels: new Map([["fake", channel]]),
    compose: async (delivery) => {
      const made = await audit(delivery);
      return made === null ? [] : [{ role: "root", content: made }];
    },
    clock,
    ids,
    logger: silentLogger,
  });
}

const shown = (): string[] =>
  channel.kept.map(({ content }) => ("card" in content ? readableText(content.card) : content.name));

it("makes one message of what waits, in its order, and stops before what is no audit line", async () => {
  await temp.store.owe([line(1), line(2), line(3), line(4, "notice"), line(5)], clock.now());
  const next = sender();
  while (await next());
  expect(shown()).toHaveLength(3);
  expect(shown()[0]).toMatch(/^3 events\n.*a\.ts:1.*\n.*a\.ts:2.*\n.*a\.ts:3/s);
  expect(shown()[1]).toContain("a.ts:4");
  expect(shown()[2]).toContain("a.ts:5");
});

it("loses no line of a flood, and none when the platform refuses the first try", async () => {
  await temp.store.owe(
    Array.from({ length: 75 }, (_, n) => line(n)),
    clock.now(),
  );
  channel.faults.push({ fault: "not_sent", when: "before" });
  const next = sender();
  while (await next());
  clock.advance(60_000);
  while (await next());
  const all = shown().join("\n");
  for (let n = 0; n < 75; n++) expect(all).toContain(`a.ts:${n} `.trimEnd());
  expect(shown()).toHaveLength(3);
  expect((await temp.store.queue(clock.now())).undelivered).toBe(0);
});

it("tells the conversations in audit mode who dismissed what and why, and no others", async () => {
  const update = finding("f1");
  await reviewed(temp.store, {}, { findings: [update] });
  const [found] = await temp.store.findingsByKeys("demo", ["f1"]);
  if (found === undefined) throw new Error("the finding is not stored");
  const common = { repository: "demo", filters: noFilters, severity: "info", locale: "en", origin: "command" } as const;
  const subscribed: readonly Subscription[] = [
    { ...common, id: "sb_1", mode: "audit", conversation: fakeConversation },
    { ...common, id: "sb_2", mode: "report", conversation: { ...fakeConversation, conversation: "other" } },
  ];
  const subscriptions = { of: async () => subscribed };
  let woken = 0;
  const tell = createTellAuditors({ store: temp.store, subscriptions, clock, ids, wake: () => void woken++ });
  await tell(found, { kind: "dismissed", by: "Ann", reason: "@everyone knows" });
  const next = sender();
  while (await next());
  expect(channel.kept.map(({ ref }) => ref.conversation)).toEqual(["c"]);
  expect(shown()[0]).toMatch(/^demo src\/a\.ts: dismissed by Ann: .*everyone knows · Problem f1/);
  // CONTRACT E15: what people and agents write never pings.
  expect(shown()[0]).not.toContain("@everyone");
  expect(woken).toBe(1);
});

it("tells who has seen a problem, and which kind is muted where and until when, in every language", async () => {
  await reviewed(temp.store, {}, { findings: [finding("f1", { line: 7 })] });
  const [found] = await temp.store.findingsByKeys("demo", ["f1"]);
  if (found === undefined) throw new Error("the finding is not stored");
  const common = {
    repository: "demo",
    filters: noFilters,
    severity: "info",
    origin: "command",
    mode: "audit",
  } as const;
  const languages = ["en", "zh-CN", "vi"];
  const subscribed = languages.map((locale, n): Subscription => {
    return { ...common, id: `sb_${n}`, locale, conversation: { ...fakeConversation, conversation: locale } };
  });
  const subscriptions = { of: async () => subscribed };
  const tell = createTellAuditors({ store: temp.store, subscriptions, clock, ids, wake: () => {} });
  await tell(found, { kind: "acknowledged", by: "<!channel>" });
  const muted = { category: "style", conversation: fakeConversation, until: Date.UTC(2026, 2, 8) };
  await tell(found, { kind: "kind_muted", by: "Ann", ...muted });
  const next = sender();
  while (await next());
  expect(shown()).toHaveLength(languages.length);
  const [english = "", ...others] = shown();
  expect(english).toMatch(/demo src\/a\.ts:7: acknowledged by .*channel.* · Problem f1/);
  expect(english).toContain("demo: the kind style is muted in fake c until 2026-03-08, by Ann");
  for (const text of others) expect(text).toMatch(/src\/a\.ts:7.*style.*2026-03-08/s);
  expect(shown().join()).not.toContain("<!channel>");
});

describe("the pages of the audit", () => {
  const reports: Readonly<Record<string, Report>> = {
    clean: { outcome: "clean", summaries: [] },
    findings: { outcome: "reported", summaries: [], problems: [problem("f1")] },
    skipped: { outcome: "skipped", reason: "no_changed_files", summaries: [] },
  };

  async function pages(named: readonly string[]): Promise<readonly Page[]> {
    const events = named.map((name): PlannedDelivery => {
      return { ...line(0), id: ids.next("dl"), facts: {}, review: `rv_${name}` };
    });
    const [first, ...waiting] = events;
    if (first === undefined) throw new Error("no event");
    const review = await temp.store.review(await reviewed(temp.store));
    const store = {
      review: async (id: ReviewId) => (review === null ? null : { ...review, id }),
      report: async (id: ReviewId) => reports[id.slice(3)] ?? null,
      deliveriesOf: async () => [],
      absorbedBy: async () => waiting,
    };
    const digest = () => Promise.reject(new Error("no digest"));
    const unused = { findRoot: digest, deliveredFindings: digest, shownCard: digest, personOf: digest };
    const ports = { store: { ...store, ...unused }, texts, links: () => noLinks, clock, ids, digest };
    const compose = createComposeDelivery(ports);
    const messages = [...(await compose(first, channel, "full")), ...(await compose(first, channel, "plain"))];
    return messages.map(({ content }) => content as Page);
  }

  it.each([
    [["clean"], "clean"],
    [["findings"], "findings"],
    [["error"], "error"],
    [["skipped"], undefined],
    [["clean", "findings", "clean"], "findings"],
    [["skipped", "error", "findings"], "error"],
  ] as const)("ring nowhere, and tell the gravest outcome of %j", async (events, outcome) => {
    const made = await pages(events);
    expect(made).toHaveLength(2);
    for (const page of made) {
      expect(page.quiet).toBe(true);
      expect(page.outcome).toBe(outcome);
    }
  });
});
