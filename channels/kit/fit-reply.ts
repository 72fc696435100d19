// An answer to a command leaves the core whole: here it becomes as many pages as the platform's limits ask for.
import { fit } from "../../src/cards/fit.ts";
import type { CardLimits, Page } from "../../src/core/card.ts";

/** At least one page, all text in them; the people that the answer calls are called by its first page alone. */
export function fitReply(page: Page, limits: CardLimits): readonly Page[] {
  if (page.part !== undefined) return [page];
  const [first, ...others] = fit(page.card, limits, { files: false }).pages;
  if (first === undefined) return [page];
  return [page.mentions === undefined ? first : { ...first, mentions: page.mentions }, ...others];
}
