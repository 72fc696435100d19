// The two context tools: asked inline where the resolver is reachable, recorded in every case.
import type { ToolResult } from "../ports/tool.ts";
import { type LineRange, lastLine } from "../ports/vcs.ts";
import { capContext } from "./context-cap.ts";
import type { ReportState } from "./report-state.ts";
import type { ContextResolver, LookUpQuestion } from "./resolver-protocol.ts";
import type { LookUpOutcome } from "./state-file.ts";
import type { LookUpInput } from "./tool-inputs.ts";
import { accept, refuse } from "./tool-result.ts";

type Section = "contextRequests" | "attributionRequests";

interface LookUp {
  readonly outcome: LookUpOutcome;
  readonly result: ToolResult;
}

export interface LookUpPorts {
  readonly state: ReportState;
  readonly resolver: ContextResolver | undefined;
  readonly mayWrite: () => string | null;
}

/** Answers `aicr.fetch_more_context`: inline, as a refusal, or as pending. */
export async function fetchMoreContext(
  ports: LookUpPorts,
  input: LookUpInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  return record(ports, "contextRequests", input, await askContext(ports.resolver, toQuestion(input), signal));
}

/** Answers `aicr.try_blame`: inline, as a refusal, or as pending. */
export async function tryBlame(ports: LookUpPorts, input: LookUpInput, signal: AbortSignal): Promise<ToolResult> {
  return record(ports, "attributionRequests", input, await askAttribution(ports.resolver, toQuestion(input), signal));
}

/** The question that a tool input stands for; an open end is the last line there can be. */
export function toQuestion(input: LookUpInput): LookUpQuestion {
  const lines = toLines(input.range?.start_line, input.range?.end_line);
  return { path: input.path, reason: input.reason, ...(lines === undefined ? {} : { lines }) };
}

/** A range of which either end may be missing; undefined where both are: the whole file. */
export function toLines(start: number | undefined, end: number | undefined): LineRange | undefined {
  if (start === undefined && end === undefined) return undefined;
  return { start: start ?? 1, end: end ?? lastLine };
}

async function askContext(
  resolver: ContextResolver | undefined,
  question: LookUpQuestion,
  signal: AbortSignal,
): Promise<LookUp> {
  const answer = (await resolver?.context(question, signal)) ?? ({ kind: "unreachable" } as const);
  if (answer.kind !== "answered") return notAnswered(answer);
  return { outcome: "answered", result: accept({ ...capContext(answer.context) }) };
}

async function askAttribution(
  resolver: ContextResolver | undefined,
  question: LookUpQuestion,
  signal: AbortSignal,
): Promise<LookUp> {
  const answer = (await resolver?.attribution(question, signal)) ?? ({ kind: "unreachable" } as const);
  if (answer.kind !== "answered") return notAnswered(answer);
  const { path, status, entries } = answer.attribution;
  return { outcome: "answered", result: accept({ path, status, entries }) };
}

function notAnswered(
  answer: { readonly kind: "refused"; readonly reason: string } | { readonly kind: "unreachable" },
): LookUp {
  return answer.kind === "refused"
    ? { outcome: "refused", result: refuse(answer.reason) }
    : { outcome: "pending", result: accept({ accepted: true, pending: true }) };
}

async function record(ports: LookUpPorts, section: Section, input: LookUpInput, asked: LookUp): Promise<ToolResult> {
  const entry = { ...input, outcome: asked.outcome };
  const recorded = await ports.state.record({ section, entry }, ports.mayWrite);
  return recorded.kind === "refused" ? refuse(recorded.reason) : asked.result;
}
