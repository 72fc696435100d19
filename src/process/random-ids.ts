// Ids that sort by the time of their making, and unguessable tokens, behind the ids port.
import { randomBytes } from "node:crypto";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";

/** Crockford's base 32: no letter that is read as a digit, and in the order of its values. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/** 50 bits of milliseconds: lasts until the year 37,000. */
const timeDigits = 10;
/** 80 random bits. */
const randomDigits = 16;
/** 26 digits hold 130 bits, the first two of which stay 0: 128 random bits. */
const tokenBytes = 16;

/**
 * An id is 26 digits: 10 of time, 16 random. Ids of one millisecond count on from a random start, so that they
 * sort by making too; should wall time go back, the last time is kept.
 */
export function createIds(clock: Pick<Clock, "now">): Ids {
  let lastTime = -1;
  let random = 0n;
  const limit = 1n << 80n;

  function stamp(): string {
    const now = Math.max(0, Math.floor(clock.now()));
    if (now > lastTime) {
      lastTime = now;
      random = fromBytes(randomBytes(10));
    } else {
      // A random step keeps neighbours unguessable enough and never collides with the one before.
      random += 1n + fromBytes(randomBytes(4));
      if (random >= limit) {
        lastTime++;
        random = fromBytes(randomBytes(10));
      }
    }
    return digits(BigInt(lastTime), timeDigits) + digits(random, randomDigits);
  }

  return {
    next: (prefix) => `${prefix}_${stamp()}`,
    token: () => digits(fromBytes(randomBytes(tokenBytes)), 26),
  };
}

function fromBytes(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString("hex")}`);
}

function digits(value: bigint, count: number): string {
  let rest = value;
  let text = "";
  for (let i = 0; i < count; i++) {
    text = alphabet[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}
