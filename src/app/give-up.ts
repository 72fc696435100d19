// Who is told when something could not be delivered: the operators; and, once, the owners of a conversation that is gone.
import type { ConversationRef, PersonRef, PlannedDelivery } from "../core/delivery.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Store } from "../ports/store.ts";

export interface GiveUpPorts {
  readonly store: Pick<Store, "pauseConversation" | "subscriptionsIn" | "review">;
  readonly operators?: { readonly conversation: ConversationRef; readonly locale: string };
  readonly defaultLocale: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * The notices to be owed when a delivery ends as dead.
 * @param isForbidden the conversation cannot be written to: its subscriptions are paused.
 */
export type GiveUp = (
  delivery: PlannedDelivery,
  error: string,
  isForbidden: boolean,
) => Promise<readonly PlannedDelivery[]>;

export function createGiveUp({ store, operators, defaultLocale, clock, ids }: GiveUpPorts): GiveUp {
  return async (delivery, error, isForbidden) => {
    // Who cannot be told that something failed is not told that this failed too.
    if (delivery.kind === "notice") return [];
    const { conversation } = delivery.target;
    if (isForbidden && delivery.target.onlyFor === undefined) {
      const notices = await pauseNotices(conversation, error);
      await store.pauseConversation({ conversation, reason: error, notices, now: clock.now() });
      return [];
    }
    const review = delivery.review === undefined ? null : await store.review(delivery.review);
    return toOperators(conversation, "notice.undelivered", {
      kind: delivery.kind,
      repository: review?.repository ?? "–",
      place: placeOf(conversation),
      error,
    });
  };

  async function pauseNotices(conversation: ConversationRef, error: string): Promise<readonly PlannedDelivery[]> {
    const subscriptions = await store.subscriptionsIn(conversation);
    const params = { place: placeOf(conversation), error };
    const owners = new Map(subscriptions.map(({ owner }) => [`${owner.workspace} ${owner.person}`, owner]));
    const toOwners = [...owners.values()].map((owner) =>
      notice(directTo(owner), defaultLocale, "notice.paused", params),
    );
    return [...toOperators(conversation, "notice.paused", params), ...toOwners];
  }

  function toOperators(
    about: ConversationRef,
    key: string,
    params: Readonly<Record<string, string>>,
  ): readonly PlannedDelivery[] {
    if (operators === undefined || placeOf(operators.conversation) === placeOf(about)) return [];
    return [notice({ conversation: operators.conversation }, operators.locale, key, params)];
  }

  function notice(
    target: PlannedDelivery["target"],
    locale: string,
    key: string,
    params: Readonly<Record<string, string>>,
  ): PlannedDelivery {
    return { id: ids.next("dl"), kind: "notice", target, locale, facts: { notice: { key, params } } };
  }
}

/** The conversation of one person with the bot has the person's own id. */
function directTo(person: PersonRef): PlannedDelivery["target"] {
  const { channel, workspace } = person;
  return { conversation: { channel, workspace, conversation: person.person }, onlyFor: person };
}

function placeOf({ channel, workspace, conversation }: ConversationRef): string {
  return `${channel} ${workspace} ${conversation}`;
}
