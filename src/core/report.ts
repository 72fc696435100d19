// The result of a review: problems, summaries, or a reason to stay silent.
import type { AssessedProblem } from "./problem.ts";

export interface Summary {
  readonly title?: string;
  readonly markdown: string;
}

/**
 * What a reader of the result should know of how the review was done; people's words are in the catalogue, by kind
 * (`report.note.<kind>`).
 *
 * `left_out` {n, paths}: changed files that the agent did not get to read. `model` {models}: who has read the code.
 * `risky_skip` {n, paths}: the agent skipped a change that touches high-risk paths. `taken_over` {agent, by}: another agent
 * did the work. `limit` {limit}: the agent was stopped at a bound (steps, tokens, money, time).
 */
export interface ReportNote {
  readonly kind: ReportNoteKind;
  readonly params: Readonly<Record<string, string | number>>;
}

export const reportNoteKinds = ["left_out", "model", "risky_skip", "taken_over", "limit"] as const;
export type ReportNoteKind = (typeof reportNoteKinds)[number];

/**
 * A validated result. `reported` has at least one problem; `clean` has a summary and none. The product's own reasons to skip are
 * `lgtm`, `no_reviewable_code`, `no_changed_files`, `superseded` and `cancelled`; an agent may give others.
 */
export type Report =
  | {
      readonly outcome: "reported";
      readonly problems: readonly AssessedProblem[];
      readonly summaries: readonly Summary[];
      readonly notes?: readonly ReportNote[];
    }
  | { readonly outcome: "clean"; readonly summaries: readonly Summary[]; readonly notes?: readonly ReportNote[] }
  | {
      readonly outcome: "skipped";
      readonly reason: string;
      readonly summaries: readonly Summary[];
      readonly notes?: readonly ReportNote[];
    };

/** What models used; the totals hold the parts that are named beside them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input: what the provider had in its cache. */
  readonly cachedInputTokens?: number;
  /** Of the output: what was written to think. */
  readonly reasoningTokens?: number;
  /** Requests to models. */
  readonly requests?: number;
  /** In the currency of the configured prices; absent where no price is known. */
  readonly money?: number;
}

/** Undefined while neither is known. */
export function addUsage(total: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (total === undefined || more === undefined) return total ?? more;
  const cachedInputTokens = addKnown(total.cachedInputTokens, more.cachedInputTokens);
  const reasoningTokens = addKnown(total.reasoningTokens, more.reasoningTokens);
  const requests = addKnown(total.requests, more.requests);
  const money = addKnown(total.money, more.money);
  return {
    inputTokens: total.inputTokens + more.inputTokens,
    outputTokens: total.outputTokens + more.outputTokens,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(requests === undefined ? {} : { requests }),
    ...(money === undefined ? {} : { money }),
  };
}

function addKnown(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a + b;
}
