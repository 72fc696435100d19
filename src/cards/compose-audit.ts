// Composes the one line that a conversation in audit mode gets for every change.
import type { Card } from "../core/card.ts";
import type { DeliveryFacts } from "../core/delivery.ts";
import type { Report } from "../core/report.ts";
import type { Review } from "../core/review.ts";
import type { Texts } from "../ports/texts.ts";
import { changeView, type Say, sayIn } from "./change-view.ts";
import { skipSentence } from "./compose-answer.ts";
import { failureSentences } from "./compose-failure.ts";
import type { LinkBuilder } from "./links.ts";
import { noteSentences, shownProblems, toneOf, verdictOf } from "./report-view.ts";
import { visibleLine } from "./visible-text.ts";

export interface ComposeAuditInput {
  readonly texts: Texts;
  readonly review: Review;
  /** Null for a failed review. */
  readonly report: Report | null;
  readonly facts?: DeliveryFacts;
  readonly locale: string;
  readonly links: LinkBuilder;
  /** How many messages others were owed because of it. Default 0. */
  readonly heard?: number;
}

export function composeAudit(input: ComposeAuditInput): Card {
  const { texts, review, report, facts = {}, locale, links, heard = 0 } = input;
  const say = sayIn(texts, locale);
  const { repository, branch, rev, commitUrl, author } = changeView(review, links);
  const place = [branch, rev].filter((part) => part !== null && part !== "").join(" ");
  const outcome = outcomeOf(review, report, facts, texts, say);
  const parts = [
    say("audit.line", { repository, place, outcome }),
    ...(author === null ? [] : [say("audit.by", { author })]),
    ...(report === null ? [] : noteSentences(report, say)),
    ...(heard === 0 ? [] : [say("audit.heard", { n: heard })]),
  ];
  const line = visibleLine(parts.join(" · "));
  return {
    title: line,
    tone: report === null ? "danger" : toneOf(shownProblems(report, facts)),
    ...(commitUrl === null ? {} : { link: commitUrl }),
    fallback: line,
    blocks: [],
  };
}

function outcomeOf(review: Review, report: Report | null, facts: DeliveryFacts, texts: Texts, say: Say): string {
  if (report === null) {
    const { failure } = review;
    return failure === undefined
      ? say("audit.failed")
      : say("audit.failed.why", { what: failureSentences(failure, texts, say).what });
  }
  if (report.outcome === "skipped") return skipSentence(report.reason, say, texts.has);
  const verdict = verdictOf(shownProblems(report, facts), say);
  if (verdict !== null) return verdict;
  return say((facts.belowFloor ?? 0) > 0 ? "audit.below_floor" : "audit.clean", { n: facts.belowFloor ?? 0 });
}
