// Who is subscribed to what, and who may ask for what; answered from the configuration, later from the store too.
import type { ConversationRef } from "../core/delivery.ts";
import type { NoProblemsPolicy, Subscription } from "../core/subscription.ts";

export interface Subscriptions {
  /** Subscriptions of a repository, in no particular order. */
  of(repository: string): Promise<readonly Subscription[]>;
  /** The policy of a repository for zero problems, where a subscription has none of its own: the repository's, else the global one. */
  noProblems(repository: string): NoProblemsPolicy;
}

export interface Visibility {
  /** Aliases of the repositories that a conversation may see. */
  repositoriesFor(conversation: ConversationRef): readonly string[];
}
