// How many reviews a person and a conversation may ask for: token buckets in memory, filled by the clock.
import type { ConversationRef, PersonRef } from "../core/delivery.ts";
import type { Role } from "../core/roles.ts";
import type { Clock } from "../ports/clock.ts";

/** Reviews a minute; as many may be asked for at once. */
export interface QuotaRates {
  readonly person: number;
  readonly conversation: number;
  /** Of a person who is an admin; what admins ask for does not count for their conversation. */
  readonly admin: number;
}

export type QuotaAnswer =
  | { readonly granted: true }
  /** `perMinute`: the rate that was used up; `retryAfterMs`: when the next review is granted. */
  | { readonly granted: false; readonly perMinute: number; readonly retryAfterMs: number };

export type TakeQuota = (asker: {
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  readonly role: Role;
}) => QuotaAnswer;

interface Bucket {
  /** May be a fraction. */
  tokens: number;
  /** Monotonic, ms. */
  at: number;
  readonly perMinute: number;
}

/** Above this many buckets, the full ones are forgotten: they are what a new one would be. */
const MAX_BUCKETS = 10_000;
const MINUTE_MS = 60_000;

export function createQuota(rates: QuotaRates, clock: Clock): TakeQuota {
  const buckets = new Map<string, Bucket>();

  return ({ conversation, person, role }) => {
    const who = JSON.stringify(["person", role === "admin", person.channel, person.workspace, person.person]);
    const where = JSON.stringify([conversation.channel, conversation.workspace, conversation.conversation]);
    const needed =
      role === "admin"
        ? [bucketOf(who, rates.admin)]
        : [bucketOf(who, rates.person), bucketOf(where, rates.conversation)];
    const empty = needed.find(({ tokens }) => tokens < 1);
    if (empty !== undefined) {
      const retryAfterMs = Math.ceil(((1 - empty.tokens) * MINUTE_MS) / empty.perMinute);
      return { granted: false, perMinute: empty.perMinute, retryAfterMs };
    }
    for (const bucket of needed) bucket.tokens -= 1;
    return { granted: true };
  };

  function bucketOf(key: string, perMinute: number): Bucket {
    const now = clock.monotonic();
    const known = buckets.get(key);
    if (known !== undefined) {
      refill(known, now);
      return known;
    }
    if (buckets.size >= MAX_BUCKETS) forgetFull(now);
    const bucket = { tokens: perMinute, at: now, perMinute };
    buckets.set(key, bucket);
    return bucket;
  }

  function forgetFull(now: number): void {
    for (const [key, bucket] of buckets) {
      refill(bucket, now);
      if (bucket.tokens >= bucket.perMinute) buckets.delete(key);
    }
  }
}

function refill(bucket: Bucket, now: number): void {
  const earned = ((now - bucket.at) * bucket.perMinute) / MINUTE_MS;
  bucket.tokens = Math.min(bucket.perMinute, bucket.tokens + earned);
  bucket.at = now;
}
