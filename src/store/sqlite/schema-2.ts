// The second version of the store's file: pushes, how far refs are reviewed, and where polling stands.

/*
 * - One event of a host may tell of several refs, so the inbox is keyed by its id and the ref.
 * - `pushes` knows each head of a ref once; the one with the highest `seq` is where the ref stands.
 * - A push is not `sure` while a late webhook may have told of it: the poller looks where the ref stands.
 * - `reviewed` outlives the reviews that are purged: a quiet ref is still reviewed from where it was left.
 */
export const version2 = `
CREATE TABLE inbox_2 (
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  repository TEXT NOT NULL,
  ref TEXT NOT NULL,
  head TEXT,
  outcome TEXT NOT NULL,
  reason TEXT,
  review INTEGER REFERENCES reviews (seq) ON DELETE SET NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (source, key, repository, ref)
) STRICT, WITHOUT ROWID;
INSERT INTO inbox_2 (source, key, repository, ref, outcome, review, received_at)
  SELECT source, key, '', '', 'accepted', review, received_at FROM inbox;
DROP TABLE inbox;
ALTER TABLE inbox_2 RENAME TO inbox;
CREATE INDEX inbox_by_review ON inbox (review);
CREATE INDEX inbox_by_age ON inbox (received_at);

CREATE TABLE pushes (
  seq INTEGER PRIMARY KEY,
  repository TEXT NOT NULL,
  ref TEXT NOT NULL,
  head TEXT NOT NULL,
  before TEXT,
  accepted_at INTEGER NOT NULL,
  sure INTEGER NOT NULL,
  UNIQUE (repository, ref, head)
) STRICT;
CREATE INDEX pushes_by_ref ON pushes (repository, ref, seq);
CREATE INDEX pushes_by_before ON pushes (repository, ref, before) WHERE before IS NOT NULL;
CREATE INDEX pushes_unsure ON pushes (repository, ref) WHERE sure = 0;
CREATE INDEX pushes_by_age ON pushes (accepted_at);

CREATE TABLE reviewed (
  repository TEXT NOT NULL,
  ref TEXT NOT NULL,
  head TEXT NOT NULL,
  review INTEGER,
  at INTEGER NOT NULL,
  PRIMARY KEY (repository, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE cursors (
  repository TEXT NOT NULL,
  source TEXT NOT NULL,
  cursor TEXT NOT NULL,
  moved_at INTEGER NOT NULL,
  PRIMARY KEY (repository)
) STRICT, WITHOUT ROWID;

ALTER TABLE jobs ADD COLUMN ordered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN suspect INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_suspect ON jobs (suspect, lease_until) WHERE suspect = 1;
CREATE INDEX jobs_in_order ON jobs (key, seq) WHERE ordered = 1 AND state <> 'dead';
`;
