// The third version of the store's file: subscriptions and mutes by command, identities, and what finding commands look up.

/*
 * - A mute's repository is empty where it holds for every one.
 * - `parked` deliveries wait for the end of quiet hours outside their lane, so that an answer to a person does not wait with them.
 * - `rank` in the index of open findings is their severity, so that a list of the gravest is read and not sorted.
 * - The columns `owner_*` of a job name the person who asked, so that one person's jobs do not hold up another's.
 */
export const version3 = `
CREATE TABLE subscriptions (
  id TEXT NOT NULL PRIMARY KEY,
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  conversation TEXT NOT NULL,
  repository TEXT NOT NULL,
  filters TEXT NOT NULL,
  terms TEXT NOT NULL,
  language TEXT,
  has_digest INTEGER NOT NULL,
  owner_channel TEXT NOT NULL,
  owner_workspace TEXT NOT NULL,
  owner_person TEXT NOT NULL,
  owner_name TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (repository, channel, workspace, conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriptions_by_conversation ON subscriptions (channel, workspace, conversation, repository);
CREATE INDEX subscriptions_with_digest ON subscriptions (has_digest) WHERE has_digest = 1;

CREATE TABLE mutes (
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  conversation TEXT NOT NULL,
  repository TEXT NOT NULL,
  until INTEGER NOT NULL,
  muted_by TEXT NOT NULL,
  PRIMARY KEY (channel, workspace, conversation, repository)
) STRICT, WITHOUT ROWID;
CREATE INDEX mutes_by_end ON mutes (until);

CREATE TABLE identities (
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  vcs_user TEXT NOT NULL,
  person TEXT NOT NULL,
  name TEXT,
  linked_at INTEGER NOT NULL,
  PRIMARY KEY (channel, workspace, vcs_user)
) STRICT, WITHOUT ROWID;

ALTER TABLE findings ADD COLUMN line INTEGER;
CREATE INDEX findings_open ON findings (repository,
  (CASE severity WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END),
  last_seen_at DESC) WHERE is_open = 1 AND dismissed_at IS NULL;
CREATE INDEX findings_dismissed ON findings (repository, dismissed_at DESC) WHERE dismissed_at IS NOT NULL;

ALTER TABLE deliveries ADD COLUMN parked INTEGER NOT NULL DEFAULT 0;
CREATE INDEX deliveries_parked ON deliveries (ready_at) WHERE parked = 1;

ALTER TABLE reviews ADD COLUMN rerun_of TEXT;

ALTER TABLE jobs ADD COLUMN owner_channel TEXT;
ALTER TABLE jobs ADD COLUMN owner_workspace TEXT;
ALTER TABLE jobs ADD COLUMN owner_person TEXT;
CREATE INDEX jobs_by_owner ON jobs (owner_channel, owner_workspace, owner_person, state) WHERE owner_person IS NOT NULL;

CREATE INDEX inbox_by_head ON inbox (repository, head, received_at) WHERE head IS NOT NULL;
`;
