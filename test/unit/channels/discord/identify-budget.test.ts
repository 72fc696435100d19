// The budget of sessions: the more were begun lately the longer the next one waits, and shards take turns.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createIdentifyBudget,
  createIdentifyTurns,
  TURN_MS,
  waitAfter,
  waitForBudget,
} from "../../../../channels/discord/identify-budget.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";

const DAY_MS = 24 * 3_600_000;

describe("a bot that begins a session whenever it may", () => {
  it("begins at most a third of what Discord allows a day, however often it crashes", () => {
    const starts: number[] = [];
    let now = 0;
    while (now < DAY_MS) {
      starts.push(now);
      now += Math.max(1, waitAfter(starts, now));
    }
    expect(starts.length).toBeLessThan(333);
    expect(starts.length).toBeGreaterThan(50);
  });

  it("never waits longer than ten minutes, and not at all after a quiet hour", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(DAY_MS), { maxLength: 50 }), fc.nat(DAY_MS), (times, now) => {
        const starts = times.filter((at) => at <= now).sort((a, b) => a - b);
        const wait = waitAfter(starts, now);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(10 * 60_000);
        if (!starts.some((at) => at > now - 3_600_000)) expect(wait).toBe(0);
      }),
    );
  });

  it("remembers them over restarts, and forgets what no store can say", async () => {
    const store = createMemoryChannelStore();
    const clock = createFakeClock();
    for (let start = 0; start < 4; start++) await createIdentifyBudget({ store, clock, applicationId: "1" }).spend();
    expect(await createIdentifyBudget({ store, clock, applicationId: "1" }).delayMs()).toBe(10_000);
    expect(await createIdentifyBudget({ store, clock, applicationId: "2" }).delayMs()).toBe(0);
    await store.saveNote("discord", "identifies:1", "{broken");
    expect(await createIdentifyBudget({ store, clock, applicationId: "1" }).delayMs()).toBe(0);
  });
});

describe("Discord's own count", () => {
  it.each([
    [1_000, 1_000, 1, 0],
    [1_000, 51, 1, 0],
    [1_000, 50, 1, 60_000],
    [1_000, 0, 1, 60_000],
    [1_000, 60, 16, 60_000],
  ])("of %d has %d left for %d shards: waits %d ms", (total, remaining, shards, wait) => {
    expect(waitForBudget({ total, remaining, reset_after: 60_000, max_concurrency: 1 }, shards)).toBe(wait);
  });
});

describe("turns", () => {
  it("keep shards of one bucket apart, and are noted each", async () => {
    const clock = createFakeClock();
    const store = createMemoryChannelStore();
    const budget = createIdentifyBudget({ store, clock, applicationId: "1" });
    const turns = createIdentifyTurns({ budget, clock, concurrency: 2 });
    const order: number[] = [];
    const { signal } = new AbortController();
    const all = [0, 1, 2, 4].map((shard) => turns.waitForIdentify(shard, signal).then(() => order.push(shard)));
    await clock.advanceAsync(0);
    expect(order).toEqual([0, 1]);
    await clock.advanceAsync(TURN_MS);
    expect(order).toEqual([0, 1, 2]);
    await clock.advanceAsync(TURN_MS);
    await Promise.all(all);
    expect(JSON.parse((await store.note("discord", "identifies:1")) ?? "")).toHaveLength(4);
  });

  it("end for a shard whose connection was closed, and the next one goes on", async () => {
    const clock = createFakeClock();
    const budget = createIdentifyBudget({ store: createMemoryChannelStore(), clock, applicationId: "1" });
    const turns = createIdentifyTurns({ budget, clock, concurrency: 1 });
    const closed = new AbortController();
    await turns.waitForIdentify(0, closed.signal);
    const second = turns.waitForIdentify(1, closed.signal);
    const third = turns.waitForIdentify(2, new AbortController().signal);
    closed.abort();
    await expect(second).rejects.toThrow();
    await clock.advanceAsync(TURN_MS);
    await third;
  });
});
