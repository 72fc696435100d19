// The page of one person: what they subscribed, where, and what is open there.
import type { Card } from "../core/card.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { StoredSubscription } from "../core/subscription.ts";
import { subscriptionWords } from "../core/subscription-words.ts";
import type { Texts } from "../ports/texts.ts";
import { type ListLine, noteWriter, withList } from "./notes-list.ts";

export interface HomeFacts {
  readonly subscriptions: readonly {
    readonly subscription: StoredSubscription;
    /** How people know the conversation; null: it is the person's own with the bot. */
    readonly place: string | null;
  }[];
  /** The gravest first. */
  readonly findings: readonly StoredFinding[];
  /** All there are, those not listed included. */
  readonly open: number;
}

export type HomeCard = (facts: HomeFacts, locale: string) => Card;

export function createHomeCard({ texts, command }: { readonly texts: Texts; readonly command: string }): HomeCard {
  return ({ subscriptions, findings, open }, locale) => {
    const { note, say } = noteWriter(texts, locale);
    if (subscriptions.length === 0) return note("home.none", { command: `${command} subscribe` });
    const heard = subscriptions.map(({ subscription, place }): ListLine => {
      const { repository, filters } = subscription;
      const text = say("home.subscription", { repository, place: place ?? say("home.direct") });
      return { text, code: subscriptionWords(repository, filters, subscription) };
    });
    const found = findings.map((finding): ListLine => {
      const { id, repository, severity, file, line, title } = finding;
      const place = `${repository} ${line === undefined ? file : `${file}:${line}`}`;
      return { text: say("findings.item", { severity: say(`severity.${severity}`), place, title }), code: id };
    });
    const more = open - findings.length;
    if (more > 0) found.push({ text: say("findings.more", { n: more }) });
    const card = withList(note("home", { n: subscriptions.length }), heard);
    const heading = {
      kind: "heading",
      level: 2,
      children: [{ kind: "text", text: say("home.findings", { n: open }) }],
    } as const;
    return withList({ ...card, blocks: [...card.blocks, heading] }, found);
  };
}
