// Runs one attempt of a review: base decided, diff, run directory, agent, validated report.
import type { Change, ChangedFile } from "../core/change.ts";
import { AppError, toAppError } from "../core/errors.ts";
import type { StoredFinding } from "../core/finding.ts";
import { anchorLines } from "../core/fingerprint.ts";
import { runId } from "../core/ids.ts";
import type { Agent, RunPaths } from "../ports/agent.ts";
import type { ReviewBrief } from "../ports/brief.ts";
import type { Clock } from "../ports/clock.ts";
import type { Subscriptions } from "../ports/listeners.ts";
import type { Logger } from "../ports/logger.ts";
import type { Redactor } from "../ports/redactor.ts";
import type { ClaimedJob, Store } from "../ports/store.ts";
import type { Vcs } from "../ports/vcs.ts";
import type { Workspace } from "../ports/workspace.ts";
import { writeChangeFile } from "../report-tools/change-file.ts";
import type { ContextResolver } from "../report-tools/resolver-protocol.ts";
import { createAnswerContext } from "./answer-context.ts";
import type { AnswerFromStore } from "./answer-from-store.ts";
import { assessReport, type ReadSource } from "./assess-report.ts";
import { isWanted, resolveJob } from "./feed-review.ts";
import { flagSkip } from "./flag-skip.ts";
import { gatherBrief } from "./gather-brief.ts";
import {
  changeFacts,
  createSourceReader,
  listFiles,
  materialiseRun,
  type Preparation,
  type PreparedChange,
  prepareChange,
  type RunLimits,
} from "./prepare-run.ts";
import type { PhaseTimings, RunReview } from "./process-jobs.ts";
import type { ReviewOutcome } from "./publish-report.ts";
import { type PassesResult, runPasses } from "./run-passes.ts";
import type { ShowProgress } from "./show-progress.ts";

/** Opens the resolver's socket of one attempt; null where sockets are not to be had: requests are then replayed. */
export type ServeResolver = (
  answers: ContextResolver,
  accepts: (run: string) => boolean,
) => Promise<{ readonly path: string; close(): Promise<void> } | null>;

export interface RunReviewPorts {
  readonly vcs: ReadonlyMap<string, Vcs>;
  readonly agents: ReadonlyMap<string, Agent>;
  /** By an agent's name: which other one takes over when it produces nothing usable. */
  readonly fallbacks?: ReadonlyMap<string, Agent>;
  readonly workspace: Workspace;
  readonly serveResolver: ServeResolver;
  readonly store: Pick<Store, "startReview" | "lastReviewedHead" | "findings" | "openFindings">;
  readonly subscriptions: Subscriptions;
  /** Absent where every review is done anew: on the command line. */
  readonly answerFromStore?: AnswerFromStore;
  readonly progress: ShowProgress;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Masks secrets in what agents wrote and in the code that is shown. */
  readonly redactor: Redactor;
  readonly limits: RunLimits;
}

export function createRunReview(ports: RunReviewPorts): RunReview {
  const { clock, limits, progress } = ports;

  return async (job, signal, phases) => {
    const known: { change?: Change; files?: readonly ChangedFile[] } = {};
    try {
      return await attempt(job, AbortSignal.any([signal, AbortSignal.timeout(limits.reviewMs)]), phases, known);
    } catch (thrown) {
      if (signal.aborted) return { kind: "cancelled" };
      return { kind: "failed", error: toAppError(thrown), ...known };
    }
  };

  async function attempt(
    job: ClaimedJob,
    signal: AbortSignal,
    phases: PhaseTimings,
    known: { change?: Change; files?: readonly ChangedFile[] },
  ): Promise<ReviewOutcome> {
    const { review } = job;
    const vcs = requireVcs(review.repository);
    const agent = requireAgent(review.agent);
    await progress.note(review.id, { kind: "fetching" });
    const watch = stopwatch();
    const resolved = await resolveJob(vcs, ports.store, job, signal);
    if (resolved === null) return { kind: "superseded" };
    known.change = resolved;
    const listed = await listFiles(vcs, resolved, review.paths, signal);
    const change = withFiles(resolved, listed.files);
    known.change = change;
    known.files = listed.files;
    const held = await ports.store.startReview({
      job: job.id,
      token: job.token,
      review: review.id,
      change,
      now: clock.now(),
    });
    if (!held) return { kind: "cancelled" };
    const earlier = (await ports.answerFromStore?.(review, change, listed.files)) ?? null;
    if (earlier !== null) return earlier;
    const preparation: Preparation = (await isWanted(ports.subscriptions, job, change, listed.files))
      ? await prepareChange(vcs, change, listed, limits, signal)
      : { kind: "nothing", reason: "no_matching_subscription" };
    phases.resolveMs = watch();
    if (preparation.kind === "nothing") {
      const { files } = listed;
      const report = { outcome: "skipped", reason: preparation.reason, summaries: [] } as const;
      return {
        kind: "report",
        change,
        files,
        report,
        isSettled: settledBy(vcs, change, files, null, async () => null),
      };
    }
    const { prepared } = preparation;
    const paths = await ports.workspace.create(review.id, job.attempt);
    await materialiseRun(vcs, prepared, paths, limits, signal);
    writeChangeFile(paths.change, changeFacts(prepared, review, runId(review.id, job.attempt, 1)));
    phases.materialiseMs = watch();
    await progress.note(review.id, { kind: "reviewing", files: prepared.files.length });
    const collected = await invoke(job, agent, vcs, prepared, paths, phases, signal);
    phases.agentMs = watch();
    const readSource = createSourceReader(paths, prepared.files);
    const assessed = await assessReport(collected, prepared, readSource, ports.redactor);
    const report = flagSkip(assessed, prepared.files, collected.by.repairable);
    const isSettled = settledBy(vcs, change, prepared.files, prepared, readSource);
    return { kind: "report", change, files: prepared.files, report, isSettled };
  }

  async function invoke(
    job: ClaimedJob,
    agent: Agent,
    vcs: Vcs,
    prepared: PreparedChange,
    paths: RunPaths,
    phases: PhaseTimings,
    signal: AbortSignal,
  ): Promise<PassesResult> {
    let brief: Promise<ReviewBrief> | undefined;
    const fallback = ports.fallbacks?.get(agent.name);
    const answers = createAnswerContext(
      vcs,
      prepared.change,
      (context) => ports.workspace.keepFetched(paths, context),
      ports.redactor,
    );
    let current = "";
    const resolver = await ports.serveResolver(answers, (run) => run === current);
    try {
      return await runPasses({
        agent,
        ...(fallback === undefined ? {} : { directModel: fallback }),
        brief: () => (brief ??= gatherBrief({ vcs, store: ports.store }, prepared, signal)),
        onUsage: (total) => {
          phases.usage = total;
        },
        review: job.review,
        attempt: job.attempt,
        paths,
        ...(resolver === null ? {} : { resolver: resolver.path }),
        answers,
        preparePass: async (run) => {
          current = run;
          await ports.workspace.preparePass(paths, run);
        },
        budgetMs: limits.reviewMs,
        clock,
        logger: ports.logger,
        signal,
      });
    } finally {
      await resolver?.close();
    }
  }

  function requireVcs(alias: string): Vcs {
    const vcs = ports.vcs.get(alias);
    if (vcs !== undefined) return vcs;
    throw new AppError("not_found", `There is no repository ${alias}.`, {
      remedy: "Say `repos` to see the repositories.",
      reason: "unknown_repository",
      params: { repository: alias },
    });
  }

  function requireAgent(name: string): Agent {
    const agent = ports.agents.get(name);
    if (agent !== undefined) return agent;
    throw new AppError("not_found", `There is no agent ${name}.`, {
      remedy: `Configured agents: ${[...ports.agents.keys()].join(", ")}.`,
      reason: "unknown_agent",
      params: { agent: name, agents: [...ports.agents.keys()].join(", ") },
    });
  }

  /** Gives the time since the last call, ms. */
  function stopwatch(): () => number {
    let last = clock.monotonic();
    return () => {
      const since = clock.monotonic() - last;
      last += since;
      return since;
    };
  }
}

/** Most files that a change lists by name. */
const MAX_LISTED_FILES = 500;

function withFiles(change: Change, files: readonly ChangedFile[]): Change {
  const named = files.slice(0, MAX_LISTED_FILES).map(({ kind, path, oldPath }) => ({
    kind,
    path,
    ...(oldPath === undefined ? {} : { oldPath }),
  }));
  return { ...change, files: named, fileCount: files.length };
}

/**
 * An open finding is settled by a review of a descendant that finds its text gone from the file (or the file gone), or whose
 * change wrote the line anew and that did not report it again (CONTRACT §C).
 */
function settledBy(
  vcs: Vcs,
  change: Change,
  files: readonly ChangedFile[],
  prepared: PreparedChange | null,
  readSource: ReadSource,
): (finding: StoredFinding) => Promise<boolean> {
  return async (finding) => {
    if (!(await descends(finding))) return false;
    const renamed = files.find((file) => file.kind === "rename" && file.oldPath === finding.file);
    const path = renamed?.path ?? finding.file;
    const file = files.find((one) => one.path === path);
    if (file?.kind === "delete") return true;
    const lines = file === undefined ? null : await readSource(path);
    if (lines === null) return false;
    const places = anchorLines(lines, finding.anchorDigest);
    // Only lines that the change wrote: an agent need not speak again of a line that merely stands beside them.
    const added = prepared?.commentable.get(path)?.added ?? [];
    return places.every((line) => added.some(({ start, end }) => start <= line && line <= end));
  };

  async function descends(finding: StoredFinding): Promise<boolean> {
    const last = finding.refs.find((state) => state.ref === change.ref)?.lastRevision;
    if (last === undefined) return false;
    return last === change.head.canonical || vcs.isAncestor(last, change.head.canonical).catch(() => false);
  }
}
