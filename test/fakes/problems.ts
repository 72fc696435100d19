// Makers of problems and findings for tests that do not care where they came from.
import type { StoredFinding } from "../../src/core/finding.ts";
import type { FindingId } from "../../src/core/ids.ts";
import type { AssessedProblem, Severity } from "../../src/core/problem.ts";

export function assessed(fingerprint: string, severity: Severity = "medium", keys = [fingerprint]): AssessedProblem {
  return {
    problem: { file: "src/a.ts", line: 3, severity, category: "correctness", message: `Problem ${fingerprint}` },
    anchored: true,
    fingerprint,
    keys,
    anchorDigest: `anchor-${fingerprint}`,
  };
}

export function stored(fingerprint: string, overrides: Partial<StoredFinding> = {}): StoredFinding {
  const id: FindingId = `fd_${fingerprint}`;
  return {
    id,
    repository: "demo",
    fingerprint,
    keys: [fingerprint],
    file: "src/a.ts",
    category: "correctness",
    severity: "medium",
    title: `Problem ${fingerprint}`,
    anchorDigest: `anchor-${fingerprint}`,
    dismissed: null,
    refs: [{ ref: "refs/heads/main", status: "open", lastRevision: "r1" }],
    firstSeenAt: 1,
    lastSeenAt: 1,
    ...overrides,
  };
}
