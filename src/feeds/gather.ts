// Lets pushes that arrive together be stored together: one commit for all of them takes little longer than for one.
import type { Clock } from "../ports/clock.ts";

/** How long a push waits for company, ms: under load about as long as the commits take that it saves. */
const WAIT_MS = 4;

export interface Gather {
  /** A request has come; call `leave` of what comes back once it is answered. */
  enter(): Presence;
}

export interface Presence {
  /** Resolves at once for whoever is alone, else when all who are here have arrived or somebody has waited long enough. */
  arrive(): Promise<void>;
  leave(): void;
}

export function createGather(clock: Pick<Clock, "after">): Gather {
  let present = 0;
  let waiting: (() => void)[] = [];
  let cancel: (() => void) | undefined;

  function release(): void {
    cancel?.();
    cancel = undefined;
    const together = waiting;
    waiting = [];
    for (const go of together) go();
  }

  return {
    enter() {
      present += 1;
      return {
        arrive: () =>
          new Promise((resolve) => {
            waiting.push(resolve);
            if (waiting.length === present) release();
            else cancel ??= clock.after(WAIT_MS, release);
          }),
        leave() {
          present -= 1;
          if (waiting.length > 0 && waiting.length === present) release();
        },
      };
    },
  };
}
