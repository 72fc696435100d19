// Makes the message of an audit delivery: one line for its event, or one for each of those that were waiting with it.
import { composeAudit } from "../cards/compose-audit.ts";
import { composeNote } from "../cards/compose-note.ts";
import type { LinkBuilder } from "../cards/links.ts";
import type { Block, Card, Tone } from "../core/card.ts";
import type { PlannedDelivery } from "../core/delivery.ts";
import type { Store } from "../ports/store.ts";
import type { Texts } from "../ports/texts.ts";

export interface AuditCardPorts {
  readonly store: Pick<Store, "review" | "report" | "deliveriesOf" | "absorbedBy">;
  readonly texts: Texts;
  readonly links: (repository: string) => LinkBuilder;
}

/** Null when nothing of what it is about is stored any more. */
export type MakeAuditCard = (delivery: PlannedDelivery) => Promise<Card | null>;

const tones: readonly Tone[] = ["good", "neutral", "info", "warning", "danger"];

export function createAuditCard({ store, texts, links }: AuditCardPorts): MakeAuditCard {
  return async (delivery) => {
    const events = [delivery, ...(await store.absorbedBy(delivery.id))];
    const cards: Card[] = [];
    for (const event of events) {
      const card = await lineOf(event);
      if (card !== null) cards.push(card);
    }
    const [first, ...others] = cards;
    if (first === undefined || others.length === 0) return first ?? null;
    const title = texts.text("audit.several", delivery.locale, { n: cards.length });
    const tone = cards.reduce<Tone>((gravest, card) => graver(gravest, card.tone), "good");
    return { title, tone, fallback: title, blocks: [{ kind: "list", ordered: false, items: cards.map(asItem) }] };
  };

  async function lineOf({ review: id, facts = {}, locale }: PlannedDelivery): Promise<Card | null> {
    if (facts.notice !== undefined) return composeNote({ texts, locale }, facts.notice.key, facts.notice.params);
    const review = id === undefined ? null : await store.review(id);
    if (review === null) return null;
    const heard = (await store.deliveriesOf(review.id)).filter(
      ({ kind, state }) => kind !== "audit" && state !== "suppressed",
    );
    const report = await store.report(review.id);
    const about = { texts, review, report, facts, locale, links: links(review.repository) };
    return composeAudit({ ...about, heard: heard.length });
  }
}

function graver(a: Tone, b: Tone): Tone {
  return tones.indexOf(b) > tones.indexOf(a) ? b : a;
}

function asItem({ title, link }: Card): readonly Block[] {
  const text = { kind: "text", text: title } as const;
  return [{ kind: "text", children: [link === undefined ? text : { kind: "link", url: link, children: [text] }] }];
}
