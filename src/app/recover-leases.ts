// After a crash: jobs and lanes whose worker is known to be dead go on at once instead of when their lease ends.
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";

export interface RecoverLeasesPorts {
  readonly store: Pick<Store, "leaseHolders" | "endLeases">;
  /** Name of this machine. */
  readonly host: string;
  /** Number of this process. */
  readonly pid: number;
  /** Whether a process of this machine is still there. */
  readonly isAlive: (pid: number) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Names a process in the store; workers of other machines are left to their leases. */
export function workerName(host: string, pid: number): string {
  return `${host}:${pid}`;
}

/** Call it before the first claim: a holder with this process's own name is an earlier process of the same number. */
export async function recoverLeases({ store, host, pid, isAlive, clock, logger }: RecoverLeasesPorts): Promise<void> {
  const dead = (await store.leaseHolders()).filter((holder) => {
    const number = /:(\d+)$/u.exec(holder)?.[1];
    if (number === undefined || holder !== workerName(host, Number(number))) return false;
    return Number(number) === pid || !isAlive(Number(number));
  });
  if (dead.length === 0) return;
  const leases = await store.endLeases(dead, clock.now());
  logger.info("leases.recovered", { workers: dead, leases });
}
