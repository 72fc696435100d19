// Guards Discord's budget of new sessions, over restarts: a bot that crashes in a loop must not use it up, or its token is reset.
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { pause } from "./pause.ts";

/** What `GET /gateway/bot` says of the sessions that may still be begun. */
export interface SessionStartLimit {
  readonly total: number;
  readonly remaining: number;
  /** ms until the budget is full again. */
  readonly reset_after: number;
  readonly max_concurrency: number;
}

export interface IdentifyBudget {
  /** How long to wait before a session may be begun, ms: the more were begun of late, the longer. */
  delayMs(): Promise<number>;
  /** Notes that one is begun; awaited before it is. */
  spend(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;
/** Sessions of so long ago no longer make the next one wait. */
const LATELY_MS = 3_600_000;
/** Begun within LATELY_MS without any wait. */
const FREE = 3;
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 10 * 60_000;
/** What is left for an operator's own restarts, of Discord's 1,000 a day. */
const RESERVE_SHARE = 0.05;

export interface IdentifyBudgetOptions {
  readonly store: Pick<ChannelStore, "note" | "saveNote">;
  readonly clock: Clock;
  /** Whose budget it is; each application has its own. */
  readonly applicationId: string;
}

export function createIdentifyBudget({ store, clock, applicationId }: IdentifyBudgetOptions): IdentifyBudget {
  const key = `identifies:${applicationId}`;
  let spending: Promise<void> = Promise.resolve();

  async function starts(): Promise<readonly number[]> {
    const now = clock.now();
    return readStarts(await store.note("discord", key)).filter((at) => at <= now && at > now - DAY_MS);
  }

  return {
    async delayMs() {
      return waitAfter(await starts(), clock.now());
    },
    spend() {
      // One after another: shards of several buckets begin at once.
      const noted = spending.then(async () => {
        await store.saveNote("discord", key, JSON.stringify([...(await starts()), clock.now()]));
      });
      spending = noted.catch(() => undefined);
      return noted;
    },
  };
}

/** @param starts times of sessions begun, oldest first, ms since the epoch. */
export function waitAfter(starts: readonly number[], now: number): number {
  const lately = starts.filter((at) => at > now - LATELY_MS);
  const last = lately.at(-1);
  if (last === undefined || lately.length < FREE) return 0;
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (lately.length - FREE));
  return Math.max(0, last + wait - now);
}

/** ms until a session may be begun, when nearly all of the budget is used up; else 0. */
export function waitForBudget({ total, remaining, reset_after }: SessionStartLimit, shards: number): number {
  return remaining - shards >= Math.ceil(total * RESERVE_SHARE) ? 0 : Math.max(1_000, reset_after);
}

/** Discord takes one IDENTIFY in this time from each of the buckets that shards are in, ms; with some more for the way there. */
export const TURN_MS = 5_250;

export interface IdentifyTurns {
  /** Settles when the shard may identify, with that noted; rejects when its connection was closed meanwhile. */
  waitForIdentify(shard: number, signal: AbortSignal): Promise<void>;
}

export function createIdentifyTurns({
  budget,
  clock,
  concurrency,
}: {
  readonly budget: IdentifyBudget;
  readonly clock: Clock;
  /** `max_concurrency` of the gateway: the number of buckets. */
  readonly concurrency: number;
}): IdentifyTurns {
  const queues = new Map<number, Promise<void>>();
  const lastAt = new Map<number, number>();
  return {
    waitForIdentify(shard, signal) {
      const bucket = shard % concurrency;
      const turn = (queues.get(bucket) ?? Promise.resolve()).then(async () => {
        const last = lastAt.get(bucket);
        await pause(clock, last === undefined ? 0 : last + TURN_MS - clock.monotonic(), signal);
        signal.throwIfAborted();
        lastAt.set(bucket, clock.monotonic());
        await budget.spend();
      });
      queues.set(
        bucket,
        turn.catch(() => undefined),
      );
      return turn;
    },
  };
}

function readStarts(note: string | null): readonly number[] {
  try {
    const read: unknown = JSON.parse(note ?? "[]");
    return Array.isArray(read) ? read.filter((at): at is number => Number.isSafeInteger(at)) : [];
  } catch {
    return [];
  }
}
