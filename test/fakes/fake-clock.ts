// A clock that tests turn by hand: time passes only in `advance`.
import type { Clock } from "../../src/ports/clock.ts";

export interface FakeClock extends Clock {
  /** Lets `ms` pass: due timers run in the order of their time, each at its own moment. */
  advance(ms: number): void;
  /** Like `advance`, but lets promises settle before the first timer, after each one, and at the end. */
  advanceAsync(ms: number): Promise<void>;
  /** Timers that wait. */
  pending(): number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** @param start wall time at the beginning, ms since the epoch. */
export function createFakeClock(start = Date.UTC(2024, 0, 1)): FakeClock {
  let elapsed = 0;
  let made = 0;
  const timers = new Set<Timer>();

  function nextDue(until: number): Timer | undefined {
    let due: Timer | undefined;
    for (const timer of timers) {
      if (timer.at > until) continue;
      if (due === undefined || timer.at < due.at || (timer.at === due.at && timer.order < due.order)) due = timer;
    }
    return due;
  }

  function runNext(until: number): boolean {
    const due = nextDue(until);
    if (due === undefined) return false;
    timers.delete(due);
    elapsed = Math.max(elapsed, due.at);
    due.run();
    return true;
  }

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(ms, run) {
      const timer: Timer = { at: elapsed + Math.max(0, ms), order: made++, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = elapsed + ms;
      while (runNext(until));
      elapsed = until;
    },
    async advanceAsync(ms) {
      const until = elapsed + ms;
      await settle();
      while (runNext(until)) await settle();
      elapsed = Math.max(elapsed, until);
      await settle();
    },
    pending: () => timers.size,
  };
}

/** One turn of the event loop: every promise that can settle has settled. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
