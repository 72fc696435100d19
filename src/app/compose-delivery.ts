// Makes the messages of a delivery when its lane reaches it: which card, fitted to the channel, new or in place of an earlier one.
import { composeAnswer } from "../cards/compose-answer.ts";
import { composeAudit } from "../cards/compose-audit.ts";
import { composeFailure } from "../cards/compose-failure.ts";
import { composeNote } from "../cards/compose-note.ts";
import { composeReport } from "../cards/compose-report.ts";
import { fit, halved as halvedLimits } from "../cards/fit.ts";
import type { LinkBuilder } from "../cards/links.ts";
import type { Card } from "../core/card.ts";
import type { MessageRef, PlannedDelivery } from "../core/delivery.ts";
import { AppError } from "../core/errors.ts";
import type { Report } from "../core/report.ts";
import type { Review } from "../core/review.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { Texts } from "../ports/texts.ts";
import type { ComposeDelivery, ComposedMessage } from "./deliver.ts";

/** A root older than this is replaced by a new one (DESIGN §5), ms. */
const ROOT_AGE_MS = 14 * 86_400_000;

export interface ComposeDeliveryPorts {
  readonly store: Pick<Store, "review" | "report" | "findRoot" | "deliveredFindings">;
  readonly texts: Texts;
  readonly links: (repository: string) => LinkBuilder;
  readonly clock: Clock;
}

/** What a delivery is composed from. */
interface Subject {
  readonly delivery: PlannedDelivery;
  readonly review: Review;
  readonly report: Report | null;
  readonly channel: Channel;
  readonly place: (card: Card, role: ComposedMessage["role"], more?: Partial<ComposedMessage>) => ComposedMessage[];
}

export function createComposeDelivery({ store, texts, links, clock }: ComposeDeliveryPorts): ComposeDelivery {
  return async (delivery, channel, halved) => {
    const review = delivery.review === undefined ? null : await store.review(delivery.review);
    if (review === null) throw missing(delivery);
    const limits = halved ? halvedLimits(channel.capabilities.limits) : channel.capabilities.limits;
    const place: Subject["place"] = (card, role, more = {}) => {
      const { pages, attachment } = fit(card, limits, { files: channel.capabilities.files });
      const messages = pages.map(
        (page, index): ComposedMessage =>
          index === 0
            ? { role, content: page, ...more }
            : { role: role === "private" ? "private" : "thread", content: page },
      );
      if (attachment !== undefined)
        messages.push({ role: role === "private" ? "private" : "thread", content: attachment });
      return messages;
    };
    const report = await store.report(review.id);
    const subject: Subject = { delivery, review, report, channel, place };
    switch (delivery.kind) {
      case "report":
        return reportMessages(subject);
      case "answer":
        return answerMessages(subject);
      case "failure":
        if (delivery.target.onlyFor === undefined) return place(failureCard(subject), "root");
        return place(failureCard(subject), "private", inPlaceOfProgress(subject));
      case "audit":
        return place(auditCard(subject), "root");
      case "digest":
        throw missing(delivery);
    }
  };

  async function reportMessages(subject: Subject): Promise<ComposedMessage[]> {
    const { delivery, review, report, place } = subject;
    if (report === null) throw missing(delivery);
    const facts = delivery.facts ?? {};
    const { root, thread } = composeReport({
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
    const messages = [
      ...place(root, "root", earlier === null ? {} : { edits: earlier }),
      ...thread.flatMap(({ fingerprint, card }) => place(card, "thread", { fingerprint })),
    ];
    if (delivery.target.onlyFor === undefined) return messages;
    return [...messages, ...(await pointerToReport(subject, report, earlier))];
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
        })
      : composeNote({ texts, locale: delivery.locale, tone: "info" }, "progress.reported", {
          n: count,
          repository: review.repository,
          spec: review.spec,
        });
    return place(card, "private", inPlaceOfProgress(subject));
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

  function answerMessages(subject: Subject): ComposedMessage[] {
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
    });
    return place(card, "private", inPlaceOfProgress(subject));
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

  function auditCard({ delivery, review, report }: Subject): Card {
    const facts = delivery.facts === undefined ? {} : { facts: delivery.facts };
    return composeAudit({ texts, review, report, ...facts, locale: delivery.locale, links: links(review.repository) });
  }
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
