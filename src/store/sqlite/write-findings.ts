// Keeps findings' identity over time: a finding is known by its id or by any of its keys.
import type { Database } from "better-sqlite3";
import type { FindingRow } from "./compact-finish.ts";

/** 0 is the gravest. */
const rankOf = (severity: string): string =>
  `(CASE ${severity} WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END)`;

export function createFindingUpdates(db: Database) {
  const byId = db.prepare<unknown[], number>("SELECT seq FROM findings WHERE id = ?").pluck();
  const owners = db.prepare<unknown[], { key: string; finding: number }>(
    `SELECT k.key, k.finding FROM json_each(?) CROSS JOIN finding_keys k
     ON k.repository = ? AND k.key = json_each.value`,
  );
  const insert = db.prepare(
    `INSERT INTO findings (id, repository, fingerprint, file, category, severity, title, anchor_digest, line, keys,
       is_open, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const refresh = db.prepare(
    `UPDATE findings SET peak = CASE WHEN ${rankOf("?")} < ${rankOf("coalesce(peak, severity)")} THEN ?
         ELSE coalesce(peak, severity) END, fingerprint = ?, file = ?, category = ?, severity = ?, title = ?, anchor_digest = ?, line = ?,
       is_open = 1, resolved_at = NULL, last_seen_at = ? WHERE seq = ?`,
  );
  const noteResolved = db.prepare(
    `UPDATE findings SET (is_open, resolved_at) = (SELECT count(*) > 0, CASE WHEN count(*) = 0 THEN ? END
       FROM finding_refs WHERE finding = findings.seq AND status = 'open') WHERE seq = ?`,
  );
  const addKey = db.prepare("INSERT OR IGNORE INTO finding_keys (repository, key, finding) VALUES (?, ?, ?)");
  const noteKeys = db.prepare("UPDATE findings SET keys = json_insert(keys, '$[#]', ?) WHERE seq = ?");
  const setRef = db.prepare(
    `INSERT INTO finding_refs (finding, ref, status, last_revision) VALUES (?, ?, ?, ?)
     ON CONFLICT (finding, ref) DO UPDATE SET status = excluded.status, last_revision = excluded.last_revision`,
  );

  function known(id: string, keys: readonly string[], owned: ReadonlyMap<string, number>): number | undefined {
    const seq = byId.get(id);
    if (seq !== undefined) return seq;
    for (const key of keys) {
      const owner = owned.get(key);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  function add(repository: string, row: FindingRow, now: number): number {
    const [id, fingerprint, file, category, severity, title, anchorDigest, ref, revision, status, line, ...given] = row;
    const keys = [...new Set(given)];
    const about = [fingerprint, file, category, severity, title, anchorDigest, line];
    const isOpen = status === "open" ? 1 : 0;
    const inserted = insert.run(id, repository, ...about, JSON.stringify(keys), isOpen, now, now);
    const seq = Number(inserted.lastInsertRowid);
    for (const key of keys) addKey.run(repository, key, seq);
    setRef.run(seq, ref, status, revision);
    return seq;
  }

  function update(repository: string, seq: number, row: FindingRow, now: number): void {
    const [, fingerprint, file, category, severity, title, anchorDigest, ref, revision, status, line, ...keys] = row;
    // A key that another finding had first stays with that one.
    for (const key of keys) if (addKey.run(repository, key, seq).changes === 1) noteKeys.run(key, seq);
    setRef.run(seq, ref, status, revision);
    // A finding that resolves was not seen: its last sight, words and place stay.
    if (status === "open")
      refresh.run(severity, severity, fingerprint, file, category, severity, title, anchorDigest, line, now, seq);
    else noteResolved.run(now, seq);
  }

  return (repository: string, rows: readonly FindingRow[], now: number): void => {
    if (rows.length === 0) return;
    // Whose the keys are is asked once for all rows; what the rows themselves add is noted as they go.
    const wanted = rows.flatMap(keysOf);
    const owned = new Map(owners.all(JSON.stringify(wanted), repository).map(({ key, finding }) => [key, finding]));
    for (const row of rows) {
      const keys = keysOf(row);
      let seq = known(row[0], keys, owned);
      if (seq === undefined) seq = add(repository, row, now);
      else update(repository, seq, row, now);
      for (const key of keys) if (!owned.has(key)) owned.set(key, seq);
    }
  };
}

function keysOf(row: FindingRow): readonly string[] {
  const [, , , , , , , , , , , ...keys] = row;
  return keys;
}
