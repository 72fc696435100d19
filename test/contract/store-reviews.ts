// Contract of a review's life: accepted once, started, finished, cancelled, found again.
import { expect, test } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import {
  asker,
  change,
  claimed,
  delivery,
  finishing,
  messageRef,
  otherPlace,
  place,
  problem,
  request,
  reviewed,
  start,
  timings,
} from "./store-samples.ts";

export function reviewsContract(store: () => Store): void {
  test("an accepted review is queued, with everything that was asked", async () => {
    const asked = request({ requester: asker, coalesce: false, paths: ["src/**", "!x"], locale: "vi", spec: "" });
    expect(await store().acceptReview(asked)).toEqual({ outcome: "accepted", review: asked.review });
    expect(await store().review(asked.review)).toEqual({
      id: asked.review,
      repository: "demo",
      spec: "",
      agent: "checks",
      paths: ["src/**", "!x"],
      locale: "vi",
      requester: asker,
      status: "queued",
      attempt: 0,
      createdAt: start,
    });
    expect(await store().review("rv_none")).toBeNull();
    expect(await store().report(asked.review)).toBeNull();
  });

  test("the same inbox key twice is a no-op that names the first review", async () => {
    const first = request();
    await store().acceptReview(first);
    const again = request({ inbox: first.inbox, jobKey: "another" });
    expect(await store().acceptReview(again)).toEqual({ outcome: "duplicate", review: first.review });
    expect(await store().review(again.review)).toBeNull();
    expect((await store().queue(start)).queued).toBe(1);
    const elsewhere = request({ inbox: { source: "other", key: first.inbox.key }, jobKey: "another" });
    expect((await store().acceptReview(elsewhere)).outcome).toBe("accepted");
  });

  test("a started review has its change; a reported one its report, word for word", async () => {
    const asked = request();
    await store().acceptReview(asked);
    const job = await claimed(store());
    const lease = { job: job.id, token: job.token, review: asked.review };
    expect(await store().startReview({ ...lease, change: change(), now: start + 5 })).toBe(true);
    expect(await store().review(asked.review)).toMatchObject({
      status: "running",
      attempt: 1,
      change: change(),
      startedAt: start + 5,
    });
    const bare = problem("p2", {
      problem: { file: "b.ts", line: 1, severity: "info", category: "style", message: "x" },
      anchored: false,
    });
    const report = {
      outcome: "reported",
      problems: [problem("p1"), bare],
      summaries: [{ markdown: "one" }, { title: "T", markdown: "two" }],
    } as const;
    expect(await store().finishReview(finishing(job, { result: { status: "reported", report } }))).toBe(true);
    expect(await store().report(asked.review)).toEqual(report);
    expect(await store().review(asked.review)).toMatchObject({
      status: "reported",
      timings,
      finishedAt: start + 1_000,
    });
  });

  test("clean, skipped and failed reviews say so", async () => {
    const clean = await reviewed(store());
    expect(await store().report(clean)).toEqual({
      outcome: "clean",
      summaries: [{ title: "Fine", markdown: "All *good*." }],
    });
    const skip = { outcome: "skipped", reason: "lgtm", summaries: [] } as const;
    const skipped = await reviewed(store(), {}, { result: { status: "skipped", report: skip } });
    expect(await store().report(skipped)).toEqual(skip);
    expect(await store().review(skipped)).toMatchObject({ status: "skipped", skipReason: "lgtm" });
    const failure = { code: "timeout", message: "m", remedy: "r", reason: "agent_timeout", params: { s: 3, n: "x" } };
    const failed = await reviewed(store(), {}, { result: { status: "failed", failure } });
    expect(await store().review(failed)).toMatchObject({ status: "failed", failure });
    expect(await store().report(failed)).toBeNull();
  });

  test("a report keeps its notes, and a review what its models used", async () => {
    const notes = [
      { kind: "left_out", params: { n: 2, paths: "a.ts, b.ts" } },
      { kind: "model", params: { models: "m" } },
    ] as const;
    const usage = { inputTokens: 900, outputTokens: 40, cachedInputTokens: 500, requests: 3, money: 0.25 };
    const skip = { outcome: "skipped", reason: "lgtm", summaries: [{ markdown: "s" }], notes } as const;
    const skipped = await reviewed(
      store(),
      {},
      { result: { status: "skipped", report: skip }, timings: { ...timings, usage } },
    );
    expect(await store().report(skipped)).toEqual(skip);
    expect((await store().review(skipped))?.timings).toEqual({ ...timings, usage });
    const failure = { code: "timeout", message: "m", remedy: "r" };
    const more = { inputTokens: 100, outputTokens: 10 };
    await reviewed(store(), {}, { result: { status: "failed", failure }, timings: { ...timings, usage: more } });
    await reviewed(store(), { agent: "other" }, { timings: { ...timings, usage } });
    await reviewed(store());
    const query = { repository: "demo", agent: "checks", since: start };
    expect(await store().usageSince(query)).toEqual({ inputTokens: 1000, outputTokens: 50, requests: 3, money: 0.25 });
    const none = { inputTokens: 0, outputTokens: 0, requests: 0 };
    expect(await store().usageSince({ ...query, since: start + 1_001 })).toEqual(none);
    expect(await store().usageSince({ ...query, repository: "game" })).toEqual(none);
  });

  test("a finish without the lease's token writes nothing", async () => {
    const asked = request();
    await store().acceptReview(asked);
    const job = await claimed(store());
    const report = { outcome: "reported", problems: [problem("p1")], summaries: [] } as const;
    const stale = finishing(
      { ...job, token: "stale" },
      { result: { status: "reported", report }, deliveries: [delivery({ review: asked.review })] },
    );
    expect(await store().finishReview(stale)).toBe(false);
    expect(await store().report(asked.review)).toBeNull();
    expect(await store().deliveriesOf(asked.review)).toEqual([]);
    expect((await store().review(asked.review))?.status).toBe("queued");
    expect(await store().finishReview(finishing(job))).toBe(true);
    expect(await store().finishReview(finishing(job))).toBe(false);
  });

  test("a finish that fails half-way leaves nothing behind", async () => {
    const asked = request();
    await store().acceptReview(asked);
    const job = await claimed(store());
    const twice = delivery({ review: asked.review });
    await expect(store().finishReview(finishing(job, { deliveries: [twice, twice] }))).rejects.toMatchObject({
      name: "AppError",
    });
    expect(await store().deliveriesOf(asked.review)).toEqual([]);
    expect(await store().finishReview(finishing(job, { deliveries: [twice] }))).toBe(true);
  });

  test("a queued review is cancelled at once and never handed out", async () => {
    const asked = request();
    await store().acceptReview(asked);
    expect(await store().cancelReview(asked.review, start + 1)).toBe("cancelled");
    expect(await store().review(asked.review)).toMatchObject({ status: "cancelled", finishedAt: start + 1 });
    expect((await store().queue(start)).queued).toBe(0);
    expect(await store().cancelReview(asked.review, start + 2)).toBe("finished");
    expect(await store().cancelReview("rv_none", start)).toBe("unknown");
  });

  test("a running review is cancelled by its next heartbeat; only a cancelled end is taken from its worker", async () => {
    for (const polite of [true, false]) {
      const asked = request();
      await store().acceptReview(asked);
      const job = await claimed(store());
      expect(await store().cancelReview(asked.review, start + 1)).toBe("requested");
      const beat = { job: job.id, token: job.token, leaseMs: 60_000, now: start + 2 };
      expect(await store().heartbeat(beat)).toBe(false);
      const lease = { job: job.id, token: job.token, review: asked.review };
      expect(await store().startReview({ ...lease, change: change(), now: start })).toBe(false);
      const end = finishing(job, polite ? { result: { status: "cancelled" } } : {});
      expect(await store().finishReview(end)).toBe(polite);
      expect((await store().review(asked.review))?.status).toBe("cancelled");
      expect(await store().report(asked.review)).toBeNull();
      expect(await store().queue(start)).toMatchObject({ queued: 0, running: 0 });
    }
  });

  test("progress is kept as the message's columns", async () => {
    const asked = request();
    await store().acceptReview(asked);
    const progress = messageRef("m:1", { thread: "t:1" });
    await store().setProgress(asked.review, progress);
    expect((await store().review(asked.review))?.progress).toEqual(progress);
    await expect(store().setProgress("rv_none", progress)).rejects.toMatchObject({ code: "not_found" });
  });

  test("reviews are listed newest first, by repository and by conversation", async () => {
    const here = request({ requester: asker, now: start + 1, jobKey: "1" });
    const there = request({ requester: { ...asker, conversation: otherPlace }, now: start + 3, jobKey: "2" });
    const feed = request({ repository: "other", now: start + 2, jobKey: "3" });
    for (const one of [here, there, feed]) await store().acceptReview(one);
    const ids = async (query: Parameters<Store["reviews"]>[0]) => (await store().reviews(query)).map(({ id }) => id);
    expect(await ids({ limit: 10 })).toEqual([there.review, feed.review, here.review]);
    expect(await ids({ limit: 1 })).toEqual([there.review]);
    expect(await ids({ repository: "demo", limit: 10 })).toEqual([there.review, here.review]);
    expect(await ids({ conversation: place, limit: 10 })).toEqual([here.review]);
    expect(await ids({ conversation: place, repository: "other", limit: 10 })).toEqual([]);
  });

  test("a recent review is one of exactly this range, agent and paths", async () => {
    const old = await reviewed(store(), { paths: ["a", "b"] }, { now: start + 10 });
    const newest = await reviewed(store(), { paths: ["b", "a"] }, { now: start + 20 });
    await reviewed(store(), { paths: ["a", "b"] }, { now: start + 30, answeredFrom: old });
    const failure = { code: "timeout", message: "m", remedy: "r" };
    await reviewed(store(), { paths: ["a", "b"] }, { now: start + 40, result: { status: "failed", failure } });
    const query = { repository: "demo", head: "a".repeat(40), base: "empty", agent: "checks", paths: ["a", "b"] };
    expect((await store().recentReview({ ...query, since: start }))?.id).toBe(newest);
    expect(await store().recentReview({ ...query, since: start + 21 })).toBeNull();
    for (const other of [{ head: "b" }, { base: "b" }, { agent: "model" }, { paths: ["a"] }, { repository: "x" }]) {
      expect(await store().recentReview({ ...query, ...other, since: start })).toBeNull();
    }
  });

  test("configured repositories and seen conversations are noted again and again", async () => {
    await store().registerRepositories([{ alias: "demo", vcs: "git" }], start);
    await store().registerRepositories([{ alias: "demo", vcs: "svn" }], start + 1);
    await store().seeConversation(place, { name: "general" }, start);
    await store().seeConversation(place, { locale: "vi" }, start + 1);
    await store().audit({ actor: "U1", action: "review", object: "demo", outcome: "accepted", now: start });
    expect(await store().health()).toEqual({ ok: true });
  });

  test("after close every call is refused with a remedy", async () => {
    await store().close();
    await expect(store().review("rv_1")).rejects.toMatchObject({ code: "unavailable", retryable: false });
    await expect(store().acceptReview(request())).rejects.toMatchObject({ code: "unavailable" });
    expect((await store().health()).ok).toBe(false);
  });

  test("what was asked for before close is done", async () => {
    const asked = [request({ jobKey: "1" }), request({ jobKey: "2" })];
    const answers = asked.map((one) => store().acceptReview(one));
    await store().close();
    expect((await Promise.all(answers)).map(({ outcome }) => outcome)).toEqual(["accepted", "accepted"]);
  });
}
