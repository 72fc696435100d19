// Composes what the asker alone is told: nothing to report and why, or that what was found is known already.
import type { Card } from "../core/card.ts";
import type { DeliveryFacts } from "../core/delivery.ts";
import type { Report } from "../core/report.ts";
import type { Review } from "../core/review.ts";
import type { Texts } from "../ports/texts.ts";
import { assembleCard } from "./assemble-card.ts";
import { changeView, type Say, sayIn } from "./change-view.ts";
import { renderOptions } from "./compose-report.ts";
import type { LinkBuilder } from "./links.ts";
import { noteSentences, shownProblems, summaryViews, toneOf, verdictOf } from "./report-view.ts";
import { createToBlocks } from "./to-blocks.ts";

export interface ComposeAnswerInput {
  readonly texts: Texts;
  readonly review: Review;
  readonly report: Report;
  readonly facts?: DeliveryFacts;
  readonly locale: string;
  readonly channel?: string;
  readonly links: LinkBuilder;
  /** Where the report stands that the conversation has been shown. */
  readonly reportUrl?: string | null;
  /** How old the review is that this answer is taken from, ms. */
  readonly earlierMs?: number;
}

export function composeAnswer(input: ComposeAnswerInput): Card {
  const { texts, review, report } = input;
  const say = sayIn(texts, input.locale);
  const shown = shownProblems(report, input.facts ?? {});
  const { repository } = review;
  const title =
    shown.length > 0
      ? say("answer.still_open", { n: shown.length, repository })
      : say("answer.nothing", { repository });
  const text = shown.length > 0 ? (verdictOf(shown, say) ?? "") : reasonOf(report, say, texts);
  const rendered = texts.render(
    "private",
    {
      ...changeView(review, input.links),
      title,
      text,
      reportUrl: input.reportUrl ?? null,
      note: input.earlierMs === undefined ? null : earlierNote(input.earlierMs, review.id, say),
      notes: noteSentences(report, say),
      summaries: summaryViews(report.summaries),
    },
    renderOptions(input),
  );
  return assembleCard(rendered, createToBlocks(), {
    tone: toneOf(shown),
    fallback: text === "" ? title : say("answer.fallback", { title, text }),
  });
}

/** Why there is nothing to report: one sentence. */
export function skipSentence(reason: string, say: Say, has: (key: string) => boolean): string {
  const key = `skip.${reason}`;
  return has(key) ? say(key) : say("skip.other", { reason });
}

function reasonOf(report: Report, say: Say, texts: Texts): string {
  return report.outcome === "skipped" ? skipSentence(report.reason, say, texts.has) : say("answer.clean");
}

function earlierNote(ageMs: number, review: string, say: Say): string {
  return say("answer.earlier", { minutes: Math.max(1, Math.round(ageMs / 60_000)), review });
}
