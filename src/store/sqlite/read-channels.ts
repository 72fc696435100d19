// Reads what channels keep: installations and notes.
import type { Database } from "better-sqlite3";
import type { StoredInstallation } from "../../ports/channel-store.ts";

interface InstallationRow {
  readonly channel: string;
  readonly workspace: string;
  readonly name: string | null;
  readonly sealed: string;
  readonly installed_at: number;
  readonly revoked_at: number | null;
}

export function createChannelReads(db: Database) {
  const columns = "channel, workspace, name, sealed, installed_at, revoked_at";
  const one = db.prepare<unknown[], InstallationRow>(
    `SELECT ${columns} FROM installations WHERE channel = ? AND workspace = ?`,
  );
  const all = db.prepare<unknown[], InstallationRow>(
    `SELECT ${columns} FROM installations WHERE channel = ? AND revoked_at IS NULL ORDER BY installed_at, workspace`,
  );
  const note = db.prepare<unknown[], { value: string }>(
    "SELECT value FROM channel_notes WHERE channel = ? AND key = ?",
  );

  return {
    installation(channel: string, workspace: string): StoredInstallation | null {
      const row = one.get(channel, workspace);
      return row === undefined ? null : installationFrom(row);
    },
    installations: (channel: string): readonly StoredInstallation[] => all.all(channel).map(installationFrom),
    note: (channel: string, key: string): string | null => note.get(channel, key)?.value ?? null,
  };
}

function installationFrom({ channel, workspace, name, sealed, ...row }: InstallationRow): StoredInstallation {
  return {
    channel,
    workspace,
    ...(name === null ? {} : { name }),
    sealed,
    installedAt: row.installed_at,
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
  };
}
