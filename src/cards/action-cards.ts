// What people are told when they press a button: in private notes, and on the card that holds it.
import type { StoredAction } from "../core/action.ts";
import type { Card, CardLimits, Page } from "../core/card.ts";
import type { PersonRef } from "../core/delivery.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { AssessedProblem } from "../core/problem.ts";
import type { Review } from "../core/review.ts";
import type { Texts } from "../ports/texts.ts";
import { buttonFor, withState } from "./card-buttons.ts";
import { sayIn } from "./change-view.ts";
import { composeLeftOut } from "./compose-left-out.ts";
import { composeNote } from "./compose-note.ts";
import type { LinkBuilder } from "./links.ts";
import { visibleLine } from "./visible-text.ts";

export interface ActionCardsOptions {
  readonly texts: Texts;
  readonly links: (repository: string) => LinkBuilder;
  /** What people type before a command: `/review`. */
  readonly command: string;
}

/** Why a button did nothing. */
export type ActionRefusal = "unknown" | "expired" | "elsewhere" | "refused" | "finding_gone" | "nothing_more";

/** What is known of a finding when its card is shown anew. */
export interface FindingState {
  readonly finding: StoredFinding;
  readonly seenBy: readonly PersonRef[];
  /** The mute of its kind that holds in this conversation. */
  readonly mute: { readonly until: number; readonly by: string } | null;
}

export interface ActionCards {
  refusal(why: ActionRefusal, locale: string): Card;
  /** How to give the reason where a platform has no forms. */
  askByCommand(finding: StoredFinding, locale: string): Card;
  askTitle(locale: string): string;
  askLabel(locale: string): string;
  alreadyDismissed(finding: StoredFinding, locale: string): Card;
  kindMuted(action: StoredAction, until: number, locale: string): Card;
  /** Plain sentences, for channels that cannot show the card anew. */
  state(state: FindingState, action: StoredAction): readonly string[];
  /** The card of a problem as it looks now. */
  page(state: FindingState, action: StoredAction, limits: CardLimits): Page;
  leftOut(review: Review, problems: readonly AssessedProblem[], locale: string): Card;
  plain(line: string): Card;
  failed(locale: string): Card;
}

export function createActionCards({ texts, links, command }: ActionCardsOptions): ActionCards {
  const note = (locale: string, key: string, params: Record<string, string | number> = {}): Card =>
    composeNote({ texts, locale }, key, params);

  return {
    refusal: (why, locale) => note(locale, `action.${why}`),
    askByCommand: ({ id }, locale) => note(locale, "action.ask.command", { command: `${command} dismiss ${id} …` }),
    askTitle: (locale) => texts.text("action.ask.title", locale),
    askLabel: (locale) => texts.text("action.ask.reason", locale),
    alreadyDismissed(finding, locale) {
      const { by, reason } = dismissalOf(finding);
      return note(locale, "action.already.dismiss", { by, reason });
    },
    kindMuted: ({ category = "", repository }, until, locale) =>
      note(locale, "action.done.mute_kind", { category: visibleLine(category), repository, until: dayOf(until) }),
    state,
    page(current, action, limits) {
      const say = sayIn(texts, action.locale);
      const hidden = hiddenKinds(current);
      const buttons = order.flatMap((kind) => action.siblings.filter((one) => one.kind === kind && !hidden.has(kind)));
      return withState(
        JSON.parse(action.page) as Page,
        {
          lines: state(current, action),
          buttons: buttons.map((one) => buttonFor(one, say)),
          settled: current.finding.dismissed !== null,
        },
        limits,
      );
    },
    leftOut: (review, problems, locale) =>
      composeLeftOut({ texts, review, problems, locale, links: links(review.repository) }),
    plain: (line) => ({ title: line, tone: "neutral", fallback: line, blocks: [] }),
    failed: (locale) => note(locale, "action.failed"),
  };

  function state({ finding, seenBy, mute }: FindingState, action: StoredAction): readonly string[] {
    const { locale, category = finding.category, repository } = action;
    const say = sayIn(texts, locale);
    const names = seenBy.map(({ name, person }) => visibleLine(name ?? person));
    return [
      ...(finding.dismissed === null ? [] : [say("state.dismissed", dismissalOf(finding))]),
      ...(names.length === 0 ? [] : [say("state.acknowledged", { by: names.join(say("list.separator")) })]),
      ...(mute === null
        ? []
        : [
            say("state.kind_muted", {
              category: visibleLine(category),
              repository,
              until: dayOf(mute.until),
              by: visibleLine(mute.by),
            }),
          ]),
    ];
  }
}

const order = ["dismiss", "reopen", "acknowledge", "mute_kind"] as const;

/** Buttons that would do nothing now. */
function hiddenKinds({ finding, mute }: FindingState): ReadonlySet<string> {
  if (finding.dismissed !== null) return new Set(["dismiss", "acknowledge", "mute_kind"]);
  return new Set(["reopen", ...(mute === null ? [] : ["mute_kind"])]);
}

function dismissalOf({ dismissed }: StoredFinding): { readonly by: string; readonly reason: string } {
  return { by: visibleLine(dismissed?.by ?? ""), reason: visibleLine(dismissed?.reason ?? "") };
}

/** The date in UTC, `2026-03-01`: short, and the same to everybody. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
