// What a Conversation wants to hear of a Repository.
import type { ConversationRef } from "./delivery.ts";
import type { SubscriptionId } from "./ids.ts";
import type { Severity } from "./problem.ts";

export type SubscriptionMode = "report" | "audit";

/** What happens with zero problems (or all under the floor) and a summary. */
export type NoProblemsPolicy = "suppress" | "publish_if_summary" | "publish";

/** Globs; a list that is empty matches everything. An exclusion beats an inclusion. */
export interface Filters {
  readonly branches: readonly string[];
  readonly notBranches: readonly string[];
  readonly paths: readonly string[];
  readonly notPaths: readonly string[];
  readonly authors: readonly string[];
  readonly notAuthors: readonly string[];
}

export interface Subscription {
  readonly id: SubscriptionId;
  readonly conversation: ConversationRef;
  readonly repository: string;
  readonly filters: Filters;
  readonly mode: SubscriptionMode;
  /** Problems below this are not shown; `info` shows all. */
  readonly severity: Severity;
  /** Absent: the repository's policy, else the global one. */
  readonly noProblems?: NoProblemsPolicy;
  readonly locale: string;
}
