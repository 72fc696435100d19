// Answers a person's review of a range that was reviewed a moment ago from the store, instead of doing it again.
import { baseName, type Change, type ChangedFile } from "../core/change.ts";
import type { Review } from "../core/review.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { ReviewOutcome } from "./publish-report.ts";

/** How old a review may be to answer for another one of its range (DESIGN §4b), ms. */
const FRESH_MS = 10 * 60_000;

/** Null when the review has to be done: there is no recent one, it was asked to be done again, or a feed asked. */
export type AnswerFromStore = (
  review: Review,
  change: Change,
  files: readonly ChangedFile[],
) => Promise<Extract<ReviewOutcome, { kind: "report" }> | null>;

export function createAnswerFromStore({
  store,
  clock,
}: {
  readonly store: Pick<Store, "recentReview" | "report">;
  readonly clock: Clock;
}): AnswerFromStore {
  return async ({ repository, agent, paths, requester, rerunOf }, change, files) => {
    if (requester.kind === "feed" || rerunOf !== undefined) return null;
    const head = change.head.canonical;
    const since = clock.now() - FRESH_MS;
    const earlier = await store.recentReview({ repository, head, base: baseName(change), agent, paths, since });
    const report = earlier === null ? null : await store.report(earlier.id);
    if (earlier === null || report === null) return null;
    // What the earlier review settled is settled: this one looked at nothing itself.
    return { kind: "report", change, files, report, isSettled: async () => false, answeredFrom: earlier.id };
  };
}
