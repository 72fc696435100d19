// After a long life a connection comes back at once; after short ones ever later, never in step, and within bounds.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBreaker, GOOD_LIFE_MS, STORM } from "../../../../channels/slack/breaker.ts";

describe("breaker", () => {
  it("does not wait after a good life", () => {
    const breaker = createBreaker(() => 0.99);
    expect(breaker.ended(GOOD_LIFE_MS)).toBe(0);
    expect(breaker.short()).toBe(0);
  });

  it("backs off with every short life, and steeply from the fifth on", () => {
    const breaker = createBreaker(() => 0);
    const waits = Array.from({ length: 10 }, () => breaker.ended(5_000));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 15_000, 30_000, 60_000, 120_000, 150_000, 150_000]);
    expect(breaker.short()).toBe(10);
  });

  it("begins anew after a good life", () => {
    const breaker = createBreaker(() => 0);
    for (let n = 0; n < STORM + 1; n++) breaker.ended(0);
    breaker.ended(GOOD_LIFE_MS);
    expect(breaker.ended(0)).toBe(500);
  });

  it("never comes before Slack allows, and never waits for ever", () => {
    const lives = fc.array(fc.record({ lived: fc.nat(200_000), least: fc.nat(600_000) }), { maxLength: 60 });
    fc.assert(
      fc.property(lives, fc.double({ min: 0, max: 0.999, noNaN: true }), (list, random) => {
        const breaker = createBreaker(() => random);
        for (const { lived, least } of list) {
          const wait = breaker.ended(lived, least);
          expect(wait).toBeGreaterThanOrEqual(least);
          expect(wait).toBeLessThanOrEqual(Math.max(least, 300_000));
        }
      }),
    );
  });
});
