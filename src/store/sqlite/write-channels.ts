// Writes of what channels keep: claimed events, leases, installations and notes.
import type { Database } from "better-sqlite3";
import type { ChannelStore, PlatformEvent, StoredInstallation } from "../../ports/channel-store.ts";

/** A claim older than this was never settled because its process died, ms. */
const CLAIM_MS = 60_000;
/** How long events are remembered, ms: the longest re-push that is known of comes after six hours. */
const REMEMBER_MS = 24 * 3_600_000;
/** Old events forgotten beside one new claim, so that a claim never waits for a great cleaning. */
const FORGET_AT_ONCE = 20;

export function createChannelWrites(db: Database) {
  return { ...createEventWrites(db), ...createLeaseWrites(db), ...createInstallationWrites(db), ...createNotes(db) };
}

function createEventWrites(db: Database) {
  const forget = db.prepare(
    `DELETE FROM platform_events WHERE (channel, key) IN (SELECT channel, key FROM platform_events
       WHERE claimed_at < ? ORDER BY claimed_at LIMIT ${FORGET_AT_ONCE})`,
  );
  const claim = db.prepare(
    `INSERT INTO platform_events (channel, key, claimed_at) VALUES (@channel, @key, @now)
     ON CONFLICT (channel, key) DO UPDATE SET claimed_at = excluded.claimed_at, settled_at = NULL
       WHERE (settled_at IS NULL AND claimed_at <= @abandoned) OR claimed_at < @forgotten`,
  );
  const settle = db.prepare(
    `INSERT INTO platform_events (channel, key, claimed_at, settled_at) VALUES (@channel, @key, @now, @now)
     ON CONFLICT (channel, key) DO UPDATE SET settled_at = excluded.settled_at`,
  );
  const release = db.prepare("DELETE FROM platform_events WHERE channel = ? AND key = ? AND settled_at IS NULL");

  return {
    claimEvent({ channel, key }: PlatformEvent, now: number): boolean {
      forget.run(now - REMEMBER_MS);
      const [abandoned, forgotten] = [now - CLAIM_MS, now - REMEMBER_MS];
      return claim.run({ channel, key, now, abandoned, forgotten }).changes === 1;
    },
    settleEvent({ channel, key }: PlatformEvent, now: number): void {
      settle.run({ channel, key, now });
    },
    releaseEvent({ channel, key }: PlatformEvent): void {
      release.run(channel, key);
    },
  };
}

function createLeaseWrites(db: Database) {
  const acquire = db.prepare(
    `INSERT INTO channel_leases (name, owner, expires_at) VALUES (@name, @owner, @until)
     ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
       WHERE owner = excluded.owner OR expires_at <= @now`,
  );
  const release = db.prepare("DELETE FROM channel_leases WHERE name = ? AND owner = ?");

  return {
    acquireLease({ name, owner, ttlMs, now }: Parameters<ChannelStore["acquireLease"]>[0]): boolean {
      return acquire.run({ name, owner, until: now + ttlMs, now }).changes === 1;
    },
    releaseLease(name: string, owner: string): void {
      release.run(name, owner);
    },
  };
}

function createInstallationWrites(db: Database) {
  const save = db.prepare(
    `INSERT INTO installations (channel, workspace, name, sealed, installed_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (channel, workspace) DO UPDATE SET name = excluded.name, sealed = excluded.sealed,
       installed_at = excluded.installed_at, revoked_at = excluded.revoked_at`,
  );
  const revoke = db.prepare(
    "UPDATE installations SET sealed = '', revoked_at = coalesce(revoked_at, ?) WHERE channel = ? AND workspace = ?",
  );

  return {
    saveInstallation({ channel, workspace, name, sealed, installedAt, revokedAt }: StoredInstallation): void {
      save.run(channel, workspace, name ?? null, sealed, installedAt, revokedAt ?? null);
    },
    revokeInstallation({ channel, workspace, now }: Parameters<ChannelStore["revokeInstallation"]>[0]): boolean {
      return revoke.run(now, channel, workspace).changes === 1;
    },
  };
}

function createNotes(db: Database) {
  const save = db.prepare(
    `INSERT INTO channel_notes (channel, key, value) VALUES (?, ?, ?)
     ON CONFLICT (channel, key) DO UPDATE SET value = excluded.value`,
  );
  return {
    saveNote(channel: string, key: string, value: string): void {
      save.run(channel, key, value);
    },
  };
}
