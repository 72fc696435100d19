// Reads findings by their keys and by what is open on a ref.
import type { Database } from "better-sqlite3";
import type { FindingId } from "../../core/ids.ts";
import type { Severity } from "../../core/problem.ts";
import type { StoredFinding } from "../../ports/store.ts";
import { keysDocument, readDocument } from "./documents.ts";

export interface FindingRow {
  readonly seq: number;
  readonly id: FindingId;
  readonly repository: string;
  readonly fingerprint: string;
  readonly file: string;
  readonly category: string;
  readonly severity: Severity;
  readonly peak: Severity | null;
  readonly title: string;
  readonly line: number | null;
  readonly anchor_digest: string;
  readonly keys: string;
  readonly dismissed_by: string | null;
  readonly dismissed_reason: string | null;
  readonly dismissed_at: number | null;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
}

/** Of a table `findings f`. */
export const findingColumns = `f.seq, f.id, f.repository, f.fingerprint, f.file, f.category, f.severity, f.peak, f.title, f.line, f.anchor_digest,
  f.keys, f.dismissed_by, f.dismissed_reason, f.dismissed_at, f.first_seen_at, f.last_seen_at`;

export type FindingReader = (row: FindingRow) => StoredFinding;

/** A row with its states per ref. */
export function createFindingReader(db: Database): FindingReader {
  const refs = db.prepare<unknown[], StoredFinding["refs"][number]>(
    "SELECT ref, status, last_revision AS lastRevision FROM finding_refs WHERE finding = ? ORDER BY ref",
  );
  return (row) => ({
    id: row.id,
    repository: row.repository,
    fingerprint: row.fingerprint,
    keys: readDocument(keysDocument, "findings.keys", row.keys),
    file: row.file,
    ...(row.line === null ? {} : { line: row.line }),
    category: row.category,
    severity: row.severity,
    ...(row.peak === null ? {} : { peak: row.peak }),
    title: row.title,
    anchorDigest: row.anchor_digest,
    dismissed: dismissal(row),
    refs: refs.all(row.seq),
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
  });
}

export function createFindingReads(db: Database, from: FindingReader) {
  // One statement for all keys of a review: calling it for each costs more than finding the rows.
  const byKeys = db
    .prepare<unknown[], number>(
      `SELECT DISTINCT k.finding FROM json_each(?) CROSS JOIN finding_keys k
       ON k.repository = ? AND k.key = json_each.value ORDER BY json_each.key`,
    )
    .pluck();
  const bySeq = db.prepare<unknown[], FindingRow>(`SELECT ${findingColumns} FROM findings f WHERE f.seq = ?`);
  const openIn = db.prepare<unknown[], FindingRow>(
    `SELECT ${findingColumns} FROM findings f CROSS JOIN finding_refs s ON s.finding = f.seq
     WHERE f.repository = ? AND f.file = ? AND s.ref = ? AND s.status = 'open' ORDER BY f.seq`,
  );

  return {
    findingsByKeys(repository: string, wanted: readonly string[]): readonly StoredFinding[] {
      return byKeys.all(JSON.stringify(wanted), repository).flatMap((seq) => {
        const row = bySeq.get(seq);
        return row === undefined ? [] : [from(row)];
      });
    },

    openFindings(repository: string, ref: string, files: readonly string[]): readonly StoredFinding[] {
      return [...new Set(files)].flatMap((file) => openIn.all(repository, file, ref).map(from));
    },
  };
}

function dismissal(row: FindingRow): StoredFinding["dismissed"] {
  const { dismissed_by: by, dismissed_reason: reason, dismissed_at: at } = row;
  return by === null || at === null ? null : { by, reason: reason ?? "", at };
}
