// Reads how far refs are reviewed, where they stand, and where polling stands.
import type { Database } from "better-sqlite3";

export function createFeedReads(db: Database) {
  const reviewed = db.prepare<unknown[], string>("SELECT head FROM reviewed WHERE repository = ? AND ref = ?").pluck();
  const heads = db.prepare<unknown[], { ref: string; head: string }>(
    `SELECT ref, head FROM pushes p WHERE repository = ?
       AND NOT EXISTS (SELECT 1 FROM pushes o WHERE o.repository = p.repository AND o.ref = p.ref AND o.seq > p.seq)
     ORDER BY ref`,
  );
  const unsure = db
    .prepare<unknown[], string>(
      `SELECT ref FROM pushes p INDEXED BY pushes_unsure WHERE repository = ? AND sure = 0
         AND NOT EXISTS (SELECT 1 FROM pushes o WHERE o.repository = p.repository AND o.ref = p.ref AND o.seq > p.seq)`,
    )
    .pluck();
  const cursor = db
    .prepare<unknown[], string>("SELECT cursor FROM cursors WHERE repository = ? AND source = ?")
    .pluck();
  const holders = db
    .prepare<unknown[], string>(
      `SELECT worker FROM jobs WHERE state = 'running' AND worker IS NOT NULL
       UNION SELECT worker FROM deliveries WHERE lease_token IS NOT NULL AND worker IS NOT NULL`,
    )
    .pluck();

  return {
    lastReviewedHead: (repository: string, ref: string): string | null => reviewed.get(repository, ref) ?? null,
    acceptedHeads: (repository: string): readonly { ref: string; head: string }[] => heads.all(repository),
    unsureRefs: (repository: string): readonly string[] => unsure.all(repository),
    cursor: (repository: string, source: string): string | null => cursor.get(repository, source) ?? null,
    leaseHolders: (): readonly string[] => holders.all(),
  };
}
