// What goes on after an event has its answer: it is counted, so that a stop can wait for it, and its failures are logged.
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { within } from "./event-claims.ts";

export interface Background {
  /** @param failure name of the log's line when the work throws. */
  run(failure: string, work: () => Promise<void>): void;
  /** Settles when all work has ended, or after `ms`. */
  ended(ms: number): Promise<void>;
}

export function createBackground(clock: Clock, logger: Logger): Background {
  const going = new Set<Promise<void>>();
  return {
    run(failure, work) {
      const done = work()
        .catch((thrown: unknown) => logger.warn(failure, { error: messageOf(thrown) }))
        .finally(() => going.delete(done));
      going.add(done);
    },
    async ended(ms) {
      await within(Promise.all([...going]), ms, clock);
    },
  };
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
