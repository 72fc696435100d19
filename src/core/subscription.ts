// What a Conversation wants to hear of a Repository, and when it wants to hear nothing.
import type { ConversationRef, PersonRef } from "./delivery.ts";
import type { SubscriptionId } from "./ids.ts";
import type { Severity } from "./problem.ts";
import type { QuietHours } from "./quiet-hours.ts";

export const subscriptionModes = ["report", "audit"] as const;
export type SubscriptionMode = (typeof subscriptionModes)[number];

/** What happens with zero problems (or all under the floor) and a summary. */
export const noProblemsPolicies = ["suppress", "publish_if_summary", "publish"] as const;
export type NoProblemsPolicy = (typeof noProblemsPolicies)[number];

/** Globs; a list that is empty matches everything. An exclusion beats an inclusion. */
export interface Filters {
  readonly branches: readonly string[];
  readonly notBranches: readonly string[];
  readonly paths: readonly string[];
  readonly notPaths: readonly string[];
  readonly authors: readonly string[];
  readonly notAuthors: readonly string[];
}

/** What a subscription says beside its filters, however it was made. */
export interface SubscriptionTerms {
  readonly mode: SubscriptionMode;
  /** Problems below this are not shown; `info` shows all. */
  readonly severity: Severity;
  /** Absent: the repository's policy, else the global one. */
  readonly noProblems?: NoProblemsPolicy;
  /** `author`: the author of a change is mentioned, found through the identity map. Absent: nobody is. */
  readonly mention?: "author";
  /** Cron expression of five fields, in the subscription's time zone. Absent: no digest. */
  readonly digest?: string;
  /** IANA name of the time zone of digest and quiet hours; absent: UTC. */
  readonly timeZone?: string;
  /** Everything waits until they end, grave problems too. */
  readonly quiet?: QuietHours;
}

export interface Subscription extends SubscriptionTerms {
  readonly id: SubscriptionId;
  readonly conversation: ConversationRef;
  readonly repository: string;
  readonly filters: Filters;
  readonly locale: string;
  /** Who made it: the operator's configuration, or a person by command. */
  readonly origin: "configuration" | "command";
}

/** A subscription made by command, as it is stored. */
export interface StoredSubscription extends SubscriptionTerms {
  readonly id: SubscriptionId;
  readonly conversation: ConversationRef;
  readonly repository: string;
  readonly filters: Filters;
  /** Absent: the language of the installation. */
  readonly language?: string;
  /** Who subscribed. */
  readonly owner: PersonRef;
  /** ms since the epoch. */
  readonly createdAt: number;
}

/** A conversation hears nothing of a repository (or of any) until a time, whatever it subscribed to. */
export interface Mute {
  readonly conversation: ConversationRef;
  /** Absent: every repository. */
  readonly repository?: string;
  /** ms since the epoch. */
  readonly until: number;
  /** Who muted. */
  readonly by: string;
}

export const noFilters: Filters = {
  branches: [],
  notBranches: [],
  paths: [],
  notPaths: [],
  authors: [],
  notAuthors: [],
};
