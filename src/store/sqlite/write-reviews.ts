// Writes of a review's life: accepted, started, finished, cancelled.
import type { Database } from "better-sqlite3";
import { baseName } from "../../core/change.ts";
import { AppError } from "../../core/errors.ts";
import type { ReviewId } from "../../core/ids.ts";
import type { Requester } from "../../core/review.ts";
import type { AcceptedReview, AcceptReview, Store } from "../../ports/store.ts";
import type { CompactFinish } from "./compact-finish.ts";
import type { createDeliveryInserts } from "./write-deliveries.ts";
import type { createFindingUpdates } from "./write-findings.ts";
import type { createReviewedHeads } from "./write-pushes.ts";

interface HeldJob {
  readonly seq: number;
  readonly review: number;
  readonly exhausted: number;
  readonly cancelled: number;
}

export function createReviewWrites(
  db: Database,
  updateFindings: ReturnType<typeof createFindingUpdates>,
  insertDeliveries: ReturnType<typeof createDeliveryInserts>,
  noteReviewedHead: ReturnType<typeof createReviewedHeads>,
) {
  const known = db.prepare<unknown[], { review: ReviewId | null }>(
    `SELECT r.id AS review FROM inbox i LEFT JOIN reviews r ON r.seq = i.review
     WHERE i.source = ? AND i.key = ? AND i.repository = '' AND i.ref = ''`,
  );
  const insertInbox = db.prepare(
    "INSERT INTO inbox (source, key, repository, ref, outcome, review, received_at) VALUES (?, ?, '', '', ?, ?, ?)",
  );
  const pending = db.prepare<unknown[], { review: number; id: ReviewId }>(
    `SELECT j.review, r.id FROM jobs j JOIN reviews r ON r.seq = j.review
     WHERE j.key = ? AND j.state = 'pending' AND j.coalesces = 1`,
  );
  const moveHead = db.prepare("UPDATE reviews SET spec = ?, ref = ? WHERE seq = ?");
  const insertReview = db.prepare(
    `INSERT INTO reviews (id, repository, spec, ref, agent, paths, locale, feed, channel, workspace, conversation,
       thread, person_channel, person_workspace, person, person_name, rerun_of, status, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?)`,
  );
  const insertJob = db.prepare(
    `INSERT INTO jobs (id, key, review, coalesces, state, due_at, created_at, owner_channel, owner_workspace, owner_person)
     VALUES (?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?)`,
  );
  const held = db.prepare<unknown[], HeldJob>(
    `SELECT j.seq, j.review, j.exhausted, j.cancelled FROM jobs j JOIN reviews r ON r.seq = j.review
     WHERE j.id = ? AND j.lease_token = ? AND r.id = ?`,
  );
  const startReview = db.prepare(
    "UPDATE reviews SET status = 'running', started_at = coalesce(started_at, ?) WHERE seq = ?",
  );
  const putChange = db.prepare(
    `INSERT INTO changes (review, repository, ref, head, base, document) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (review) DO UPDATE SET repository = excluded.repository, ref = excluded.ref, head = excluded.head,
       base = excluded.base, document = excluded.document`,
  );
  const finish = db.prepare<unknown[], { repository: string }>(
    `UPDATE reviews SET status = ?, skip_reason = ?, failure = ?, timings = ?, summaries = ?, answered_from = ?,
       finished_at = coalesce(finished_at, ?) WHERE seq = ? RETURNING repository`,
  );
  const insertProblem = db.prepare(
    `INSERT INTO problems (review, number, file, line, severity, category, fingerprint, document)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const deleteJob = db.prepare("DELETE FROM jobs WHERE seq = ?");
  const buryJob = db.prepare("UPDATE jobs SET state = 'dead', lease_token = NULL, lease_until = 0 WHERE seq = ?");
  const jobOf = db.prepare<unknown[], { seq: number; state: string; lease_until: number }>(
    "SELECT seq, state, lease_until FROM jobs WHERE review = ? AND state <> 'dead' LIMIT 1",
  );
  const find = db.prepare<unknown[], { seq: number; status: string }>("SELECT seq, status FROM reviews WHERE id = ?");
  const cancel = db.prepare("UPDATE reviews SET status = 'cancelled', finished_at = ? WHERE seq = ?");
  const markCancelled = db.prepare("UPDATE jobs SET cancelled = 1 WHERE seq = ?");
  const setProgress = db.prepare(
    `UPDATE reviews SET progress_channel = ?, progress_workspace = ?, progress_conversation = ?, progress_thread = ?,
       progress_message = ? WHERE id = ?`,
  );

  function insertAccepted(request: AcceptReview): number {
    const { review, repository, spec, ref, agent, paths, locale, requester, now } = request;
    const inserted = insertReview.run(
      review,
      repository,
      spec,
      ref ?? null,
      agent,
      JSON.stringify(paths),
      locale,
      ...requesterColumns(requester),
      request.rerunOf ?? null,
      now,
    );
    return Number(inserted.lastInsertRowid);
  }

  return {
    acceptReview(request: AcceptReview): AcceptedReview {
      const { inbox, now } = request;
      const earlier = known.get(inbox.source, inbox.key);
      if (earlier !== undefined) return { outcome: "duplicate", review: earlier.review };
      const absorbing = request.coalesce ? pending.get(request.jobKey) : undefined;
      if (absorbing !== undefined) {
        moveHead.run(request.spec, request.ref ?? null, absorbing.review);
        insertInbox.run(inbox.source, inbox.key, "coalesced", absorbing.review, now);
        return { outcome: "coalesced", review: absorbing.id };
      }
      const seq = insertAccepted(request);
      insertInbox.run(inbox.source, inbox.key, "accepted", seq, now);
      const coalesces = request.coalesce ? 1 : 0;
      insertJob.run(request.job, request.jobKey, seq, coalesces, now, now, ...ownerColumns(request.requester));
      return { outcome: "accepted", review: request.review };
    },

    startReview({ job, token, review, change, now }: Parameters<Store["startReview"]>[0]): boolean {
      const lease = held.get(job, token, review);
      if (lease === undefined || lease.cancelled === 1) return false;
      startReview.run(now, lease.review);
      const { repository, ref, head } = change;
      putChange.run(lease.review, repository, ref, head.canonical, baseName(change), JSON.stringify(change));
      return true;
    },

    finishReview(request: CompactFinish): boolean {
      const { status, now } = request;
      const lease = held.get(request.job, request.token, request.review);
      if (lease === undefined) return false;
      if (lease.cancelled === 1 && status !== "cancelled") {
        // The person's wish stands: what was found meanwhile is thrown away, and the key is free again.
        deleteJob.run(lease.seq);
        return false;
      }
      const { skipReason, failure, timings, summaries, answeredFrom } = request;
      const row = finish.get(status, skipReason, failure, timings, summaries, answeredFrom, now, lease.review);
      request.problems.forEach((problem, number) => {
        insertProblem.run(lease.review, number, ...problem);
      });
      updateFindings(row?.repository ?? "", request.findings, now);
      insertDeliveries(request.deliveries, now);
      if (status === "reported" || status === "clean" || status === "skipped") noteReviewedHead(lease.review, now);
      if (lease.exhausted === 1) buryJob.run(lease.seq);
      else deleteJob.run(lease.seq);
      return true;
    },

    cancelReview(id: ReviewId, now: number): Awaited<ReturnType<Store["cancelReview"]>> {
      const review = find.get(id);
      if (review === undefined) return "unknown";
      if (review.status !== "queued" && review.status !== "running") return "finished";
      cancel.run(now, review.seq);
      const job = jobOf.get(review.seq);
      if (job !== undefined && job.state === "running" && job.lease_until > now) {
        // The job stays until its worker let go (or its lease ends), so that the key's next job does not run beside it.
        markCancelled.run(job.seq);
        return "requested";
      }
      if (job !== undefined) deleteJob.run(job.seq);
      return "cancelled";
    },

    setProgress(id: ReviewId, progress: Parameters<Store["setProgress"]>[1]): void {
      const { channel, workspace, conversation, thread, message } = progress;
      if (setProgress.run(channel, workspace, conversation, thread ?? null, message, id).changes === 1) return;
      throw new AppError("not_found", `There is no review ${id}.`, {
        reason: "review_unknown",
        params: { review: id },
        remedy: "Look the review up with `/review status`.",
      });
    },
  };
}

function ownerColumns(requester: Requester): readonly (string | null)[] {
  if (requester.kind === "feed") return [null, null, null];
  const { channel, workspace, person } = requester.person;
  return [channel, workspace, person];
}

function requesterColumns(requester: Requester): readonly (string | null)[] {
  if (requester.kind === "feed") return [requester.feed, null, null, null, null, null, null, null, null];
  const { conversation: place, person, thread } = requester;
  return [
    null,
    place.channel,
    place.workspace,
    place.conversation,
    thread ?? null,
    person.channel,
    person.workspace,
    person.person,
    person.name ?? null,
  ];
}
