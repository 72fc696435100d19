// Shows one person what they subscribed and what is open there: the page that a platform gives the bot for each person.
import type { HomeCard } from "../cards/home-card.ts";
import type { Page } from "../core/card.ts";
import type { ConversationRef, PersonRef } from "../core/delivery.ts";
import { compareSeverity } from "../core/problem.ts";
import type { StoredSubscription } from "../core/subscription.ts";
import type { InboundHome } from "../ports/channel.ts";
import type { Visibility } from "../ports/listeners.ts";
import type { Store } from "../ports/store.ts";

export interface ShowHomePorts {
  readonly store: Pick<Store, "subscriptionsOf" | "findings">;
  readonly visibility: Visibility;
  readonly card: HomeCard;
  /** Aliases of all repositories. */
  readonly repositories: readonly string[];
  readonly defaultLocale: string;
}

export type ShowHome = (inbound: InboundHome) => Promise<Page>;

const MOST_SUBSCRIPTIONS = 20;
const MOST_FINDINGS = 10;

export function createShowHome({ store, visibility, card, repositories, defaultLocale }: ShowHomePorts): ShowHome {
  /** What the person subscribed, or anybody subscribed in the person's own conversation; only what may still be seen there. */
  async function subscriptionsFor({ person, conversation }: InboundHome): Promise<readonly StoredSubscription[]> {
    const all = (await Promise.all(repositories.map((alias) => store.subscriptionsOf(alias)))).flat();
    return all
      .filter((one) => isPerson(one.owner, person) || isConversation(one.conversation, conversation))
      .filter((one) => visibility.repositoriesFor(one.conversation).includes(one.repository))
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  return async (inbound) => {
    const subscriptions = await subscriptionsFor(inbound);
    const shown = subscriptions.slice(0, MOST_SUBSCRIPTIONS);
    const heard = [...new Set(subscriptions.map(({ repository }) => repository))];
    const lists = await Promise.all(
      heard.map((repository) => store.findings({ repository, state: "open", limit: MOST_FINDINGS })),
    );
    const findings = lists
      .flatMap((list) => list.findings)
      .sort((a, b) => compareSeverity(b.severity, a.severity) || b.lastSeenAt - a.lastSeenAt)
      .slice(0, MOST_FINDINGS);
    const open = lists.reduce((sum, { total }) => sum + total, 0);
    const places = await Promise.all(shown.map(({ conversation }) => placeOf(conversation, inbound)));
    const facts = shown.map((subscription, index) => ({ subscription, place: places[index] ?? null }));
    return { card: card({ subscriptions: facts, findings, open }, inbound.locale ?? defaultLocale) };
  };
}

async function placeOf(place: ConversationRef, { conversation, nameOf }: InboundHome): Promise<string | null> {
  if (isConversation(place, conversation)) return null;
  return (await nameOf?.(place)) ?? place.conversation;
}

function isPerson(a: PersonRef, b: PersonRef): boolean {
  return a.channel === b.channel && a.workspace === b.workspace && a.person === b.person;
}

function isConversation(a: ConversationRef, b: ConversationRef): boolean {
  return a.channel === b.channel && a.workspace === b.workspace && a.conversation === b.conversation;
}
