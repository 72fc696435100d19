// The pump loses no wake-up, keeps to its concurrency and stops cleanly.
import { describe, expect, it } from "vitest";
import { createPump } from "../../../src/app/pump.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe("createPump", () => {
  it("works until the queue is empty, and again after the idle time", async () => {
    const clock = createFakeClock();
    const queue = [1, 2, 3];
    const done: number[] = [];
    const next = async () => {
      const item = queue.shift();
      if (item !== undefined) done.push(item);
      return item !== undefined;
    };
    const pump = createPump({ name: "test", next, concurrency: 1, idleMs: 1_000, clock, logger: silentLogger });
    pump.start();
    await settled();
    expect(done).toEqual([1, 2, 3]);
    queue.push(4);
    await settled();
    expect(done).toEqual([1, 2, 3]);
    clock.advance(1_000);
    await settled();
    expect(done).toEqual([1, 2, 3, 4]);
    await pump.stop();
  });

  it("does not lose a wake-up that comes while a worker finds the queue empty", async () => {
    const clock = createFakeClock();
    const queue: number[] = [];
    const done: number[] = [];
    const gate = deferred();
    let looks = 0;
    const next = async () => {
      looks++;
      const item = queue.shift();
      if (item === undefined && looks === 1) await gate.promise;
      if (item !== undefined) done.push(item);
      return item !== undefined;
    };
    const pump = createPump({ name: "test", next, concurrency: 1, idleMs: 60_000, clock, logger: silentLogger });
    pump.start();
    await settled();
    queue.push(1);
    pump.wake();
    gate.resolve();
    await settled();
    expect(done).toEqual([1]);
    await pump.stop();
  });

  it("never works on more pieces than it may, and waits for them when it stops", async () => {
    const clock = createFakeClock();
    const gates = [deferred(), deferred(), deferred()];
    let started = 0;
    const next = async () => {
      const gate = gates[started];
      if (gate === undefined) return false;
      started++;
      await gate.promise;
      return true;
    };
    const pump = createPump({ name: "test", next, concurrency: 2, idleMs: 1_000, clock, logger: silentLogger });
    pump.start();
    pump.wake();
    await settled();
    expect(started).toBe(2);
    const stopped = pump.stop();
    for (const gate of gates) gate.resolve();
    await stopped;
    expect(started).toBe(2);
  });

  it("survives work that throws", async () => {
    const clock = createFakeClock();
    let calls = 0;
    const next = async () => {
      calls++;
      if (calls === 1) throw new Error("boom");
      return false;
    };
    const pump = createPump({ name: "test", next, concurrency: 1, idleMs: 500, clock, logger: silentLogger });
    pump.start();
    await settled();
    clock.advance(500);
    await settled();
    expect(calls).toBe(2);
    await pump.stop();
  });
});
