// The queue against a model of it: a list of jobs, each with a key, a due time and perhaps a lease.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JobId, ReviewId } from "../../src/core/ids.ts";
import type { ReviewStatus } from "../../src/core/review.ts";
import type { Store } from "../../src/ports/store.ts";
import { finishing, fresh, type MakeStore, request, start } from "./store-samples.ts";

const leaseMs = 100;
const maxAttempts = 3;

interface ModelJob {
  readonly id: JobId;
  readonly review: ReviewId;
  readonly key: string;
  readonly coalesces: boolean;
  state: "pending" | "running";
  due: number;
  attempts: number;
  token: string;
  leaseUntil: number;
  exhausted: boolean;
  /** Its worker vanished at least once. */
  suspect: boolean;
  cancelled: boolean;
}

interface Lease {
  readonly job: JobId;
  readonly review: ReviewId;
  readonly token: string;
}

interface Model {
  now: number;
  /** In the order of acceptance. */
  jobs: ModelJob[];
  dead: number;
  /** Every lease that was ever given, lost ones too. */
  readonly leases: Lease[];
  readonly status: Map<ReviewId, ReviewStatus>;
  readonly spec: Map<ReviewId, string>;
}

type Command = fc.AsyncCommand<Model, Store>;

export function queueModelContract(makeStore: MakeStore, numRuns: number): void {
  test("the queue does what its model says", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60 }), async (run) => {
        const { store, dispose } = await makeStore();
        try {
          await fc.asyncModelRun(() => ({ model: emptyModel(), real: store }), run);
        } finally {
          await store.close();
          await dispose();
        }
      }),
      { numRuns },
    );
  });
}

function emptyModel(): Model {
  return { now: start, jobs: [], dead: 0, leases: [], status: new Map(), spec: new Map() };
}

const commands: fc.Arbitrary<Command>[] = [
  fc.tuple(fc.constantFrom("a", "b", "c"), fc.boolean()).map(([key, coalesce]) => accept(key, coalesce)),
  fc.constant(claim()),
  fc.constant(claim()),
  fc.nat().map(heartbeat),
  fc.tuple(fc.nat(), fc.nat(150), fc.boolean()).map(([pick, delay, refund]) => release(pick, delay, refund)),
  fc.nat().map(finish),
  fc.nat().map(cancel),
  fc.integer({ min: 1, max: 150 }).map(wait),
];

function accept(key: string, coalesce: boolean): Command {
  return command(`accept(${key}, ${coalesce})`, async (model, store) => {
    const asked = request({ jobKey: key, coalesce, now: model.now });
    const absorbing = model.jobs.findLast((job) => job.key === key && job.coalesces && job.state === "pending");
    const answer = await store.acceptReview(asked);
    if (coalesce && absorbing !== undefined) {
      expect(answer).toEqual({ outcome: "coalesced", review: absorbing.review });
      model.spec.set(absorbing.review, asked.spec);
      return;
    }
    expect(answer).toEqual({ outcome: "accepted", review: asked.review });
    model.status.set(asked.review, "queued");
    model.spec.set(asked.review, asked.spec);
    const none = { token: "", leaseUntil: 0, attempts: 0, exhausted: false, suspect: false, cancelled: false };
    const { job: id, review } = asked;
    model.jobs.push({ id, review, key, coalesces: coalesce, state: "pending", due: model.now, ...none });
  });
}

function claim(): Command {
  return command("claim", async (model, store) => {
    const token = `token-${fresh()}`;
    const got = await store.claimJob({ worker: "w", token, leaseMs, maxAttempts, now: model.now });
    const job = nextJob(model);
    expect(got?.id).toBe(job?.id);
    if (job === undefined) return;
    const exhausted = job.attempts >= maxAttempts;
    if (!exhausted) job.attempts += 1;
    const suspect = job.state === "running";
    Object.assign(job, { state: "running", token, leaseUntil: model.now + leaseMs, exhausted, suspect });
    model.leases.push({ job: job.id, review: job.review, token });
    expect(got).toMatchObject({ attempt: job.attempts, exhausted, token });
    expect(got?.review).toMatchObject({ id: job.review, attempt: job.attempts, spec: model.spec.get(job.review) });
  });
}

function nextJob(model: Model): ModelJob | undefined {
  const isBusy = (key: string) =>
    model.jobs.some((job) => job.key === key && job.state === "running" && job.leaseUntil > model.now);
  const suspectRuns = model.jobs.some((job) => job.suspect && job.leaseUntil > model.now);
  for (;;) {
    const [first] = model.jobs
      .filter((job) => job.due <= model.now && job.leaseUntil <= model.now && !isBusy(job.key))
      .filter((job) => job.state === "pending" || !suspectRuns)
      .sort((a, b) => a.due - b.due || model.jobs.indexOf(a) - model.jobs.indexOf(b));
    if (first?.cancelled !== true) return first;
    remove(model, first);
  }
}

function heartbeat(pick: number): Command {
  return withLease(`heartbeat(${pick})`, pick, async (model, store, lease, job) => {
    const { job: id, token } = lease;
    const held = await store.heartbeat({ job: id, token, leaseMs, now: model.now });
    expect(held).toBe(job !== undefined && !job.cancelled);
    if (job !== undefined && !job.cancelled) job.leaseUntil = model.now + leaseMs;
  });
}

function release(pick: number, delay: number, refund: boolean): Command {
  return withLease(`release(${pick}, ${delay}, ${refund})`, pick, async (model, store, { job: id, token }, job) => {
    const done = await store.releaseJob({ job: id, token, dueAt: model.now + delay, refund, now: model.now });
    expect(done).toBe(job !== undefined && !job.cancelled);
    if (job === undefined) return;
    const index = model.jobs.indexOf(job);
    const newer = model.jobs.slice(index + 1).some((o) => o.key === job.key && o.coalesces && o.state === "pending");
    if (job.cancelled || (job.coalesces && newer)) {
      remove(model, job);
      if (!job.cancelled) model.status.set(job.review, "superseded");
      return;
    }
    const attempts = refund && !job.exhausted ? job.attempts - 1 : job.attempts;
    const free = { token: "", leaseUntil: 0, exhausted: false, suspect: false };
    Object.assign(job, { ...free, state: "pending", due: model.now + delay, attempts });
  });
}

function finish(pick: number): Command {
  return withLease(`finish(${pick})`, pick, async (model, store, lease, job) => {
    const end = finishing({ id: lease.job, token: lease.token, review: { id: lease.review } }, { now: model.now });
    expect(await store.finishReview(end)).toBe(job !== undefined && !job.cancelled);
    if (job === undefined) return;
    remove(model, job);
    if (job.cancelled) return;
    model.status.set(job.review, "clean");
    if (job.exhausted) model.dead += 1;
  });
}

function cancel(pick: number): Command {
  return command(`cancel(${pick})`, async (model, store) => {
    const reviews = [...model.status.keys()];
    const review = reviews[pick % Math.max(1, reviews.length)];
    if (review === undefined) return;
    const job = model.jobs.find((one) => one.review === review && !one.cancelled);
    const running = job !== undefined && job.state === "running" && job.leaseUntil > model.now;
    const expected = job === undefined ? "finished" : running ? "requested" : "cancelled";
    expect(await store.cancelReview(review, model.now)).toBe(expected);
    if (job === undefined) return;
    model.status.set(review, "cancelled");
    if (running) job.cancelled = true;
    else remove(model, job);
  });
}

function wait(ms: number): Command {
  return command(`wait(${ms})`, async (model) => {
    model.now += ms;
  });
}

/** `job` is the model's job if the lease is still held: then its token is the newest one. */
function withLease(
  name: string,
  pick: number,
  run: (model: Model, store: Store, lease: Lease, job: ModelJob | undefined) => Promise<void>,
): Command {
  return command(name, async (model, store) => {
    const lease = model.leases[pick % Math.max(1, model.leases.length)];
    if (lease === undefined) return;
    const job = model.jobs.find((one) => one.id === lease.job && one.token === lease.token);
    await run(model, store, lease, job);
  });
}

/** Every step ends with a look at what people see: counts, statuses, and one running job a key. */
function command(name: string, run: (model: Model, store: Store) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, store) {
      await run(model, store);
      const count = (state: ModelJob["state"]) => model.jobs.filter((job) => job.state === state).length;
      const { queued, running, dead } = await store.queue(model.now);
      expect({ queued, running, dead }).toEqual({
        queued: count("pending"),
        running: count("running"),
        dead: model.dead,
      });
      for (const review of await store.reviews({ limit: 1_000 })) {
        expect([review.id, review.status]).toEqual([review.id, model.status.get(review.id)]);
      }
    },
    toString: () => name,
  };
}

function remove(model: Model, job: ModelJob): void {
  model.jobs = model.jobs.filter((one) => one !== job);
}
