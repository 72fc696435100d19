// Each event once: copies at the same time, after a restart, after a failure, and after a process that died.
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createEventClaims, type EventClaims } from "../../../../channels/lark/event-claims.ts";
import type { ChannelStore } from "../../../../src/ports/channel-store.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";

let clock: FakeClock;
let store: ChannelStore;
let claims: EventClaims;
let worked: number;

beforeEach(() => {
  clock = createFakeClock();
  store = createMemoryChannelStore();
  claims = createEventClaims({ store, clock });
  worked = 0;
});

async function work(): Promise<void> {
  worked += 1;
}

function gated(): { work: () => Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open: () => open(),
    async work() {
      worked += 1;
      await gate;
    },
  };
}

describe("events", () => {
  it("are worked on once, however often they come", async () => {
    expect(await claims.once("message/om_1", clock.now(), 2_500, work)).toBe("taken");
    expect(await claims.once("message/om_1", clock.now(), 2_500, work)).toBe("duplicate");
    expect(worked).toBe(1);
  });

  it("are known after a restart for eight hours and more", async () => {
    const at = clock.now();
    await claims.once("message/om_1", at, 2_500, work);
    for (const hours of [0.1, 1, 6, 8, 16]) {
      clock.advance(hours * 3_600_000 - (clock.now() - at));
      const restarted = createEventClaims({ store, clock });
      expect(await restarted.once("message/om_1", at, 2_500, work)).toBe("duplicate");
    }
    expect(worked).toBe(1);
  });

  it("may be tried again when the work failed", async () => {
    const failing = claims.once("message/om_1", clock.now(), 2_500, () => Promise.reject(new Error("busy")));
    await expect(failing).rejects.toThrow("busy");
    expect(await claims.once("message/om_1", clock.now(), 2_500, work)).toBe("taken");
  });

  it("are asked for again while the work goes on, and known once it has ended", async () => {
    const slow = gated();
    const first = claims.once("message/om_1", clock.now(), 2_500, slow.work);
    await clock.advanceAsync(2_500);
    expect(await first).toBe("again");
    const second = claims.once("message/om_1", clock.now(), 2_500, work);
    await clock.advanceAsync(2_500);
    expect(await second).toBe("again");
    slow.open();
    await claims.ended(1_000);
    expect(await claims.once("message/om_1", clock.now(), 2_500, work)).toBe("duplicate");
    expect(worked).toBe(1);
  });

  it("that come twice at once wait for the one that works", async () => {
    const slow = gated();
    const both = [slow.work, work].map((run) => claims.once("message/om_1", clock.now(), 2_500, run));
    await clock.advanceAsync(100);
    slow.open();
    expect(await Promise.all(both)).toEqual(["taken", "duplicate"]);
    expect(worked).toBe(1);
  });

  it("of a process that died are asked for again while they are young, and taken when its claim has run out", async () => {
    const at = clock.now();
    await store.claimEvent({ channel: "lark", key: "message/om_1" }, at);
    clock.advance(15_000);
    expect(await claims.once("message/om_1", at, 2_500, work)).toBe("again");
    clock.advance(5 * 60_000);
    expect(await claims.once("message/om_1", at, 2_500, work)).toBe("taken");
    expect(worked).toBe(1);
  });

  it("are not settled when the claim itself fails", async () => {
    const broken = { ...store, claimEvent: () => Promise.reject(new Error("the disk is full")) };
    const failing = createEventClaims({ store: broken, clock }).once("message/om_1", 0, 2_500, work);
    await expect(failing).rejects.toThrow("the disk is full");
    expect(worked).toBe(0);
  });

  it("leave no timers behind", async () => {
    await claims.once("message/om_1", clock.now(), 2_500, work);
    expect(clock.pending()).toBe(0);
  });

  it("are worked on exactly once for any order of pushes, failures, restarts and time", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("push" as const), event: fc.nat({ max: 3 }), fails: fc.boolean() }),
      fc.record({ kind: fc.constant("restart" as const) }),
      fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 3_600_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const time = createFakeClock();
        const kept = createMemoryChannelStore();
        let process = createEventClaims({ store: kept, clock: time });
        const done = new Map<number, number>();
        for (const one of steps) {
          // All of it within the day that is remembered.
          if (one.kind === "wait") time.advance(one.ms % 3_000_000);
          if (one.kind === "restart") process = createEventClaims({ store: kept, clock: time });
          if (one.kind !== "push") continue;
          const run = process.once(`message/${one.event}`, time.now(), 2_500, async () => {
            if (one.fails) throw new Error("no");
            done.set(one.event, (done.get(one.event) ?? 0) + 1);
          });
          await run.catch(() => undefined);
        }
        for (const times of done.values()) expect(times).toBe(1);
      }),
    );
  });
});
