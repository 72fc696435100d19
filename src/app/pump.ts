// Keeps a queue moving: works while there is work, sleeps until somebody wakes it or the idle time is over.
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";

export interface PumpOptions {
  /** Names the queue in the log. */
  readonly name: string;
  /** Does one piece of work; false when there is none. */
  readonly next: () => Promise<boolean>;
  /** How many pieces may be worked on at once, ≥ 1. */
  readonly concurrency: number;
  /** How long an idle pump sleeps before it looks again, ms: what another process queued is found after that. */
  readonly idleMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Pump {
  start(): void;
  /** Looks for work now. */
  wake(): void;
  /** Starts nothing new and resolves when what runs has ended. */
  stop(): Promise<void>;
}

export function createPump({ name, next, concurrency, idleMs, clock, logger }: PumpOptions): Pump {
  const workers = new Set<Promise<void>>();
  let running = false;
  let again = false;
  let cancelIdle: () => void = () => {};

  function fill(): void {
    cancelIdle();
    while (running && workers.size < concurrency) {
      const worker: Promise<void> = work().finally(() => {
        workers.delete(worker);
        if (again) {
          again = false;
          fill();
        }
      });
      workers.add(worker);
    }
    if (running) cancelIdle = clock.after(idleMs, fill);
  }

  async function work(): Promise<void> {
    try {
      while (running && (await next()));
    } catch (thrown) {
      logger.error("pump.failed", { pump: name, error: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }

  return {
    start() {
      running = true;
      fill();
    },
    wake() {
      // A worker that is just finding the queue empty may miss what came meanwhile.
      again = true;
      fill();
    },
    async stop() {
      running = false;
      cancelIdle();
      await Promise.allSettled([...workers]);
    },
  };
}
