// A fake clock that does not keep anybody waiting for a second or two: the pace of a conversation passes at once, the rest by hand.
import { createFakeClock, type FakeClock } from "../fake-clock.ts";

/** Longer waits (watchdogs, deadlines) stand until the test turns the clock. */
const LONGEST_MS = 2_000;

/** @param longestMs waits up to it pass by themselves. */
export function createPacingClock(start?: number, longestMs = LONGEST_MS): FakeClock {
  const clock = createFakeClock(start);
  return {
    ...clock,
    after(ms, run) {
      const cancel = clock.after(ms, run);
      if (ms <= longestMs) setImmediate(() => clock.advance(ms));
      return cancel;
    },
  };
}
