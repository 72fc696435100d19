// Answers commands about what a conversation hears: subscribe and unsubscribe, list, mute and unmute.
import type { SubscriptionCards } from "../cards/subscription-cards.ts";
import type { Command } from "../core/command.ts";
import type { Locale } from "../core/locale.ts";
import type { StoredSubscription } from "../core/subscription.ts";
import type { CommandReply } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Store } from "../ports/store.ts";
import type { Authorise } from "./authorise.ts";
import { type CommandContext, nameOf, privately, publicly } from "./command-context.ts";
import type { SubscriptionDirectory } from "./subscription-directory.ts";

export interface SubscriptionCommandsPorts {
  readonly store: Pick<Store, "saveSubscription" | "removeSubscription" | "mute" | "unmute" | "mutesIn">;
  readonly directory: SubscriptionDirectory;
  readonly authorise: Authorise;
  readonly cards: SubscriptionCards;
  readonly clock: Clock;
  readonly ids: Ids;
  /** A path glob as it was typed (a depot path, say) as globs relative to the repository; null for one that lies outside. */
  readonly pathGlobs: (repository: string, typed: string) => readonly string[] | null;
  /** A mute may make way for what waits behind the suppressed. */
  readonly wake: () => void;
}

export interface SubscriptionCommands {
  /** @param language of `lang:`, in which the conversation is to be spoken to from now on. */
  subscribe(
    command: Extract<Command, { verb: "subscribe" }>,
    language: Locale | undefined,
    context: CommandContext,
  ): Promise<CommandReply>;
  unsubscribe(repository: string, context: CommandContext): Promise<CommandReply>;
  list(context: CommandContext): Promise<CommandReply>;
  mute(command: Extract<Command, { verb: "mute" }>, context: CommandContext): Promise<CommandReply>;
  unmute(repository: string | undefined, context: CommandContext): Promise<CommandReply>;
}

export function createSubscriptionCommands(ports: SubscriptionCommandsPorts): SubscriptionCommands {
  const { store, directory, authorise, cards, clock } = ports;

  return {
    async subscribe({ repository, filters: typed, terms }, language, context) {
      const { inbound, locale } = context;
      const { conversation, person } = inbound;
      if (directory.configured(conversation, repository) !== null) {
        return privately(cards.isConfigured(repository, locale));
      }
      const outside = [...typed.paths, ...typed.notPaths].find((glob) => ports.pathGlobs(repository, glob) === null);
      if (outside !== undefined) return privately(cards.isOutside(outside, repository, locale));
      const relative = (globs: readonly string[]): readonly string[] =>
        globs.flatMap((glob) => ports.pathGlobs(repository, glob) ?? []);
      const filters = { ...typed, paths: relative(typed.paths), notPaths: relative(typed.notPaths) };
      const subscription: StoredSubscription = {
        id: ports.ids.next("sb"),
        conversation,
        repository,
        filters,
        ...terms,
        ...(language === undefined ? {} : { language }),
        owner: person,
        createdAt: clock.now(),
      };
      const outcome = await store.saveSubscription(subscription);
      directory.changed(repository);
      await authorise.done(conversation, person.person, "subscribe", repository);
      return publicly(cards.subscribed({ repository, filters, terms, outcome, by: nameOf(context) }, locale));
    },

    async unsubscribe(repository, context) {
      const { inbound, locale } = context;
      if (directory.configured(inbound.conversation, repository) !== null) {
        return privately(cards.isConfigured(repository, locale));
      }
      if (!(await store.removeSubscription(inbound.conversation, repository))) {
        return privately(cards.notSubscribed(repository, locale));
      }
      directory.changed(repository);
      await authorise.done(inbound.conversation, inbound.person.person, "unsubscribe", repository);
      return publicly(cards.unsubscribed(repository, nameOf(context), locale));
    },

    async list({ inbound, visible, locale }) {
      const subscribed = await directory.in(inbound.conversation);
      const mutes = await store.mutesIn(inbound.conversation, clock.now());
      // A repository that may not be seen here any more is not named either.
      const shown = subscribed.filter(({ subscription }) => visible.includes(subscription.repository));
      return privately(cards.list(shown, mutes, locale));
    },

    async mute({ durationMs, repository }, context) {
      const { inbound, locale } = context;
      const { conversation, person } = inbound;
      const now = clock.now();
      const about = repository === undefined ? {} : { repository };
      const mute = { conversation, ...about, until: now + durationMs, by: nameOf(context) };
      await store.mute(mute, now);
      ports.wake();
      await authorise.done(conversation, person.person, "mute", repository ?? "*");
      return publicly(cards.muted(mute, await timeZoneOf(context), locale));
    },

    async unmute(repository, context) {
      const { inbound, locale } = context;
      const ended = await store.unmute(inbound.conversation, repository, clock.now());
      if (!ended) return privately(cards.notMuted(repository, locale));
      await authorise.done(inbound.conversation, inbound.person.person, "unmute", repository ?? "*");
      return publicly(cards.unmuted(repository, nameOf(context), locale));
    },
  };

  /** The conversation's own clock, where one of its subscriptions tells it. */
  async function timeZoneOf({ inbound }: CommandContext): Promise<string> {
    const subscribed = await directory.in(inbound.conversation);
    return subscribed.find(({ subscription }) => subscription.timeZone !== undefined)?.subscription.timeZone ?? "UTC";
  }
}
