// What is particular to a review that a feed asked for: it covers all since the last one, and only what somebody listens to.
import type { Change, ChangedFile } from "../core/change.ts";
import { AppError } from "../core/errors.ts";
import { matchFilters } from "../core/subscription-match.ts";
import type { Subscriptions } from "../ports/listeners.ts";
import type { ClaimedJob, Store } from "../ports/store.ts";
import type { Vcs } from "../ports/vcs.ts";

/**
 * The change that a job is about; null when the pushed commit is no longer part of the repository, because the branch was
 * removed or forced elsewhere. Throws the VCS's AppErrors: an outage is never taken for either.
 */
export async function resolveJob(
  vcs: Vcs,
  store: Pick<Store, "lastReviewedHead">,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<Change | null> {
  const { review, ref } = job;
  if (ref === undefined) return vcs.resolve({ spec: review.spec }, { signal });
  // Changelists and revisions come one by one and are reviewed by their own delta.
  const since = vcs.kind === "git" ? await store.lastReviewedHead(review.repository, ref) : null;
  const request = { spec: review.spec, ref, ...(since === null ? {} : { since }) };
  try {
    return await vcs.resolve(request, { signal });
  } catch (thrown) {
    if (vcs.kind === "git" && isMissing(thrown) && (await hasLeft(vcs, review.spec, ref, signal))) return null;
    throw thrown;
  }
}

/** Whether the ref is gone or stands elsewhere now. */
async function hasLeft(vcs: Vcs, head: string, ref: string, signal: AbortSignal): Promise<boolean> {
  try {
    const now = await vcs.resolve({ spec: "", ref }, { signal });
    return now.head.canonical !== head;
  } catch (thrown) {
    if (isMissing(thrown)) return true;
    throw thrown;
  }
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === "not_found";
}

/** Whether any subscription wants to hear of a feed's change; what a person asked for is always wanted. */
export async function isWanted(
  subscriptions: Subscriptions,
  job: ClaimedJob,
  change: Change,
  files: readonly ChangedFile[],
): Promise<boolean> {
  if (job.review.requester.kind !== "feed") return true;
  const subscribed = await subscriptions.of(job.review.repository);
  return subscribed.some(({ filters }) => matchFilters(filters, change, files).matches);
}
