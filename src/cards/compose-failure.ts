// Composes what went wrong and what a person can do about it, for a failed review or a command that cannot be done.
import type { Card } from "../core/card.ts";
import type { AppError } from "../core/errors.ts";
import type { Review, ReviewFailure } from "../core/review.ts";
import type { Texts } from "../ports/texts.ts";
import { assembleCard } from "./assemble-card.ts";
import { changeView, type Say, sayIn } from "./change-view.ts";
import { renderOptions } from "./compose-report.ts";
import { type LinkBuilder, noLinks } from "./links.ts";
import { createToBlocks } from "./to-blocks.ts";

type Fault = Pick<ReviewFailure | AppError, "message" | "remedy" | "reason" | "params">;

export interface ComposeFailureInput {
  readonly texts: Texts;
  readonly failure: Fault;
  /** Absent when there is no review yet. */
  readonly review?: Review;
  readonly locale: string;
  readonly channel?: string;
  readonly links?: LinkBuilder;
}

export function composeFailure(input: ComposeFailureInput): Card {
  const { texts, review, failure } = input;
  const say = sayIn(texts, input.locale);
  const title =
    review === undefined ? say("failure.title") : say("failure.title.review", { repository: review.repository });
  const { what, remedy } = failureSentences(failure, texts, say);
  const nothing = { repository: "", branch: null, rev: "", commitUrl: null, subject: "", author: null };
  const change = review === undefined ? nothing : changeView(review, input.links ?? noLinks);
  const rendered = texts.render("failure", { ...change, title, what, remedy }, renderOptions(input));
  return assembleCard(rendered, createToBlocks(), {
    tone: "danger",
    fallback: say("failure.fallback", { title, what }),
  });
}

/** The catalogue's sentences for a reason it knows, else the fault's own English ones. */
export function failureSentences(
  failure: Fault,
  texts: Texts,
  say: Say,
): { readonly what: string; readonly remedy: string } {
  const key = `error.${failure.reason ?? ""}`;
  if (!texts.has(key)) return { what: failure.message, remedy: failure.remedy };
  const params = failure.params ?? {};
  try {
    return { what: say(key, params), remedy: say(`${key}.remedy`, params) };
  } catch {
    // A value that the text needs was not given: the fault's own words say it too.
    return { what: failure.message, remedy: failure.remedy };
  }
}
