// What an agent reports about one place of a change, and what the orchestrator makes of it.

export const severities = ["info", "low", "medium", "high", "critical"] as const;
export type Severity = (typeof severities)[number];

/** Compares by gravity: negative when `a` is less grave than `b`. */
export function compareSeverity(a: Severity, b: Severity): number {
  return severities.indexOf(a) - severities.indexOf(b);
}

/** The fields of `aicr.report_problem`, in our own case (the tool says `end_line`). */
export interface Problem {
  readonly file: string;
  /** New-side line, 1-based. */
  readonly line: number;
  readonly endLine?: number;
  readonly severity: Severity;
  readonly category: string;
  readonly message: string;
  readonly suggestion?: string;
  /** The agent's own dedupe key; scoped to repository and file before it is compared. */
  readonly fingerprint?: string;
}

/** Some lines of the new side around a problem. */
export interface CodeExcerpt {
  readonly firstLine: number;
  readonly lines: readonly string[];
  /** Language name for highlighting (`typescript`, `cpp`, …), where the file name tells. */
  readonly language?: string;
}

/** A problem after the orchestrator checked its anchor and computed its identity. */
export interface AssessedProblem {
  readonly problem: Problem;
  /** False when the anchor is on no commentable line: the problem is shown without a line link. */
  readonly anchored: boolean;
  /** The computed identity (CONTRACT §C), 32 hex digits; see core/fingerprint.ts. */
  readonly fingerprint: string;
  /** Every key under which an earlier finding may be known (computed ones and the agent's own, scoped); the first is `fingerprint`. */
  readonly keys: readonly string[];
  /** Digest of the normalised anchored line, by which a later review sees whether the text is gone. */
  readonly anchorDigest: string;
  readonly excerpt?: CodeExcerpt;
}

/** Gravest first, then by place; the order in which people read problems. */
export function compareForReading(a: AssessedProblem, b: AssessedProblem): number {
  const bySeverity = compareSeverity(b.problem.severity, a.problem.severity);
  if (bySeverity !== 0) return bySeverity;
  if (a.problem.file !== b.problem.file) return a.problem.file < b.problem.file ? -1 : 1;
  return a.problem.line - b.problem.line;
}
