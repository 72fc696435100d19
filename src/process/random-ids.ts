// Ids that sort by the time of their making, and unguessable tokens, behind the ids port.
import { randomFillSync } from "node:crypto";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";

/** Crockford's base 32: no letter that is read as a digit, and in the order of its values. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/** 50 bits of milliseconds: lasts until the year 37,000. */
const timeDigits = 10;
/** 80 random bits are two halves, each small enough to be counted exactly. */
const halfDigits = 8;
const halfBytes = 5;
const halfLimit = 2 ** 40;
/** 26 digits hold 130 bits, the first two of which stay 0: 128 random bits. */
const tokenDigits = 26;
/** Asking the operating system costs more than what it gives: so many bytes are taken at once. */
const poolBytes = 4_096;

/**
 * An id is 26 digits: 10 of time, 16 random. Ids of one millisecond count on from a random start, so that they
 * sort by making too; should wall time go back, the last time is kept.
 */
export function createIds(clock: Pick<Clock, "now">): Ids {
  const draw = createPool();
  let lastTime = -1;
  let time = "";
  let high = 0;
  let low = 0;

  function startAt(moment: number): void {
    lastTime = moment;
    time = digits(moment, timeDigits);
    high = draw(halfBytes).readUIntBE(0, halfBytes);
    low = draw(halfBytes).readUIntBE(0, halfBytes);
  }

  function stamp(): string {
    const now = Math.max(0, Math.floor(clock.now()));
    if (now > lastTime) startAt(now);
    else {
      // A random step keeps neighbours unguessable enough and never collides with the one before.
      low += 1 + draw(4).readUInt32BE(0);
      if (low >= halfLimit) {
        low -= halfLimit;
        high += 1;
        if (high === halfLimit) startAt(lastTime + 1);
      }
    }
    return time + digits(high, halfDigits) + digits(low, halfDigits);
  }

  return {
    next: (prefix) => `${prefix}_${stamp()}`,
    token() {
      const bytes = draw(tokenDigits);
      let text = alphabet[(bytes[0] ?? 0) & 7] ?? "";
      for (let i = 1; i < tokenDigits; i++) text += alphabet[(bytes[i] ?? 0) & 31];
      return text;
    },
  };
}

/** Gives random bytes, each once. */
function createPool(): (count: number) => Buffer {
  const pool = Buffer.alloc(poolBytes);
  let used = poolBytes;
  return (count) => {
    if (used + count > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
}

function digits(value: number, count: number): string {
  let rest = value;
  let text = "";
  for (let i = 0; i < count; i++) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
