// Each event once, across copies, connections and restarts: it is claimed before any work, and acknowledged once it is stored.
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";

export interface EventClaimsPorts {
  readonly store: Pick<ChannelStore, "claimEvent" | "settleEvent" | "releaseEvent">;
  readonly clock: Clock;
}

/**
 * `taken`: the work is done and settled. `duplicate`: it was before. `again`: it is still going on, or whoever began it may
 * have died: the platform should push the event once more.
 */
export type Claimed = "taken" | "duplicate" | "again";

export interface EventClaims {
  /**
   * Runs `work` for a new event. Should it throw, the claim is given back and the error goes on: the work had no effect, and
   * the next copy of the event may try.
   * @param key the platform's id of the event or message, with its kind.
   * @param at when the event arose, ms since the epoch.
   * @param waitMs how long the caller can wait; the work itself is never cut off.
   */
  once(key: string, at: number | undefined, waitMs: number, work: () => Promise<void>): Promise<Claimed>;
  /**
   * The same for work that nobody waits for: resolves when the event is claimed and the work has begun, or when it is known
   * already; rejects when neither could be found out. Whoever runs `work` logs its failures.
   */
  begin(key: string, work: () => Promise<void>): Promise<"begun" | "known">;
  /** Settles when no work is going on any more, or after `ms`. */
  ended(ms: number): Promise<void>;
}

/** An unsettled claim older than this is free again (ChannelStore), ms; with room for clocks that differ. */
const CLAIM_MS = 90_000;
/** Settled events that are known without asking the store. */
const MAX_SETTLED = 5_000;

export function createEventClaims({ store, clock }: EventClaimsPorts): EventClaims {
  const working = new Map<string, Promise<Claimed>>();
  const settled = new Set<string>();

  async function claim(key: string, at: number | undefined, work: () => Promise<void>): Promise<Claimed> {
    const event = { channel: "lark", key };
    if (!(await store.claimEvent(event, clock.now()))) {
      // Settled, or claimed by a process that may be gone. A young event comes once more, when that is known; of an old one
      // the claim has run out, so that it is settled.
      return at !== undefined && clock.now() - at < CLAIM_MS ? "again" : "duplicate";
    }
    try {
      await work();
    } catch (thrown) {
      await store.releaseEvent(event).catch(() => undefined);
      throw thrown;
    }
    remember(key);
    await store.settleEvent(event, clock.now());
    return "taken";
  }

  function track(key: string, claimed: Promise<Claimed>): Promise<Claimed> {
    const tracked = claimed.finally(() => working.delete(key));
    working.set(key, tracked);
    // Whoever stops waiting leaves nobody to hear of a failure: it shows in the log of the work itself.
    tracked.catch(() => undefined);
    return tracked;
  }

  function remember(key: string): void {
    settled.add(key);
    for (const oldest of settled) {
      if (settled.size <= MAX_SETTLED) break;
      settled.delete(oldest);
    }
  }

  return {
    async once(key, at, waitMs, work) {
      if (settled.has(key)) return "duplicate";
      const going = working.get(key);
      if (going !== undefined) {
        const outcome = await within(going, waitMs, clock).catch(() => "again" as const);
        return outcome === "taken" ? "duplicate" : (outcome ?? "again");
      }
      const claimed = track(key, claim(key, at, work));
      return (await within(claimed, waitMs, clock)) ?? "again";
    },
    begin(key, work) {
      if (settled.has(key) || working.has(key)) return Promise.resolve("known");
      return new Promise((resolve, reject) => {
        const begun = async (): Promise<void> => {
          resolve("begun");
          await work();
        };
        track(key, claim(key, undefined, begun)).then(() => resolve("known"), reject);
      });
    },
    async ended(ms) {
      await within(Promise.allSettled([...working.values()]), ms, clock);
    },
  };
}

/** The outcome, or undefined when it takes longer. */
export async function within<T>(outcome: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    cancel();
  }
}
