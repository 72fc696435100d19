// Takes a request to review a change: review, job and inbox row are durable before anybody is told so.
import type { JobId, ReviewId } from "../core/ids.ts";
import type { Requester } from "../core/review.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { AcceptedReview, Store } from "../ports/store.ts";

export interface AcceptChangePorts {
  readonly store: Pick<Store, "acceptReview">;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface ChangeRequest {
  readonly repository: string;
  /** The revision as typed or as the feed gave it; empty for the newest of the default branch. */
  readonly spec: string;
  /** For feeds: the full ref that moved. Requests for one ref coalesce. */
  readonly ref?: string;
  readonly agent: string;
  readonly paths: readonly string[];
  readonly locale: string;
  readonly requester: Requester;
  /** The review that this one does again: it is then never answered from another. */
  readonly rerunOf?: ReviewId;
  /** Where the request came from, and its id there: the same pair twice is one request. */
  readonly source: string;
  readonly eventId: string;
}

export type AcceptChange = (request: ChangeRequest) => Promise<AcceptedReview>;

export function createAcceptChange({ store, clock, ids }: AcceptChangePorts): AcceptChange {
  return ({ source, eventId, ...request }) => {
    const review: ReviewId = ids.next("rv");
    const job: JobId = ids.next("jb");
    const isFeed = request.requester.kind === "feed";
    return store.acceptReview({
      ...request,
      review,
      job,
      inbox: { source, key: eventId },
      // A person's review stands alone; a feed's reviews of one ref form a queue of one running and one pending.
      jobKey: isFeed ? `feed ${request.repository} ${request.ref ?? ""}` : `person ${review}`,
      coalesce: isFeed,
      now: clock.now(),
    });
  };
}
