// How long to wait before a connection is opened again: not at all after a long life, ever longer and never in step after short ones.

/** A connection that lived this long was a good one, ms: Slack's own refresh comes after hours. */
export const GOOD_LIFE_MS = 60_000;
/** So many short lives in a row are a storm: something is wrong that reconnecting does not heal. */
export const STORM = 5;

const FIRST_MS = 1_000;
const STORM_FIRST_MS = 30_000;
const LONGEST_MS = 300_000;

export interface Breaker {
  /**
   * A connection ended, or could not be made.
   * @param livedMs how long it stood; 0 when it never did.
   * @param atLeastMs what Slack asked for, ms.
   * @returns ms to wait, with jitter so that many bots do not come back at once.
   */
  ended(livedMs: number, atLeastMs?: number): number;
  /** Short lives since the last good one. */
  short(): number;
}

/** @param random a fresh number from 0 to below 1. */
export function createBreaker(random: () => number): Breaker {
  let short = 0;
  return {
    ended(livedMs, atLeastMs = 0) {
      if (livedMs >= GOOD_LIFE_MS) {
        short = 0;
        return atLeastMs;
      }
      short++;
      const isStorm = short >= STORM;
      const doublings = Math.min(20, short - (isStorm ? STORM : 1));
      const full = Math.min(LONGEST_MS, (isStorm ? STORM_FIRST_MS : FIRST_MS) * 2 ** doublings);
      return Math.max(atLeastMs, Math.ceil(full * (0.5 + random() / 2)));
    },
    short: () => short,
  };
}
