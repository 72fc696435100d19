// A Finding is a Problem's identity over time; this decides what a review means for the findings of its ref.
import type { FindingId } from "./ids.ts";
import { type AssessedProblem, compareSeverity, type Severity } from "./problem.ts";

export interface StoredFinding {
  readonly id: FindingId;
  readonly repository: string;
  readonly fingerprint: string;
  readonly keys: readonly string[];
  readonly file: string;
  /** Where it was seen last, 1-based; absent for findings that were stored before lines were. */
  readonly line?: number;
  readonly category: string;
  readonly severity: Severity;
  /** The gravest severity that it ever had; absent: the one it has. */
  readonly peak?: Severity;
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
  /** 1-based line of the new side; absent when it resolves. */
  readonly line?: number;
  readonly category: string;
  readonly severity: Severity;
  readonly title: string;
  readonly anchorDigest: string;
}

export interface FindingsInput {
  readonly ref: string;
  /** Canonical name of the reviewed head. */
  readonly revision: string;
  readonly problems: readonly AssessedProblem[];
  /** Findings known under any key of the problems. */
  readonly known: readonly StoredFinding[];
  /** Findings open on this ref in the files that changed. */
  readonly open: readonly StoredFinding[];
  /** Whether the finding's text is gone, or its line was in the reviewed diff; only asked of findings that were not reported again. */
  readonly isSettled: (finding: StoredFinding) => boolean;
  readonly nextId: () => FindingId;
}

export interface FindingsOutcome {
  readonly updates: readonly FindingUpdate[];
  /** The problems under the fingerprints by which the product already knows them. */
  readonly problems: readonly AssessedProblem[];
  /** Fingerprints that somebody dismissed: they stay silent. */
  readonly dismissed: ReadonlySet<string>;
  /** Fingerprints that were known before this review; no others can have been shown to anybody. */
  readonly matched: ReadonlySet<string>;
  /** Fingerprints that were resolved on this ref and are back: they count as new again. */
  readonly reopened: ReadonlySet<string>;
  /** Fingerprints that are graver now than they ever were: they are shown once more. */
  readonly risen: ReadonlySet<string>;
  readonly resolved: readonly StoredFinding[];
}

/** Matches problems to known findings and finds out which open ones this review settled (CONTRACT §C). */
export function settleFindings(input: FindingsInput): FindingsOutcome {
  const byKey = new Map<string, StoredFinding>();
  for (const finding of input.known) {
    for (const key of finding.keys) if (!byKey.has(key)) byKey.set(key, finding);
  }
  const taken = new Set<FindingId>();
  const updates: FindingUpdate[] = [];
  const problems: AssessedProblem[] = [];
  const dismissed = new Set<string>();
  const matched = new Set<string>();
  const reopened = new Set<string>();
  const risen = new Set<string>();
  for (const assessed of input.problems) {
    const match = assessed.keys.map((key) => byKey.get(key)).find((found) => found && !taken.has(found.id));
    if (match) taken.add(match.id);
    const fingerprint = match?.fingerprint ?? assessed.fingerprint;
    if (match) matched.add(fingerprint);
    if (match?.dismissed) dismissed.add(fingerprint);
    if (match?.refs.some((state) => state.ref === input.ref && state.status === "resolved")) reopened.add(fingerprint);
    if (match && compareSeverity(assessed.problem.severity, match.peak ?? match.severity) > 0) risen.add(fingerprint);
    problems.push({ ...assessed, fingerprint });
    updates.push({
      id: match?.id ?? input.nextId(),
      fingerprint,
      keys: assessed.keys,
      ref: input.ref,
      revision: input.revision,
      status: "open",
      file: assessed.problem.file,
      line: assessed.problem.line,
      category: assessed.problem.category,
      severity: assessed.problem.severity,
      title: titleOf(assessed.problem.message),
      anchorDigest: assessed.anchorDigest,
    });
  }
  const resolved = input.open.filter((finding) => !taken.has(finding.id) && input.isSettled(finding));
  for (const finding of resolved) {
    const { id, fingerprint, keys, file, category, severity, title, anchorDigest } = finding;
    const { ref, revision } = input;
    updates.push({
      id,
      fingerprint,
      keys,
      ref,
      revision,
      status: "resolved",
      file,
      category,
      severity,
      title,
      anchorDigest,
    });
  }
  // Nobody hears of a dismissed finding any more, of its end neither.
  return {
    updates,
    problems,
    dismissed,
    matched,
    reopened,
    risen,
    resolved: resolved.filter((one) => one.dismissed === null),
  };
}

const TITLE_LENGTH = 160;

/** The first line of a message, as a finding's title: at most 160 code points, markup left as it is. */
export function titleOf(message: string): string {
  const line = message.trim().split("\n", 1)[0] ?? "";
  const points = [...line];
  return points.length <= TITLE_LENGTH ? line : `${points.slice(0, TITLE_LENGTH - 1).join("")}…`;
}
