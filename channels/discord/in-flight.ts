// Work that is under way, so that a stop can wait for its end.
import type { Clock } from "../../src/ports/clock.ts";
import { pause } from "./pause.ts";

export interface InFlight {
  add(work: Promise<void>): void;
  /** Settles when all is done, at the latest after `ms`. */
  drain(ms: number): Promise<void>;
}

export function createInFlight(clock: Pick<Clock, "after">): InFlight {
  const working = new Set<Promise<void>>();
  return {
    add(work) {
      const tracked = work.catch(() => undefined).finally(() => working.delete(tracked));
      working.add(tracked);
    },
    async drain(ms) {
      const over = new AbortController();
      await Promise.race([Promise.all(working), pause(clock, ms, over.signal)]);
      over.abort();
    },
  };
}
