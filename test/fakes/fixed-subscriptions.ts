// Subscriptions that a test sets out, indexed by repository as the product's own are.
import type { Subscription } from "../../src/core/subscription.ts";
import { noFilters } from "../../src/core/subscription.ts";
import type { Subscriptions } from "../../src/ports/listeners.ts";

/** What is left out: everything of the repository `game`, as reports into the fake channel's conversation. */
export function createFixedSubscriptions(given: readonly Partial<Subscription>[]): Subscriptions {
  const byRepository = new Map<string, Subscription[]>();
  for (const [index, some] of given.entries()) {
    const subscription: Subscription = {
      id: `sb_${index}`,
      conversation: { channel: "fake", workspace: "w", conversation: "c" },
      repository: "game",
      filters: noFilters,
      mode: "report",
      severity: "info",
      locale: "en",
      origin: "configuration",
      ...some,
    };
    const known = byRepository.get(subscription.repository);
    if (known === undefined) byRepository.set(subscription.repository, [subscription]);
    else known.push(subscription);
  }
  return { of: async (repository) => byRepository.get(repository) ?? [], noProblems: () => "suppress" };
}
