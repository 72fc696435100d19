// Wakes recurring work by the clock; what must happen exactly once is made sure of by the work itself, not by this timer.
import { type ScheduledTask, schedule } from "node-cron";
import type { Logger } from "../ports/logger.ts";

export interface CronJob {
  readonly name: string;
  /**
   * Five fields: minute, hour, day of month, month, day of week; in the machine's time zone. A sixth before them counts
   * seconds.
   */
  readonly cron: string;
  readonly run: () => Promise<void>;
}

export interface Schedule {
  /** Starts nothing new; resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** A run that is not over when its next time comes is not started again. */
export function startSchedule(jobs: readonly CronJob[], logger: Logger): Schedule {
  const running = new Set<Promise<void>>();
  const tasks: ScheduledTask[] = jobs.map(({ name, cron, run }) =>
    schedule(
      cron,
      async () => {
        const done = run().catch((thrown: unknown) => {
          logger.error("schedule.failed", {
            job: name,
            error: thrown instanceof Error ? thrown.message : String(thrown),
          });
        });
        running.add(done);
        await done;
        running.delete(done);
      },
      { name, noOverlap: true },
    ),
  );
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.allSettled([...running]);
    },
  };
}
