// Reviews and reports that exercise every branch of the templates; for checking and previewing them.
import type { Change } from "../core/change.ts";
import type { DeliveryFacts } from "../core/delivery.ts";
import { type AssessedProblem, severities } from "../core/problem.ts";
import type { Report } from "../core/report.ts";
import type { Review } from "../core/review.ts";

const head: Change["head"] = {
  vcs: "git",
  canonical: "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d",
  display: "1a2b3c4d5e",
  author: "Ada Lovelace",
  time: Date.UTC(2026, 0, 5, 9, 30),
  message: "feat(session): keep *sessions* in the store\n\nThey survive a restart now.",
  parents: [],
  flags: [],
};

const change: Change = {
  repository: "demo",
  vcs: "git",
  head,
  base: "empty",
  baseReason: "merge_base",
  ref: "refs/heads/session-store",
  isDefaultBranch: false,
  spec: "session-store",
};

const bare: Review = {
  id: "rv_sample",
  repository: "demo",
  spec: "session-store",
  agent: "checks",
  paths: [],
  locale: "en",
  requester: { kind: "feed", feed: "sample" },
  status: "reported",
  attempt: 1,
  createdAt: head.time,
};

/** One whose change is known, and one that failed before it was. */
export const sampleReviews: { readonly resolved: Review; readonly unresolved: Review } = {
  resolved: { ...bare, change },
  unresolved: bare,
};

const message = `\`user\` may be **null**: \`load()\` returns null when the session expired.

- the caller does not check it
- [documentation](https://example.com/)`;

function problem(index: number): AssessedProblem {
  const severity = severities[index % severities.length] ?? "info";
  const line = 10 + index;
  const plain = { file: `src/session_${index}.ts`, line, severity, category: "correctness", message };
  const fingerprint = String(index).padStart(32, "0");
  const identity = { fingerprint, keys: [fingerprint], anchorDigest: fingerprint };
  // Every third has nothing but its message, so that optional parts are seen to be optional.
  if (index % 3 === 2) return { ...identity, problem: plain, anchored: false };
  return {
    ...identity,
    problem: { ...plain, endLine: line + 2, suggestion: "```diff\n-return user.name;\n+return user?.name;\n```" },
    anchored: true,
    excerpt: { firstLine: line - 1, language: "typescript", lines: ["const user = load();", "", "return user.name;"] },
  };
}

const summaries = [
  { title: "Sessions", markdown: "They move into the store.\n\n1. load\n2. save" },
  { markdown: "Fine." },
];

export const sampleReports: Readonly<Record<"many" | "clean" | "skipped", Report>> = {
  many: {
    outcome: "reported",
    problems: Array.from({ length: 14 }, (_, index) => problem(index)),
    summaries,
    notes: [
      { kind: "left_out", params: { n: 2, paths: "src/big_1.ts, src/big_2.ts" } },
      { kind: "model", params: { models: "some-model" } },
    ],
  },
  clean: { outcome: "clean", summaries: [] },
  skipped: {
    outcome: "skipped",
    reason: "lgtm",
    summaries,
    notes: [{ kind: "risky_skip", params: { n: 1, paths: "src/auth.ts" } }],
  },
};

export const sampleFacts: DeliveryFacts = {
  fresh: Array.from({ length: 12 }, (_, index) => problem(index).fingerprint),
  stillOpen: [problem(12).fingerprint],
  resolved: ["resolved"],
  belowFloor: 1,
};

export const sampleFiles: NonNullable<Change["files"]> = [
  { kind: "modify", path: "src/session_0.ts" },
  { kind: "delete", path: "src/memory.ts" },
  { kind: "rename", path: "src/store.ts", oldPath: "src/db.ts" },
  ...Array.from({ length: 14 }, (_, index) => ({ kind: "add" as const, path: `src/new_${index}.ts` })),
];
