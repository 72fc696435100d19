// Who listens to what, and who may see what, as the configuration says it.
import type { Config } from "./config/config.ts";
import type { ConversationRef } from "./core/delivery.ts";
import type { Subscription } from "./core/subscription.ts";
import type { Subscriptions, Visibility } from "./ports/listeners.ts";

/** Indexed by repository: a push costs the same, however many subscriptions other repositories have. */
export function configuredSubscriptions(
  config: Pick<Config, "subscriptions" | "repositories" | "language" | "noProblems">,
): Subscriptions {
  const byRepository = new Map<string, Subscription[]>();
  for (const [index, one] of config.subscriptions.entries()) {
    const subscription: Subscription = {
      id: `sb_config${index}`,
      conversation: one.conversation,
      repository: one.repository,
      filters: one.filters,
      mode: one.mode,
      severity: one.severity,
      ...(one.noProblems === undefined ? {} : { noProblems: one.noProblems }),
      locale: one.language ?? config.language,
      origin: "configuration",
    };
    const known = byRepository.get(one.repository);
    if (known === undefined) byRepository.set(one.repository, [subscription]);
    else known.push(subscription);
  }
  const policies = new Map(config.repositories.map(({ alias, noProblems }) => [alias, noProblems]));
  return {
    of: async (repository) => byRepository.get(repository) ?? [],
    noProblems: (repository) => policies.get(repository) ?? config.noProblems,
  };
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
