// A fake clock that does not keep anybody waiting for a second or two: the pace of a conversation passes at once, the rest by hand.
import { createFakeClock, type FakeClock } from "../fake-clock.ts";

/** Longer waits (watchdogs, deadlines) stand until the test turns the clock. */
const LONGEST_MS = 2_000;

export function createPacingClock(start?: number): FakeClock {
  const clock = createFakeClock(start);
  return {
    ...clock,
    after(ms, run) {
      const cancel = clock.after(ms, run);
      if (ms <= LONGEST_MS) setImmediate(() => clock.advance(ms));
      return cancel;
    },
  };
}
