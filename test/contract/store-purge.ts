// Contract of the purge: what is old and done goes; what is open, owed or unfinished stays.
import { expect, test } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { claimed, claimedDelivery, delivery, finding, problem, request, reviewed, start } from "./store-samples.ts";

const later = start + 1_000_000;

export function purgeContract(store: () => Store): void {
  test("old finished reviews go with their inbox rows; newer ones stay", async () => {
    const inbox = { source: "push", key: "old" };
    const report = { outcome: "reported", problems: [problem("p1")], summaries: [] } as const;
    const old = await reviewed(store(), { inbox }, { result: { status: "reported", report } });
    const kept = await reviewed(store(), { now: later }, { now: later });
    await store().audit({ actor: "a", action: "b", object: "c", outcome: "d", now: start });
    expect(await store().purge(later)).toBeGreaterThanOrEqual(3);
    expect(await store().review(old)).toBeNull();
    expect(await store().report(old)).toBeNull();
    expect(await store().review(kept)).not.toBeNull();
    expect((await store().acceptReview(request({ inbox }))).outcome).toBe("accepted");
    expect(await store().purge(later)).toBe(0);
  });

  test("what belongs to unfinished reviews stays", async () => {
    const waiting = request({ jobKey: "1" });
    const running = request({ jobKey: "2" });
    await store().acceptReview(running);
    const job = await claimed(store());
    await store().acceptReview(waiting);
    expect(await store().purge(later)).toBe(0);
    expect(await store().review(waiting.review)).not.toBeNull();
    expect((await store().review(job.review.id))?.id).toBe(running.review);
    expect((await store().acceptReview(request({ inbox: waiting.inbox }))).outcome).toBe("duplicate");
  });

  test("a review stays as long as something of it is owed", async () => {
    const review = await reviewed(store(), {}, { deliveries: [delivery({ reason: "muted" }), delivery()] });
    const owed = await reviewed(store(), {}, {});
    await store().purge(later);
    expect(await store().review(owed)).toBeNull();
    const stillThere = await store().deliveriesOf(review);
    expect(stillThere).toHaveLength(1);
    const held = await claimedDelivery(store(), later);
    await store().settleDelivery({ delivery: held.delivery.id, token: held.token, state: "sent", now: start + 2 });
    await store().purge(later);
    expect(await store().deliveriesOf(review)).toEqual([]);
  });

  test("open findings stay whatever their age, resolved ones go", async () => {
    const open = finding("open");
    const resolved = finding("resolved");
    await reviewed(store(), {}, { findings: [open, resolved], now: start });
    await reviewed(store(), {}, { findings: [{ ...resolved, status: "resolved" }], now: start });
    await store().purge(later);
    const left = await store().findingsByKeys("demo", ["open", "resolved", "agent:resolved"]);
    expect(left.map(({ fingerprint }) => fingerprint)).toEqual(["open"]);
    await reviewed(store(), {}, { findings: [finding("resolved")], now: later });
    expect(await store().findingsByKeys("demo", ["resolved"])).toHaveLength(1);
  });

  test("more than one chunk is deleted, and other calls are answered meanwhile", async () => {
    const rows = Array.from({ length: 1_203 }, (_, n) =>
      store().audit({ actor: "a", action: "b", object: String(n), outcome: "d", now: start }),
    );
    await Promise.all(rows);
    const [removed, answer] = await Promise.all([store().purge(later), store().acceptReview(request({ now: later }))]);
    expect(removed).toBe(1_203);
    expect(answer.outcome).toBe("accepted");
  });
}
