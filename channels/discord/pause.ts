// Waits that end early: by the clock port, and by a signal.
import type { Clock } from "../../src/ports/clock.ts";

/** Settles after `ms`, or as soon as the signal says that nobody waits any more. */
export function pause(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
