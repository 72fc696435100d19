// Who is subscribed to what: the configuration's subscriptions and those made by command, of which the configuration's win.
import type { ConversationRef } from "../core/delivery.ts";
import type { NoProblemsPolicy, StoredSubscription, Subscription } from "../core/subscription.ts";
import type { Subscriptions, Visibility } from "../ports/listeners.ts";
import type { Store } from "../ports/store.ts";

export interface SubscriptionDirectoryPorts {
  readonly store: Pick<Store, "subscriptionsOf" | "subscriptionsIn">;
  /** Subscriptions of the configuration. */
  readonly configured: readonly Subscription[];
  /** The language that the configuration gives a conversation, or null. */
  readonly configuredLanguage: (conversation: ConversationRef) => string | null;
  readonly visibility: Visibility;
  readonly noProblems: (repository: string) => NoProblemsPolicy;
  /** Language of the installation, for subscriptions that name none. */
  readonly defaultLocale: string;
}

/** One subscription of a conversation. */
export interface ListedSubscription {
  readonly subscription: Subscription;
  /** Why nothing is heard of it: the configuration has another for the same, or the repository may not be seen here any more. */
  readonly idle?: "configuration" | "not_allowed";
}

export interface SubscriptionDirectory extends Subscriptions {
  /** The configuration's subscription of a conversation to a repository, which no command can change. */
  configured(conversation: ConversationRef, repository: string): Subscription | null;
  in(conversation: ConversationRef): Promise<readonly ListedSubscription[]>;
  /** The language that a conversation was given with one of its subscriptions, or null. */
  localeOf(conversation: ConversationRef): Promise<string | null>;
  /** To be called when a repository's subscriptions were changed by command. */
  changed(repository: string): void;
}

export function createSubscriptionDirectory(ports: SubscriptionDirectoryPorts): SubscriptionDirectory {
  const { store, visibility } = ports;
  const byRepository = groupedBy(ports.configured, ({ repository }) => repository);
  const byConversation = groupedBy(ports.configured, ({ conversation }) => keyOf(conversation));
  // Matching a change must not get dearer with the number of subscriptions: each repository's are read once and kept.
  const known = new Map<string, Promise<readonly Subscription[]>>();

  return {
    of(repository) {
      const cached = known.get(repository);
      if (cached !== undefined) return cached;
      const reading = read(repository);
      known.set(repository, reading);
      // A fault of the store is told to whoever asked, and not remembered.
      reading.catch(() => known.delete(repository));
      return reading;
    },
    noProblems: ports.noProblems,
    configured,
    async in(conversation) {
      const fixed = byConversation.get(keyOf(conversation)) ?? [];
      const stored = (await store.subscriptionsIn(conversation)).map((one): ListedSubscription => {
        const subscription = toSubscription(one);
        if (configured(conversation, one.repository) !== null) return { subscription, idle: "configuration" };
        return isAllowed(one) ? { subscription } : { subscription, idle: "not_allowed" };
      });
      return [...fixed.map((subscription) => ({ subscription })), ...stored];
    },
    async localeOf(conversation) {
      const given = ports.configuredLanguage(conversation);
      if (given !== null) return given;
      const stored = await store.subscriptionsIn(conversation);
      return stored.find(({ language }) => language !== undefined)?.language ?? null;
    },
    changed: (repository) => void known.delete(repository),
  };

  async function read(repository: string): Promise<readonly Subscription[]> {
    const fixed = byRepository.get(repository) ?? [];
    const taken = new Set(fixed.map(({ conversation }) => keyOf(conversation)));
    const stored = await store.subscriptionsOf(repository);
    const heard = stored.filter((one) => !taken.has(keyOf(one.conversation)) && isAllowed(one));
    return [...fixed, ...heard.map(toSubscription)];
  }

  function configured(conversation: ConversationRef, repository: string): Subscription | null {
    return byConversation.get(keyOf(conversation))?.find((one) => one.repository === repository) ?? null;
  }

  /** What a conversation may see can be narrowed after it subscribed. */
  function isAllowed({ conversation, repository }: StoredSubscription): boolean {
    return visibility.repositoriesFor(conversation).includes(repository);
  }

  function toSubscription({ language, owner: _, createdAt: __, ...one }: StoredSubscription): Subscription {
    return { ...one, locale: language ?? ports.defaultLocale, origin: "command" };
  }
}

function groupedBy<T>(values: readonly T[], keyFor: (value: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyFor(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

function keyOf({ channel, workspace, conversation }: ConversationRef): string {
  return JSON.stringify([channel, workspace, conversation]);
}
