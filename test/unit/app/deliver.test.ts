// The outbox against a strict channel and the real store: nothing lost, nothing doubled, one lane in order.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ComposedMessage, createDeliverNext, type DeliverNext, type Fitting } from "../../../src/app/deliver.ts";
import { createGiveUp } from "../../../src/app/give-up.ts";
import type { Card, Page } from "../../../src/core/card.ts";
import type { PlannedDelivery } from "../../../src/core/delivery.ts";
import type { DeliveryId } from "../../../src/core/ids.ts";
import { noFilters } from "../../../src/core/subscription.ts";
import { ChannelError } from "../../../src/ports/channel.ts";
import { createFakeChannel, type FakeChannel, fakeConversation } from "../../fakes/fake-channel.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../../fakes/temp-store.ts";

const page = (title: string): Page => ({ card: { title, tone: "info", fallback: title, blocks: [] } satisfies Card });
const titles = (channel: FakeChannel): string[] =>
  channel.kept.map(({ content }) => ("card" in content ? content.card.title : content.name));

const operators = { ...fakeConversation, conversation: "ops" };

describe("createDeliverNext", () => {
  let temp: TempStore;
  let clock: FakeClock;
  let channel: FakeChannel;
  let composed: ComposedMessage[];
  let compositions: Fitting[];

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
      compose: async (delivery, _channel, fitting) => {
        compositions.push(fitting);
        const { notice } = delivery.facts ?? {};
        return notice === undefined
          ? composed
          : [{ role: "root", content: page(`${notice.key} ${notice.params["error"]}`) }];
      },
      clock,
      ids,
      logger: silentLogger,
      giveUp: createGiveUp({
        store: temp.store,
        operators: { conversation: operators, locale: "en" },
        defaultLocale: "en",
        clock,
        ids,
      }),
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
    expect(compositions).toEqual(["full"]);
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

  it.each(["not_sent", "rate_limited", "auth", "rejected"] as const)(
    "does not send again because a look for what may have arrived has failed (%s)",
    async (fault) => {
      composed = [{ role: "root", content: page("root") }];
      await owe({});
      channel.faults.push({ fault: "uncertain", when: "after" });
      const { find, send } = channel;
      const failures = [new ChannelError(fault, "no look", { retryAfterMs: 40_000 })];
      let sends = 0;
      channel = {
        ...channel,
        find: (...given) => {
          const failure = failures.shift();
          return failure === undefined ? find(...given) : Promise.reject(failure);
        },
        send: (...given) => {
          sends += 1;
          return send(...given);
        },
      };
      await drain(sender());
      expect([titles(channel), sends, failures]).toEqual([["root"], 1, []]);
    },
  );

  it("says unknown where the platform cannot tell, and goes on with the rest", async () => {
    channel = createFakeChannel("fake", { capabilities: { find: false } });
    await owe({});
    channel.faults.push(null, { fault: "uncertain", when: "after" });
    await drain(sender());
    expect(titles(channel)).toEqual(["root", "one", "two"]);
  });

  it("CONTRACT E25: Retry-After is a minimum", async () => {
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

  it("refits once on a size refusal, then tries plain text, then an operator sees it", async () => {
    await owe({});
    const tooLarge = { fault: "too_large", when: "before" } as const;
    channel.faults.push(tooLarge, tooLarge);
    await drain(sender(), 1);
    expect([...new Set(compositions)]).toEqual(["full", "halved", "plain"]);
    expect(titles(channel)).toEqual(["root", "one", "two"]);
    await owe({});
    channel.faults.push(tooLarge, tooLarge, tooLarge);
    await drain(sender(), 1);
    expect(channel.kept.at(-1)).toMatchObject({ ref: operators });
    expect(titles(channel).at(-1)).toBe("notice.undelivered planned: too_large");
    expect((await temp.store.queue(clock.now())).undelivered).toBe(0);
  });

  it("refits what is left from the card that was refused, and repeats nothing that is sent", async () => {
    await owe({});
    channel.faults.push(null, null, { fault: "too_large", when: "before" });
    await drain(sender(), 1);
    expect(titles(channel)).toEqual(["root", "one", "two"]);
    expect(compositions).toEqual(["full", "halved"]);
  });

  it("tries plain text at once where the platform refuses what a page holds", async () => {
    await owe({});
    channel.faults.push({ fault: "rejected", when: "before" });
    await drain(sender(), 1);
    expect(compositions).toEqual(["full", "plain"]);
    expect(titles(channel)).toEqual(["root", "one", "two"]);
  });

  it("pauses a conversation that is gone, and tells its owner and the operators once", async () => {
    const owner = { channel: "fake", workspace: "w", person: "U7" };
    await temp.store.saveSubscription({
      id: "sb_1",
      conversation: fakeConversation,
      repository: "demo",
      filters: noFilters,
      mode: "report",
      severity: "info",
      owner,
      createdAt: 0,
    });
    await owe({}, {});
    const forbidden = { fault: "forbidden", when: "before" } as const;
    channel.faults.push(forbidden, forbidden);
    await drain(sender(), 1);
    expect(titles(channel)).toEqual(["notice.paused planned: forbidden", "notice.paused planned: forbidden"]);
    expect(channel.kept.map(({ ref }) => ref.conversation).sort()).toEqual(["U7", "ops"]);
    expect(await temp.store.isPaused(fakeConversation)).toBe(true);
    await temp.store.resumeConversation(fakeConversation);
    expect(await temp.store.isPaused(fakeConversation)).toBe(false);
  });

  it("CONTRACT E13: HTTP 200 with an error code in the body is a failure, and is tried again", async () => {
    await owe({});
    channel.answers.push({ status: 200, body: { code: 11232, msg: "frequency limit" } });
    const next = sender();
    while (await next());
    expect(titles(channel)).toEqual([]);
    await drain(next, 5);
    expect(titles(channel)).toEqual(["root", "one", "two"]);
  });

  it("CONTRACT E14: a dispatch that fails is retried for a day, and the other conversations do not wait for it", async () => {
    const other = { ...fakeConversation, conversation: "other" };
    composed = [{ role: "root", content: page("x") }];
    await owe({}, { target: { conversation: other } });
    // For the first conversation only: an outage of two hours.
    const send = channel.send;
    const outage = clock.now() + 2 * 3_600_000;
    channel = {
      ...channel,
      send: (target, ...rest) =>
        target.conversation.conversation === "c" && clock.now() < outage
          ? Promise.reject(new ChannelError("not_sent", "down"))
          : send(target, ...rest),
    };
    const next = sender();
    while (await next());
    expect(channel.kept.map(({ ref }) => ref.conversation)).toEqual(["other"]);
    await drain(next, 180);
    expect(channel.kept.map(({ ref }) => ref.conversation)).toEqual(["other", "c"]);
  });

  it("looks before it sends again what replaced a deleted message, and the replies follow it", async () => {
    await owe({});
    await drain(sender(), 1);
    const root = channel.kept[0]?.ref;
    if (root === undefined) throw new Error("no root was sent");
    channel.lose(root.message);
    composed = [
      { role: "root", content: page("again"), edits: root },
      { role: "thread", content: page("three") },
    ];
    await owe({ threadKey: "demo main" });
    // The edit finds its message gone; the answer to the new one is lost.
    channel.faults.push(null, { fault: "uncertain", when: "after" });
    await drain(sender(), 2);
    expect(titles(channel)).toEqual(["one", "two", "again", "three"]);
    const again = channel.kept[2]?.ref;
    expect(channel.kept[3]?.ref.thread).toBe(again?.message);
    expect((await temp.store.findRoot(fakeConversation, "demo main", 0))?.ref).toEqual(again);
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
    expect(titles(channel)).toEqual(["x", "notice.paused planned: forbidden"]);
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
