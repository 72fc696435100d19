// Who listens to what, and who may see what, as the configuration says it.
import type { Config } from "./config/config.ts";
import type { ConversationRef } from "./core/delivery.ts";
import type { NoProblemsPolicy, Subscription } from "./core/subscription.ts";
import type { Visibility } from "./ports/listeners.ts";

export function configuredSubscriptions(config: Pick<Config, "subscriptions" | "language">): readonly Subscription[] {
  return config.subscriptions.map(
    ({ language, ...one }, index): Subscription => ({
      ...one,
      id: `sb_config${index}`,
      locale: language ?? config.language,
      origin: "configuration",
    }),
  );
}

/** The language that the configuration gives a conversation by a subscription of it. */
export function configuredLanguage(config: Pick<Config, "subscriptions">): (place: ConversationRef) => string | null {
  return (place) =>
    config.subscriptions.find(({ conversation, language }) => language !== undefined && isSame(conversation, place))
      ?.language ?? null;
}

export function configuredPolicy(
  config: Pick<Config, "repositories" | "noProblems">,
): (repository: string) => NoProblemsPolicy {
  const policies = new Map(config.repositories.map(({ alias, noProblems }) => [alias, noProblems]));
  return (repository) => policies.get(repository) ?? config.noProblems;
}

export function configuredVisibility(config: Pick<Config, "repositories">): Visibility {
  return {
    repositoriesFor: (conversation) =>
      config.repositories
        .filter(({ visibleTo }) => visibleTo === undefined || visibleTo.some((one) => isSame(one, conversation)))
        .map(({ alias }) => alias),
  };
}

function isSame(a: ConversationRef, b: ConversationRef): boolean {
  return a.channel === b.channel && a.workspace === b.workspace && a.conversation === b.conversation;
}
