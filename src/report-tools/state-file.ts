// The state file: what a pass reported, as the tool server writes it and the orchestrator reads it, untrusted.
import * as z from "zod";
import type { Problem } from "../core/problem.ts";
import type { Summary } from "../core/report.ts";
import { readJsonDocument } from "./json-document.ts";
import { caps } from "./limits.ts";
import {
  fetchMoreContextInput,
  type LookUpInput,
  parseInput,
  publishSummaryInput,
  type ReportProblemInput,
  reportProblemInput,
  skipInput,
  tryBlameInput,
} from "./tool-inputs.ts";

export const stateFileName = ".aicr-output-state.json";

export const stateVersion = 1;

/** What became of a look-up: only a `pending` one is for the orchestrator to replay. */
export const lookUpOutcomes = ["answered", "refused", "pending"] as const;
export type LookUpOutcome = (typeof lookUpOutcomes)[number];

/** A recorded `aicr.fetch_more_context` or `aicr.try_blame`. */
export interface LookUpRequest {
  readonly path: string;
  readonly range?: { readonly startLine?: number; readonly endLine?: number };
  readonly reason: string;
  readonly outcome: LookUpOutcome;
}

export interface RecordedState {
  readonly runId: string;
  readonly problems: readonly Problem[];
  readonly summaries: readonly Summary[];
  readonly contextRequests: readonly LookUpRequest[];
  readonly attributionRequests: readonly LookUpRequest[];
  readonly skipReason?: string;
  /** Entries that did not pass validation and were left out: the file may have been written by somebody else. */
  readonly rejected: readonly { readonly section: string; readonly index: number; readonly reason: string }[];
}

export type StateRead =
  | { readonly kind: "ok"; readonly state: RecordedState }
  | { readonly kind: "missing" }
  | { readonly kind: "foreign"; readonly runId: string }
  | { readonly kind: "corrupt"; readonly reason: string };

const entries = z.array(z.unknown());

export const stateDocument = z.object({
  schemaVersion: z.literal(stateVersion),
  runId: z.string().min(1),
  problems: entries,
  summaries: entries,
  contextRequests: entries,
  attributionRequests: entries,
  skipReason: z.unknown().optional(),
});

const outcome = z.object({ outcome: z.enum(lookUpOutcomes) });

/**
 * Reads the state of a pass. Everything is validated again, entry by entry: a bad entry is left out and listed in `rejected`,
 * and costs none beside it.
 *
 * @param expectedRunId the pass that was just run; the state of any other is `foreign`.
 */
export function readState(path: string, expectedRunId: string): StateRead {
  const read = readDocument(path);
  if (read.kind !== "document") return read;
  const { document } = read;
  if (document.runId !== expectedRunId) return { kind: "foreign", runId: document.runId };

  const rejected: { section: string; index: number; reason: string }[] = [];
  const skip = document.skipReason === undefined ? undefined : parseInput(skipInput, { reason: document.skipReason });
  if (skip?.ok === false) rejected.push({ section: "skipReason", index: 0, reason: skip.reason });
  const state: RecordedState = {
    runId: document.runId,
    problems: each("problems", caps.problems, (entry) => map(parseInput(reportProblemInput, entry), toProblem)),
    summaries: each("summaries", caps.otherEntries, (entry) => map(parseInput(publishSummaryInput, entry), toSummary)),
    contextRequests: each("contextRequests", caps.otherEntries, (entry) =>
      map(parseInput(fetchMoreContextInput, entry), (input) => toRequest(input, entry)),
    ),
    attributionRequests: each("attributionRequests", caps.otherEntries, (entry) =>
      map(parseInput(tryBlameInput, entry), (input) => toRequest(input, entry)),
    ),
    ...(skip?.ok === true ? { skipReason: skip.value.reason } : {}),
    rejected,
  };
  return { kind: "ok", state };

  function each<T>(
    section: "problems" | "summaries" | "contextRequests" | "attributionRequests",
    cap: number,
    read: (entry: unknown) => { ok: true; value: T } | { ok: false; reason: string },
  ): T[] {
    const kept: T[] = [];
    document[section].forEach((entry, index) => {
      const one = kept.length < cap ? read(entry) : { ok: false as const, reason: `There are more than ${cap}.` };
      if (one.ok) kept.push(one.value);
      else rejected.push({ section, index, reason: one.reason });
    });
    return kept;
  }
}

export type DocumentRead =
  | { readonly kind: "document"; readonly document: z.output<typeof stateDocument>; readonly identity: string }
  | { readonly kind: "missing" }
  | { readonly kind: "corrupt"; readonly reason: string };

/** Reads the document's frame without its entries; the tool server resumes from it. */
export function readDocument(path: string): DocumentRead {
  const read = readJsonDocument(path, caps.stateBytes, stateDocument);
  return read.kind === "ok" ? { kind: "document", document: read.value, identity: read.identity } : read;
}

function map<A, B>(parsed: { ok: true; value: A } | { ok: false; reason: string }, to: (value: A) => B) {
  return parsed.ok ? { ok: true as const, value: to(parsed.value) } : parsed;
}

function toProblem(input: ReportProblemInput): Problem {
  return {
    file: input.file,
    line: input.line,
    ...(input.end_line === undefined ? {} : { endLine: input.end_line }),
    severity: input.severity,
    category: input.category,
    message: input.message,
    ...(input.suggestion === undefined ? {} : { suggestion: input.suggestion }),
    ...(input.fingerprint === undefined ? {} : { fingerprint: input.fingerprint }),
  };
}

function toSummary(input: { readonly title?: string | undefined; readonly markdown: string }): Summary {
  return input.title === undefined ? { markdown: input.markdown } : { title: input.title, markdown: input.markdown };
}

function toRequest(input: LookUpInput, entry: unknown): LookUpRequest {
  const recorded = outcome.safeParse(entry);
  const { start_line: startLine, end_line: endLine } = input.range ?? {};
  return {
    path: input.path,
    ...(input.range === undefined
      ? {}
      : {
          range: {
            ...(startLine === undefined ? {} : { startLine }),
            ...(endLine === undefined ? {} : { endLine }),
          },
        }),
    reason: input.reason,
    // A request that does not say it was answered is replayed: asking twice costs less than not answering.
    outcome: recorded.success ? recorded.data.outcome : "pending",
  };
}
