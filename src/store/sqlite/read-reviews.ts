// Reads reviews, their reports and the state of the queue.
import type { Database } from "better-sqlite3";
import type { ConversationRef } from "../../core/delivery.ts";
import type { ReviewId } from "../../core/ids.ts";
import type { Report, Usage } from "../../core/report.ts";
import type { Review } from "../../core/review.ts";
import type { QueueState, Store } from "../../ports/store.ts";
import { problemDocument, readDocument, reportTextsDocument } from "./documents.ts";
import { type ReviewRow, reviewColumns, reviewFrom, reviewJoins } from "./review-row.ts";

const selectReview = `SELECT ${reviewColumns} FROM reviews r ${reviewJoins}`;

export function createReviewReads(db: Database) {
  const one = db.prepare<unknown[], ReviewRow>(`${selectReview} WHERE r.id = ?`);
  const all = db.prepare<unknown[], ReviewRow>(`${selectReview} ORDER BY r.created_at DESC, r.seq DESC LIMIT ?`);
  const ofRepository = db.prepare<unknown[], ReviewRow>(
    `${selectReview} WHERE r.repository = ? ORDER BY r.created_at DESC, r.seq DESC LIMIT ?`,
  );
  const inConversation = "r.channel = ? AND r.workspace = ? AND r.conversation = ?";
  const ofConversation = db.prepare<unknown[], ReviewRow>(
    `${selectReview} WHERE ${inConversation} ORDER BY r.created_at DESC, r.seq DESC LIMIT ?`,
  );
  const ofBoth = db.prepare<unknown[], ReviewRow>(
    `${selectReview} WHERE ${inConversation} AND r.repository = ? ORDER BY r.created_at DESC, r.seq DESC LIMIT ?`,
  );
  const ofRange = db.prepare<unknown[], ReviewRow>(
    `${selectReview} WHERE c.repository = ? AND c.head = ? AND c.base = ? AND r.agent = ?
       AND r.status IN ('reported', 'clean', 'skipped') AND r.answered_from IS NULL AND r.finished_at >= ?
     ORDER BY r.finished_at DESC, r.seq DESC`,
  );
  const outcome = db.prepare<unknown[], OutcomeRow>(
    "SELECT seq, status, skip_reason, summaries FROM reviews WHERE id = ?",
  );
  const problems = db
    .prepare<unknown[], string>("SELECT document FROM problems WHERE review = ? ORDER BY number")
    .pluck();
  const used = db.prepare<unknown[], { input: number; output: number; requests: number; money: number | null }>(
    `SELECT coalesce(sum(timings ->> '$.usage.inputTokens'), 0) AS input,
       coalesce(sum(timings ->> '$.usage.outputTokens'), 0) AS output,
       coalesce(sum(timings ->> '$.usage.requests'), 0) AS requests, sum(timings ->> '$.usage.money') AS money
     FROM reviews WHERE repository = ? AND agent = ? AND finished_at >= ? AND timings IS NOT NULL`,
  );
  const queue = db.prepare<unknown[], Omit<QueueState, "oldestMs"> & { oldest: number | null }>(
    `SELECT (SELECT count(*) FROM jobs WHERE state = 'pending') AS queued,
       (SELECT count(*) FROM jobs WHERE state = 'running') AS running,
       (SELECT count(*) FROM jobs WHERE state = 'dead') AS dead,
       (SELECT count(*) FROM deliveries WHERE finished_at IS NULL) AS undelivered,
       (SELECT min(due_at) FROM jobs WHERE state = 'pending') AS oldest`,
  );

  function review(id: ReviewId): Review | null {
    const row = one.get(id);
    return row === undefined ? null : reviewFrom(row);
  }

  function rows(repository: string | undefined, place: ConversationRef | undefined, limit: number): ReviewRow[] {
    if (place === undefined) return repository === undefined ? all.all(limit) : ofRepository.all(repository, limit);
    const { channel, workspace, conversation } = place;
    if (repository === undefined) return ofConversation.all(channel, workspace, conversation, limit);
    return ofBoth.all(channel, workspace, conversation, repository, limit);
  }

  return {
    review,

    reviews({ repository, conversation, limit }: Parameters<Store["reviews"]>[0]): readonly Review[] {
      return rows(repository, conversation, limit).map(reviewFrom);
    },

    recentReview(query: Parameters<Store["recentReview"]>[0]): Review | null {
      const { repository, head, base, agent, paths, since } = query;
      for (const row of ofRange.iterate(repository, head, base, agent, since)) {
        const candidate = reviewFrom(row);
        if (samePaths(candidate.paths, paths)) return candidate;
      }
      return null;
    },

    report(id: ReviewId): Report | null {
      const row = outcome.get(id);
      if (row === undefined || row.summaries === null) return null;
      const said = readDocument(reportTextsDocument, "reviews.summaries", row.summaries);
      switch (row.status) {
        case "reported": {
          const documents = problems.all(row.seq);
          return {
            outcome: "reported",
            problems: documents.map((json) => readDocument(problemDocument, "problems.document", json)),
            ...said,
          };
        }
        case "clean":
          return { outcome: "clean", ...said };
        case "skipped":
          return { outcome: "skipped", reason: row.skip_reason ?? "", ...said };
        default:
          return null;
      }
    },

    usageSince({ repository, agent, since }: Parameters<Store["usageSince"]>[0]): Usage {
      const { input = 0, output = 0, requests = 0, money = null } = used.get(repository, agent, since) ?? {};
      return { inputTokens: input, outputTokens: output, requests, ...(money === null ? {} : { money }) };
    },

    queue(now: number): QueueState {
      const row = queue.get();
      if (row === undefined) return { queued: 0, running: 0, dead: 0, undelivered: 0, oldestMs: 0 };
      const { oldest, ...counts } = row;
      return { ...counts, oldestMs: oldest === null ? 0 : Math.max(0, now - oldest) };
    },
  };
}

interface OutcomeRow {
  readonly seq: number;
  readonly status: string;
  readonly skip_reason: string | null;
  readonly summaries: string | null;
}

/** The order in which globs were given does not change what they match. */
function samePaths(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const sorted = [...b].sort();
  return [...a].sort().every((path, index) => path === sorted[index]);
}
