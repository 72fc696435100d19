// The system clock keeps the port's promises: timers fire once, can be cancelled, and survive long delays.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSystemClock } from "../../../src/process/system-clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a timer fires once, at its time", () => {
  const clock = createSystemClock();
  const run = vi.fn();
  const before = clock.now();
  clock.after(50, run);
  vi.advanceTimersByTime(49);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(run).toHaveBeenCalledTimes(1);
  expect(clock.now()).toBe(before + 149);
});

test("a cancelled timer does not fire", () => {
  const run = vi.fn();
  createSystemClock().after(50, run)();
  vi.advanceTimersByTime(100);
  expect(run).not.toHaveBeenCalled();
});

test("a delay longer than Node's timers hold fires at its end, not at once", () => {
  const run = vi.fn();
  const days40 = 40 * 24 * 3600 * 1000;
  const cancel = createSystemClock().after(days40, run);
  vi.advanceTimersByTime(days40 - 1);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledTimes(1);
  cancel();
});

test("monotonic time never goes back", () => {
  const clock = createSystemClock();
  const first = clock.monotonic();
  vi.advanceTimersByTime(5);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(first);
});
