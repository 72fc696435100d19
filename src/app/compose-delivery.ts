// Makes the messages of a delivery when its lane reaches it: which card, fitted to the channel, new or in place of an earlier one.
import { buttonFor, openButton, tokensOn, withButtons, withState } from "../cards/card-buttons.ts";
import { sayIn } from "../cards/change-view.ts";
import { composeAnswer } from "../cards/compose-answer.ts";
import { composeFailure } from "../cards/compose-failure.ts";
import { composeNote } from "../cards/compose-note.ts";
import { composeReport } from "../cards/compose-report.ts";
import { fit, halved as halvedLimits } from "../cards/fit.ts";
import type { LinkBuilder } from "../cards/links.ts";
import type { ActionKind, PlannedAction } from "../core/action.ts";
import type { ActionButton, Card, CardLimits, Page } from "../core/card.ts";
import type { DigestWindow, MessageRef, PlannedDelivery } from "../core/delivery.ts";
import { AppError } from "../core/errors.ts";
import type { Report } from "../core/report.ts";
import type { Review } from "../core/review.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Store } from "../ports/store.ts";
import type { Texts } from "../ports/texts.ts";
import { type AuditCardPorts, createAuditCard, quietly } from "./audit-card.ts";
import type { ComposeDelivery, ComposedMessage } from "./deliver.ts";
import { asPlainText } from "./plain-pages.ts";

/** A root older than this is replaced by a new one (DESIGN §5), ms. */
const ROOT_AGE_MS = 14 * 86_400_000;

export interface ComposeDeliveryPorts {
  readonly store: AuditCardPorts["store"] & Pick<Store, "findRoot" | "deliveredFindings" | "shownCard" | "personOf">;
  readonly texts: Texts;
  readonly links: (repository: string) => LinkBuilder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: (window: DigestWindow, delivery: PlannedDelivery) => Promise<Card>;
}

/** What a delivery is composed from. */
interface Subject {
  readonly delivery: PlannedDelivery;
  readonly review: Review;
  readonly report: Report | null;
  readonly channel: Channel;
  readonly limits: CardLimits;
  readonly place: Place;
}

/** Fits a card into the messages of a delivery. */
type Place = (
  card: Card,
  role: ComposedMessage["role"],
  more?: Partial<ComposedMessage>,
  buttons?: Buttons,
) => ComposedMessage[];

/** What a card lets people do. */
interface Buttons {
  readonly shown: readonly PlannedAction[];
  /** Stored with the message, for what it will look like after a button was pressed. */
  readonly later?: readonly PlannedAction[];
  /** Where *Open* leads. */
  readonly url?: string | null;
}

export function createComposeDelivery(ports: ComposeDeliveryPorts): ComposeDelivery {
  const { store, texts, links, clock, ids } = ports;
  const auditCard = createAuditCard({ store, texts, links });
  const mint = (kind: ActionKind, about: Partial<PlannedAction> = {}): PlannedAction => ({
    ...about,
    kind,
    token: `v1:${ids.token()}`,
  });

  return async (delivery, channel, fitting) => {
    const { limits: own, files } = channel.capabilities;
    const limits = fitting === "full" ? own : halvedLimits(own);
    const say = sayIn(texts, delivery.locale);
    const place: Place = (card, role, more = {}, buttons = { shown: [] }) => {
      const row: (ActionButton | null)[] = buttons.shown.map((action) => buttonFor(action, say));
      const open = openButton(buttons.url ?? null, say);
      const { pages, attachment } = fit(withButtons(card, [...row, open]), limits, { files });
      const messages = pages.map((page, index): ComposedMessage => {
        const given = { content: page, ...actionsOn(page, buttons) };
        return index === 0
          ? { role, ...given, ...more }
          : { role: role === "private" ? "private" : "thread", ...given };
      });
      if (attachment !== undefined)
        messages.push({ role: role === "private" ? "private" : "thread", content: attachment });
      return messages;
    };
    const messages = await composeAll(delivery, channel, limits, place);
    return fitting === "plain" ? asPlainText(messages) : messages;
  };

  async function composeAll(
    delivery: PlannedDelivery,
    channel: Channel,
    limits: CardLimits,
    place: Place,
  ): Promise<readonly ComposedMessage[]> {
    if (delivery.kind === "audit") {
      const audit = await auditCard(delivery);
      return audit === null ? [] : place(audit.card, "root").map((message) => quietly(message, audit));
    }
    const { notice, digest } = delivery.facts ?? {};
    if (notice !== undefined) {
      const tone = delivery.kind === "notice" ? "warning" : "neutral";
      return place(composeNote({ texts, locale: delivery.locale, tone }, notice.key, notice.params), "root");
    }
    if (digest !== undefined) return place(await ports.digest(digest, delivery), "root");
    const review = delivery.review === undefined ? null : await store.review(delivery.review);
    if (review === null) throw missing(delivery);
    const report = await store.report(review.id);
    const subject: Subject = { delivery, review, report, channel, limits, place };
    switch (delivery.kind) {
      case "report":
        return reportMessages(subject);
      case "answer":
        return answerMessages(subject);
      case "failure":
        if (delivery.target.onlyFor === undefined) return place(failureCard(subject), "root");
        return place(failureCard(subject), "private", inPlaceOfProgress(subject), { shown: [mint("rerun")] });
      case "digest":
      case "notice":
        throw missing(delivery);
    }
  }

  async function reportMessages(subject: Subject): Promise<ComposedMessage[]> {
    const { delivery, review, report, place } = subject;
    if (report === null) throw missing(delivery);
    const facts = delivery.facts ?? {};
    const { root, thread, leftOut } = composeReport({
      texts,
      review,
      report,
      facts,
      ...(review.change?.files === undefined ? {} : { files: review.change.files }),
      locale: delivery.locale,
      channel: subject.channel.name,
      links: links(review.repository),
    });
    const earlier = await earlierRoot(subject);
    const corrected = await resolvedCards(subject);
    // Where all that was shown is resolved and its root is another's, there is nothing to add to what is corrected.
    if (facts.editOnly === true && earlier === null && (facts.stillOpen ?? []).length === 0) return corrected;
    const messages = [
      ...place(root, "root", earlier === null ? {} : { edits: earlier }, {
        shown: [mint("rerun"), ...(leftOut.length === 0 ? [] : [mint("show_more")])],
        url: review.change === undefined ? null : links(review.repository).commit(review.change.head),
      }),
      ...thread.flatMap(({ fingerprint, category, url, card }) =>
        place(card, "thread", { fingerprint }, problemButtons(fingerprint, category, url)),
      ),
      ...corrected,
    ];
    await mentionAuthor(subject, messages);
    if (delivery.target.onlyFor === undefined) return messages;
    return [...messages, ...(await pointerToReport(subject, report, earlier))];
  }

  /** The cards of problems that are resolved now, as they stand in the thread, with where that happened. */
  async function resolvedCards({ delivery, review, channel, limits }: Subject): Promise<ComposedMessage[]> {
    const { conversation } = delivery.target;
    const { repository, change } = review;
    if (!channel.capabilities.edit) return [];
    const messages: ComposedMessage[] = [];
    for (const fingerprint of delivery.facts?.resolved ?? []) {
      const shown = await store.shownCard({ conversation, repository, fingerprint });
      if (shown?.ref.thread === undefined) continue;
      const line = texts.text("state.resolved", delivery.locale, { rev: change?.head.display ?? review.spec });
      const state = { lines: [line], buttons: [], settled: true };
      const content = withState(JSON.parse(shown.page) as Page, state, limits);
      messages.push({ role: "thread", content, edits: shown.ref });
    }
    return messages;
  }

  /** Only in a message that is new: an edit notifies nobody. */
  async function mentionAuthor({ delivery, review }: Subject, messages: ComposedMessage[]): Promise<void> {
    const head = review.change?.head;
    if (delivery.facts?.mentionAuthor !== true || head === undefined) return;
    const { channel, workspace } = delivery.target.conversation;
    const users = [head.author, ...(head.authorEmail === undefined ? [] : [head.authorEmail])];
    const person = await store.personOf({ channel, workspace, users });
    const index = messages.findIndex(({ edits, content }) => edits === undefined && "card" in content);
    const first = messages[index];
    if (person === null || first === undefined || !("card" in first.content)) return;
    messages[index] = { ...first, content: { ...first.content, mentions: [person] } };
  }

  function problemButtons(fingerprint: string, category: string, url: string | null): Buttons {
    const about = { fingerprint, category };
    return {
      shown: [mint("dismiss", about), mint("acknowledge", about), mint("mute_kind", about)],
      later: [mint("reopen", about)],
      url,
    };
  }

  /** Tells the asker, in place of the progress, that the report is there. */
  async function pointerToReport(
    subject: Subject,
    report: Report,
    earlier: MessageRef | null,
  ): Promise<ComposedMessage[]> {
    const { delivery, review, channel, place } = subject;
    const facts = delivery.facts ?? {};
    const count = (facts.fresh?.length ?? 0) + (facts.stillOpen?.length ?? 0);
    const isOld = facts.editOnly === true && earlier !== null;
    const card = isOld
      ? composeAnswer({
          texts,
          review,
          report,
          facts,
          locale: delivery.locale,
          channel: channel.name,
          links: links(review.repository),
          reportUrl: await channel.permalink(earlier),
          ...(await ageOfAnswer(review)),
        })
      : composeNote({ texts, locale: delivery.locale, tone: "info" }, "progress.reported", {
          n: count,
          repository: review.repository,
          spec: review.spec,
        });
    return place(card, "private", inPlaceOfProgress(subject), { shown: [mint("rerun")] });
  }

  /** The root to edit: the thread group's own, or, where nothing is new, the one that shows what is still open. */
  async function earlierRoot({ delivery }: Subject): Promise<MessageRef | null> {
    const { conversation } = delivery.target;
    if (delivery.threadKey === undefined) return null;
    const own = await store.findRoot(conversation, delivery.threadKey, clock.now() - ROOT_AGE_MS);
    if (own !== null) return own.ref;
    if (delivery.facts?.editOnly !== true || delivery.review === undefined) return null;
    const review = await store.review(delivery.review);
    const fingerprints = delivery.facts.stillOpen ?? [];
    if (review === null || fingerprints.length === 0) return null;
    const shown = await store.deliveredFindings({ conversation, repository: review.repository, fingerprints });
    const newest = shown[0]?.ref;
    return newest?.thread === undefined ? null : { ...conversation, message: newest.thread };
  }

  /** How old the review is that an answer was taken from, if it was. */
  async function ageOfAnswer(review: Review): Promise<{ readonly earlierMs?: number }> {
    const earlier = review.answeredFrom === undefined ? null : await store.review(review.answeredFrom);
    if (earlier?.finishedAt === undefined || review.finishedAt === undefined) return {};
    return { earlierMs: Math.max(0, review.finishedAt - earlier.finishedAt) };
  }

  async function answerMessages(subject: Subject): Promise<ComposedMessage[]> {
    const { delivery, review, report, channel, place } = subject;
    if (report === null) throw missing(delivery);
    const card = composeAnswer({
      texts,
      review,
      report,
      ...(delivery.facts === undefined ? {} : { facts: delivery.facts }),
      locale: delivery.locale,
      channel: channel.name,
      links: links(review.repository),
      ...(await ageOfAnswer(review)),
    });
    return place(card, "private", inPlaceOfProgress(subject), { shown: [mint("rerun")] });
  }

  function failureCard({ delivery, review, channel }: Subject): Card {
    const failure = review.failure ?? { message: "The review failed.", remedy: "Ask again." };
    return composeFailure({
      texts,
      failure,
      review,
      locale: delivery.locale,
      channel: channel.name,
      links: links(review.repository),
    });
  }
}

/** The buttons of one page of a card, with those that it may show later. */
function actionsOn(page: Page, { shown, later = [] }: Buttons): Pick<ComposedMessage, "actions"> {
  const tokens = new Set(tokensOn(page));
  const here = shown.filter(({ token }) => tokens.has(token));
  return here.length === 0 ? {} : { actions: [...here, ...later] };
}

/** A channel that can edit shows the outcome where the progress stood. */
function inPlaceOfProgress({ review, channel }: Subject): Partial<ComposedMessage> {
  return review.progress === undefined || !channel.capabilities.edit ? {} : { edits: review.progress };
}

function missing(delivery: PlannedDelivery): AppError {
  return new AppError("internal", `What the delivery ${delivery.id} (${delivery.kind}) is about is no longer stored.`, {
    remedy: "Nothing needs to be done: it was older than the time that reviews are kept.",
  });
}
