// Contract of what is owed without a review: notices, audit lines that are told together, pauses, and digests' slots.
import { expect, test } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import {
  claimedDelivery,
  claimNext,
  delivery,
  finding,
  minute,
  otherPlace,
  place,
  reviewed,
  start,
} from "./store-samples.ts";

const t = start + minute;
const notice = { notice: { key: "notice.paused", params: { place: "c", n: 1 } } };
const plain = { kind: "notice", facts: notice } as const;

export function owedContract(store: () => Store): void {
  const owed = (overrides: Parameters<typeof delivery>[0]) => {
    const { threadKey: _, ...rest } = delivery(overrides);
    return rest;
  };

  test("what is owed without a review is claimed like everything else", async () => {
    const one = owed(plain);
    await store().owe([one], start);
    expect((await claimedDelivery(store())).delivery).toEqual(one);
  });

  test("what is owed because a delivery ended is owed in the same operation, and only if the lease holds", async () => {
    await store().owe([owed(plain)], start);
    const held = await claimedDelivery(store());
    const next = owed({ ...plain, target: { conversation: otherPlace } });
    const end = { delivery: held.delivery.id, state: "dead", error: "gone", notices: [next], now: t } as const;
    expect(await store().settleDelivery({ ...end, token: "stale" })).toBe(false);
    expect(await claimNext(store())).toBeNull();
    expect(await store().settleDelivery({ ...end, token: held.token })).toBe(true);
    expect((await claimedDelivery(store())).delivery).toEqual(next);
  });

  test("audit lines that wait right behind one become part of it, in order, and no further", async () => {
    const lines = Array.from({ length: 5 }, () => owed({ kind: "audit", facts: notice }));
    const [first, second, third, , last] = lines as [...typeof lines, (typeof lines)[0]];
    const elsewhere = owed({ kind: "audit", facts: notice, target: { conversation: otherPlace } });
    await store().owe(
      [first, second, third].flatMap((one) => (one ? [one] : [])),
      start,
    );
    await store().owe([elsewhere, owed(plain)], start);
    if (last !== undefined) await store().owe([last], start);
    const held = await claimedDelivery(store());
    const request = { delivery: held.delivery.id, limit: 10, now: t };
    expect(await store().absorbAudits({ ...request, token: "stale" })).toBe(0);
    expect(await store().absorbAudits({ ...request, token: held.token })).toBe(2);
    expect(await store().absorbedBy(held.delivery.id)).toEqual([second, third]);
    expect((await store().queue(t)).undelivered).toBe(4);
  });

  test("a conversation is paused once, until it is resumed", async () => {
    const pause = {
      conversation: place,
      reason: "archived",
      notices: [owed({ ...plain, target: { conversation: otherPlace } })],
      now: t,
    };
    expect(await store().isPaused(place)).toBe(false);
    expect(await store().pauseConversation(pause)).toBe("paused");
    expect(await store().pauseConversation(pause)).toBe("already");
    expect((await store().queue(t)).undelivered).toBe(1);
    expect([await store().isPaused(place), await store().isPaused(otherPlace)]).toEqual([true, false]);
    expect(await store().resumeConversation(place)).toBe(true);
    expect(await store().resumeConversation(place)).toBe(false);
    await store().pauseConversation({ ...pause, notices: [] });
    await store().seeConversation(place, { name: "renamed" }, t);
    expect(await store().isPaused(place)).toBe(true);
  });

  test("a workspace is paused with all its conversations, and comes back without those that have reasons of their own", async () => {
    const { channel, workspace } = place;
    const third = { ...place, conversation: "c_archived" };
    const foreign = { ...place, workspace: "elsewhere" };
    for (const one of [place, otherPlace, third, foreign]) await store().seeConversation(one, {}, t);
    await store().pauseConversation({ conversation: third, reason: "archived", notices: [], now: t });
    const leave = { channel, workspace, reason: "uninstalled", now: t };
    expect(await store().pauseWorkspace(leave)).toBe(2);
    expect(await store().pauseWorkspace(leave)).toBe(0);
    const paused = async () => Promise.all([place, otherPlace, third, foreign].map((one) => store().isPaused(one)));
    expect(await paused()).toEqual([true, true, true, false]);
    expect(await store().resumeWorkspace(channel, workspace, "uninstalled")).toBe(2);
    expect(await paused()).toEqual([false, false, true, false]);
  });

  test("a digest's slot is taken once, with its delivery", async () => {
    const slot = { subscription: "sb_1", slot: "2026-03-29 09:00", outcome: "sent", dueAt: t, now: t } as const;
    expect(await store().lastDigestSlot("sb_1")).toBeNull();
    expect(await store().takeDigestSlot({ ...slot, delivery: owed(plain) })).toBe("yours");
    expect(await store().takeDigestSlot({ ...slot, delivery: owed(plain) })).toBe("taken");
    expect((await store().queue(t)).undelivered).toBe(1);
    const later = { ...slot, slot: "2026-03-30 09:00", outcome: "skipped", dueAt: t + minute } as const;
    expect(await store().takeDigestSlot(later)).toBe("yours");
    const last = { slot: "2026-03-30 09:00", dueAt: t + minute, reportedTo: t };
    expect(await store().lastDigestSlot("sb_1")).toEqual(last);
    expect(await store().takeDigestSlot({ ...slot, subscription: "sb_2" })).toBe("yours");
  });

  test("a finding keeps the gravest severity that it had, and the time since when it is resolved counts", async () => {
    const update = finding("f1", { severity: "medium" });
    const known = async () => (await store().findingsByKeys("demo", ["f1"]))[0];
    await reviewed(store(), {}, { findings: [update] });
    for (const severity of ["critical", "low"] as const) {
      await reviewed(store(), {}, { findings: [{ ...update, severity }] });
    }
    expect(await known()).toMatchObject({ severity: "low", peak: "critical" });
    await reviewed(store(), {}, { findings: [{ ...update, status: "resolved" }], now: t });
    const window = { conversation: place, repository: "demo", from: t, to: t + 1 };
    expect((await store().digestNumbers(window)).resolved.low).toBe(1);
    await reviewed(store(), {}, { findings: [update], now: t });
    const numbers = await store().digestNumbers(window);
    expect([numbers.resolved.low, numbers.open.medium]).toEqual([0, 1]);
  });
}
