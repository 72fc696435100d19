// The card that answers why a change was silent (or was not): each review of it, and what was decided for this conversation.
import type { Card } from "../core/card.ts";
import type { DeliveryKind, DeliveryState } from "../core/delivery.ts";
import type { Report } from "../core/report.ts";
import type { Review } from "../core/review.ts";
import type { Texts } from "../ports/texts.ts";
import { skipSentence } from "./compose-answer.ts";
import { failureSentences } from "./compose-failure.ts";
import { localTime } from "./local-time.ts";
import { type NoteWriter, noteWriter, withList } from "./notes-list.ts";

/** One thing that was decided about a review for this conversation. */
export type SilenceLine =
  | {
      readonly kind: "delivery";
      readonly delivery: DeliveryKind;
      readonly state: DeliveryState;
      readonly reason?: string;
      /** When quiet hours end, ms since the epoch. */
      readonly dueAt?: number;
    }
  /** A subscription of this conversation that the change does not pass. */
  | { readonly kind: "filtered"; readonly by: "branch" | "path" | "author" }
  | { readonly kind: "not_subscribed" }
  /** Subscribed by now, but not when the review was done. */
  | { readonly kind: "undecided" };

export interface SilenceAnswer {
  readonly repository: string;
  readonly rev: string;
  readonly reviews: readonly {
    readonly review: Review;
    readonly lines: readonly SilenceLine[];
    readonly notes?: Report["notes"];
  }[];
  /** Pushes of the change for which no review was made, with the reason. */
  readonly pushes: readonly { readonly source: string; readonly reason: string }[];
  /** By which times are shown. */
  readonly timeZone: string;
}

export type SilenceCard = (answer: SilenceAnswer, locale: string) => Card;

export function createSilenceCard({ texts }: { readonly texts: Texts }): SilenceCard {
  return ({ repository, rev, reviews, pushes, timeZone }, locale) => {
    const write = noteWriter(texts, locale);
    const params = { repository, rev };
    if (reviews.length === 0 && pushes.length === 0) return write.note("why.unknown", params);
    const lines = [
      ...reviews.map(({ review, lines: decided, notes = [] }) => ({
        text: reviewText(review, write),
        below: [
          ...failureLines(review, texts, write),
          ...decided.map(decisionText),
          ...notes.map(({ kind, params: about }) => write.say(`report.note.${kind}`, about)),
        ],
      })),
      ...pushes.map(({ source, reason }) => ({
        text: write.say("why.push", { source, reason: known("why.push", reason, write) }),
      })),
    ];
    return withList(write.note("why", params), lines);

    function decisionText(line: SilenceLine): string {
      if (line.kind === "filtered") return write.say(`why.filter.${line.by}`);
      if (line.kind !== "delivery") return write.say(`why.${line.kind}`);
      if (line.state === "suppressed") return suppressedText(line.reason ?? "");
      const what = write.say(`why.kind.${line.delivery}`);
      if (line.dueAt === undefined) return write.say(`why.state.${line.state}`, { what });
      return write.say("why.quiet", { what, until: localTime(line.dueAt, locale, timeZone) });
    }

    function suppressedText(reason: string): string {
      const key = `why.reason.${reason}`;
      return write.has(key) ? write.say(key) : skipSentence(reason, write.say, write.has);
    }
  };
}

function reviewText(review: Review, { say }: NoteWriter): string {
  const { id, requester, status, change } = review;
  const asked =
    requester.kind === "feed"
      ? say("why.by.feed", { feed: requester.feed })
      : say("why.by.person", { person: requester.person.name ?? requester.person.person });
  const rev = change?.head.display ?? review.spec;
  return say("why.review", { review: id, rev, asked, status: say(`status.${status}`) });
}

function failureLines({ failure }: Review, texts: Texts, { say }: NoteWriter): readonly string[] {
  return failure === undefined ? [] : [failureSentences(failure, texts, say).what];
}

/** The catalogue's words for a reason, or the reason itself. */
function known(prefix: string, reason: string, { say, has }: NoteWriter): string {
  const key = `${prefix}.${reason}`;
  return has(key) ? say(key) : reason;
}
