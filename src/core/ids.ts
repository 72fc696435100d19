// Identifiers of the domain: a prefix tells what an id names, and the type system keeps the kinds apart.

export type ReviewId = `rv_${string}`;
export type JobId = `jb_${string}`;
export type DeliveryId = `dl_${string}`;
export type FindingId = `fd_${string}`;
export type SubscriptionId = `sb_${string}`;

/** Names one invocation of an agent: `<reviewId>-<attempt>.<pass>`, both counted from 1. */
export type RunId = `${ReviewId}-${number}.${number}`;

/** The key of one message of a delivery, `<delivery>/<n>`, n counted from 0 (0 is the root). */
export type MessageKey = `${DeliveryId}/${number}`;

export function runId(review: ReviewId, attempt: number, pass: number): RunId {
  return `${review}-${attempt}.${pass}`;
}

export function isRunId(value: string): value is RunId {
  return /^rv_[0-9A-Za-z]+-\d+\.\d+$/.test(value);
}
