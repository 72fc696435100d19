// Invokes the agent: initial, then one follow-up for unanswered requests, one repair without usable output, then the direct model.
import { AppError } from "../core/errors.ts";
import { type RunId, runId } from "../core/ids.ts";
import { skipFromProse } from "../core/prose-skip.ts";
import { addUsage, type ReportNote, type Usage } from "../core/report.ts";
import type { Review } from "../core/review.ts";
import { claimsProblems } from "../core/summary-claim.ts";
import type { Agent, AgentPass, PassKind, PassResult, RunPaths } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { ContextResolver } from "../report-tools/resolver-protocol.ts";
import { type RecordedState, readState } from "../report-tools/state-file.ts";
import { answerPending } from "./answer-pending.ts";
import type { Collected } from "./assess-report.ts";
import { recordToolEvents } from "./record-tool-events.ts";

/** Most invocations of an agent in one attempt (CONTRACT §A). */
const MAX_PASSES = 4;

export interface RunPassesInput {
  readonly agent: Agent;
  /** Takes over when the agent produces nothing usable; absent where none is configured. */
  readonly directModel?: Agent;
  readonly review: Review;
  readonly attempt: number;
  readonly paths: RunPaths;
  /** The resolver's socket, where there is one. */
  readonly resolver?: string;
  readonly answers: ContextResolver;
  readonly brief?: AgentPass["brief"];
  /** Told after each pass what all of them used so far, whatever comes of them. */
  readonly onUsage?: (total: Usage) => void;
  /** Makes a pass the current one: names it in change.json and removes stale state. */
  readonly preparePass: (run: RunId) => Promise<void>;
  /** Budget of all passes together, ms. */
  readonly budgetMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly onProgress?: (note: string) => void;
}

/** What the passes collected, and what all of them together cost, where agents tell. */
export interface PassesResult extends Collected {
  /** Whose output it is. */
  readonly by: Agent;
  readonly usage?: Usage;
}

/** What one pass left behind. */
interface PassOutput {
  readonly result: PassResult;
  readonly collected: Collected | null;
  readonly pending: RecordedState | null;
}

/** Throws an agent's own fault, or AppError `internal` (agent_failed), `timeout` (agent_timeout), when no pass gave usable output. */
export async function runPasses(input: RunPassesInput): Promise<PassesResult> {
  const started = input.clock.monotonic();
  let passes = 0;
  let best: Collected | null = null;
  let by = input.agent;
  let usage: Usage | undefined;
  const notes = new Map<ReportNote["kind"], ReportNote>();
  let last = await pass("initial", input.agent);
  if (last.pending !== null && !exhausted()) {
    const message = await answerPending(last.pending, input.answers, input.signal);
    if (message !== null) last = await pass("follow_up", input.agent, message);
  } else if (last.collected === null && proseOf(last) === "needs_context" && input.agent.repairable && !exhausted()) {
    last = await pass("follow_up", input.agent, askForContext);
  }
  if (best === null) best = skipOf(last);
  if (best === null && input.agent.repairable && last.result.fault === undefined && !exhausted()) {
    last = await pass("repair", input.agent, repairMessage(last));
    best ??= skipOf(last);
  }
  const { fault } = last.result;
  if (best === null && input.directModel !== undefined && !exhausted()) {
    const { directModel } = input;
    last = directModel.repairable
      ? await pass("repair", directModel, repairMessage(last))
      : await pass("initial", directModel);
    by = directModel;
    best ??= skipOf(last);
    notes.set("taken_over", { kind: "taken_over", params: { agent: input.agent.name, by: directModel.name } });
  }
  input.logger.info("passes.finished", { review: input.review.id, passes, usable: best !== null, ...usage });
  if (best !== null) return { ...best, by, notes: [...notes.values()], ...(usage === undefined ? {} : { usage }) };
  throw last.result.fault ?? fault ?? nothingUsable(last.result);

  function exhausted(): boolean {
    return passes >= MAX_PASSES || input.signal.aborted || remainingMs() <= 0;
  }

  function remainingMs(): number {
    return input.budgetMs - (input.clock.monotonic() - started);
  }

  async function pass(kind: PassKind, agent: Agent, message?: string): Promise<PassOutput> {
    passes++;
    const run = runId(input.review.id, input.attempt, passes);
    await input.preparePass(run);
    const result = await agent.run(
      {
        runId: run,
        kind,
        paths: input.paths,
        locale: input.review.locale,
        deadlineMs: Math.max(1, remainingMs()),
        ...(input.resolver === undefined ? {} : { resolver: input.resolver }),
        ...(message === undefined ? {} : { message }),
        ...(input.brief === undefined ? {} : { brief: input.brief }),
        ...(input.onProgress === undefined ? {} : { onProgress: input.onProgress }),
      },
      input.signal,
    );
    usage = addUsage(usage, result.usage);
    if (usage !== undefined) input.onUsage?.(usage);
    for (const note of result.notes ?? []) notes.set(note.kind, note);
    const output = await collect(run, result);
    input.logger.info("pass.finished", { run, kind, exit: result.exit, usable: output.collected !== null });
    if (output.collected !== null) by = agent;
    best = output.collected ?? best;
    return output;
  }

  /** Reads the state whatever the exit: a timeout or a crash keeps what was already reported. */
  async function collect(run: RunId, result: PassResult): Promise<PassOutput> {
    let read = readState(input.paths.state, run);
    if (read.kind === "missing" && (result.toolEvents?.length ?? 0) > 0) {
      await recordToolEvents(result.toolEvents ?? [], input.paths, run, input.answers);
      read = readState(input.paths.state, run);
    }
    if (read.kind !== "ok") {
      if (read.kind !== "missing") input.logger.warn("state.refused", { run, ...read });
      return { result, collected: null, pending: null };
    }
    const { state } = read;
    if (state.rejected.length > 0) input.logger.warn("state.rejected", { run, rejected: state.rejected });
    if (state.problems.length > 0 && state.skipReason !== undefined) {
      input.logger.info("state.contradiction", { run, skipReason: state.skipReason });
    }
    const asked = [...state.contextRequests, ...state.attributionRequests].some((one) => one.outcome === "pending");
    return { result, collected: usable(state), pending: asked ? state : null };
  }
}

/** A summary that claims problems while none was reported is no result: the agent has to repair it. */
function usable(state: RecordedState): Collected | null {
  const { problems, summaries, skipReason } = state;
  if (problems.length > 0) return { problems, summaries };
  if (summaries.some((summary) => claimsProblems(summary))) return null;
  if (skipReason !== undefined) return { problems, summaries, skipReason };
  return summaries.length > 0 ? { problems, summaries } : null;
}

function proseOf(output: PassOutput): ReturnType<typeof skipFromProse> {
  return output.result.finalText === undefined ? null : skipFromProse(output.result.finalText);
}

/** Prose counts as a skip only where the pass called no tool that reports. */
function skipOf(output: PassOutput): Collected | null {
  if (output.collected !== null || output.result.exit !== "ok" || output.pending !== null) return null;
  const prose = proseOf(output);
  return prose === null || prose === "needs_context" ? null : { problems: [], summaries: [], skipReason: prose };
}

const askForContext =
  "Source that you miss can be had: ask for it with aicr.fetch_more_context, then report with aicr.report_problem, aicr.publish_summary or aicr.skip.";

function repairMessage(last: PassOutput): string {
  const claimed = last.collected === null && last.result.exit === "ok" ? "" : " The last run did not end well.";
  return `Nothing usable was reported.${claimed} Report each problem with aicr.report_problem, or say with aicr.skip that there is none; text that you write is not read as a report.`;
}

function nothingUsable(result: PassResult): AppError {
  const detail = result.diagnostics === undefined ? {} : { detail: result.diagnostics };
  if (result.exit === "timeout") {
    return new AppError("timeout", "The review agent did not finish in time.", {
      remedy: "Ask for a smaller range, or raise limits.review_seconds.",
      reason: "agent_timeout",
      retryable: false,
      ...detail,
    });
  }
  return new AppError("internal", "The review agent ended without reporting anything.", {
    remedy: "Ask again; if it stays, look into the log for this review's id.",
    reason: "agent_failed",
    ...detail,
  });
}
