// Counts what a digest sums up.
import type { Database } from "better-sqlite3";
import { type BySeverity, type DigestNumbers, noneBySeverity } from "../../core/digest.ts";
import type { Severity } from "../../core/problem.ts";
import type { ReviewStatus } from "../../core/review.ts";
import type { OutboxStore } from "../../ports/outbox-store.ts";

interface SeverityRow {
  readonly severity: Severity;
  readonly n: number;
}

const window = "repository = @repository AND created_at >= @from AND created_at < @to";

export function createDigestReads(db: Database) {
  const bySeverity = (condition: string) =>
    db.prepare<unknown[], SeverityRow>(
      `SELECT severity, count(*) AS n FROM findings WHERE repository = @repository AND ${condition} GROUP BY severity`,
    );
  const fresh = bySeverity("first_seen_at >= @from AND first_seen_at < @to");
  const resolved = bySeverity("is_open = 0 AND resolved_at >= @from AND resolved_at < @to");
  const dismissed = bySeverity("dismissed_at >= @from AND dismissed_at < @to");
  const open = bySeverity("is_open = 1 AND dismissed_at IS NULL");
  const reviews = db.prepare<unknown[], { status: ReviewStatus; n: number }>(
    `SELECT status, count(*) AS n FROM reviews WHERE ${window} GROUP BY status`,
  );
  const skipped = db.prepare<unknown[], { reason: string; n: number }>(
    `SELECT skip_reason AS reason, count(*) AS n FROM reviews WHERE ${window} AND skip_reason IS NOT NULL
     GROUP BY reason ORDER BY n DESC, reason`,
  );
  const suppressed = db.prepare<unknown[], { reason: string; n: number }>(
    `SELECT d.reason, count(*) AS n FROM reviews r CROSS JOIN deliveries d ON d.review = r.id
     WHERE r.repository = @repository AND r.created_at >= @from AND r.created_at < @to AND d.state = 'suppressed'
       AND d.channel = @channel AND d.workspace = @workspace AND d.conversation = @conversation
     GROUP BY d.reason ORDER BY n DESC, d.reason`,
  );

  return {
    digestNumbers(query: Parameters<OutboxStore["digestNumbers"]>[0]): DigestNumbers {
      const { conversation: place, repository, from, to } = query;
      const asked = { repository, from, to };
      const silent = place === undefined ? skipped.all(asked) : suppressed.all({ ...asked, ...place });
      return {
        reviews: Object.fromEntries(reviews.all(asked).map(({ status, n }) => [status, n])),
        silent,
        fresh: counted(fresh.all(asked)),
        resolved: counted(resolved.all(asked)),
        dismissed: counted(dismissed.all(asked)),
        open: counted(open.all({ repository })),
      };
    },
  };
}

function counted(rows: readonly SeverityRow[]): BySeverity {
  return { ...noneBySeverity, ...Object.fromEntries(rows.map(({ severity, n }) => [severity, n])) };
}
