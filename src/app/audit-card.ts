// Makes the message of an audit delivery: one line for its event, or one for each of those that were waiting with it.
import { composeAudit } from "../cards/compose-audit.ts";
import { composeNote } from "../cards/compose-note.ts";
import type { LinkBuilder } from "../cards/links.ts";
import { shownProblems } from "../cards/report-view.ts";
import type { Block, Card, Outcome, Tone } from "../core/card.ts";
import type { DeliveryFacts, PlannedDelivery } from "../core/delivery.ts";
import type { Report } from "../core/report.ts";
import type { Store } from "../ports/store.ts";
import type { Texts } from "../ports/texts.ts";
import type { ComposedMessage } from "./deliver.ts";

export interface AuditCardPorts {
  readonly store: Pick<Store, "review" | "report" | "deliveriesOf" | "absorbedBy">;
  readonly texts: Texts;
  readonly links: (repository: string) => LinkBuilder;
}

export interface AuditMessage {
  readonly card: Card;
  /** The gravest of its lines; absent where none of them tells the outcome of a review. */
  readonly outcome?: Outcome;
}

/** Null when nothing of what it is about is stored any more. */
export type MakeAuditCard = (delivery: PlannedDelivery) => Promise<AuditMessage | null>;

const tones: readonly Tone[] = ["good", "neutral", "info", "warning", "danger"];
const outcomes: readonly Outcome[] = ["clean", "findings", "error"];

export function createAuditCard({ store, texts, links }: AuditCardPorts): MakeAuditCard {
  return async (delivery) => {
    const events = [delivery, ...(await store.absorbedBy(delivery.id))];
    const lines: AuditMessage[] = [];
    for (const event of events) {
      const line = await lineOf(event);
      if (line !== null) lines.push(line);
    }
    const [first, ...others] = lines;
    if (first === undefined || others.length === 0) return first ?? null;
    const title = texts.text("audit.several", delivery.locale, { n: lines.length });
    const tone = lines.reduce<Tone>((gravest, { card }) => graver(gravest, card.tone), "good");
    const items = lines.map(({ card }) => asItem(card));
    const card: Card = { title, tone, fallback: title, blocks: [{ kind: "list", ordered: false, items }] };
    const outcome = outcomes.findLast((one) => lines.some((line) => line.outcome === one));
    return { card, ...(outcome === undefined ? {} : { outcome }) };
  };

  async function lineOf({ review: id, facts = {}, locale }: PlannedDelivery): Promise<AuditMessage | null> {
    if (facts.notice !== undefined) {
      return { card: composeNote({ texts, locale }, facts.notice.key, facts.notice.params) };
    }
    const review = id === undefined ? null : await store.review(id);
    if (review === null) return null;
    const heard = (await store.deliveriesOf(review.id)).filter(
      ({ kind, state }) => kind !== "audit" && state !== "suppressed",
    );
    const report = await store.report(review.id);
    const about = { texts, review, report, facts, locale, links: links(review.repository) };
    const outcome = outcomeOf(report, facts);
    const card = composeAudit({ ...about, heard: heard.length });
    return { card, ...(outcome === undefined ? {} : { outcome }) };
  }
}

/** A line of the audit is read when somebody looks for it: it rings nowhere. */
export function quietly(message: ComposedMessage, { outcome }: AuditMessage): ComposedMessage {
  const { content } = message;
  if (!("card" in content)) return message;
  return { ...message, content: { ...content, quiet: true, ...(outcome === undefined ? {} : { outcome }) } };
}

/** Without a report, the review failed. */
function outcomeOf(report: Report | null, facts: DeliveryFacts): Outcome | undefined {
  if (report === null) return "error";
  if (report.outcome === "skipped") return undefined;
  return shownProblems(report, facts).length > 0 || (facts.belowFloor ?? 0) > 0 ? "findings" : "clean";
}

function graver(a: Tone, b: Tone): Tone {
  return tones.indexOf(b) > tones.indexOf(a) ? b : a;
}

function asItem({ title, link }: Card): readonly Block[] {
  const text = { kind: "text", text: title } as const;
  return [{ kind: "text", children: [link === undefined ? text : { kind: "link", url: link, children: [text] }] }];
}
