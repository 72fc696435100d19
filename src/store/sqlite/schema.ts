// The store's schema as forward-only migrations; version n of a file is what the first n migrations make of it.
import { version2 } from "./schema-2.ts";
import { version3 } from "./schema-3.ts";
import { version4 } from "./schema-4.ts";
import { version5 } from "./schema-5.ts";
import { version6 } from "./schema-6.ts";

export interface Migration {
  /** The version that a file has afterwards (PRAGMA user_version). */
  readonly version: number;
  readonly sql: string;
}

/** Marks a file as ours (PRAGMA application_id, "AICR"), so that another program's database is never migrated. */
export const applicationId = 0x41494352;

/*
 * Choices that the tables share:
 * - `seq` is the rowid: compact for joins, and newer rows have higher ones;
 * - platform ids are columns, so that no id's characters can be mistaken for a delimiter;
 * - a delivery's lane head carries `head = 1`, so that claiming costs one index step however many lanes there are;
 * - `ready_at` of a delivery is its due time, or the end of its lease while it is leased;
 * - `finding_keys` serves look-ups only: a finding's row lists its keys itself, so that no second index is needed to
 *   find (and delete) them, and the largest table costs one step a key.
 */
const version1 = `
CREATE TABLE repositories (
  alias TEXT NOT NULL PRIMARY KEY,
  vcs TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  conversation TEXT NOT NULL,
  name TEXT,
  locale TEXT,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (channel, workspace, conversation)
) STRICT, WITHOUT ROWID;

CREATE TABLE reviews (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repository TEXT NOT NULL,
  spec TEXT NOT NULL,
  ref TEXT,
  agent TEXT NOT NULL,
  paths TEXT NOT NULL,
  locale TEXT NOT NULL,
  feed TEXT,
  channel TEXT,
  workspace TEXT,
  conversation TEXT,
  thread TEXT,
  person_channel TEXT,
  person_workspace TEXT,
  person TEXT,
  person_name TEXT,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  skip_reason TEXT,
  failure TEXT,
  timings TEXT,
  summaries TEXT,
  progress_channel TEXT,
  progress_workspace TEXT,
  progress_conversation TEXT,
  progress_thread TEXT,
  progress_message TEXT,
  answered_from TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  CHECK ((feed IS NULL) <> (person IS NULL))
) STRICT;
CREATE INDEX reviews_by_time ON reviews (created_at);
CREATE INDEX reviews_by_repository ON reviews (repository, created_at);
CREATE INDEX reviews_by_conversation ON reviews (channel, workspace, conversation, created_at) WHERE channel IS NOT NULL;
CREATE INDEX reviews_finished ON reviews (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE changes (
  review INTEGER PRIMARY KEY REFERENCES reviews (seq) ON DELETE CASCADE,
  repository TEXT NOT NULL,
  ref TEXT NOT NULL,
  head TEXT NOT NULL,
  base TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX changes_by_range ON changes (repository, head, base);

CREATE TABLE problems (
  review INTEGER NOT NULL REFERENCES reviews (seq) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  severity TEXT NOT NULL,
  category TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (review, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE findings (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repository TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  file TEXT NOT NULL,
  category TEXT NOT NULL,
  severity TEXT NOT NULL,
  title TEXT NOT NULL,
  anchor_digest TEXT NOT NULL,
  keys TEXT NOT NULL,
  is_open INTEGER NOT NULL,
  dismissed_by TEXT,
  dismissed_reason TEXT,
  dismissed_at INTEGER,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT;
CREATE INDEX findings_by_file ON findings (repository, file);
CREATE INDEX findings_settled ON findings (last_seen_at) WHERE is_open = 0;

CREATE TABLE finding_keys (
  repository TEXT NOT NULL,
  key TEXT NOT NULL,
  finding INTEGER NOT NULL,
  PRIMARY KEY (repository, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE finding_refs (
  finding INTEGER NOT NULL REFERENCES findings (seq) ON DELETE CASCADE,
  ref TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'resolved')),
  last_revision TEXT NOT NULL,
  PRIMARY KEY (finding, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  review TEXT REFERENCES reviews (id),
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  conversation TEXT NOT NULL,
  thread TEXT,
  only_channel TEXT,
  only_workspace TEXT,
  only_person TEXT,
  only_name TEXT,
  locale TEXT NOT NULL,
  thread_key TEXT,
  reason TEXT,
  facts TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'unknown', 'dead', 'suppressed')),
  head INTEGER NOT NULL,
  ready_at INTEGER NOT NULL,
  lease_token TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  planned INTEGER NOT NULL DEFAULT 0,
  replanned INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX deliveries_ready ON deliveries (ready_at, seq) WHERE head = 1;
CREATE INDEX deliveries_lane ON deliveries (channel, workspace, conversation, seq) WHERE finished_at IS NULL;
CREATE INDEX deliveries_by_thread ON deliveries (channel, workspace, conversation, thread_key) WHERE thread_key IS NOT NULL;
CREATE INDEX deliveries_by_review ON deliveries (review) WHERE review IS NOT NULL;
CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE messages (
  delivery INTEGER NOT NULL REFERENCES deliveries (seq) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  role TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'unknown', 'dead', 'suppressed')),
  page TEXT NOT NULL,
  fingerprint TEXT,
  edits_channel TEXT,
  edits_workspace TEXT,
  edits_conversation TEXT,
  edits_thread TEXT,
  edits_message TEXT,
  ref_channel TEXT,
  ref_workspace TEXT,
  ref_conversation TEXT,
  ref_thread TEXT,
  ref_message TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  first_tried_at INTEGER,
  settled_at INTEGER,
  error TEXT,
  PRIMARY KEY (delivery, number)
) STRICT;
CREATE INDEX messages_by_fingerprint ON messages (fingerprint) WHERE fingerprint IS NOT NULL;

CREATE TABLE inbox (
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  review INTEGER REFERENCES reviews (seq) ON DELETE SET NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_by_review ON inbox (review);
CREATE INDEX inbox_by_age ON inbox (received_at);

CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  review INTEGER NOT NULL REFERENCES reviews (seq) ON DELETE CASCADE,
  coalesces INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'dead')),
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  exhausted INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  worker TEXT,
  lease_token TEXT,
  lease_until INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_due ON jobs (due_at, seq) WHERE state <> 'dead';
CREATE INDEX jobs_by_key ON jobs (key, state);
CREATE UNIQUE INDEX jobs_coalescing ON jobs (key) WHERE state = 'pending' AND coalesces = 1;
CREATE INDEX jobs_by_state ON jobs (state, due_at);
CREATE INDEX jobs_by_review ON jobs (review);

CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  object TEXT NOT NULL,
  outcome TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_age ON audit (at);

CREATE TABLE chat_messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  thread TEXT,
  sender TEXT NOT NULL,
  visibility TEXT NOT NULL,
  text TEXT NOT NULL,
  card TEXT,
  created_at INTEGER NOT NULL,
  edited_at INTEGER
) STRICT;
CREATE INDEX chat_roots ON chat_messages (conversation, seq) WHERE thread IS NULL;
CREATE INDEX chat_replies ON chat_messages (conversation, thread) WHERE thread IS NOT NULL;
`;

/** Every migration, oldest first; one that was released is never changed again. */
export const migrations: readonly Migration[] = [
  { version: 1, sql: version1 },
  { version: 2, sql: version2 },
  { version: 3, sql: version3 },
  { version: 4, sql: version4 },
  { version: 5, sql: version5 },
  { version: 6, sql: version6 },
];
