// Takes a push of a feed: whether anybody wants to hear of it, and what is to be reviewed, is durable before it is acknowledged.
import type { VcsKind } from "../core/change.ts";
import { AppError } from "../core/errors.ts";
import type { JobId, ReviewId } from "../core/ids.ts";
import { matchBranch } from "../core/subscription-match.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Subscriptions } from "../ports/listeners.ts";
import type { Store } from "../ports/store.ts";

/** One ref that moved, or one change of an ordered stream. */
export interface Push {
  /** Alias of the configured repository. */
  readonly repository: string;
  /** The full ref (`refs/heads/main`); Perforce and Subversion have one stream each, whatever is said here. */
  readonly ref: string;
  /** What the ref stood at before; absent or all zeros: the ref is new, or nobody says. */
  readonly before?: string;
  /** A full commit id, a changelist or a revision number; all zeros: the ref is gone. */
  readonly head: string;
  /** Which feed tells it: `github`, `svn`, `poll`, …. */
  readonly source: string;
  /** The feed's id of the event; the same event again has the same id. Null where the feed has none. */
  readonly deliveryId: string | null;
  /** When the feed looked at the ref itself, ms since the epoch; absent where it was told of a move. */
  readonly seenAt?: number;
  /** What the feed said beside; kept out of every decision, because nobody vouches for it. */
  readonly hint?: { readonly author?: string };
}

export interface PushAnswer {
  readonly outcome: "accepted" | "coalesced" | "duplicate" | "ignored";
  /** The review that will cover the push; absent for a no-op. */
  readonly reviewId?: ReviewId;
  /** Why there is none, one word for the log: `known_head`, `deleted`, `no_subscription`, …. */
  readonly reason?: string;
}

/** Resolves once the push is durable. Throws AppError `not_found` for an alias that is not configured, and the store's faults. */
export type AcceptPush = (push: Push) => Promise<PushAnswer>;

/** The source under which the poller's pushes come: what it tells is the ref's state of now. */
export const pollSource = "poll";

export interface PushedRepository {
  readonly alias: string;
  readonly vcs: VcsKind;
  readonly agent: string;
  /** Whether a poller looks after it: then a late webhook may be dropped, because the poller finds what is missing. */
  readonly isPolled: boolean;
}

export interface AcceptPushPorts {
  readonly store: Pick<Store, "acceptPush">;
  readonly subscriptions: Subscriptions;
  readonly repositories: ReadonlyMap<string, PushedRepository>;
  /** Language of reviews that no person asked for. */
  readonly locale: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Tells the workers that there is something to do. */
  readonly wake: () => void;
}

export function createAcceptPush(ports: AcceptPushPorts): AcceptPush {
  const { store, subscriptions, repositories, clock, ids } = ports;

  return async (push) => {
    const repository = repositories.get(push.repository);
    if (repository === undefined) throw unknownRepository(push.repository);
    const moved = readMove(push, repository.vcs);
    const review: ReviewId = ids.next("rv");
    const job: JobId = ids.next("jb");
    const accepted = await store.acceptPush({
      review,
      job,
      delivery: { source: push.source, id: push.deliveryId },
      repository: repository.alias,
      ref: moved.ref,
      before: moved.before,
      head: moved.head,
      ignore: moved.ignore ?? (await unheard(repository, moved.ref)),
      ordered: repository.vcs !== "git",
      authoritative: push.source === pollSource || !repository.isPolled,
      seenAt: push.seenAt ?? null,
      jobKey: feedKey(repository.alias, moved.ref),
      agent: repository.agent,
      locale: ports.locale,
      now: clock.now(),
    });
    if (accepted.outcome === "duplicate" || accepted.outcome === "ignored") return accepted;
    ports.wake();
    return { outcome: accepted.outcome, reviewId: accepted.review };
  };

  /** Null when somebody may want to hear of it; paths and authors are looked at when the change is known. */
  async function unheard({ alias, vcs }: PushedRepository, ref: string): Promise<string | null> {
    const subscribed = await subscriptions.of(alias);
    if (subscribed.length === 0) return "no_subscription";
    return subscribed.some(({ filters }) => matchBranch(filters, { ref, vcs })) ? null : "no_matching_branch";
  }
}

/** Serialises and coalesces the reviews of one ref. */
function feedKey(repository: string, ref: string): string {
  return `feed ${repository} ${ref}`;
}

interface Move {
  readonly ref: string;
  readonly before: string | null;
  readonly head: string | null;
  /** Why no review is wanted, whoever listens. */
  readonly ignore: string | null;
}

/** All zeros, 40 or 64 of them: git's way to say that there is nothing. */
const nothing = /^0+$/u;
const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const number = /^r?0*([1-9]\d{0,9})$/u;

function readMove({ ref, before, head }: Push, vcs: VcsKind): Move {
  if (vcs !== "git") {
    const change = number.exec(head)?.[1] ?? null;
    // The VCS's own name is the name of its one stream, so that triggers and polling mean the same.
    return { ref: vcs, before: null, head: change, ignore: change === null ? "malformed" : null };
  }
  const old = before === undefined || nothing.test(before) || !commitId.test(before) ? null : before;
  if (nothing.test(head)) return { ref, before: old, head: null, ignore: "deleted" };
  if (!commitId.test(head) || !/^refs\/[^\s\p{Cc}]+$/u.test(ref)) {
    return { ref, before: old, head: null, ignore: "malformed" };
  }
  // Tags name commits that came with a branch; notes and the hosts' own refs are nothing to review.
  return { ref, before: old, head, ignore: ref.startsWith("refs/heads/") ? null : "not_a_branch" };
}

function unknownRepository(alias: string): AppError {
  return new AppError("not_found", `There is no repository ${alias}.`, {
    remedy: "Name a repository of the configuration.",
    reason: "unknown_repository",
    params: { repository: alias },
  });
}
