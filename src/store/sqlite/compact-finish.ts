// A finished review as flat rows: what crosses to the writer thread is copied, and flat texts are copied cheapest.
import type { PlannedDelivery } from "../../core/delivery.ts";
import type { FindingUpdate } from "../../core/finding.ts";
import type { DeliveryId, JobId, ReviewId } from "../../core/ids.ts";
import type { AssessedProblem } from "../../core/problem.ts";
import type { Report } from "../../core/report.ts";
import type { FinishReview } from "../../ports/store.ts";
import type { ReportTexts } from "./documents.ts";

export interface CompactFinish {
  readonly job: JobId;
  readonly token: string;
  readonly review: ReviewId;
  readonly status: FinishReview["result"]["status"];
  readonly skipReason: string | null;
  readonly failure: string | null;
  readonly timings: string;
  readonly summaries: string | null;
  readonly answeredFrom: ReviewId | null;
  readonly problems: readonly ProblemRow[];
  readonly findings: readonly FindingRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly now: number;
}

export type ProblemRow = readonly [
  file: string,
  line: number,
  severity: string,
  category: string,
  fingerprint: string,
  document: string,
];

export type FindingRow = readonly [
  id: string,
  fingerprint: string,
  file: string,
  category: string,
  severity: string,
  title: string,
  anchorDigest: string,
  ref: string,
  revision: string,
  status: FindingUpdate["status"],
  line: number | null,
  ...keys: string[],
];

/** Named as the parameters of the insert; `now`, `state` and `finishedAt` are added there. */
export interface DeliveryRow {
  readonly id: DeliveryId;
  readonly kind: string;
  readonly review: ReviewId | null;
  readonly channel: string;
  readonly workspace: string;
  readonly conversation: string;
  readonly thread: string | null;
  readonly onlyChannel: string | null;
  readonly onlyWorkspace: string | null;
  readonly onlyPerson: string | null;
  readonly onlyName: string | null;
  readonly locale: string;
  readonly threadKey: string | null;
  readonly reason: string | null;
  readonly facts: string | null;
  readonly dueAt: number | null;
}

export function compactFinish(request: FinishReview): CompactFinish {
  const { job, token, review, result, timings, answeredFrom, findings, deliveries, now } = request;
  const report = "report" in result ? result.report : undefined;
  return {
    job,
    token,
    review,
    status: result.status,
    skipReason: report?.outcome === "skipped" ? report.reason : null,
    failure: "failure" in result ? JSON.stringify(result.failure) : null,
    timings: JSON.stringify(timings),
    summaries: report === undefined ? null : JSON.stringify(textsOf(report)),
    answeredFrom: answeredFrom ?? null,
    problems: report?.outcome === "reported" ? report.problems.map(problemRow) : [],
    findings: findings.map(findingRow),
    deliveries: deliveries.map(deliveryRow),
    now,
  };
}

function textsOf({ summaries, notes = [] }: Report): Report["summaries"] | ReportTexts {
  return notes.length === 0 ? summaries : { summaries, notes };
}

function problemRow(assessed: AssessedProblem): ProblemRow {
  const { file, line, severity, category } = assessed.problem;
  return [file, line, severity, category, assessed.fingerprint, JSON.stringify(assessed)];
}

function findingRow(update: FindingUpdate): FindingRow {
  const { id, fingerprint, file, category, severity, title, anchorDigest, ref, revision, status, keys } = update;
  const line = update.line ?? null;
  return [id, fingerprint, file, category, severity, title, anchorDigest, ref, revision, status, line, ...keys];
}

/** @returns the delivery as the insert names its parts. */
export function deliveryRow(delivery: PlannedDelivery): DeliveryRow {
  const { conversation: place, thread, onlyFor } = delivery.target;
  return {
    id: delivery.id,
    kind: delivery.kind,
    review: delivery.review ?? null,
    channel: place.channel,
    workspace: place.workspace,
    conversation: place.conversation,
    thread: thread ?? null,
    onlyChannel: onlyFor?.channel ?? null,
    onlyWorkspace: onlyFor?.workspace ?? null,
    onlyPerson: onlyFor?.person ?? null,
    onlyName: onlyFor?.name ?? null,
    locale: delivery.locale,
    threadKey: delivery.threadKey ?? null,
    reason: delivery.reason ?? null,
    facts: delivery.facts === undefined ? null : JSON.stringify(delivery.facts),
    dueAt: delivery.dueAt ?? null,
  };
}
