// What the store remembers of feeds: pushes that were accepted, how far each ref is reviewed, and where polling stands.
import type { JobId, ReviewId } from "../core/ids.ts";

/** The part of the store that feeds use. All times are ms since the epoch, given by the caller. */
export interface FeedStore {
  /** Inbox row, push, review and job in one operation: commit this before acknowledging anything. */
  acceptPush(request: AcceptPushRequest): Promise<AcceptedPush>;
  /**
   * The head of the newest successful review (reported, clean, skipped) that a feed asked for on a ref; before the first
   * one, what the ref stood at when its first push was accepted. Null where nothing is known.
   */
  lastReviewedHead(repository: string, ref: string): Promise<string | null>;
  /** The newest accepted head of every ref of a repository. */
  acceptedHeads(repository: string): Promise<readonly { readonly ref: string; readonly head: string }[]>;
  /** Refs whose newest accepted head is not certain to be where they stand: it came by a webhook that may have been late. */
  unsureRefs(repository: string): Promise<readonly string[]>;
  /**
   * Where polling stands; null at first.
   * @param source names what is polled: a cursor of another source (the repository's address was changed) does not count.
   */
  cursor(repository: string, source: string): Promise<string | null>;
  /** Moves the cursor: only once everything before it is accepted. */
  moveCursor(request: {
    readonly repository: string;
    readonly source: string;
    readonly cursor: string;
    readonly now: number;
  }): Promise<void>;
  /**
   * Forgets where polling stands and how far refs are reviewed, because nobody listens any more: who listens later hears of
   * what is pushed from then on. True when there was something to forget.
   */
  forgetFeed(repository: string): Promise<boolean>;
  /** Names of the workers that hold leases of jobs or of lanes. */
  leaseHolders(): Promise<readonly string[]>;
  /** Ends the leases of workers that are known to be dead, so that their jobs run and their lanes send again at once; gives how many. */
  endLeases(workers: readonly string[], now: number): Promise<number>;
}

export interface AcceptPushRequest {
  /** Taken if the push needs a review of its own. */
  readonly review: ReviewId;
  readonly job: JobId;
  /** Where the push came from and its id there; the same pair twice for one ref is a no-op. Null: it has no id. */
  readonly delivery: { readonly source: string; readonly id: string | null };
  readonly repository: string;
  readonly ref: string;
  /** What the ref stood at before; null where it is new or nobody says. */
  readonly before: string | null;
  /** Null for a deletion. */
  readonly head: string | null;
  /** Why no review is wanted; only the inbox row is written then, and a deletion ends what is pending. */
  readonly ignore: string | null;
  /** Every push gets a review of its own, one after the other (P4, SVN); else pending ones are absorbed (git). */
  readonly ordered: boolean;
  /** The source knows the ref's state of now; others may tell of pushes late and in any order. */
  readonly authoritative: boolean;
  /** When the source looked at the ref, where it did; what was accepted since then is newer. Null: it tells of a move. */
  readonly seenAt: number | null;
  readonly jobKey: string;
  readonly agent: string;
  readonly locale: string;
  readonly now: number;
}

export type AcceptedPush =
  | { readonly outcome: "accepted" | "coalesced"; readonly review: ReviewId }
  /** `known_delivery`: the id; `known_head`: the ref was there already; `outdated`: the ref has moved on. */
  | { readonly outcome: "duplicate"; readonly reason: "known_delivery" | "known_head" | "outdated" }
  | { readonly outcome: "ignored"; readonly reason: string };
