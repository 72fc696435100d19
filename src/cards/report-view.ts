// What the root card of a report says: verdict by severity, what changed since the last one, and what is left out.
import type { Tone } from "../core/card.ts";
import type { ChangeFileName } from "../core/change.ts";
import type { DeliveryFacts } from "../core/delivery.ts";
import { type AssessedProblem, compareForReading, severities } from "../core/problem.ts";
import type { Report, Summary } from "../core/report.ts";
import type { Review } from "../core/review.ts";
import { type ChangeView, changeView, type FilesView, filesView, type Say } from "./change-view.ts";
import type { LinkBuilder } from "./links.ts";
import { type ProblemView, problemView } from "./problem-view.ts";

export interface ReportView extends ChangeView {
  readonly title: string;
  /** "1 critical, 2 medium"; null without problems. */
  readonly verdict: string | null;
  /** "2 new, 1 still open, 3 resolved"; null when there was nothing before. */
  readonly history: string | null;
  /** Sentences about what is not shown. */
  readonly notes: readonly string[];
  /** The gravest problems, in reading order. */
  readonly problems: readonly ProblemView[];
  /** "and 12 more"; null when all are listed. */
  readonly moreProblems: string | null;
  readonly files: FilesView;
  readonly summaries: readonly { readonly title: string; readonly markdown: string }[];
}

/** Problems that the root card names; the thread has them all. */
const LISTED_PROBLEMS = 10;

/** The problems that this delivery is about (all, where the facts name none), gravest first. */
export function shownProblems(report: Report, facts: DeliveryFacts): readonly AssessedProblem[] {
  if (report.outcome !== "reported") return [];
  const sorted = [...report.problems].sort(compareForReading);
  if (facts.fresh === undefined && facts.stillOpen === undefined) return sorted;
  const wanted = new Set([...(facts.fresh ?? []), ...(facts.stillOpen ?? [])]);
  return sorted.filter((assessed) => wanted.has(assessed.fingerprint));
}

/** @param leftOut new problems that the thread does not show. */
export function reportView(
  review: Review,
  report: Report,
  facts: DeliveryFacts,
  files: readonly ChangeFileName[] | undefined,
  links: LinkBuilder,
  say: Say,
  leftOut: number,
): ReportView {
  const shown = shownProblems(report, facts);
  const head = review.change?.head;
  const left = shown.length - LISTED_PROBLEMS;
  const hidden = facts.belowFloor ?? 0;
  return {
    ...changeView(review, links),
    title: titleOf(review, shown.length, facts, say),
    verdict: verdictOf(shown, say),
    history: historyOf(facts, say),
    notes: [
      ...(leftOut > 0 ? [say("report.thread_left_out", { n: leftOut })] : []),
      ...(hidden > 0 ? [say("report.below_floor", { n: hidden })] : []),
      ...noteSentences(report, say),
    ],
    problems: shown.slice(0, LISTED_PROBLEMS).map((assessed) => problemView(assessed, head, links, say)),
    moreProblems: left > 0 ? say("report.more_problems", { n: left }) : null,
    files: filesView(review.change, files ?? review.change?.files, links, say),
    summaries: summaryViews(report.summaries),
  };
}

export function summaryViews(summaries: readonly Summary[]): ReportView["summaries"] {
  return summaries.map(({ title, markdown }) => ({ title: title ?? "", markdown }));
}

/** What readers should know of how the review was done, one sentence each. */
export function noteSentences({ notes = [] }: Report, say: Say): readonly string[] {
  return notes.map(({ kind, params }) => say(`report.note.${kind}`, params));
}

/** "1 critical, 2 medium", gravest first; null without problems. */
export function verdictOf(problems: readonly AssessedProblem[], say: Say): string | null {
  const counts = [...severities].reverse().flatMap((severity) => {
    const n = problems.filter((assessed) => assessed.problem.severity === severity).length;
    return n === 0 ? [] : [say(`severity.count.${severity}`, { n })];
  });
  return counts.length === 0 ? null : counts.join(say("list.separator"));
}

/** From the gravest severity; `good` without problems. */
export function toneOf(problems: readonly AssessedProblem[]): Tone {
  const gravest = problems.reduce((most, { problem }) => Math.max(most, severities.indexOf(problem.severity)), -1);
  if (gravest >= severities.indexOf("high")) return "danger";
  if (gravest >= severities.indexOf("medium")) return "warning";
  return gravest >= 0 ? "info" : "good";
}

function titleOf(review: Review, shown: number, facts: DeliveryFacts, say: Say): string {
  const { repository } = review;
  // What is still open from before counts, though this review does not list it.
  const n = Math.max(shown, (facts.fresh?.length ?? 0) + (facts.stillOpen?.length ?? 0));
  if (n > 0) return say("report.title", { n, repository });
  return say((facts.resolved ?? []).length > 0 ? "report.title.resolved" : "report.title.clean", { repository });
}

function historyOf(facts: DeliveryFacts, say: Say): string | null {
  const fresh = facts.fresh?.length ?? 0;
  const stillOpen = facts.stillOpen?.length ?? 0;
  const resolved = facts.resolved?.length ?? 0;
  if (stillOpen === 0 && resolved === 0) return null;
  const parts = [
    ...(fresh > 0 ? [say("report.new", { n: fresh })] : []),
    ...(stillOpen > 0 ? [say("report.still_open", { n: stillOpen })] : []),
    ...(resolved > 0 ? [say("report.resolved", { n: resolved })] : []),
  ];
  return parts.join(say("list.separator"));
}
