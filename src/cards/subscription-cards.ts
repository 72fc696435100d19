// The cards that answer commands about subscriptions and mutes.
import type { Card } from "../core/card.ts";
import type { Filters, Mute, Subscription, SubscriptionTerms } from "../core/subscription.ts";
import { subscriptionWords } from "../core/subscription-words.ts";
import type { Texts } from "../ports/texts.ts";
import { type CommandNames, typed } from "./command-names.ts";
import { localTime } from "./local-time.ts";
import { type ListLine, type NoteWriter, noteWriter, withList } from "./notes-list.ts";

export interface Subscribed {
  readonly repository: string;
  readonly filters: Filters;
  readonly terms: SubscriptionTerms;
  readonly outcome: "added" | "replaced";
  readonly by: string;
}

export interface SubscriptionLine {
  readonly subscription: Subscription;
  readonly idle?: "configuration" | "not_allowed";
}

export interface SubscriptionCards {
  subscribed(subscribed: Subscribed, locale: string): Card;
  /** The configuration has it, and wins. */
  isConfigured(repository: string, locale: string): Card;
  /** A path that no file of the repository can have. */
  isOutside(glob: string, repository: string, locale: string): Card;
  unsubscribed(repository: string, by: string, locale: string): Card;
  notSubscribed(repository: string, locale: string): Card;
  list(subscriptions: readonly SubscriptionLine[], mutes: readonly Mute[], locale: string): Card;
  muted(mute: Mute, timeZone: string, locale: string): Card;
  unmuted(repository: string | undefined, by: string, locale: string): Card;
  notMuted(repository: string | undefined, locale: string): Card;
}

export function createSubscriptionCards({
  texts,
  names,
}: {
  readonly texts: Texts;
  readonly names: CommandNames;
}): SubscriptionCards {
  const writer = (locale: string): NoteWriter => noteWriter(texts, locale);

  return {
    subscribed({ repository, filters, terms, outcome, by }, locale) {
      const words = typed(names, `subscribe ${subscriptionWords(repository, filters, terms)}`);
      return writer(locale).note(`subscribe.${outcome}`, { repository, by, command: words }, "good");
    },
    isConfigured: (repository, locale) => writer(locale).note("subscribe.configured", { repository }),
    isOutside: (glob, repository, locale) => writer(locale).note("subscribe.outside", { glob, repository }),
    unsubscribed: (repository, by, locale) => writer(locale).note("subscribe.removed", { repository, by }),
    notSubscribed: (repository, locale) =>
      writer(locale).note("subscribe.none", { repository, command: typed(names, `subscribe ${repository}`) }),
    list(subscriptions, mutes, locale) {
      const write = writer(locale);
      const timeZone = zoneOf(subscriptions);
      const lines = [
        ...subscriptions.map((one) => subscriptionLine(one, write)),
        ...mutes.map((mute) => ({ text: muteLine(mute, timeZone, locale, write) })),
      ];
      const key = subscriptions.length === 0 ? "subscriptions.none" : "subscriptions";
      return withList(write.note(key, { n: subscriptions.length, command: typed(names, "subscribe") }), lines);
    },
    muted(mute, timeZone, locale) {
      const params = { repository: mute.repository ?? "", by: mute.by, until: localTime(mute.until, locale, timeZone) };
      return writer(locale).note(mute.repository === undefined ? "mute.all" : "mute.one", params);
    },
    unmuted: (repository, by, locale) =>
      writer(locale).note(repository === undefined ? "unmute.all" : "unmute.one", { repository: repository ?? "", by }),
    notMuted: (repository, locale) =>
      writer(locale).note(repository === undefined ? "unmute.none" : "unmute.none.one", {
        repository: repository ?? "",
      }),
  };
}

function subscriptionLine({ subscription, idle }: SubscriptionLine, { say }: NoteWriter): ListLine {
  const { repository, filters, origin } = subscription;
  const state = idle === undefined ? say(`subscriptions.${origin}`) : say(`subscriptions.idle.${idle}`);
  return {
    text: say("subscriptions.item", { repository, state }),
    code: subscriptionWords(repository, filters, subscription),
  };
}

function muteLine({ repository, until, by }: Mute, timeZone: string, locale: string, { say }: NoteWriter): string {
  const params = { repository: repository ?? "", until: localTime(until, locale, timeZone), by };
  return say(repository === undefined ? "subscriptions.muted.all" : "subscriptions.muted.one", params);
}

function zoneOf(subscriptions: readonly SubscriptionLine[]): string {
  return subscriptions.find(({ subscription }) => subscription.timeZone !== undefined)?.subscription.timeZone ?? "UTC";
}
