// Keeps findings' identity over time: a finding is known by its id or by any of its keys.
import type { Database } from "better-sqlite3";
import type { FindingUpdate } from "../../ports/store.ts";

export function createFindingUpdates(db: Database) {
  const byId = db.prepare<unknown[], number>("SELECT seq FROM findings WHERE id = ?").pluck();
  const byKey = db
    .prepare<unknown[], number>("SELECT finding FROM finding_keys WHERE repository = ? AND key = ?")
    .pluck();
  const insert = db.prepare(
    `INSERT INTO findings (id, repository, fingerprint, file, category, severity, title, anchor_digest, first_seen_at,
       last_seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const refresh = db.prepare(
    `UPDATE findings SET fingerprint = ?, file = ?, category = ?, severity = ?, title = ?, anchor_digest = ?,
       last_seen_at = ? WHERE seq = ?`,
  );
  const addKey = db.prepare("INSERT OR IGNORE INTO finding_keys (repository, key, finding) VALUES (?, ?, ?)");
  const setRef = db.prepare(
    `INSERT INTO finding_refs (finding, ref, status, last_revision) VALUES (?, ?, ?, ?)
     ON CONFLICT (finding, ref) DO UPDATE SET status = excluded.status, last_revision = excluded.last_revision`,
  );

  function known(repository: string, update: FindingUpdate): number | undefined {
    const seq = byId.get(update.id);
    if (seq !== undefined) return seq;
    for (const key of update.keys) {
      const owner = byKey.get(repository, key);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  function write(repository: string, update: FindingUpdate, now: number): number {
    const { id, fingerprint, file, category, severity, title, anchorDigest, status } = update;
    const seq = known(repository, update);
    if (seq === undefined) {
      const row = insert.run(id, repository, fingerprint, file, category, severity, title, anchorDigest, now, now);
      return Number(row.lastInsertRowid);
    }
    // A finding that resolves was not seen: its last sight, words and place stay.
    if (status === "open") refresh.run(fingerprint, file, category, severity, title, anchorDigest, now, seq);
    return seq;
  }

  return (repository: string, updates: readonly FindingUpdate[], now: number): void => {
    for (const update of updates) {
      const seq = write(repository, update, now);
      for (const key of update.keys) addKey.run(repository, key, seq);
      setRef.run(seq, update.ref, update.status, update.revision);
    }
  };
}
