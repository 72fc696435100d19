// Keeps findings' identity over time: a finding is known by its id or by any of its keys.
import type { Database } from "better-sqlite3";
import type { FindingRow } from "./compact-finish.ts";

export function createFindingUpdates(db: Database) {
  const byId = db.prepare<unknown[], number>("SELECT seq FROM findings WHERE id = ?").pluck();
  const byKey = db
    .prepare<unknown[], number>("SELECT finding FROM finding_keys WHERE repository = ? AND key = ?")
    .pluck();
  const insert = db.prepare(
    `INSERT INTO findings (id, repository, fingerprint, file, category, severity, title, anchor_digest, line, keys,
       is_open, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const refresh = db.prepare(
    `UPDATE findings SET fingerprint = ?, file = ?, category = ?, severity = ?, title = ?, anchor_digest = ?, line = ?,
       is_open = 1, last_seen_at = ? WHERE seq = ?`,
  );
  const noteResolved = db.prepare(
    `UPDATE findings SET is_open = EXISTS (SELECT 1 FROM finding_refs WHERE finding = findings.seq AND status = 'open')
     WHERE seq = ?`,
  );
  const addKey = db.prepare("INSERT OR IGNORE INTO finding_keys (repository, key, finding) VALUES (?, ?, ?)");
  const noteKeys = db.prepare("UPDATE findings SET keys = json_insert(keys, '$[#]', ?) WHERE seq = ?");
  const setRef = db.prepare(
    `INSERT INTO finding_refs (finding, ref, status, last_revision) VALUES (?, ?, ?, ?)
     ON CONFLICT (finding, ref) DO UPDATE SET status = excluded.status, last_revision = excluded.last_revision`,
  );

  function known(repository: string, id: string, keys: readonly string[]): number | undefined {
    const seq = byId.get(id);
    if (seq !== undefined) return seq;
    for (const key of keys) {
      const owner = byKey.get(repository, key);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  function add(repository: string, row: FindingRow, now: number): void {
    const [id, fingerprint, file, category, severity, title, anchorDigest, ref, revision, status, line, ...given] = row;
    const keys = [...new Set(given)];
    const about = [fingerprint, file, category, severity, title, anchorDigest, line];
    const isOpen = status === "open" ? 1 : 0;
    const inserted = insert.run(id, repository, ...about, JSON.stringify(keys), isOpen, now, now);
    const seq = Number(inserted.lastInsertRowid);
    for (const key of keys) addKey.run(repository, key, seq);
    setRef.run(seq, ref, status, revision);
  }

  function update(repository: string, seq: number, row: FindingRow, now: number): void {
    const [, fingerprint, file, category, severity, title, anchorDigest, ref, revision, status, line, ...keys] = row;
    // A key that another finding had first stays with that one.
    for (const key of keys) if (addKey.run(repository, key, seq).changes === 1) noteKeys.run(key, seq);
    setRef.run(seq, ref, status, revision);
    // A finding that resolves was not seen: its last sight, words and place stay.
    if (status === "open") refresh.run(fingerprint, file, category, severity, title, anchorDigest, line, now, seq);
    else noteResolved.run(seq);
  }

  return (repository: string, rows: readonly FindingRow[], now: number): void => {
    for (const row of rows) {
      const [id, , , , , , , , , , , ...keys] = row;
      const seq = known(repository, id, keys);
      if (seq === undefined) add(repository, row, now);
      else update(repository, seq, row, now);
    }
  };
}
