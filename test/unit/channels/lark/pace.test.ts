// The platform's pace: buckets of messages and lines of updates, by a clock that is turned by hand.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBucket, createUpdates } from "../../../../channels/lark/pace.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

describe("a bucket", () => {
  it("lets a burst through, then so many a second, each name by itself", async () => {
    const clock = createFakeClock();
    const bucket = createBucket({ clock, perSecond: 3, burst: 3, patienceMs: 10_000 });
    const went: number[] = [];
    for (let index = 0; index < 9; index += 1) {
      bucket.take("a").then(
        () => went.push(clock.monotonic()),
        () => undefined,
      );
    }
    await bucket.take("b");
    await clock.advanceAsync(0);
    expect(went).toHaveLength(3);
    await clock.advanceAsync(1_000);
    expect(went).toHaveLength(6);
    await clock.advanceAsync(1_000);
    expect(went).toHaveLength(9);
  });

  it("does not let anybody wait longer than its patience, and tells for how long to stay away", async () => {
    const clock = createFakeClock();
    const bucket = createBucket({ clock, perSecond: 1, burst: 1, patienceMs: 2_000 });
    const waits = [0, 1, 2, 3].map(() =>
      bucket.take("a").then(
        () => "went",
        (thrown: unknown) => thrown,
      ),
    );
    await clock.advanceAsync(3_000);
    const outcomes = await Promise.all(waits);
    expect(outcomes.slice(0, 3)).toEqual(["went", "went", "went"]);
    expect(outcomes[3]).toMatchObject({ fault: "rate_limited", retryAfterMs: 3_000 });
    expect(outcomes[3]).toBeInstanceOf(ChannelError);
  });

  it("never lets more through than its burst and its rate allow", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 30 }),
        async (perSecond, burst, gaps) => {
          const clock = createFakeClock();
          const bucket = createBucket({ clock, perSecond, burst, patienceMs: 60_000 });
          const went: number[] = [];
          let at = 0;
          for (const gap of gaps) {
            at += gap;
            clock.after(at, () => void bucket.take("a").then(() => went.push(clock.monotonic())));
          }
          await clock.advanceAsync(60_000);
          expect(went).toHaveLength(gaps.length);
          for (const [index, at] of went.entries()) {
            const since = went.slice(0, index + 1).filter((other) => other > at - 1_000);
            expect(since.length).toBeLessThanOrEqual(burst + perSecond);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("updates", () => {
  it("run at once when nothing went before, and one a second after that", async () => {
    const clock = createFakeClock();
    const updates = createUpdates(clock, 1_000);
    const ran: string[] = [];
    const run = (name: string): Promise<void> =>
      updates.run("card", async () => {
        ran.push(name);
      });
    await run("1");
    const second = run("2");
    await clock.advanceAsync(999);
    expect(ran).toEqual(["1"]);
    await clock.advanceAsync(1);
    await second;
    expect(ran).toEqual(["1", "2"]);
  });

  it("settle what was overtaken with what overtook it, failures too", async () => {
    const clock = createFakeClock();
    const updates = createUpdates(clock, 1_000);
    await updates.run("card", async () => undefined);
    const overtaken = updates.run("card", () => Promise.reject(new Error("never run")));
    const newest = updates.run("card", () => Promise.reject(new Error("gone")));
    const outcomes = Promise.allSettled([overtaken, newest]);
    await clock.advanceAsync(1_000);
    expect((await outcomes).map((outcome) => outcome.status === "rejected" && String(outcome.reason))).toEqual([
      "Error: gone",
      "Error: gone",
    ]);
  });

  it("never run two of one card at the same time, however slow they are", async () => {
    const clock = createFakeClock();
    const updates = createUpdates(clock, 1_000);
    let going = 0;
    let most = 0;
    const slow = (): Promise<void> =>
      updates.run("card", async () => {
        going += 1;
        most = Math.max(most, going);
        await new Promise<void>((resolve) => void clock.after(2_500, resolve));
        going -= 1;
      });
    const all = [slow(), slow()];
    await clock.advanceAsync(500);
    all.push(slow());
    await clock.advanceAsync(10_000);
    await Promise.all(all);
    expect(most).toBe(1);
  });

  it("of different cards do not wait for each other", async () => {
    const updates = createUpdates(createFakeClock(), 1_000);
    await updates.run("a", async () => undefined);
    await updates.run("b", async () => undefined);
  });
});
