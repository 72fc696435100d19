// Contract of people's wishes: subscriptions, mutes, judgements on findings, identities, and who waits for whom.
import { expect, test } from "vitest";
import { noFilters, type StoredSubscription } from "../../src/core/subscription.ts";
import type { Store } from "../../src/ports/store.ts";
import {
  asker,
  change,
  claim,
  claimNext,
  delivery,
  finding,
  fresh,
  minute,
  otherPlace,
  place,
  request,
  reviewed,
  start,
} from "./store-samples.ts";

const owner = { channel: "slack", workspace: "T1", person: "U1", name: "Ada" };

function subscription(overrides: Partial<StoredSubscription> = {}): StoredSubscription {
  return {
    id: `sb_${fresh()}`,
    conversation: place,
    repository: "demo",
    filters: { ...noFilters, branches: ["main"], notPaths: ["**/*.gen.cpp"] },
    mode: "report",
    severity: "medium",
    noProblems: "publish",
    mention: "author",
    digest: "0 9 * * 1-5",
    timeZone: "Asia/Ho_Chi_Minh",
    quiet: { from: 1320, to: 480 },
    language: "vi",
    owner,
    createdAt: start,
    ...overrides,
  };
}

export function conversationsContract(store: () => Store): void {
  test("a subscription is found by repository and by conversation, as it was saved", async () => {
    const one = subscription();
    const plain: StoredSubscription = {
      id: `sb_${fresh()}`,
      conversation: otherPlace,
      repository: "demo",
      filters: noFilters,
      mode: "audit",
      severity: "info",
      owner: { channel: "slack", workspace: "T1", person: "U2" },
      createdAt: start,
    };
    expect(await store().saveSubscription(one)).toBe("added");
    expect(await store().saveSubscription(plain)).toBe("added");
    await store().saveSubscription(subscription({ repository: "other" }));
    const found = await store().subscriptionsOf("demo");
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining([one, plain]));
    expect((await store().subscriptionsIn(place)).map(({ repository }) => repository)).toEqual(["demo", "other"]);
    expect((await store().digestSubscriptions()).map(({ repository }) => repository).sort()).toEqual(["demo", "other"]);
    expect(await store().subscriptionsOf("none")).toEqual([]);
  });

  test("a second subscription to the same replaces the first, and keeps its id", async () => {
    const one = subscription();
    await store().saveSubscription(one);
    const { digest: _, ...later } = subscription({
      mode: "audit",
      createdAt: start + 5,
      owner: { ...owner, person: "U2" },
    });
    expect(await store().saveSubscription(later)).toBe("replaced");
    expect(await store().subscriptionsOf("demo")).toEqual([{ ...later, id: one.id, createdAt: start }]);
    expect(await store().digestSubscriptions()).toEqual([]);
    expect(await store().removeSubscription(otherPlace, "demo")).toBe(false);
    expect(await store().removeSubscription(place, "demo")).toBe(true);
    expect(await store().subscriptionsOf("demo")).toEqual([]);
  });

  test("a mute holds until its time and no longer, for one repository or for all", async () => {
    await store().mute({ conversation: place, repository: "demo", until: start + minute, by: "Ada" }, start);
    await store().mute({ conversation: place, until: start + 2 * minute, by: "Bob" }, start);
    const both = [
      { conversation: place, until: start + 2 * minute, by: "Bob" },
      { conversation: place, repository: "demo", until: start + minute, by: "Ada" },
    ];
    expect(await store().mutesIn(place, start)).toEqual(both);
    expect(await store().mutesIn(place, start + minute)).toEqual(both.slice(0, 1));
    expect(await store().mutesIn(otherPlace, start)).toEqual([]);
    expect(await store().unmute(place, "other", start)).toBe(false);
    expect(await store().unmute(place, "demo", start)).toBe(true);
    expect(await store().unmute(place, undefined, start)).toBe(true);
    expect(await store().unmute(place, undefined, start)).toBe(false);
    expect(await store().mutesIn(place, start)).toEqual([]);
  });

  test("a mute suppresses what waits, of its repository and its conversation, but no answer to a person", async () => {
    const muted = delivery();
    const answer = delivery({ kind: "answer", target: { conversation: place, onlyFor: asker.person } });
    const elsewhere = delivery({ target: { conversation: otherPlace } });
    const id = await reviewed(store(), {}, { deliveries: [muted, answer, elsewhere] });
    const foreign = delivery();
    await reviewed(store(), { repository: "other" }, { deliveries: [foreign] });
    const mute = { conversation: place, repository: "demo", until: start + minute, by: "Ada" };
    expect(await store().mute(mute, start + 2_000)).toBe(1);
    const states = (await store().deliveriesOf(id)).map(({ id: one, state, reason }) => [one, state, reason]);
    expect(states).toEqual([
      [muted.id, "suppressed", "muted"],
      [answer.id, "pending", undefined],
      [elsewhere.id, "pending", undefined],
    ]);
    const claimed = [await claimNext(store()), await claimNext(store()), await claimNext(store())];
    // The lane's next one is behind what is leased.
    expect(claimed.map((one) => one?.delivery.id)).toEqual([answer.id, elsewhere.id, undefined]);
  });

  test("what a sender has begun is not suppressed any more", async () => {
    await reviewed(store(), {}, { deliveries: [delivery()] });
    expect(await claimNext(store())).not.toBeNull();
    expect(await store().mute({ conversation: place, until: start + minute, by: "Ada" }, start)).toBe(0);
  });

  test("quiet hours hold a delivery back, and nothing behind it; then it is sent before what came later", async () => {
    const quiet = delivery({ dueAt: start + 60 * minute });
    const quietToo = delivery({ dueAt: start + 60 * minute });
    const answer = delivery({ kind: "answer", target: { conversation: place, onlyFor: asker.person } });
    const id = await reviewed(store(), {}, { deliveries: [quiet, quietToo, answer] });
    expect((await store().deliveriesOf(id))[0]).toMatchObject({ state: "pending", dueAt: start + 60 * minute });
    const first = await claimNext(store(), start + 2 * minute, minute);
    expect(first?.delivery.id).toBe(answer.id);
    expect(await claimNext(store(), start + 2 * minute)).toBeNull();
    const late = delivery({ kind: "audit" });
    await reviewed(store(), {}, { deliveries: [late], now: start + 59 * minute });
    const end = { delivery: answer.id, token: first?.token ?? "", state: "sent" as const, now: start + 2 * minute };
    expect(await store().settleDelivery(end)).toBe(true);
    const order: (string | undefined)[] = [];
    for (let step = 0; step < 3; step++) {
      const next = await claimNext(store(), start + 60 * minute);
      order.push(next?.delivery.id);
      if (next === null) continue;
      const sent = { delivery: next.delivery.id, token: next.token, state: "sent" as const, now: start + 60 * minute };
      await store().settleDelivery(sent);
    }
    // The late one became its lane's head before the quiet hours ended.
    expect([...order].sort()).toEqual([late.id, quiet.id, quietToo.id].sort());
    expect(order.indexOf(quiet.id)).toBeLessThan(order.indexOf(quietToo.id));
    expect((await store().deliveriesOf(id)).map(({ state }) => state)).toEqual(["sent", "sent", "sent"]);
  });

  test("findings are listed gravest first, and dismissed ones apart", async () => {
    const low = finding("low", { severity: "low", line: 7 });
    const critical = finding("critical", { severity: "critical" });
    const medium = finding("medium", { severity: "medium" });
    await reviewed(store(), {}, { findings: [low, critical, medium] });
    await reviewed(store(), { repository: "other" }, { findings: [finding("else")] });
    const list = (state: "open" | "dismissed", limit = 10) => store().findings({ repository: "demo", state, limit });
    const open = await list("open");
    expect(open.findings.map(({ id }) => id)).toEqual([critical.id, medium.id, low.id]);
    expect(open.findings.map(({ line }) => line)).toEqual([undefined, undefined, 7]);
    expect(await list("open", 1)).toMatchObject({ total: 3, findings: [{ id: critical.id }] });
    const request = { finding: critical.id, by: "Ada", reason: 'it\'s "wrong"', now: start + 5 };
    expect(await store().dismissFinding(request)).toBe("dismissed");
    expect(await store().dismissFinding({ ...request, by: "Bob", now: start + 6 })).toBe("already");
    expect((await list("open")).findings.map(({ id }) => id)).toEqual([medium.id, low.id]);
    const dismissed = { by: "Ada", reason: 'it\'s "wrong"', at: start + 5 };
    expect(await list("dismissed")).toMatchObject({ total: 1, findings: [{ id: critical.id, dismissed }] });
    expect(await store().finding(critical.id)).toMatchObject({ dismissed });
    expect(await store().reopenFinding(critical.id)).toBe("reopened");
    expect(await store().reopenFinding(critical.id)).toBe("already");
    expect((await list("open")).total).toBe(3);
    expect(await store().finding("fd_none")).toBeNull();
    expect(await store().dismissFinding({ ...request, finding: "fd_none" })).toBe("unknown");
    expect(await store().reopenFinding("fd_none")).toBe("unknown");
  });

  test("a resolved finding is not listed as open, and keeps its line", async () => {
    const update = finding("f", { line: 3 });
    await reviewed(store(), {}, { findings: [update] });
    const { line: _, ...gone } = update;
    await reviewed(store(), {}, { findings: [{ ...gone, status: "resolved" }] });
    expect((await store().findings({ repository: "demo", state: "open", limit: 9 })).findings).toEqual([]);
    expect(await store().finding(update.id)).toMatchObject({ line: 3 });
  });

  test("a VCS user belongs to the first person of a workspace who says so", async () => {
    const link = (person: string, user: string, workspace = "T1") =>
      store().linkIdentity({ person: { channel: "slack", workspace, person }, user, now: start });
    expect(await link("U1", "Alice@example.org")).toBe("linked");
    expect(await link("U1", "alice@EXAMPLE.org")).toBe("already");
    expect(await link("U2", "alice@example.org")).toBe("taken");
    expect(await link("U2", "alice@example.org", "T2")).toBe("linked");
    const who = (users: readonly string[]) => store().personOf({ channel: "slack", workspace: "T1", users });
    expect(await who(["nobody", "ALICE@example.org"])).toMatchObject({ person: "U1", workspace: "T1" });
    expect(await who(["nobody"])).toBeNull();
  });

  test("reviews are found by their head, whole or begun", async () => {
    const one = await reviewed(store());
    const other = await reviewed(
      store(),
      { now: start + 1 },
      {},
      change({ head: { ...change().head, canonical: `aaff${"0".repeat(36)}` } }),
    );
    const found = (head: string, isPrefix: boolean) =>
      store()
        .reviewsOfHead({ repository: "demo", head, isPrefix, limit: 9 })
        .then((list) => list.map(({ id }) => id));
    expect(await found("aaf", true)).toEqual([other]);
    expect(await found("aa", true)).toEqual([other, one]);
    expect(await found("a".repeat(40), false)).toEqual([one]);
    expect(await found("aa", false)).toEqual([]);
  });

  test("a review that is done again says of which", async () => {
    const again = request({ requester: asker, coalesce: false, rerunOf: "rv_first" });
    await store().acceptReview(again);
    expect(await store().review(again.review)).toMatchObject({ rerunOf: "rv_first" });
  });

  test("a person who asked for many reviews gets their second after everybody else's first", async () => {
    const ask = async (person: string): Promise<string> => {
      const accepted = request({
        jobKey: `person ${fresh()}`,
        coalesce: false,
        requester: { ...asker, person: { ...asker.person, person } },
      });
      await store().acceptReview(accepted);
      return accepted.review;
    };
    const many = [await ask("U1"), await ask("U1"), await ask("U1")];
    const single = await ask("U2");
    const order = [await claim(store()), await claim(store()), await claim(store()), await claim(store())];
    expect(order.map((job) => job?.review.id)).toEqual([many[0], single, many[1], many[2]]);
  });
}
