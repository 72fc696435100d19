// A channel store in memory, with the rules of the real one, for tests of channels.
import type { ChannelStore, PlatformEvent, StoredInstallation } from "../../src/ports/channel-store.ts";

const claimMs = 60_000;
const rememberMs = 24 * 3_600_000;

export function createMemoryChannelStore(): ChannelStore {
  const events = new Map<string, { claimedAt: number; settled: boolean }>();
  const leases = new Map<string, { owner: string; expiresAt: number }>();
  const installed = new Map<string, StoredInstallation>();
  const notes = new Map<string, string>();
  const idOf = (...parts: readonly string[]): string => JSON.stringify(parts);
  const eventOf = ({ channel, key }: PlatformEvent): string => idOf(channel, key);

  return {
    async claimEvent(event, now) {
      const known = events.get(eventOf(event));
      const isOver = known !== undefined && known.claimedAt < now - rememberMs;
      const isAbandoned = known !== undefined && !known.settled && known.claimedAt <= now - claimMs;
      if (known !== undefined && !isOver && !isAbandoned) return false;
      events.set(eventOf(event), { claimedAt: now, settled: false });
      return true;
    },
    async settleEvent(event, now) {
      events.set(eventOf(event), { claimedAt: events.get(eventOf(event))?.claimedAt ?? now, settled: true });
    },
    async releaseEvent(event) {
      if (events.get(eventOf(event))?.settled === false) events.delete(eventOf(event));
    },
    async acquireLease({ name, owner, ttlMs, now }) {
      const held = leases.get(name);
      if (held !== undefined && held.owner !== owner && held.expiresAt > now) return false;
      leases.set(name, { owner, expiresAt: now + ttlMs });
      return true;
    },
    async releaseLease(name, owner) {
      if (leases.get(name)?.owner === owner) leases.delete(name);
    },
    async saveInstallation(installation) {
      installed.set(idOf(installation.channel, installation.workspace), installation);
    },
    async installation(channel, workspace) {
      return installed.get(idOf(channel, workspace)) ?? null;
    },
    async installations(channel) {
      return [...installed.values()]
        .filter((one) => one.channel === channel && one.revokedAt === undefined)
        .sort((a, b) => a.installedAt - b.installedAt || (a.workspace < b.workspace ? -1 : 1));
    },
    async revokeInstallation({ channel, workspace, now }) {
      const known = installed.get(idOf(channel, workspace));
      if (known === undefined) return false;
      installed.set(idOf(channel, workspace), { ...known, sealed: "", revokedAt: known.revokedAt ?? now });
      return true;
    },
    async note(channel, key) {
      return notes.get(idOf(channel, key)) ?? null;
    },
    async saveNote(channel, key, value) {
      notes.set(idOf(channel, key), value);
    },
  };
}
