// Deletes what is old, a bounded chunk at a time, so that no other operation waits long.
import type { Database } from "better-sqlite3";

/** Rows of one table that one chunk deletes at most. */
const chunk = 500;

const unfinished = "('queued', 'running')";

export function createPurge(db: Database) {
  // Deliveries go before the reviews that they point to; messages, problems and changes go with their owners.
  const steps = [
    `DELETE FROM deliveries WHERE seq IN (SELECT d.seq FROM deliveries d LEFT JOIN reviews r ON r.id = d.review
       WHERE d.finished_at IS NOT NULL AND d.finished_at < ?
         AND (r.status IS NULL OR r.status NOT IN ${unfinished}) LIMIT ${chunk})`,
    `DELETE FROM reviews WHERE seq IN (SELECT r.seq FROM reviews r
       WHERE r.finished_at IS NOT NULL AND r.finished_at < ? AND r.status NOT IN ${unfinished}
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.review = r.id)
         AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.review = r.seq AND j.state <> 'dead') LIMIT ${chunk})`,
    `DELETE FROM inbox WHERE (source, key) IN (SELECT i.source, i.key FROM inbox i LEFT JOIN reviews r ON r.seq = i.review
       WHERE i.received_at < ? AND (r.status IS NULL OR r.status NOT IN ${unfinished}) LIMIT ${chunk})`,
    // A dismissal is a person's word and stays; an open finding stays until it is resolved.
    `DELETE FROM findings WHERE seq IN (SELECT f.seq FROM findings f
       WHERE f.last_seen_at < ? AND f.dismissed_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM finding_refs s WHERE s.finding = f.seq AND s.status = 'open') LIMIT ${chunk})`,
    `DELETE FROM audit WHERE seq IN (SELECT seq FROM audit WHERE at < ? LIMIT ${chunk})`,
  ].map((sql) => db.prepare(sql));

  return {
    /** Rows removed by this chunk; 0 means that nothing is left to delete. */
    purgeChunk(before: number): number {
      for (const step of steps) {
        const { changes } = step.run(before);
        if (changes > 0) return changes;
      }
      return 0;
    },
  };
}
