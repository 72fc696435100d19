// Deletes what is old, a bounded chunk at a time, so that no other operation waits long.
import type { Database } from "better-sqlite3";

/** Rows of one table that one chunk deletes at most. */
const chunk = 500;

const unfinished = "('queued', 'running')";

export function createPurge(db: Database) {
  // The newest push of a ref stays: it is where the ref stands. Deliveries go before the reviews that they point to; messages, problems and changes go with their owners.
  const steps = [
    `DELETE FROM deliveries WHERE seq IN (SELECT d.seq FROM deliveries d LEFT JOIN reviews r ON r.id = d.review
       WHERE d.finished_at IS NOT NULL AND d.finished_at < ?
         AND (r.status IS NULL OR r.status NOT IN ${unfinished}) LIMIT ${chunk})`,
    `DELETE FROM reviews WHERE seq IN (SELECT r.seq FROM reviews r
       WHERE r.finished_at IS NOT NULL AND r.finished_at < ? AND r.status NOT IN ${unfinished}
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.review = r.id)
         AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.review = r.seq AND j.state <> 'dead') LIMIT ${chunk})`,
    `DELETE FROM inbox WHERE (source, key, repository, ref) IN (
       SELECT i.source, i.key, i.repository, i.ref FROM inbox i LEFT JOIN reviews r ON r.seq = i.review
       WHERE i.received_at < ? AND (r.status IS NULL OR r.status NOT IN ${unfinished}) LIMIT ${chunk})`,
    `DELETE FROM pushes WHERE seq IN (SELECT p.seq FROM pushes p WHERE p.accepted_at < ? AND EXISTS (
       SELECT 1 FROM pushes o WHERE o.repository = p.repository AND o.ref = p.ref AND o.seq > p.seq) LIMIT ${chunk})`,
    `DELETE FROM audit WHERE seq IN (SELECT seq FROM audit WHERE at < ? LIMIT ${chunk})`,
  ].map((sql) => db.prepare(sql));
  // A dismissal is a person's word and stays; an open finding stays until it is resolved.
  const settledFindings = db.prepare<unknown[], { seq: number; repository: string; keys: string }>(
    `SELECT seq, repository, keys FROM findings
     WHERE is_open = 0 AND last_seen_at < ? AND dismissed_at IS NULL LIMIT ${chunk}`,
  );
  const deleteKeys = db.prepare(
    "DELETE FROM finding_keys WHERE repository = ? AND key IN (SELECT value FROM json_each(?)) AND finding = ?",
  );
  const deleteFinding = db.prepare("DELETE FROM findings WHERE seq = ?");

  function purgeFindings(before: number): number {
    const rows = settledFindings.all(before);
    for (const { seq, repository, keys } of rows) {
      deleteKeys.run(repository, keys, seq);
      deleteFinding.run(seq);
    }
    return rows.length;
  }

  return {
    /** Rows removed by this chunk; 0 means that nothing is left to delete. */
    purgeChunk(before: number): number {
      for (const step of steps) {
        const { changes } = step.run(before);
        if (changes > 0) return changes;
      }
      return purgeFindings(before);
    },
  };
}
