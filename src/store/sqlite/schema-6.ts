// The sixth version of the store's file: what channels keep between restarts.

/* `settled_at` is null while somebody works on the event: a claim of a process that died is claimed again. */
export const version6 = `
CREATE TABLE platform_events (
  channel TEXT NOT NULL,
  key TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  settled_at INTEGER,
  PRIMARY KEY (channel, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX platform_events_old ON platform_events (claimed_at);

CREATE TABLE channel_leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE installations (
  channel TEXT NOT NULL,
  workspace TEXT NOT NULL,
  name TEXT,
  sealed TEXT NOT NULL,
  installed_at INTEGER NOT NULL,
  revoked_at INTEGER,
  PRIMARY KEY (channel, workspace)
) STRICT, WITHOUT ROWID;

CREATE TABLE channel_notes (
  channel TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (channel, key)
) STRICT, WITHOUT ROWID;
`;
