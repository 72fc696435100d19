// Deletes what is old enough: finished reviews with their messages, and run directories. Open findings stay.
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";

const DAY_MS = 86_400_000;

export interface PurgePorts {
  readonly store: Pick<Store, "purge">;
  /** Deletes run directories made before a time (ms since the epoch); gives how many. */
  readonly purgeRuns: (before: number) => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Days that finished reviews are kept, > 0. */
  readonly keepDays: number;
  /** Days that run directories are kept, > 0. */
  readonly keepRunDays: number;
}

export function createPurge({
  store,
  purgeRuns,
  clock,
  logger,
  keepDays,
  keepRunDays,
}: PurgePorts): () => Promise<void> {
  return async () => {
    const now = clock.now();
    const rows = await store.purge(now - keepDays * DAY_MS);
    const runs = await purgeRuns(now - keepRunDays * DAY_MS);
    logger.info("purge.done", { rows, runs });
  };
}
