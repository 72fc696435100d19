// The JSON of `aicr-bot review --format json`: the tools' own field names, plus what the orchestrator found out.
import type { Change, Revision } from "../core/change.ts";
import type { AssessedProblem } from "../core/problem.ts";
import type { ReviewRun } from "./review-run.ts";

/** Stable: fields are added, never renamed. */
export function reviewJson({ review, report }: ReviewRun): Record<string, unknown> {
  const problems = report?.outcome === "reported" ? report.problems : [];
  const { usage, ...timings } = review.timings ?? {};
  return {
    status: review.status,
    skipReason: review.skipReason ?? null,
    ...(review.failure === undefined ? {} : { failure: review.failure }),
    problems: problems.map(problemJson),
    summaries: report?.summaries ?? [],
    change: review.change === undefined ? null : changeJson(review.change),
    notes: report?.notes ?? [],
    timings: review.timings === undefined ? null : timings,
    usage: usage ?? null,
    review: { id: review.id, repository: review.repository, spec: review.spec, agent: review.agent },
  };
}

function problemJson({ problem, fingerprint, anchored }: AssessedProblem): Record<string, unknown> {
  const { file, line, endLine, severity, category, message, suggestion } = problem;
  return {
    file,
    line,
    ...(endLine === undefined ? {} : { end_line: endLine }),
    severity,
    category,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
    fingerprint,
    anchored,
  };
}

function changeJson({
  repository,
  vcs,
  head,
  base,
  baseReason,
  ref,
  spec,
  files,
  fileCount,
}: Change): Record<string, unknown> {
  return {
    repository,
    vcs,
    spec,
    ref,
    base: base === "empty" ? "empty" : revisionJson(base),
    baseReason,
    head: revisionJson(head),
    files: files ?? [],
    fileCount: fileCount ?? 0,
  };
}

function revisionJson({ canonical, display, author, time, message, flags }: Revision): Record<string, unknown> {
  const subject = message.split("\n", 1)[0] ?? "";
  return { revision: canonical, display, author, time: new Date(time).toISOString(), subject, flags };
}
