// How a review agent is invoked. What it has to say it says through the aicr.* tools alone; see src/report-tools.
import type { AppError } from "../core/errors.ts";
import type { RunId } from "../core/ids.ts";
import type { Problem } from "../core/problem.ts";
import type { ReportNote, Usage } from "../core/report.ts";
import type { ReviewBrief } from "./brief.ts";

/** `initial` → `follow_up` (answers to unanswered requests) → `repair` (no usable output). */
export type PassKind = "initial" | "follow_up" | "repair";

/** Absolute paths of a run directory (CONTRACT §A). */
export interface RunPaths {
  readonly root: string;
  /** change.json: read-only facts for agents and tool servers. */
  readonly change: string;
  /** The exported new side; never the agent's working directory. */
  readonly source: string;
  readonly base: string;
  /** Writable working directory of the agent, where the state file appears. */
  readonly agent: string;
  readonly tmp: string;
  /** The state file of the tool server. */
  readonly state: string;
}

export interface AgentPass {
  readonly runId: RunId;
  readonly kind: PassKind;
  readonly paths: RunPaths;
  /** Path of the resolver's socket, when context and blame are answered inline. */
  readonly resolver?: string;
  readonly locale: string;
  /** Budget of the pass, ms. */
  readonly deadlineMs: number;
  /** Problems that were reported in this review by other means, and are not to be reported again. */
  readonly found?: readonly Problem[];
  /** For follow-up and repair: what the agent is told beside the change (answers, or what was missing). */
  readonly message?: string;
  /** Gathers what a prompt is made of, once for all passes of an attempt. Throws the VCS's AppErrors. */
  readonly brief?: () => Promise<ReviewBrief>;
  /** Called with short status words while the agent works, for the progress line. */
  readonly onProgress?: (note: string) => void;
}

export type PassExit = "ok" | "failed" | "timeout" | "cancelled";

export interface PassResult {
  readonly exit: PassExit;
  /** The agent's closing text; only ever read as a possible skip, never as the report. */
  readonly finalText?: string;
  /** Tool calls seen in the agent's own stream, for agents whose state file is missing (Kilo). */
  readonly toolEvents?: readonly ToolEvent[];
  readonly usage?: Usage;
  /** Redacted end of what the agent said on failure. */
  readonly diagnostics?: string;
  /** What readers of the result should know of how it came about. */
  readonly notes?: readonly ReportNote[];
  /** Why another pass of this agent is of no use (no model answers, a budget is used up): the review's failure, if nothing was reported. */
  readonly fault?: AppError;
}

export interface ToolEvent {
  /** Unique in the stream; an event is executed once. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface Agent {
  readonly name: string;
  /** Whether the agent can make use of a repair pass; one that is not a model cannot. */
  readonly repairable: boolean;
  run(pass: AgentPass, signal: AbortSignal): Promise<PassResult>;
}
