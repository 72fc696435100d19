// A Finding is a Problem's identity over time; this decides what a review means for the findings of its ref.
import type { FindingId } from "./ids.ts";
import type { AssessedProblem, Severity } from "./problem.ts";

export interface StoredFinding {
  readonly id: FindingId;
  readonly repository: string;
  readonly fingerprint: string;
  readonly keys: readonly string[];
  readonly file: string;
  readonly category: string;
  readonly severity: Severity;
  /** First line of the newest message about it. */
  readonly title: string;
  readonly anchorDigest: string;
  readonly dismissed: { readonly by: string; readonly reason: string; readonly at: number } | null;
  /** State per ref. */
  readonly refs: readonly {
    readonly ref: string;
    readonly status: "open" | "resolved";
    readonly lastRevision: string;
  }[];
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
}

export interface FindingUpdate {
  /** A known finding's id, or a fresh one to be inserted (on a clash of keys the known row is updated instead). */
  readonly id: FindingId;
  readonly fingerprint: string;
  readonly keys: readonly string[];
  readonly ref: string;
  readonly revision: string;
  readonly status: "open" | "resolved";
  readonly file: string;
  readonly category: string;
  readonly severity: Severity;
  readonly title: string;
  readonly anchorDigest: string;
}
