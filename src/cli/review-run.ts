// Runs one review for the command line: the same path as the server's, over a store of its own that ends with the command.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { JobProcessor } from "../app/process-jobs.ts";
import type { ProgressNote, ShowProgress } from "../app/show-progress.ts";
import { composeReviewing } from "../compose-review.ts";
import type { Config, RepositoryConfig } from "../config/config.ts";
import { AppError } from "../core/errors.ts";
import type { ReviewId } from "../core/ids.ts";
import type { Report } from "../core/report.ts";
import { isFinal, type Review } from "../core/review.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { createIds } from "../process/random-ids.ts";
import { createSystemClock } from "../process/system-clock.ts";
import { createSqliteStore } from "../store/sqlite/store.ts";
import { maskStore } from "../telemetry/mask-gates.ts";
import { createRedactor } from "../telemetry/redact.ts";

/** How often a review that waits for its retry is looked at, ms. */
const RETRY_LOOK_MS = 500;

export interface ReviewCommand {
  /** An alias of the configuration, or a path of a repository. */
  readonly repository: string;
  readonly rev: string;
  readonly agent?: string;
  readonly paths: readonly string[];
  readonly locale: string;
}

export interface ReviewRun {
  readonly review: Review;
  /** Null when the review failed. */
  readonly report: Report | null;
}

export interface ReviewRunPorts {
  readonly config: Config;
  readonly cwd: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly onProgress: (note: ProgressNote) => void;
}

/** Throws AppError when the review cannot even begin; a review that fails is a result. */
export async function runOneReview(command: ReviewCommand, ports: ReviewRunPorts): Promise<ReviewRun> {
  const clock = createSystemClock();
  const ids = createIds(clock);
  const repository = await findRepository(command.repository, ports);
  const config = { ...ports.config, repositories: [repository] };
  const workDir = await mkdtemp(join(tmpdir(), "aicr-review-"));
  try {
    const kept = await createSqliteStore({ directory: workDir, logger: ports.logger });
    const store = maskStore(kept, createRedactor(config.secrets));
    try {
      const progress: ShowProgress = { open: async () => {}, note: async (_review, note) => ports.onProgress(note) };
      const foundation = { config, store, clock, ids, logger: ports.logger, workDir, progress, worker: "cli" };
      const { acceptChange, processor, agents } = composeReviewing(foundation);
      const agent = command.agent ?? repository.agent;
      if (!agents.has(agent)) throw unknownAgent(agent, [...agents.keys()]);
      await store.registerRepositories(config.repositories, clock.now());
      const place = { channel: "cli", workspace: "local", conversation: "terminal" };
      const accepted = await acceptChange({
        repository: repository.alias,
        spec: command.rev,
        agent,
        paths: command.paths,
        locale: command.locale,
        requester: {
          kind: "person",
          conversation: place,
          person: { channel: "cli", workspace: "local", person: "local" },
        },
        source: "cli",
        eventId: ids.token(),
      });
      const id = accepted.review;
      if (id === null) throw new Error("a fresh request was taken for a repeated one");
      ports.signal.addEventListener("abort", () => void processor.stop(), { once: true });
      return await untilFinished(id, store, processor, ports.signal);
    } finally {
      await store.close();
    }
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** Attempts follow one another as on the server; a retry's waiting time is waited. */
async function untilFinished(
  id: ReviewId,
  store: Store,
  processor: JobProcessor,
  signal: AbortSignal,
): Promise<ReviewRun> {
  for (;;) {
    await processor.next();
    const review = await store.review(id);
    if (review !== null && isFinal(review.status)) return { review, report: await store.report(id) };
    if (signal.aborted) throw cancelled();
    await delay(RETRY_LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

function cancelled(): AppError {
  return new AppError("cancelled", "The review was cancelled.", {
    remedy: "Start it again when you want it.",
    reason: "cancelled",
  });
}

async function findRepository(given: string, { config, cwd }: ReviewRunPorts): Promise<RepositoryConfig> {
  const configured = config.repositories.find(({ alias }) => alias === given);
  if (configured !== undefined) return configured;
  const path = resolve(cwd, given);
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) {
    return {
      alias: basename(path) || "repository",
      vcs: "git",
      source: { kind: "path", path },
      web: {},
      agent: "checks",
      pollMs: 0,
    };
  }
  const aliases = config.repositories.map(({ alias }) => alias).join(", ");
  throw new AppError("not_found", `There is no repository ${given}: it is no configured alias and no folder.`, {
    remedy: aliases === "" ? "Name a folder that holds a git repository." : `Name a folder, or one of: ${aliases}.`,
    reason: "unknown_repository",
    params: { repository: given },
  });
}

function unknownAgent(agent: string, agents: readonly string[]): AppError {
  return new AppError("not_found", `There is no agent ${agent}.`, {
    remedy: `Configured agents: ${agents.join(", ")}.`,
    reason: "unknown_agent",
    params: { agent },
  });
}
