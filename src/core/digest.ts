// What a digest sums up: reviews and findings of one repository in a window of time, as one conversation heard of them.
import { type Severity, severities } from "./problem.ts";
import type { ReviewStatus } from "./review.ts";

export type BySeverity = Readonly<Record<Severity, number>>;

export interface DigestNumbers {
  /** Reviews that were asked for in the window, by where they stand now. */
  readonly reviews: Readonly<Partial<Record<ReviewStatus, number>>>;
  /** Reviews that the conversation heard nothing of, by the reason, the most frequent first. */
  readonly silent: readonly { readonly reason: string; readonly n: number }[];
  /** Seen for the first time, resolved everywhere, or dismissed in the window. */
  readonly fresh: BySeverity;
  readonly resolved: BySeverity;
  readonly dismissed: BySeverity;
  /** Open and not dismissed now. */
  readonly open: BySeverity;
}

/** A moment at which a digest is due, by the clock of its time zone. */
export interface DueSlot {
  /** Local date and time, `2026-03-29 09:00`: the same minute of the same day is the same slot, however often it comes. */
  readonly slot: string;
  /** ms since the epoch. */
  readonly dueAt: number;
}

/** How late a digest may still be sent, ms. */
export const CATCH_UP_MS = 6 * 3_600_000;

export const noneBySeverity: BySeverity = { info: 0, low: 0, medium: 0, high: 0, critical: 0 };

export function total(counts: BySeverity): number {
  return severities.reduce((sum, severity) => sum + counts[severity], 0);
}

export function reviewCount({ reviews }: Pick<DigestNumbers, "reviews">): number {
  return Object.values(reviews).reduce((sum, n) => sum + n, 0);
}

/** Nothing happened in the window; what is open since before it is no news. */
export function isQuiet(numbers: DigestNumbers): boolean {
  const { fresh, resolved, dismissed } = numbers;
  return reviewCount(numbers) + total(fresh) + total(resolved) + total(dismissed) === 0;
}
