// What is particular to a review that a feed asked for: it covers all since the last one, and only what somebody listens to.
import type { Change, ChangedFile } from "../core/change.ts";
import { AppError } from "../core/errors.ts";
import { matchFilters } from "../core/subscription-match.ts";
import type { Subscriptions } from "../ports/listeners.ts";
import type { ClaimedJob, Store } from "../ports/store.ts";
import type { Vcs } from "../ports/vcs.ts";

/**
 * The change that a job is about; null when what was pushed is no part of the repository (any more): the branch was removed
 * or forced elsewhere, or the change is of another path. Throws the VCS's AppErrors: an outage is never taken for that.
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
    if (!isMissing(thrown)) throw thrown;
    if (vcs.kind === "git") {
      if (await hasLeft(vcs, review.spec, ref, signal)) return null;
      throw thrown;
    }
    if (job.attempt > LAG_RETRIES || (await isElsewhere(vcs, review.spec, signal))) return null;
    throw notThereYet(review.repository, review.spec, thrown);
  }
}

/** A server's copy may lag behind the trigger that told of a change: so often is it asked again. */
const LAG_RETRIES = 2;

/** Whether a change is older than what the repository has, and yet no part of it: a trigger told of another path's change. */
async function isElsewhere(vcs: Vcs, spec: string, signal: AbortSignal): Promise<boolean> {
  const { head } = await vcs.check({ signal });
  return head !== null && Number(spec) <= Number(head.canonical);
}

function notThereYet(repository: string, spec: string, cause: unknown): AppError {
  return new AppError("unavailable", `${repository} does not have the change ${spec} yet.`, {
    remedy: "Wait a moment: the server may lag behind its triggers.",
    cause,
  });
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
