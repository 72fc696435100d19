// One limiter for each app: what goes to a platform is spread over time, whichever conversation it is for.
import type { Rate } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";

/** Resolves when the next call may be made; callers are served in the order in which they came. */
export type LimitRate = (channel: string) => Promise<void>;

/** @param rateOf undefined: no limit. */
export function createLimitRate(rateOf: (channel: string) => Rate | undefined, clock: Clock): LimitRate {
  /** When the bucket of a channel will be full again, were nobody to come; monotonic, ms. */
  const fullAt = new Map<string, number>();

  return (channel) => {
    const rate = rateOf(channel);
    if (rate === undefined) return Promise.resolve();
    const now = clock.monotonic();
    const interval = 1_000 / rate.perSecond;
    const full = Math.max(now, fullAt.get(channel) ?? now) + interval;
    fullAt.set(channel, full);
    const waitMs = full - now - rate.burst * interval;
    return waitMs <= 0 ? Promise.resolve() : new Promise((resolve) => void clock.after(waitMs, resolve));
  };
}
