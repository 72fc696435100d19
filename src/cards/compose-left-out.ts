// Composes the list of the problems that a thread left out, for whoever asks to see more.
import type { Block, Card, Inline } from "../core/card.ts";
import type { AssessedProblem } from "../core/problem.ts";
import type { Review } from "../core/review.ts";
import type { Texts } from "../ports/texts.ts";
import { sayIn } from "./change-view.ts";
import type { LinkBuilder } from "./links.ts";
import { problemView } from "./problem-view.ts";
import { inlineText } from "./readable-text.ts";
import { toneOf } from "./report-view.ts";
import { untrustedBlocks } from "./to-blocks.ts";

export interface LeftOutInput {
  readonly texts: Texts;
  readonly review: Review;
  /** In reading order. */
  readonly problems: readonly AssessedProblem[];
  readonly locale: string;
  readonly links: LinkBuilder;
}

export function composeLeftOut({ texts, review, problems, locale, links }: LeftOutInput): Card {
  const say = sayIn(texts, locale);
  const title = say("left_out.title", { n: problems.length, repository: review.repository });
  const items = problems.map((assessed): readonly Block[] => {
    const { severity, place, url } = problemView(assessed, review.change?.head, links, say);
    const named: Inline = { kind: "text", text: place };
    const children: Inline[] = [
      { kind: "strong", children: [{ kind: "text", text: severity }] },
      { kind: "text", text: " " },
      url === null ? named : { kind: "link", url, children: [named] },
      { kind: "text", text: ` — ${leadOf(assessed)}` },
    ];
    return [{ kind: "text", children }];
  });
  const blocks: Block[] = items.length === 0 ? [] : [{ kind: "list", ordered: false, items }];
  return { title, tone: toneOf(problems), fallback: title, blocks };
}

/** The first line of what the agent wrote, as plain text. */
function leadOf({ problem }: AssessedProblem): string {
  const [first] = untrustedBlocks(problem.message.trim().split("\n", 1)[0] ?? "");
  return first !== undefined && "children" in first ? inlineText(first.children) : "";
}
