// The workers: lease a job, keep the lease alive, run the review, publish it, or give the job back.
import { AppError, toAppError } from "../core/errors.ts";
import type { Usage } from "../core/report.ts";
import type { ReviewTimings } from "../core/review.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Logger } from "../ports/logger.ts";
import type { ClaimedJob, Store } from "../ports/store.ts";
import type { PublishReport, ReviewOutcome } from "./publish-report.ts";
import type { ShowProgress } from "./show-progress.ts";

/** How long a claim holds without a heartbeat unless told otherwise, ms; the heartbeat comes every third of it. */
const LEASE_MS = 30_000;
/** Claims after which a job is given up: one that kills its process must not come back for ever. */
const MAX_ATTEMPTS = 5;
/** A person is waiting for the answer: they are told after fewer retries what a feed is patient about. */
const MAX_PATIENCE = 3;
/** Waits before a retry, ms, by attempt. */
const RETRY_MS = [5_000, 30_000, 120_000, 600_000] as const;

export interface PhaseTimings {
  resolveMs: number;
  materialiseMs: number;
  agentMs: number;
  /** Told by the agent, also when it fails. */
  usage?: Usage;
}

export type RunReview = (job: ClaimedJob, signal: AbortSignal, phases: PhaseTimings) => Promise<ReviewOutcome>;

export interface ProcessJobsPorts {
  readonly store: Pick<Store, "claimJob" | "heartbeat" | "releaseJob" | "review">;
  readonly runReview: RunReview;
  readonly publishReport: PublishReport;
  readonly progress: ShowProgress;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Names this process in the store. */
  readonly worker: string;
  /** How long a claim holds without a heartbeat, ms; default 30 s. */
  readonly leaseMs?: number;
}

/** When an attempt began (monotonic, ms), and how long its review had waited by then. */
interface Started {
  readonly at: number;
  readonly queuedMs: number;
}

export interface JobProcessor {
  /** Runs one job to its end; false when none is due. */
  next(): Promise<boolean>;
  /** Stops the running reviews and gives their jobs back with their attempts. */
  stop(): Promise<void>;
}

export function createJobProcessor(ports: ProcessJobsPorts): JobProcessor {
  const { store, clock, ids, logger, leaseMs = LEASE_MS } = ports;
  const running = new Set<{ abort: AbortController; done: Promise<void> }>();
  let stopping = false;

  return {
    async next() {
      if (stopping) return false;
      const token = ids.token();
      const claim = { worker: ports.worker, token, leaseMs, maxAttempts: MAX_ATTEMPTS, now: clock.now() };
      const job = await store.claimJob(claim);
      if (job === null) return false;
      const abort = new AbortController();
      const entry = { abort, done: work(job, abort) };
      running.add(entry);
      try {
        await entry.done;
      } finally {
        running.delete(entry);
      }
      return true;
    },
    async stop() {
      stopping = true;
      for (const { abort } of running) abort.abort("shutdown");
      await Promise.allSettled([...running].map(({ done }) => done));
    },
  };

  async function work(job: ClaimedJob, abort: AbortController): Promise<void> {
    const started: Started = { at: clock.monotonic(), queuedMs: Math.max(0, clock.now() - job.review.createdAt) };
    const phases: PhaseTimings = { resolveMs: 0, materialiseMs: 0, agentMs: 0 };
    const log = logger.child({ review: job.review.id, repository: job.review.repository, attempt: job.attempt });
    const stopHeart = keepAlive(job, abort);
    try {
      const outcome = job.exhausted ? givenUp() : await ports.runReview(job, abort.signal, phases);
      if (abort.signal.aborted && outcome.kind !== "report") return await whenAborted(job, abort.signal.reason);
      if (outcome.kind === "failed" && outcome.error.retryable && job.attempt < patience(job)) {
        log.warn("review.retry", { code: outcome.error.code, error: outcome.error.message });
        await ports.progress.note(job.review.id, { kind: "retrying" });
        return await release(job, RETRY_MS[job.attempt - 1] ?? RETRY_MS[3], false);
      }
      await publish(job, outcome, phases, started);
    } catch (thrown) {
      const error = toAppError(thrown);
      log.error("review.crashed", { code: error.code, error: error.message, detail: error.detail });
      await publish(job, { kind: "failed", error }, phases, started);
    } finally {
      stopHeart();
    }
  }

  async function publish(
    job: ClaimedJob,
    outcome: ReviewOutcome,
    phases: PhaseTimings,
    started: Started,
  ): Promise<void> {
    const timings: ReviewTimings = { queuedMs: started.queuedMs, ...phases, totalMs: clock.monotonic() - started.at };
    const written = await ports.publishReport(job, outcome, roundedTimings(timings));
    const event = written ? "review.finished" : "review.lease_lost";
    logger.info(event, { review: job.review.id, outcome: outcome.kind, ...roundedTimings(timings) });
    if (outcome.kind === "failed") {
      const { code, message, detail } = outcome.error;
      logger.warn("review.failed", { review: job.review.id, code, error: message, detail });
    }
  }

  async function whenAborted(job: ClaimedJob, reason: unknown): Promise<void> {
    if (reason === "shutdown") return release(job, 0, true);
    if (reason === "cancelled") {
      await ports.publishReport(job, { kind: "cancelled" }, roundedTimings(noTimings));
    }
  }

  async function release(job: ClaimedJob, delayMs: number, refund: boolean): Promise<void> {
    const now = clock.now();
    await store.releaseJob({ job: job.id, token: job.token, dueAt: now + delayMs, refund, now });
  }

  /** Extends the lease until stopped; a lost lease or a cancelled review aborts the work. */
  function keepAlive(job: ClaimedJob, abort: AbortController): () => void {
    let cancelTimer: () => void = () => {};
    let stopped = false;
    const beat = async (): Promise<void> => {
      const request = { job: job.id, token: job.token, leaseMs, now: clock.now() };
      const held = await store.heartbeat(request).catch(() => false);
      if (stopped) return;
      if (!held) {
        const review = await store.review(job.review.id).catch(() => null);
        abort.abort(review?.status === "cancelled" ? "cancelled" : "lease_lost");
        return;
      }
      schedule();
    };
    const schedule = (): void => {
      cancelTimer = clock.after(leaseMs / 3, () => void beat());
    };
    schedule();
    return () => {
      stopped = true;
      cancelTimer();
    };
  }
}

function patience(job: ClaimedJob): number {
  return job.review.requester.kind === "person" ? MAX_PATIENCE : MAX_ATTEMPTS;
}

const noTimings: ReviewTimings = { queuedMs: 0, resolveMs: 0, materialiseMs: 0, agentMs: 0, totalMs: 0 };

function roundedTimings(timings: ReviewTimings): ReviewTimings {
  const { queuedMs, resolveMs, materialiseMs, agentMs, totalMs, usage } = timings;
  return {
    queuedMs: Math.round(queuedMs),
    resolveMs: Math.round(resolveMs),
    materialiseMs: Math.round(materialiseMs),
    agentMs: Math.round(agentMs),
    totalMs: Math.round(totalMs),
    ...(usage === undefined ? {} : { usage }),
  };
}

function givenUp(): ReviewOutcome {
  const error = new AppError("internal", "The review was started several times and never came to its end.", {
    remedy: "Look into the log for this review's id; then ask for the review again.",
    reason: "given_up",
  });
  return { kind: "failed", error };
}
