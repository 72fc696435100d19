// The process of the feed drill: takes pushes from stdin, reviews them with two workers, and is killed again and again.
import { appendFileSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createAcceptPush } from "../../src/app/accept-push.ts";
import { resolveJob } from "../../src/app/feed-review.ts";
import { createJobProcessor, type RunReview } from "../../src/app/process-jobs.ts";
import { createPublishReport } from "../../src/app/publish-report.ts";
import { createPump } from "../../src/app/pump.ts";
import { recoverLeases, workerName } from "../../src/app/recover-leases.ts";
import type { Change, Revision } from "../../src/core/change.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Vcs } from "../../src/ports/vcs.ts";
import { createIds } from "../../src/process/random-ids.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { createFixedSubscriptions } from "../fakes/fixed-subscriptions.ts";

const [directory = "", ledger = ""] = process.argv.slice(2);
const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
const clock = createSystemClock();
const ids = createIds(clock);
const store = await createSqliteStore({ directory, logger });
const [host, pid] = [hostname(), process.pid];
await recoverLeases({ store, host, pid, isAlive, clock, logger });

const subscriptions = createFixedSubscriptions([{}]);

const revision = (canonical: string): Revision => ({
  vcs: "git",
  canonical,
  display: canonical.slice(0, 10),
  author: "Ada",
  time: 0,
  message: "drill",
  parents: [],
  flags: [],
});

const vcs: Pick<Vcs, "kind" | "resolve"> = {
  kind: "git",
  resolve: async ({ spec, ref = "", since }): Promise<Change> => ({
    repository: "game",
    vcs: "git",
    head: revision(spec),
    base: since === undefined ? "empty" : revision(since),
    baseReason: since === undefined ? "empty_tree" : "last_reviewed",
    ref,
    isDefaultBranch: false,
    spec,
  }),
};

/** The agent's place: it takes a moment, and one branch kills the whole process. */
const runReview: RunReview = async (job, signal) => {
  appendFileSync(ledger, `claim ${job.ref} ${job.attempt}\n`);
  if (job.ref === "refs/heads/poison") process.kill(process.pid, "SIGKILL");
  const change = await resolveJob(vcs as Vcs, store, job, signal);
  if (change === null) return { kind: "superseded" };
  const lease = { job: job.id, token: job.token, review: job.review.id };
  if (!(await store.startReview({ ...lease, change, now: clock.now() }))) return { kind: "cancelled" };
  await delay(5);
  const report = { outcome: "skipped", reason: "lgtm", summaries: [] } as const;
  return { kind: "report", change, files: [], report, isSettled: async () => false };
};

const processor = createJobProcessor({
  store,
  runReview,
  publishReport: createPublishReport({ store, subscriptions, clock, ids }),
  progress: { open: async () => {}, note: async () => {} },
  clock,
  ids,
  logger,
  worker: workerName(host, pid),
});
const pump = createPump({ name: "reviews", next: processor.next, concurrency: 2, idleMs: 100, clock, logger });
const acceptPush = createAcceptPush({
  store,
  subscriptions,
  repositories: new Map([["game", { alias: "game", vcs: "git", agent: "drill", isPolled: true }]]),
  locale: "en",
  clock,
  ids,
  wake: pump.wake,
});

pump.start();
say("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [branch = "", before = "", head = ""] = line.split(" ");
  if (branch === "idle?") say((await isIdle()) ? "idle" : "busy");
  else void take(branch, before, head);
}

async function take(branch: string, before: string, head: string): Promise<void> {
  const push = { repository: "game", ref: `refs/heads/${branch}`, before, head };
  await acceptPush({ ...push, source: "poll", deliveryId: null });
  say(`acked ${head}`);
}

async function isIdle(): Promise<boolean> {
  const { queued, running } = await store.queue(clock.now());
  return queued + running === 0;
}

/** Synchronous: what is said here is what was acknowledged. */
function say(what: string): void {
  writeSync(1, `${what}\n`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
