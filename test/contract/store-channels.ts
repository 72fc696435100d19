// Contract of what channels keep: events claimed once, leases of one holder, installations, notes.
import { expect, test } from "vitest";
import type { ChannelStore, StoredInstallation } from "../../src/ports/channel-store.ts";
import { minute, start } from "./store-samples.ts";

const hour = 60 * minute;
const event = { channel: "lark", key: "message/om_1" };

const installation = (overrides: Partial<StoredInstallation> = {}): StoredInstallation => ({
  channel: "slack",
  workspace: "T1",
  name: "Acme",
  sealed: "v1:sealed",
  installedAt: start,
  ...overrides,
});

export function channelsContract(store: () => ChannelStore): void {
  test("an event is claimed once, and its copies for a day after", async () => {
    expect(await store().claimEvent(event, start)).toBe(true);
    expect(await store().claimEvent(event, start)).toBe(false);
    await store().settleEvent(event, start + 10);
    for (const later of [minute, 8 * hour, 23 * hour])
      expect(await store().claimEvent(event, start + later)).toBe(false);
    expect(await store().claimEvent({ ...event, channel: "slack" }, start)).toBe(true);
    expect(await store().claimEvent({ ...event, key: "message/om_2" }, start)).toBe(true);
    expect(await store().claimEvent(event, start + 25 * hour)).toBe(true);
  });

  test("a claim whose process died is claimed again after a minute, one that is settled is not", async () => {
    await store().claimEvent(event, start);
    expect(await store().claimEvent(event, start + minute - 1)).toBe(false);
    expect(await store().claimEvent(event, start + minute)).toBe(true);
    await store().settleEvent(event, start + minute);
    expect(await store().claimEvent(event, start + 10 * minute)).toBe(false);
  });

  test("a released event may be claimed by its next copy, unless it was settled", async () => {
    await store().claimEvent(event, start);
    await store().releaseEvent(event);
    expect(await store().claimEvent(event, start)).toBe(true);
    await store().settleEvent(event, start);
    await store().releaseEvent(event);
    expect(await store().claimEvent(event, start)).toBe(false);
  });

  test("of many claims at once one succeeds", async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => store().claimEvent(event, start)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  test("a lease has one holder until it runs out or is given back", async () => {
    const ask = (owner: string, now: number) => store().acquireLease({ name: "lark/cli_1", owner, ttlMs: minute, now });
    expect(await ask("a", start)).toBe(true);
    expect(await ask("b", start)).toBe(false);
    expect(await ask("a", start + minute - 1)).toBe(true);
    expect(await ask("b", start + minute)).toBe(false);
    expect(await ask("b", start + 2 * minute - 1)).toBe(true);
    await store().releaseLease("lark/cli_1", "a");
    expect(await ask("a", start + 2 * minute)).toBe(false);
    await store().releaseLease("lark/cli_1", "b");
    expect(await ask("a", start + 2 * minute)).toBe(true);
  });

  test("an installation is kept, replaced, listed, and revoked without its tokens", async () => {
    const second = installation({ workspace: "T2", installedAt: start + 1 });
    await store().saveInstallation(second);
    await store().saveInstallation(installation({ sealed: "v1:old" }));
    await store().saveInstallation(installation());
    await store().saveInstallation(installation({ channel: "discord" }));
    expect(await store().installation("slack", "T1")).toEqual(installation());
    expect(await store().installations("slack")).toEqual([installation(), second]);
    expect(await store().revokeInstallation({ channel: "slack", workspace: "T1", now: start + 5 })).toBe(true);
    expect(await store().installation("slack", "T1")).toEqual(installation({ sealed: "", revokedAt: start + 5 }));
    expect(await store().installations("slack")).toEqual([second]);
    expect(await store().revokeInstallation({ channel: "slack", workspace: "T9", now: start })).toBe(false);
    await store().saveInstallation(installation());
    expect(await store().installations("slack")).toEqual([installation(), second]);
  });

  test("a note is what was saved last", async () => {
    expect(await store().note("discord", "commands")).toBeNull();
    await store().saveNote("discord", "commands", "a");
    await store().saveNote("discord", "commands", "b");
    await store().saveNote("slack", "commands", "c");
    expect(await store().note("discord", "commands")).toBe("b");
  });
}
