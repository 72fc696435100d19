// Asks every subscribed repository for what is new, each in its own rhythm: what webhooks tell sooner, this finds for certain.
import { type AcceptPush, pollSource } from "../app/accept-push.ts";
import { toAppError } from "../core/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { Poll, Vcs } from "../ports/vcs.ts";
import { createDueList } from "./due-list.ts";

/** Events taken from one answer before its cursor is stored. */
const BATCH = 100;
/** One question to a repository, ms. */
const DEADLINE_MS = 120_000;
/** Repositories asked at once. */
const CONCURRENCY = 4;
/** Longest wait after failures, ms, unless the feed's own interval is longer. */
const MAX_BACKOFF_MS = 15 * 60_000;
/** The first polls after a start are spread over this much a feed, ms, so that many of them do not come at once. */
const START_SPREAD_MS = 100;
/** How soon the first listener of a repository is noticed, ms. */
const UNWANTED_MS = 2_000;
/** Each wait is made up to this share shorter or longer. */
const JITTER = 0.1;

export interface PolledFeed {
  /** Alias of the repository. */
  readonly repository: string;
  /** Names what is polled: when it changes, an old cursor does not count. */
  readonly source: string;
  /** Time between two polls, ms. */
  readonly intervalMs: number;
  readonly vcs: Pick<Vcs, "kind" | "poll" | "resolve">;
  /** Whether anybody listens by now; absent: always. What came while nobody did is never caught up on. */
  readonly isWanted?: () => Promise<boolean>;
}

export interface PollerPorts {
  readonly feeds: readonly PolledFeed[];
  readonly store: Pick<Store, "cursor" | "moveCursor" | "acceptedHeads" | "unsureRefs" | "forgetFeed">;
  readonly acceptPush: AcceptPush;
  readonly clock: Clock;
  /** A number from 0 up to 1, for the jitter. */
  readonly random: () => number;
  readonly logger: Logger;
}

export interface Poller {
  /** Starts what is due; call it about every second. Costs next to nothing when nothing is due. */
  wake(): void;
  /** Resolves when no poll is running. */
  idle(): Promise<void>;
  /** Breaks off what runs; resolves when it has ended. Nothing is lost: cursors move only after their events. */
  stop(): Promise<void>;
}

interface State extends PolledFeed {
  /** Failures in a row. */
  failures: number;
  /** Nobody listened when it was visited last, and what was known is forgotten. */
  isForgotten: boolean;
}

export function createPoller({ feeds, store, acceptPush, clock, random, logger }: PollerPorts): Poller {
  const due = createDueList<State>();
  const running = new Set<Promise<void>>();
  const abort = new AbortController();
  for (const feed of feeds) {
    const spread = Math.min(feed.intervalMs, feeds.length * START_SPREAD_MS);
    due.add(
      { ...feed, failures: 0, isForgotten: false },
      feeds.length === 1 ? clock.monotonic() : clock.monotonic() + random() * spread,
    );
  }

  function wake(): void {
    while (!abort.signal.aborted && running.size < CONCURRENCY) {
      const feed = due.takeDue(clock.monotonic());
      if (feed === null) return;
      const done: Promise<void> = visit(feed).finally(() => {
        running.delete(done);
        wake();
      });
      running.add(done);
    }
  }

  async function visit(feed: State): Promise<void> {
    try {
      if (feed.isWanted !== undefined && !(await feed.isWanted())) {
        await forget(feed);
        due.add(feed, clock.monotonic() + UNWANTED_MS);
        return;
      }
      await pollAll(feed);
      if (feed.failures > 0) logger.info("feed.recovered", { repository: feed.repository, failures: feed.failures });
      feed.failures = 0;
    } catch (thrown) {
      if (abort.signal.aborted) return;
      feed.failures++;
      const { code, message, detail } = toAppError(thrown);
      const { repository, failures } = feed;
      logger.warn("feed.unreachable", { repository, failures, code, error: message, detail });
    }
    due.add(feed, clock.monotonic() + waitOf(feed));
  }

  /** Whoever listens later is not to be told of all that was pushed while nobody did, after a restart neither. */
  async function forget(feed: State): Promise<void> {
    const { repository } = feed;
    if (!feed.isForgotten && (await store.forgetFeed(repository))) logger.info("feed.forgotten", { repository });
    feed.isForgotten = true;
  }

  function waitOf({ intervalMs, failures }: State): number {
    const backoff = Math.min(intervalMs * 2 ** Math.min(failures, 16), Math.max(intervalMs, MAX_BACKOFF_MS));
    return backoff * (1 - JITTER + 2 * JITTER * random());
  }

  async function pollAll(feed: State): Promise<void> {
    const { repository, source, vcs } = feed;
    feed.isForgotten = false;
    for (;;) {
      const cursor = await store.cursor(repository, source);
      const limits = { signal: abort.signal, deadlineMs: DEADLINE_MS };
      const seenAt = clock.now();
      const poll = await vcs.poll(cursor, BATCH, limits);
      if (poll.gap) await closeGap(feed);
      await acceptAll(feed, poll, seenAt);
      if (poll.next !== cursor) await store.moveCursor({ repository, source, cursor: poll.next, now: clock.now() });
      if (cursor === null) logger.info("feed.begun", { repository, vcs: vcs.kind });
      if (poll.events.length < BATCH || abort.signal.aborted) break;
    }
    if (vcs.kind === "git" && !abort.signal.aborted) await makeSure(feed);
  }

  /** A webhook that came late may have told of a push that others have followed: the ref itself says where it stands. */
  async function makeSure({ repository, vcs }: State): Promise<void> {
    for (const ref of await store.unsureRefs(repository)) {
      const seenAt = clock.now();
      const head = (await headOf(vcs, ref)) ?? NOWHERE;
      await acceptPush({ repository, ref, head, source: pollSource, deliveryId: null, seenAt });
    }
  }

  async function acceptAll({ repository, vcs }: State, poll: Poll, seenAt: number): Promise<void> {
    for (const { ref, before, head, forced } of poll.events) {
      const answer = await acceptPush({
        repository,
        ref,
        ...(before === undefined ? {} : { before }),
        head: head ?? NOWHERE,
        source: pollSource,
        deliveryId: null,
        seenAt,
      });
      logger.debug("feed.event", { repository, vcs: vcs.kind, ref, head, forced, ...answer });
    }
  }

  /** The cursor was lost: what is not known to be accepted is reviewed from where each ref was left, up to where it stands. */
  async function closeGap({ repository, vcs }: State): Promise<void> {
    const known = await store.acceptedHeads(repository);
    logger.warn("feed.gap", { repository, refs: known.map(({ ref }) => ref) });
    for (const { ref, head: before } of known) {
      const seenAt = clock.now();
      const head = await headOf(vcs, ref);
      if (head === null || head === before) continue;
      await acceptPush({ repository, ref, before, head, source: pollSource, deliveryId: null, seenAt });
    }
  }

  async function headOf(vcs: State["vcs"], ref: string): Promise<string | null> {
    try {
      const limits = { signal: abort.signal, deadlineMs: DEADLINE_MS };
      const change = await vcs.resolve({ spec: "", ...(vcs.kind === "git" ? { ref } : {}) }, limits);
      return change.head.canonical;
    } catch (thrown) {
      if (toAppError(thrown).code === "not_found") return null;
      throw thrown;
    }
  }

  const idle = async (): Promise<void> => {
    while (running.size > 0) await Promise.allSettled([...running]);
  };

  return {
    wake,
    idle,
    async stop() {
      abort.abort();
      await idle();
    },
  };
}

/** How a ref that is gone is told, as the hosts tell it. */
const NOWHERE = "0".repeat(40);
