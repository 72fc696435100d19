// The result of a review: problems, summaries, or a reason to stay silent.
import type { AssessedProblem } from "./problem.ts";

export interface Summary {
  readonly title?: string;
  readonly markdown: string;
}

/**
 * A validated result. `reported` has at least one problem; `clean` has a summary and none. The product's own reasons to skip are
 * `lgtm`, `no_reviewable_code`, `no_changed_files`, `superseded` and `cancelled`; an agent may give others.
 */
export type Report =
  | {
      readonly outcome: "reported";
      readonly problems: readonly AssessedProblem[];
      readonly summaries: readonly Summary[];
    }
  | { readonly outcome: "clean"; readonly summaries: readonly Summary[] }
  | { readonly outcome: "skipped"; readonly reason: string; readonly summaries: readonly Summary[] };

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}
