// Writes of feeds: pushes accepted once each, and the cursors of polling.
import type { Database } from "better-sqlite3";
import type { ReviewId } from "../../core/ids.ts";
import type { AcceptedPush, AcceptPushRequest, FeedStore } from "../../ports/feed-store.ts";

interface KnownPush {
  readonly seq: number;
  readonly head: string;
  readonly acceptedAt: number;
}

export function createPushWrites(db: Database) {
  const delivered = db.prepare("SELECT 1 FROM inbox WHERE source = ? AND key = ? AND repository = ? AND ref = ?");
  const insertInbox = db.prepare(
    `INSERT INTO inbox (source, key, repository, ref, head, outcome, reason, review, received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const same = db.prepare<unknown[], KnownPush>(
    "SELECT seq, head, accepted_at AS acceptedAt FROM pushes WHERE repository = ? AND ref = ? AND head = ?",
  );
  const newest = db.prepare<unknown[], KnownPush>(
    `SELECT seq, head, accepted_at AS acceptedAt FROM pushes WHERE repository = ? AND ref = ?
     ORDER BY seq DESC LIMIT 1`,
  );
  const left = db.prepare("SELECT 1 FROM pushes WHERE repository = ? AND ref = ? AND before = ?");
  const forget = db.prepare("DELETE FROM pushes WHERE seq = ?");
  const insertPush = db.prepare(
    "INSERT INTO pushes (repository, ref, head, before, accepted_at, sure) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const markSure = db.prepare("UPDATE pushes SET sure = 1 WHERE seq = ?");
  const assumeReviewed = db.prepare(
    "INSERT INTO reviewed (repository, ref, head, at) VALUES (?, ?, ?, ?) ON CONFLICT (repository, ref) DO NOTHING",
  );
  const assumedUpTo = "repository = ? AND ref = ? AND head = ? AND review IS NULL";
  const assumeEarlier = db.prepare(`UPDATE reviewed SET head = ? WHERE ${assumedUpTo}`);
  const assumeNothing = db.prepare(`DELETE FROM reviewed WHERE ${assumedUpTo}`);
  const pending = db.prepare<unknown[], { seq: number; review: number; id: ReviewId }>(
    `SELECT j.seq, j.review, r.id FROM jobs j JOIN reviews r ON r.seq = j.review
     WHERE j.key = ? AND j.state = 'pending' AND j.coalesces = 1`,
  );
  const moveHead = db.prepare("UPDATE reviews SET spec = ? WHERE seq = ?");
  // A push says that the VCS answers again: a review that waits for its retry need not wait longer.
  const hasten = db.prepare("UPDATE jobs SET due_at = min(due_at, ?) WHERE seq = ?");
  const supersede = db.prepare("UPDATE reviews SET status = 'superseded', finished_at = ? WHERE seq = ?");
  const removeJob = db.prepare("DELETE FROM jobs WHERE seq = ?");
  const insertReview = db.prepare(
    `INSERT INTO reviews (id, repository, spec, ref, agent, paths, locale, feed, status, created_at)
     VALUES (?, ?, ?, ?, ?, '[]', ?, ?, 'queued', ?)`,
  );
  const insertJob = db.prepare(
    `INSERT INTO jobs (id, key, review, coalesces, ordered, state, due_at, created_at)
     VALUES (?, ?, ?, ?, ?, 'pending', ?, ?)`,
  );
  const putCursor = db.prepare(
    `INSERT INTO cursors (repository, source, cursor, moved_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (repository) DO UPDATE SET source = excluded.source, cursor = excluded.cursor,
       moved_at = excluded.moved_at`,
  );

  const dropCursor = db.prepare("DELETE FROM cursors WHERE repository = ?");
  const dropReviewed = db.prepare("DELETE FROM reviewed WHERE repository = ?");

  function note(request: AcceptPushRequest, outcome: string, reason: string | null, review: number | null): void {
    const { delivery, repository, ref, head, now } = request;
    if (delivery.id === null) return;
    insertInbox.run(delivery.source, delivery.id, repository, ref, head, outcome, reason, review, now);
  }

  /** Whether the ref stands, or stood, there already: then there is nothing new to review. */
  function staleness(request: AcceptPushRequest, last: KnownPush | undefined): "known_head" | "outdated" | null {
    if (last === undefined) return null;
    const { repository, ref, head, before } = request;
    const isKnown = same.get(repository, ref, head) !== undefined;
    if (request.ordered || head === last.head) return isKnown ? "known_head" : null;
    // A forced push may lead back to an earlier head; a late or repeated webhook looks just like it.
    if (isKnown) return request.authoritative && isNews(request, last) ? null : "known_head";
    if (request.authoritative || before === last.head) return null;
    const hasMovedOn = left.get(repository, ref, head) !== undefined;
    return hasMovedOn || (before !== null && left.get(repository, ref, before) !== undefined) ? "outdated" : null;
  }

  /** Whether a source knows more than what was accepted last. */
  function isNews({ seenAt, before }: AcceptPushRequest, last: KnownPush): boolean {
    return seenAt === null ? before === last.head : last.acceptedAt < seenAt;
  }

  /** A push that came after the one that followed it: what the ref stood at before moves back, as long as nothing relied on it. */
  function assumeLess({ repository, ref, before, head }: AcceptPushRequest): void {
    if (before === null) assumeNothing.run(repository, ref, head);
    else assumeEarlier.run(before, repository, ref, head);
  }

  /** A ref that is gone takes its pending review with it, unless the ref may have come back before this was told. */
  function endPending(request: AcceptPushRequest): void {
    const { repository, ref, jobKey, now } = request;
    const waiting = pending.get(jobKey);
    const last = newest.get(repository, ref);
    if (last === undefined || !request.authoritative || !isNews(request, last)) return;
    markSure.run(last.seq);
    if (waiting === undefined) return;
    supersede.run(now, waiting.review);
    removeJob.run(waiting.seq);
    // Should the ref come back as it was, it is reviewed then.
    forget.run(last.seq);
  }

  function enqueue(request: AcceptPushRequest, head: string): AcceptedPush {
    const { review, job, repository, ref, ordered, now } = request;
    const absorbing = ordered ? undefined : pending.get(request.jobKey);
    if (absorbing !== undefined) {
      moveHead.run(head, absorbing.review);
      hasten.run(now, absorbing.seq);
      note(request, "coalesced", null, absorbing.review);
      return { outcome: "coalesced", review: absorbing.id };
    }
    const { agent, locale, delivery } = request;
    const inserted = insertReview.run(review, repository, head, ref, agent, locale, delivery.source, now);
    const seq = Number(inserted.lastInsertRowid);
    insertJob.run(job, request.jobKey, seq, ordered ? 0 : 1, ordered ? 1 : 0, now, now);
    note(request, "accepted", null, seq);
    return { outcome: "accepted", review };
  }

  return {
    acceptPush(request: AcceptPushRequest): AcceptedPush {
      const { delivery, repository, ref, before, head, now } = request;
      if (delivery.id !== null && delivered.get(delivery.source, delivery.id, repository, ref) !== undefined) {
        return { outcome: "duplicate", reason: "known_delivery" };
      }
      if (head === null) endPending(request);
      if (head === null || request.ignore !== null) {
        const reason = request.ignore ?? "deleted";
        note(request, "ignored", reason, null);
        return { outcome: "ignored", reason };
      }
      const last = newest.get(repository, ref);
      const stale = staleness(request, last);
      if (stale !== null) {
        if (last !== undefined && request.authoritative && head === last.head) markSure.run(last.seq);
        if (stale === "outdated") assumeLess(request);
        note(request, "duplicate", stale, null);
        return { outcome: "duplicate", reason: stale };
      }
      const earlier = same.get(repository, ref, head);
      if (earlier !== undefined) forget.run(earlier.seq);
      insertPush.run(repository, ref, head, before, now, request.authoritative ? 1 : 0);
      if (before !== null) assumeReviewed.run(repository, ref, before, now);
      return enqueue(request, head);
    },

    forgetFeed(repository: string): boolean {
      const cursors = dropCursor.run(repository).changes;
      return cursors + dropReviewed.run(repository).changes > 0;
    },

    moveCursor({ repository, source, cursor, now }: Parameters<FeedStore["moveCursor"]>[0]): void {
      putCursor.run(repository, source, cursor, now);
    },
  };
}

/** Notes how far a feed's ref is reviewed; called where a review is finished, in the same operation. */
export function createReviewedHeads(db: Database) {
  const put = db.prepare(
    `INSERT INTO reviewed (repository, ref, head, review, at)
     SELECT r.repository, r.ref, c.head, r.seq, @now FROM reviews r JOIN changes c ON c.review = r.seq
     WHERE r.seq = @review AND r.feed IS NOT NULL AND r.ref IS NOT NULL
     ON CONFLICT (repository, ref) DO UPDATE SET head = excluded.head, review = excluded.review, at = excluded.at`,
  );
  return (review: number, now: number): void => {
    put.run({ review, now });
  };
}
