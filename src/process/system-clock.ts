// The machine's own clock behind the clock port.
import type { Clock } from "../ports/clock.ts";

/** Longest delay that a timer of Node holds; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(ms, run) {
      let timer: NodeJS.Timeout;
      function wait(left: number): void {
        const part = Math.min(left, longestTimerMs);
        timer = setTimeout(() => (left > part ? wait(left - part) : run()), part);
        timer.unref();
      }
      wait(Math.max(0, ms));
      return () => clearTimeout(timer);
    },
  };
}
