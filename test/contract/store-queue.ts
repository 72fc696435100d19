// Contract of the queue: leases by token, one running job a key, coalescing, attempts counted at claim.
import { expect, test } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { asker, change, claim, claimed, finishing, minute, request, start } from "./store-samples.ts";

export function queueContract(store: () => Store): void {
  test("a burst costs one running and one pending review, and the pending one has the newest head", async () => {
    const first = request({ spec: "s0" });
    await store().acceptReview(first);
    const running = await claimed(store());
    const pending = request({ spec: "s1" });
    expect(await store().acceptReview(pending)).toEqual({ outcome: "accepted", review: pending.review });
    for (let push = 2; push <= 101; push++) {
      const answer = await store().acceptReview(request({ spec: `s${push}`, ref: `refs/heads/${push}` }));
      expect(answer).toEqual({ outcome: "coalesced", review: pending.review });
    }
    expect(await store().queue(start)).toMatchObject({ queued: 1, running: 1 });
    expect(await claim(store())).toBeNull();
    expect(await store().finishReview(finishing(running))).toBe(true);
    const next = await claimed(store());
    expect(next.review).toMatchObject({ id: pending.review, spec: "s101" });
    expect(next.ref).toBe("refs/heads/101");
    expect((await store().review(first.review))?.spec).toBe("s0");
  });

  test("a person's review stands alone, but waits for its key", async () => {
    await store().acceptReview(request());
    const own = request({ coalesce: false, requester: asker });
    expect((await store().acceptReview(own)).outcome).toBe("accepted");
    const feed = request();
    expect((await store().acceptReview(feed)).outcome).toBe("coalesced");
    expect((await store().queue(start)).queued).toBe(2);
    const running = await claimed(store());
    expect(await claim(store())).toBeNull();
    await store().finishReview(finishing(running));
    const mine = await claimed(store());
    expect(mine.review.id).toBe(own.review);
    const push = request();
    expect((await store().acceptReview(push)).review).toBe(push.review);
    const later = request({ coalesce: false, requester: asker });
    expect((await store().acceptReview(later)).review).toBe(later.review);
  });

  test("keys run side by side, the lowest due time first", async () => {
    const late = request({ jobKey: "late", now: start + 2 });
    const early = request({ jobKey: "early", now: start + 1 });
    await store().acceptReview(late);
    await store().acceptReview(early);
    expect(await claim(store(), start)).toBeNull();
    expect((await store().queue(start + 5)).oldestMs).toBe(4);
    expect((await claimed(store(), start + 2)).review.id).toBe(early.review);
    expect((await claimed(store(), start + 2)).review.id).toBe(late.review);
    expect(await store().queue(start + 5)).toMatchObject({ queued: 0, running: 2, oldestMs: 0 });
  });

  test("a heartbeat keeps the lease; without one the job is claimed again and the first worker is refused", async () => {
    await store().acceptReview(request());
    const first = await claimed(store());
    const beat = { job: first.id, token: first.token, leaseMs: minute };
    expect(await store().heartbeat({ ...beat, now: start + minute - 1 })).toBe(true);
    expect(await claim(store(), start + minute + 1)).toBeNull();
    const second = await claimed(store(), start + 2 * minute);
    expect(second).toMatchObject({ id: first.id, attempt: 2, exhausted: false });
    expect(second.review.attempt).toBe(2);
    const late = start + 2 * minute + 1;
    expect(await store().heartbeat({ ...beat, now: late })).toBe(false);
    const lease = { job: first.id, token: first.token };
    const review = first.review.id;
    expect(await store().startReview({ ...lease, review, change: change(), now: late })).toBe(false);
    expect(await store().releaseJob({ ...lease, dueAt: late, refund: true, now: late })).toBe(false);
    expect(await store().finishReview(finishing(first))).toBe(false);
    expect(await store().finishReview(finishing(second))).toBe(true);
  });

  test("a late worker whose lease nobody took may still finish: the token is what counts", async () => {
    await store().acceptReview(request());
    const job = await claimed(store());
    expect(await store().finishReview(finishing(job, { now: start + 10 * minute }))).toBe(true);
  });

  test("a released job waits for its due time; a refund gives the attempt back", async () => {
    const asked = request();
    await store().acceptReview(asked);
    const first = await claimed(store());
    const lease = { review: asked.review, job: first.id, token: first.token };
    await store().startReview({ ...lease, change: change(), now: start });
    expect(await store().releaseJob({ ...lease, dueAt: start + 50, refund: false, now: start })).toBe(true);
    expect((await store().review(asked.review))?.status).toBe("queued");
    expect(await claim(store(), start + 49)).toBeNull();
    const second = await claimed(store(), start + 50);
    expect(second.attempt).toBe(2);
    const restart = {
      ...lease,
      job: second.id,
      token: second.token,
      change: change({ spec: "other" }),
      now: start + 51,
    };
    expect(await store().startReview(restart)).toBe(true);
    expect(await store().review(asked.review)).toMatchObject({ startedAt: start, change: { spec: "other" } });
    const again = { job: second.id, token: second.token, dueAt: start + 60, refund: true, now: start + 50 };
    expect(await store().releaseJob(again)).toBe(true);
    expect((await store().review(asked.review))?.attempt).toBe(1);
    expect((await claimed(store(), start + 60)).attempt).toBe(2);
  });

  test("a push while a released job waits moves that job's head", async () => {
    const asked = request({ spec: "old" });
    await store().acceptReview(asked);
    const job = await claimed(store());
    await store().releaseJob({ job: job.id, token: job.token, dueAt: start + 50, refund: false, now: start });
    expect(await store().acceptReview(request({ spec: "new" }))).toEqual({
      outcome: "coalesced",
      review: asked.review,
    });
    expect((await claimed(store(), start + 50)).review.spec).toBe("new");
  });

  test("a job released while a newer one waits is superseded by it: one pending job a key", async () => {
    const old = request();
    await store().acceptReview(old);
    const job = await claimed(store());
    const newer = request();
    await store().acceptReview(newer);
    expect(
      await store().releaseJob({ job: job.id, token: job.token, dueAt: start, refund: true, now: start + 3 }),
    ).toBe(true);
    expect(await store().review(old.review)).toMatchObject({ status: "superseded", finishedAt: start + 3 });
    expect(await store().queue(start)).toMatchObject({ queued: 1, running: 0 });
    expect((await claimed(store())).review.id).toBe(newer.review);
  });

  test("a job that kills its workers comes back as exhausted, to be failed, and is dead then", async () => {
    const asked = request();
    await store().acceptReview(asked);
    for (let attempt = 1; attempt <= 2; attempt++) {
      const job = await claim(store(), start + attempt * minute, 2);
      expect(job).toMatchObject({ attempt, exhausted: false });
    }
    const last = await claim(store(), start + 3 * minute, 2);
    expect(last).toMatchObject({ attempt: 2, exhausted: true });
    expect(await claim(store(), start + 3 * minute, 2)).toBeNull();
    if (last === null) throw new Error("unreachable");
    const failure = { code: "internal", message: "m", remedy: "r" };
    expect(await store().finishReview(finishing(last, { result: { status: "failed", failure } }))).toBe(true);
    expect(await store().queue(start)).toMatchObject({ queued: 0, running: 0, dead: 1 });
    expect(await claim(store(), start + 9 * minute, 2)).toBeNull();
    expect((await store().acceptReview(request())).outcome).toBe("accepted");
    expect(await claim(store(), start + 9 * minute, 2)).toMatchObject({ attempt: 1, exhausted: false });
  });

  test("an exhausted job that is given back costs no attempt, refunded or not", async () => {
    await store().acceptReview(request());
    await claim(store(), start, 1);
    for (const refund of [true, false]) {
      const last = await claim(store(), start + minute, 1);
      if (last === null) throw new Error("the lease should have ended");
      expect(last).toMatchObject({ attempt: 1, exhausted: true });
      const back = { job: last.id, token: last.token, dueAt: start, refund, now: start };
      expect(await store().releaseJob(back)).toBe(true);
    }
    expect(await claim(store(), start, 2)).toMatchObject({ attempt: 2, exhausted: false });
  });

  test("a review whose lease ended is cancelled at once", async () => {
    const asked = request();
    await store().acceptReview(asked);
    const job = await claimed(store());
    expect(await store().cancelReview(asked.review, start + minute)).toBe("cancelled");
    expect(await store().finishReview(finishing(job))).toBe(false);
    expect(await claim(store(), start + minute)).toBeNull();
    expect(await store().queue(start)).toMatchObject({ queued: 0, running: 0 });
  });

  test("a cancelled job whose worker vanished is cleared away and frees its key", async () => {
    const asked = request();
    await store().acceptReview(asked);
    await claimed(store());
    expect(await store().cancelReview(asked.review, start + 1)).toBe("requested");
    const next = request();
    await store().acceptReview(next);
    expect(await claim(store(), start + 1)).toBeNull();
    expect((await claimed(store(), start + minute)).review.id).toBe(next.review);
    expect(await store().queue(start)).toMatchObject({ queued: 0, running: 1 });
  });

  test("claims that race hand each job out once", async () => {
    for (let n = 0; n < 8; n++) await store().acceptReview(request({ jobKey: `key${n}` }));
    const jobs = await Promise.all(Array.from({ length: 12 }, () => claim(store())));
    const ids = jobs.flatMap((job) => (job === null ? [] : [job.id]));
    expect(ids).toHaveLength(8);
    expect(new Set(ids).size).toBe(8);
  });

  test("concurrent deliveries of one event make one review", async () => {
    const inbox = { source: "push", key: "delivery-1" };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => store().acceptReview(request({ inbox, coalesce: false }))),
    );
    expect(answers.filter(({ outcome }) => outcome === "accepted")).toHaveLength(1);
    expect(new Set(answers.map(({ review }) => review)).size).toBe(1);
  });
}
