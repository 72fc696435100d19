// The fourth version of the store's file: buttons, who has seen a finding, muted kinds of problems, and digests' slots.

/*
 * - A button lives as long as its message, which is purged with its delivery.
 * - `last_tried_at` is when a request last went out: only long enough after that may its message be called absent.
 * - `peak` is the gravest severity that a finding ever had: only above it does a finding count as risen.
 * - A slot's local time names it: a clock that jumps, or an hour that comes twice, never makes a second one.
 */
export const version4 = `
CREATE TABLE actions (
  token TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  delivery INTEGER NOT NULL,
  number INTEGER NOT NULL,
  fingerprint TEXT,
  category TEXT,
  expires_at INTEGER NOT NULL,
  FOREIGN KEY (delivery, number) REFERENCES messages (delivery, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX actions_by_message ON actions (delivery, number);

CREATE TABLE acknowledgements (
  finding INTEGER NOT NULL REFERENCES findings (seq) ON DELETE CASCADE,
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  person TEXT NOT NULL,
  name TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (finding, channel, workspace, person)
) STRICT, WITHOUT ROWID;

CREATE TABLE kind_mutes (
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  conversation TEXT NOT NULL,
  repository TEXT NOT NULL,
  category TEXT NOT NULL,
  until INTEGER NOT NULL,
  muted_by TEXT NOT NULL,
  PRIMARY KEY (channel, workspace, conversation, repository, category)
) STRICT, WITHOUT ROWID;
CREATE INDEX kind_mutes_by_end ON kind_mutes (until);

CREATE TABLE digest_slots (
  subscription TEXT NOT NULL,
  slot TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('sent', 'empty', 'skipped')),
  due_at INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (subscription, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX digest_slots_by_age ON digest_slots (due_at);

ALTER TABLE deliveries ADD COLUMN absorbed_by TEXT;
CREATE INDEX deliveries_absorbed ON deliveries (absorbed_by, seq) WHERE absorbed_by IS NOT NULL;

ALTER TABLE messages ADD COLUMN last_tried_at INTEGER;
ALTER TABLE findings ADD COLUMN peak TEXT;
ALTER TABLE findings ADD COLUMN resolved_at INTEGER;

CREATE TABLE pauses (
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  conversation TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (channel, workspace, conversation)
) STRICT, WITHOUT ROWID;
`;
