// The queue's leases: claim, heartbeat, release; every one after the claim holds only with the lease's token.
import type { Database } from "better-sqlite3";
import type { JobId, ReviewId } from "../../core/ids.ts";
import type { Store } from "../../ports/store.ts";

/** A claim as the writer answers it; the review itself is read by the caller. */
export interface JobLease {
  readonly id: JobId;
  readonly attempt: number;
  readonly exhausted: boolean;
  readonly review: ReviewId;
  readonly ref: string | null;
}

interface Candidate {
  readonly seq: number;
  readonly id: JobId;
  readonly attempts: number;
  readonly cancelled: number;
  readonly review: number;
  readonly reviewId: ReviewId;
  readonly ref: string | null;
}

export function createJobWrites(db: Database) {
  // A job whose worker vanished may have killed it. One at a time, or those that ran beside it would be given up with it.
  const firstOf = (wanted: string) => `SELECT j.seq, j.id, j.attempts, j.cancelled, j.review, r.id AS reviewId, r.ref
     FROM jobs j JOIN reviews r ON r.seq = j.review
     WHERE j.state <> 'dead' AND j.due_at <= @now AND j.lease_until <= @now
       AND NOT EXISTS (SELECT 1 FROM jobs o WHERE o.key = j.key AND o.state = 'running' AND o.lease_until > @now)
       AND (j.ordered = 0 OR NOT EXISTS (SELECT 1 FROM jobs o INDEXED BY jobs_in_order
         WHERE o.key = j.key AND o.seq < j.seq AND o.ordered = 1 AND o.state <> 'dead'))
       AND (j.state = 'pending' OR NOT EXISTS (SELECT 1 FROM jobs o INDEXED BY jobs_suspect
         WHERE o.suspect = 1 AND o.lease_until > @now))
       ${wanted}
     ORDER BY j.due_at, j.seq LIMIT 1`;
  const next = db.prepare<unknown[], Candidate>(firstOf(""));
  // Whoever has a review running waits until all others who wait have one: many requests of one person delay nobody else's.
  const nextOfOthers = db.prepare<unknown[], Candidate>(
    firstOf(`AND (j.owner_person IS NULL OR NOT EXISTS (SELECT 1 FROM jobs o WHERE o.owner_channel = j.owner_channel
         AND o.owner_workspace = j.owner_workspace AND o.owner_person = j.owner_person AND o.state = 'running'
         AND o.lease_until > @now))`),
  );
  const lease = db.prepare(
    `UPDATE jobs SET suspect = (state = 'running'), state = 'running', worker = ?, lease_token = ?, lease_until = ?,
       attempts = ?, exhausted = ? WHERE seq = ?`,
  );
  const countAttempt = db.prepare("UPDATE reviews SET attempt = ? WHERE seq = ?");
  const extend = db.prepare("UPDATE jobs SET lease_until = ? WHERE id = ? AND lease_token = ? AND cancelled = 0");
  const held = db.prepare<
    unknown[],
    { seq: number; key: string; review: number; coalesces: number; cancelled: number }
  >("SELECT seq, key, review, coalesces, cancelled FROM jobs WHERE id = ? AND lease_token = ?");
  const pending = db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'pending' AND coalesces = 1");
  const supersede = db.prepare("UPDATE reviews SET status = 'superseded', finished_at = ? WHERE seq = ?");
  const remove = db.prepare("DELETE FROM jobs WHERE seq = ?");
  const giveBack = db.prepare(
    `UPDATE jobs SET state = 'pending', due_at = ?, attempts = attempts - CASE WHEN exhausted = 1 THEN 0 ELSE ? END,
       exhausted = 0, suspect = 0, worker = NULL, lease_token = NULL, lease_until = 0 WHERE seq = ?`,
  );
  const requeue = db.prepare(
    "UPDATE reviews SET status = 'queued', attempt = (SELECT attempts FROM jobs WHERE jobs.seq = ?) WHERE seq = ?",
  );

  const endLease = db.prepare(
    "UPDATE jobs SET lease_until = ? WHERE state = 'running' AND worker = ? AND lease_until > ?",
  );

  // Without a token nothing that its sender might still do counts; what it was sending settles as after any crash.
  const endLaneLease = db.prepare(
    "UPDATE deliveries SET ready_at = ?, lease_token = NULL WHERE worker = ? AND lease_token IS NOT NULL",
  );

  /** A cancelled job whose worker never came back is cleared away here. */
  function nextLive(now: number): Candidate | undefined {
    for (;;) {
      const candidate = nextOfOthers.get({ now }) ?? next.get({ now });
      if (candidate?.cancelled !== 1) return candidate;
      remove.run(candidate.seq);
    }
  }

  return {
    claimJob({ worker, token, leaseMs, maxAttempts, now }: Parameters<Store["claimJob"]>[0]): JobLease | null {
      const job = nextLive(now);
      if (job === undefined) return null;
      const exhausted = job.attempts >= maxAttempts;
      const attempt = exhausted ? job.attempts : job.attempts + 1;
      lease.run(worker, token, now + leaseMs, attempt, exhausted ? 1 : 0, job.seq);
      countAttempt.run(attempt, job.review);
      return { id: job.id, attempt, exhausted, review: job.reviewId, ref: job.ref };
    },

    endLeases(workers: readonly string[], now: number): number {
      return workers.reduce(
        (ended, worker) => ended + endLease.run(now, worker, now).changes + endLaneLease.run(now, worker).changes,
        0,
      );
    },

    heartbeat({ job, token, leaseMs, now }: Parameters<Store["heartbeat"]>[0]): boolean {
      return extend.run(now + leaseMs, job, token).changes === 1;
    },

    releaseJob({ job, token, dueAt, refund, now }: Parameters<Store["releaseJob"]>[0]): boolean {
      const lease = held.get(job, token);
      if (lease === undefined) return false;
      if (lease.cancelled === 1) {
        remove.run(lease.seq);
        return false;
      }
      if (lease.coalesces === 1 && pending.get(lease.key) !== undefined) {
        // One pending job a key: the newer one covers everything since the last reviewed head, this one too.
        supersede.run(now, lease.review);
        remove.run(lease.seq);
        return true;
      }
      giveBack.run(dueAt, refund ? 1 : 0, lease.seq);
      requeue.run(lease.seq, lease.review);
      return true;
    },
  };
}
