// The outbox against a strict channel and the real store: nothing lost, nothing doubled, one lane in order.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ComposedMessage, createDeliverNext, type DeliverNext } from "../../../src/app/deliver.ts";
import type { Card, Page } from "../../../src/core/card.ts";
import type { PlannedDelivery } from "../../../src/core/delivery.ts";
import type { DeliveryId } from "../../../src/core/ids.ts";
import { createFakeChannel, type FakeChannel, fakeConversation } from "../../fakes/fake-channel.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../../fakes/temp-store.ts";

const page = (title: string): Page => ({ card: { title, tone: "info", fallback: title, blocks: [] } satisfies Card });
const titles = (channel: FakeChannel): string[] =>
  channel.kept.map(({ content }) => ("card" in content ? content.card.title : content.name));

describe("createDeliverNext", () => {
  let temp: TempStore;
  let clock: FakeClock;
  let channel: FakeChannel;
  let composed: ComposedMessage[];
  let compositions: boolean[];

  beforeEach(async () => {
    temp = await createTempStore();
    clock = createFakeClock();
    channel = createFakeChannel("fake");
    composed = [
      { role: "root", content: page("root") },
      { role: "thread", content: page("one"), fingerprint: "f1" },
      { role: "thread", content: page("two"), fingerprint: "f2" },
    ];
    compositions = [];
  });
  afterEach(() => temp.remove());

  const ids = createFixedIds();
  const sender = (): DeliverNext =>
    createDeliverNext({
      store: temp.store,
      channels: new Map([["fake", channel]]),
      compose: async (_delivery, _channel, halved) => {
        compositions.push(halved);
        return composed;
      },
      clock,
      ids,
      logger: silentLogger,
    });

  /** Puts deliveries into the outbox the way a finished review does. */
  async function owe(...deliveries: Partial<PlannedDelivery>[]): Promise<DeliveryId[]> {
    const review = ids.next("rv");
    const now = clock.now();
    await temp.store.registerRepositories([{ alias: "demo", vcs: "git" }], now);
    await temp.store.acceptReview({
      review,
      job: ids.next("jb"),
      inbox: { source: "test", key: review },
      jobKey: review,
      coalesce: false,
      repository: "demo",
      spec: "HEAD",
      agent: "checks",
      paths: [],
      locale: "en",
      requester: { kind: "feed", feed: "test" },
      now,
    });
    const job = await temp.store.claimJob({ worker: "w", token: "t", leaseMs: 1_000, maxAttempts: 3, now });
    if (job === null) throw new Error("no job to claim");
    const planned = deliveries.map(
      (overrides): PlannedDelivery => ({
        id: ids.next("dl"),
        kind: "report",
        review,
        target: { conversation: fakeConversation },
        locale: "en",
        ...overrides,
      }),
    );
    const timings = { queuedMs: 0, resolveMs: 0, materialiseMs: 0, agentMs: 0, totalMs: 0 };
    const result = { status: "clean", report: { outcome: "clean", summaries: [] } } as const;
    const base = { job: job.id, token: "t", review, result, timings, findings: [], deliveries: planned, now };
    expect(await temp.store.finishReview(base)).toBe(true);
    return planned.map((delivery) => delivery.id);
  }

  async function drain(next: DeliverNext, minutes = 60): Promise<void> {
    for (let minute = 0; minute < minutes * 4; minute++) {
      while (await next());
      clock.advance(15_000);
    }
  }

  it("sends root and thread in order, each under its own key", async () => {
    const [id] = await owe({});
    await drain(sender(), 1);
    expect(titles(channel)).toEqual(["root", "one", "two"]);
    expect(channel.kept.map((message) => message.key)).toEqual([`${id}/0`, `${id}/1`, `${id}/2`]);
    expect(channel.kept.map((message) => message.ref.thread)).toEqual([undefined, "m1", "m1"]);
    const shown = await temp.store.deliveredFindings({
      conversation: fakeConversation,
      repository: "demo",
      fingerprints: ["f1", "f2", "f3"],
    });
    expect(shown.map((one) => one.fingerprint).sort()).toEqual(["f1", "f2"]);
  });

  it("composes once, whatever happens afterwards", async () => {
    await owe({});
    channel.faults.push(null, { fault: "not_sent", when: "before" }, { fault: "rate_limited", when: "before" });
    await drain(sender());
    expect(titles(channel)).toEqual(["root", "one", "two"]);
    expect(compositions).toEqual([false]);
  });

  it("adopts a message whose acknowledgement was lost, instead of sending it twice", async () => {
    await owe({});
    channel.faults.push(null, { fault: "uncertain", when: "after" });
    await drain(sender());
    expect(titles(channel)).toEqual(["root", "one", "two"]);
  });

  it("sends again after the settling time what an uncertain request never delivered", async () => {
    await owe({});
    channel.faults.push({ fault: "uncertain", when: "before" });
    const next = sender();
    while (await next());
    clock.advance(5_000);
    while (await next());
    expect(titles(channel)).toEqual([]);
    await drain(next);
    expect(titles(channel)).toEqual(["root", "one", "two"]);
  });

  it("says unknown where the platform cannot tell, and goes on with the rest", async () => {
    channel = createFakeChannel("fake", { capabilities: { find: false } });
    await owe({});
    channel.faults.push(null, { fault: "uncertain", when: "after" });
    await drain(sender());
    expect(titles(channel)).toEqual(["root", "one", "two"]);
  });

  it("takes Retry-After as a minimum", async () => {
    await owe({});
    channel.faults.push({ fault: "rate_limited", when: "before", retryAfterMs: 90_000 });
    const next = sender();
    while (await next());
    clock.advance(89_000);
    while (await next());
    expect(titles(channel)).toEqual([]);
    clock.advance(1_000);
    while (await next());
    expect(titles(channel)).toEqual(["root", "one", "two"]);
  });

  it("refits once on a size refusal, and gives up on the second", async () => {
    await owe({});
    channel.faults.push({ fault: "too_large", when: "before" });
    await drain(sender());
    expect(compositions).toEqual([false, true]);
    expect(titles(channel)).toEqual(["root", "one", "two"]);
  });

  it("edits in place, and replaces a message that is gone by a new one", async () => {
    await owe({});
    await drain(sender(), 1);
    const root = channel.kept[0]?.ref;
    if (root === undefined) throw new Error("no root was sent");
    composed = [{ role: "root", content: page("edited"), edits: root }];
    await owe({});
    await drain(sender(), 1);
    expect(titles(channel)).toEqual(["edited", "one", "two"]);
    channel.lose(root.message);
    composed = [{ role: "root", content: page("again"), edits: root }];
    await owe({});
    await drain(sender(), 1);
    expect(titles(channel)).toEqual(["one", "two", "again"]);
  });

  it("keeps one lane in order while other conversations go on", async () => {
    const other = { ...fakeConversation, conversation: "other" };
    composed = [{ role: "root", content: page("x") }];
    await owe({}, { target: { conversation: other } }, {});
    channel.faults.push({ fault: "rate_limited", when: "before", retryAfterMs: 60_000 });
    const next = sender();
    while (await next());
    expect(channel.kept.map((message) => message.ref.conversation)).toEqual(["other"]);
    await drain(next, 5);
    expect(channel.kept.map((message) => message.ref.conversation)).toEqual(["other", "c", "c"]);
  });

  it("ends a delivery for a forbidden conversation, and the next one still goes out", async () => {
    composed = [{ role: "root", content: page("x") }];
    await owe({}, {});
    channel.faults.push({ fault: "forbidden", when: "before" });
    await drain(sender(), 2);
    expect(titles(channel)).toEqual(["x"]);
    expect((await temp.store.queue(clock.now())).undelivered).toBe(0);
  });

  it("never claims what was suppressed", async () => {
    await owe({ reason: "no_problems_suppressed" });
    expect(await sender()()).toBe(false);
  });

  it("sends a file where text fits no page", async () => {
    composed = [
      { role: "root", content: page("root") },
      { role: "thread", content: { name: "report.md", mediaType: "text/markdown", text: "long" } },
    ];
    await owe({});
    await drain(sender(), 1);
    expect(titles(channel)).toEqual(["root", "report.md"]);
  });
});
