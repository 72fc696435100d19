// Contract of feeds: each push once, heads that move until they are claimed, how far refs are reviewed, and cursors.
import { expect, test } from "vitest";
import type { AcceptPushRequest } from "../../src/ports/feed-store.ts";
import type { Store } from "../../src/ports/store.ts";
import {
  asker,
  change,
  claim,
  claimed,
  delivery,
  finishing,
  fresh,
  minute,
  place,
  request,
  start,
} from "./store-samples.ts";

const main = "refs/heads/main";

export function push(head: string | null, overrides: Partial<AcceptPushRequest> = {}): AcceptPushRequest {
  const id = fresh();
  const ref = overrides.ref ?? main;
  return {
    review: `rv_${id}`,
    job: `jb_${id}`,
    delivery: { source: "github", id },
    repository: "demo",
    ref,
    before: null,
    head,
    ignore: null,
    ordered: false,
    authoritative: false,
    seenAt: null,
    jobKey: `feed demo ${ref}`,
    agent: "checks",
    locale: "en",
    now: start,
    ...overrides,
  };
}

export function feedsContract(store: () => Store): void {
  const accept = (head: string | null, overrides: Partial<AcceptPushRequest> = {}) =>
    store().acceptPush(push(head, overrides));

  /** Claims the next job and ends its review at the pushed head. */
  async function review(status: "clean" | "failed" = "clean"): Promise<string> {
    const job = await claimed(store());
    const head = { ...change().head, canonical: job.review.spec };
    const lease = { job: job.id, token: job.token, review: job.review.id };
    await store().startReview({ ...lease, change: change({ head, ref: job.ref ?? "" }), now: start });
    const failure = { code: "unavailable", message: "m", remedy: "r" };
    const result = status === "failed" ? { result: { status, failure } } : {};
    expect(await store().finishReview(finishing(job, result))).toBe(true);
    return job.review.spec;
  }

  test("a delivery is taken once for each of its refs, and a head once however it comes", async () => {
    const delivery = { source: "github", id: "one" };
    const first = push("b", { before: "a", delivery });
    expect(await store().acceptPush(first)).toEqual({ outcome: "accepted", review: first.review });
    expect(await accept("c", { before: "b", delivery })).toEqual({ outcome: "duplicate", reason: "known_delivery" });
    expect(await accept("b", { before: "a" })).toEqual({ outcome: "duplicate", reason: "known_head" });
    const polled = { delivery: { source: "poll", id: null }, before: "a", authoritative: true };
    expect(await accept("b", polled)).toEqual({ outcome: "duplicate", reason: "known_head" });
    expect((await accept("b", { delivery, ref: "refs/heads/topic" })).outcome).toBe("accepted");
    expect((await accept("b", { delivery, repository: "other", jobKey: "feed other" })).outcome).toBe("accepted");
    expect(await store().queue(start)).toMatchObject({ queued: 3 });
  });

  test("an id of one source is nothing to another", async () => {
    await accept("b", { delivery: { source: "github", id: "1" } });
    expect((await accept("c", { before: "b", delivery: { source: "gitea", id: "1" } })).outcome).toBe("coalesced");
  });

  test("pushes that race make one review", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept("b", { before: "a" })));
    expect(answers.filter(({ outcome }) => outcome === "accepted")).toHaveLength(1);
    expect(await store().queue(start)).toMatchObject({ queued: 1 });
  });

  test("the pending review's head moves until it is claimed; the next push then gets one of its own", async () => {
    const first = push("b", { before: "a" });
    await store().acceptPush(first);
    expect(await accept("c", { before: "b" })).toEqual({ outcome: "coalesced", review: first.review });
    const job = await claimed(store());
    expect(job).toMatchObject({ ref: main, review: { spec: "c", requester: { kind: "feed", feed: "github" } } });
    expect((await accept("d", { before: "c" })).outcome).toBe("accepted");
  });

  test("a push brings a review forward that waits for its retry", async () => {
    await accept("b", { before: "a" });
    const job = await claimed(store());
    const lease = { job: job.id, token: job.token, refund: false };
    await store().releaseJob({ ...lease, dueAt: start + 10 * minute, now: start });
    expect(await claim(store(), start + minute)).toBeNull();
    await accept("c", { before: "b", now: start + minute });
    expect(await claimed(store(), start + minute)).toMatchObject({ id: job.id, attempt: 2, review: { spec: "c" } });
  });

  test("a ref counts as reviewed up to the head of its last successful review, before that up to where it was found", async () => {
    const reviewed = () => store().lastReviewedHead("demo", main);
    expect(await reviewed()).toBeNull();
    await accept("b", { before: "a" });
    expect(await reviewed()).toBe("a");
    await review("failed");
    expect(await reviewed()).toBe("a");
    await accept("c", { before: "b" });
    expect(await review()).toBe("c");
    expect(await reviewed()).toBe("c");
    expect(await store().lastReviewedHead("demo", "refs/heads/other")).toBeNull();
    await store().acceptReview(request({ jobKey: "person", coalesce: false, requester: asker, spec: "z" }));
    await review();
    expect(await reviewed()).toBe("c");
  });

  test("how far a ref is reviewed outlives the reviews; where it stands too", async () => {
    await accept("b", { before: "a" });
    await accept("c", { before: "b" });
    await review();
    while ((await store().purge(start + 10 * minute)) > 0);
    expect(await store().reviews({ limit: 5 })).toEqual([]);
    expect(await store().lastReviewedHead("demo", main)).toBe("c");
    expect(await store().acceptedHeads("demo")).toEqual([{ ref: main, head: "c" }]);
    expect(await accept("c", { before: "b" })).toEqual({ outcome: "duplicate", reason: "known_head" });
  });

  test("late webhooks never lead back: neither the push before a known one nor one from where the ref has left", async () => {
    await accept("c", { before: "b" });
    expect(await accept("b", { before: "a" })).toEqual({ outcome: "duplicate", reason: "outdated" });
    expect(await accept("x", { before: "b" })).toEqual({ outcome: "duplicate", reason: "outdated" });
    expect((await claimed(store())).review.spec).toBe("c");
    // The pushes that came late are part of what is not reviewed yet.
    expect(await store().lastReviewedHead("demo", main)).toBe("a");
    expect((await accept("x", { before: "b", authoritative: true })).outcome).toBe("accepted");
  });

  test("a forced push back to an earlier head is a push where no poller knows better; replayed ones are not", async () => {
    const told = { authoritative: true };
    await accept("b", { before: "a", ...told });
    await accept("c", { before: "b", ...told });
    expect((await accept("b", { before: "c", ...told })).outcome).toBe("coalesced");
    expect(await accept("b", { before: "c", ...told })).toEqual({ outcome: "duplicate", reason: "known_head" });
    expect(await accept("b", { before: "a", ...told })).toEqual({ outcome: "duplicate", reason: "known_head" });
    expect((await claimed(store())).review.spec).toBe("b");
    expect(await store().acceptedHeads("demo")).toEqual([{ ref: main, head: "b" }]);
  });

  test("a look at the ref leads back to an earlier head, if nothing was accepted since; a webhook never does", async () => {
    await accept("b", { before: "a", now: start });
    await accept("c", { before: "b", now: start + 10 });
    const look = { before: "a", authoritative: true, now: start + 20 };
    expect(await accept("b", { before: "c" })).toEqual({ outcome: "duplicate", reason: "known_head" });
    expect((await accept("b", { ...look, seenAt: start + 10 })).outcome).toBe("duplicate");
    expect((await accept("b", { ...look, seenAt: start + 11 })).outcome).toBe("coalesced");
  });

  test("a head that a webhook told is unsure until somebody looked: it may have come late", async () => {
    const unsure = () => store().unsureRefs("demo");
    await accept("b", { before: "a" });
    expect(await unsure()).toEqual([main]);
    expect(await accept("b", { authoritative: true, seenAt: start })).toMatchObject({ outcome: "duplicate" });
    expect(await unsure()).toEqual([]);
    await accept("c", { before: "b", authoritative: true, seenAt: start + 1 });
    expect(await unsure()).toEqual([]);
    await accept("z", { before: "c" });
    expect(await unsure()).toEqual([main]);
    await accept("c", { authoritative: true, seenAt: start + 1 });
    expect(await unsure()).toEqual([]);
    expect((await claimed(store())).review.spec).toBe("c");
  });

  test("what nobody listens to is noted and not reviewed; a removed ref takes its pending review with it", async () => {
    const delivery = { source: "github", id: "x" };
    expect(await accept("b", { ignore: "no_subscription", delivery })).toEqual({
      outcome: "ignored",
      reason: "no_subscription",
    });
    expect(await accept("b", { delivery })).toEqual({ outcome: "duplicate", reason: "known_delivery" });
    const pending = push("b");
    await store().acceptPush(pending);
    expect(await accept(null, { before: "b", ignore: "deleted", authoritative: true })).toEqual({
      outcome: "ignored",
      reason: "deleted",
    });
    expect(await store().review(pending.review)).toMatchObject({ status: "superseded", finishedAt: start });
    expect(await claim(store())).toBeNull();
    expect((await accept("b", {})).outcome).toBe("accepted");
    // Told late, when the ref stands elsewhere again.
    await accept("c", { before: "b" });
    await accept(null, { before: "b", ignore: "deleted", authoritative: true });
    await accept(null, { before: "c", ignore: "deleted" });
    expect((await claimed(store())).review.spec).toBe("c");
  });

  test("an ordered stream has a review for each change, one after the other, and waits for one that is retried", async () => {
    const ordered = { ordered: true, ref: "svn", jobKey: "feed demo svn" };
    for (const head of ["1", "2", "3"]) expect((await accept(head, ordered)).outcome).toBe("accepted");
    expect(await accept("2", ordered)).toEqual({ outcome: "duplicate", reason: "known_head" });
    const job = await claimed(store());
    expect(job.review.spec).toBe("1");
    expect(await claim(store())).toBeNull();
    const later = { job: job.id, token: job.token, dueAt: start + minute, refund: false, now: start };
    await store().releaseJob(later);
    expect(await claim(store(), start + minute - 1)).toBeNull();
    const again = await claimed(store(), start + minute);
    expect(again.id).toBe(job.id);
    await store().finishReview(finishing(again));
    expect(await review()).toBe("2");
    expect(await review()).toBe("3");
  });

  test("jobs whose worker vanished run one at a time, so that one that kills its worker takes no other with it", async () => {
    for (const ref of ["poison", "x", "y"]) await accept("b", { ref });
    await claimed(store(), start);
    await claimed(store(), start);
    const later = start + 2 * minute;
    const poison = await claimed(store(), later);
    expect(poison).toMatchObject({ ref: "poison", attempt: 2 });
    expect(await claimed(store(), later)).toMatchObject({ ref: "y", attempt: 1 });
    expect(await claim(store(), later)).toBeNull();
    await store().finishReview(finishing(poison));
    expect(await claimed(store(), later)).toMatchObject({ ref: "x", attempt: 2 });
  });

  test("leases of workers that are known to be dead end at once, and no others", async () => {
    for (const ref of ["a", "b"]) await accept("h", { ref });
    await store().claimJob({ worker: "host:1", token: "t1", leaseMs: minute, maxAttempts: 5, now: start });
    await store().claimJob({ worker: "host:2", token: "t2", leaseMs: minute, maxAttempts: 5, now: start });
    expect([...(await store().leaseHolders())].sort()).toEqual(["host:1", "host:2"]);
    expect(await store().endLeases(["host:1", "host:9"], start)).toBe(1);
    expect(await claimed(store(), start)).toMatchObject({ ref: "a", attempt: 2 });
    expect(await claim(store(), start)).toBeNull();
  });

  test("lanes of senders that are known to be dead are free at once, and no others", async () => {
    const lanes = ["dead", "living", "unnamed"].map((conversation) =>
      delivery({ target: { conversation: { ...place, conversation } } }),
    );
    await store().owe(lanes, start);
    const claim = (token: string, worker?: string) =>
      store().claimDelivery({ ...(worker === undefined ? {} : { worker }), token, leaseMs: minute, now: start });
    const dead = await claim("t1", "host:1");
    await claim("t2", "host:2");
    await claim("t3");
    expect(await claim("t4")).toBeNull();
    expect([...(await store().leaseHolders())].sort()).toEqual(["host:1", "host:2"]);
    expect(await store().endLeases(["host:1", "host:9"], start)).toBe(1);
    if (dead === null) throw new Error("no lane was due");
    const late = { delivery: dead.delivery.id, token: "t1", state: "sent", now: start } as const;
    expect(await store().settleDelivery(late)).toBe(false);
    expect(await claim("t5", "host:3")).toMatchObject({ delivery: { id: dead.delivery.id }, attempt: 2 });
    expect(await claim("t6")).toBeNull();
    expect([...(await store().leaseHolders())].sort()).toEqual(["host:2", "host:3"]);
  });

  test("what a dead sender had put off waits as long as it was told to", async () => {
    await store().owe([delivery()], start);
    const lane = await store().claimDelivery({ worker: "host:1", token: "t1", leaseMs: minute, now: start });
    if (lane === null) throw new Error("no lane was due");
    const dueAt = start + 2 * minute;
    await store().settleDelivery({ delivery: lane.delivery.id, token: "t1", state: "pending", dueAt, now: start });
    expect(await store().leaseHolders()).toEqual([]);
    expect(await store().endLeases(["host:1"], start)).toBe(0);
    expect(await store().claimDelivery({ token: "t2", leaseMs: minute, now: dueAt - 1 })).toBeNull();
    expect(await store().claimDelivery({ token: "t2", leaseMs: minute, now: dueAt })).not.toBeNull();
  });

  test("a feed that nobody hears is forgotten, but not which pushes were accepted", async () => {
    await accept("b", { before: "a" });
    await store().moveCursor({ repository: "demo", source: "s", cursor: "1", now: start });
    expect(await store().forgetFeed("demo")).toBe(true);
    expect(await store().forgetFeed("demo")).toBe(false);
    expect(await store().cursor("demo", "s")).toBeNull();
    expect(await store().lastReviewedHead("demo", main)).toBeNull();
    expect(await accept("b", { before: "a" })).toMatchObject({ outcome: "duplicate" });
    await accept("d", { before: "c" });
    expect(await store().lastReviewedHead("demo", main)).toBe("c");
  });

  test("a cursor is kept for its source alone", async () => {
    const moved = { repository: "demo", source: "git /a", now: start };
    expect(await store().cursor("demo", "git /a")).toBeNull();
    await store().moveCursor({ ...moved, cursor: "1" });
    await store().moveCursor({ ...moved, cursor: "2" });
    expect(await store().cursor("demo", "git /a")).toBe("2");
    expect(await store().cursor("demo", "git /b")).toBeNull();
    await store().moveCursor({ ...moved, source: "git /b", cursor: "3" });
    expect(await store().cursor("demo", "git /a")).toBeNull();
  });
}
