// Composes a report: one root card, and in its thread one card for each new problem.
import type { Block, Card } from "../core/card.ts";
import type { ChangeFileName } from "../core/change.ts";
import type { DeliveryFacts } from "../core/delivery.ts";
import type { AssessedProblem } from "../core/problem.ts";
import type { Report } from "../core/report.ts";
import type { Review } from "../core/review.ts";
import type { RenderOptions, Texts } from "../ports/texts.ts";
import { assembleCard } from "./assemble-card.ts";
import { changeView, type Say, sayIn } from "./change-view.ts";
import type { LinkBuilder } from "./links.ts";
import { placeOf, problemView } from "./problem-view.ts";
import { inlineText } from "./readable-text.ts";
import { reportView, shownProblems, toneOf, verdictOf } from "./report-view.ts";
import { createToBlocks, type ToBlocks, untrustedBlocks } from "./to-blocks.ts";

export interface ComposeReportInput {
  readonly texts: Texts;
  readonly review: Review;
  readonly report: Report;
  /** What this conversation knows already; without `fresh` and `stillOpen`, every problem is new. */
  readonly facts?: DeliveryFacts;
  /** The changed files, deleted ones included; default: those of the review's change. */
  readonly files?: readonly ChangeFileName[];
  readonly locale: string;
  /** Lets `<channel>/<template>.md` shadow the common template. */
  readonly channel?: string;
  readonly links: LinkBuilder;
  /** Most thread cards; the root counts the problems beyond them. Default 50. */
  readonly threadLimit?: number;
}

/** A thread of more messages than this is read by nobody. */
const THREAD_LIMIT = 50;

export interface ComposedReport {
  readonly root: Card;
  /** Gravest first; problems that the conversation knows already are not repeated. */
  readonly thread: readonly ThreadCard[];
  /** New problems that the thread does not show, in reading order. */
  readonly leftOut: readonly AssessedProblem[];
}

export interface ThreadCard {
  readonly fingerprint: string;
  readonly category: string;
  /** Where the problem's lines can be looked at; null where they cannot. */
  readonly url: string | null;
  readonly card: Card;
}

/** Throws AppError `config` when an overriding template is broken. */
export function composeReport(input: ComposeReportInput): ComposedReport {
  const { texts, review, report, links } = input;
  const facts = input.facts ?? {};
  const say = sayIn(texts, input.locale);
  const options = renderOptions(input);
  const toBlocks = createToBlocks();
  const { shown, kept, leftOut } = threadSplit(report, facts, input.threadLimit);
  const view = reportView(review, report, facts, input.files, links, say, leftOut.length);
  const root = assembleCard(texts.render("report", { ...view }, options), toBlocks, {
    // What this review does not list may still be open: that is no card of good news.
    tone: shown.length === 0 && (facts.stillOpen?.length ?? 0) > 0 ? "warning" : toneOf(shown),
    fallback: fallbackOf(review, shown, facts, links, say),
  });
  const thread = kept.map((assessed) => composeProblem(assessed, input, options, say, toBlocks));
  return { root, thread, leftOut };
}

/** Which problems a delivery is about, which of them its thread shows, and which new ones it leaves out. */
export function threadSplit(
  report: Report,
  facts: DeliveryFacts,
  limit = THREAD_LIMIT,
): Readonly<Record<"shown" | "kept" | "leftOut", readonly AssessedProblem[]>> {
  const shown = shownProblems(report, facts);
  const fresh = facts.fresh === undefined ? null : new Set(facts.fresh);
  const news =
    facts.editOnly === true ? [] : shown.filter(({ fingerprint }) => fresh === null || fresh.has(fingerprint));
  return { shown, kept: news.slice(0, limit), leftOut: news.slice(limit) };
}

function composeProblem(
  assessed: AssessedProblem,
  { texts, review, links }: ComposeReportInput,
  options: RenderOptions,
  say: Say,
  toBlocks: ToBlocks,
): ThreadCard {
  const view = problemView(assessed, review.change?.head, links, say);
  const first = firstLine(untrustedBlocks(assessed.problem.message.split("\n", 1)[0] ?? ""));
  const card = assembleCard(texts.render("problem", { ...view }, options), toBlocks, {
    tone: toneOf([assessed]),
    fallback: say("problem.fallback", { severity: view.severity, place: placeOf(assessed), line: first }),
  });
  return { fingerprint: assessed.fingerprint, category: view.category, url: view.url, card };
}

/** Without `channel` where none is given: exact optional properties. */
export function renderOptions({ locale, channel }: { locale: string; channel?: string }): RenderOptions {
  return channel === undefined ? { locale } : { locale, channel };
}

function fallbackOf(
  review: Review,
  shown: readonly AssessedProblem[],
  facts: DeliveryFacts,
  links: LinkBuilder,
  say: Say,
): string {
  const { repository, rev, subject } = changeView(review, links);
  const open = facts.stillOpen?.length ?? 0;
  const verdict = verdictOf(shown, say) ?? say(open > 0 ? "report.still_open" : "report.none", { n: open });
  return say("report.fallback", { repository, rev, verdict, subject });
}

function firstLine(blocks: readonly Block[]): string {
  const [first] = blocks;
  return first !== undefined && "children" in first ? inlineText(first.children) : "";
}
