// What the store remembers of people's wishes: subscriptions, mutes, judgements on findings, and who is who.
import type { ConversationRef, PersonRef } from "../core/delivery.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { FindingId } from "../core/ids.ts";
import type { Review } from "../core/review.ts";
import type { Mute, StoredSubscription } from "../core/subscription.ts";

/** Named atomic operations like those of `Store`, of which they are a part. */
export interface ConversationStore {
  /** One subscription a conversation and repository: a second one replaces the first, whose id and beginning stay. */
  saveSubscription(subscription: StoredSubscription): Promise<"added" | "replaced">;
  /** False when there is none. */
  removeSubscription(conversation: ConversationRef, repository: string): Promise<boolean>;
  /** Found by an index, so that it costs nothing more however many other repositories are subscribed to. */
  subscriptionsOf(repository: string): Promise<readonly StoredSubscription[]>;
  subscriptionsIn(conversation: ConversationRef): Promise<readonly StoredSubscription[]>;
  /** Those that ask for a digest. */
  digestSubscriptions(): Promise<readonly StoredSubscription[]>;

  /**
   * Holds until its time, in place of an earlier mute of the same. What was owed to the conversation and not begun yet is
   * suppressed as `muted`, in the same operation; answers to one person are not. Returns how many deliveries those were.
   */
  mute(mute: Mute, now: number): Promise<number>;
  /** Without a repository every mute of the conversation ends. False when there was none. */
  unmute(conversation: ConversationRef, repository: string | undefined, now: number): Promise<boolean>;
  /** Mutes of the conversation that hold at `now`. */
  mutesIn(conversation: ConversationRef, now: number): Promise<readonly Mute[]>;

  /** Gravest first, then the newest; `open` is what is open on any ref and not dismissed. */
  findings(query: {
    readonly repository: string;
    readonly state: "open" | "dismissed";
    readonly limit: number;
  }): Promise<{ readonly total: number; readonly findings: readonly StoredFinding[] }>;
  finding(id: FindingId): Promise<StoredFinding | null>;
  /** Keeps the first dismissal where there is one already. */
  dismissFinding(request: {
    readonly finding: FindingId;
    readonly by: string;
    readonly reason: string;
    readonly now: number;
  }): Promise<"dismissed" | "already" | "unknown">;
  reopenFinding(finding: FindingId): Promise<"reopened" | "already" | "unknown">;

  /** A VCS user belongs to one person of a workspace; letter case does not matter. */
  linkIdentity(request: {
    readonly person: PersonRef;
    readonly user: string;
    readonly now: number;
  }): Promise<"linked" | "already" | "taken">;
  /** The person of a workspace who linked one of the names (user name, e-mail address), the first that is known. */
  personOf(query: {
    readonly channel: string;
    readonly workspace: string;
    readonly users: readonly string[];
  }): Promise<PersonRef | null>;

  /** Reviews of changes with this head, newest first; with `isPrefix` of every head that begins so. */
  reviewsOfHead(query: {
    readonly repository: string;
    readonly head: string;
    readonly isPrefix: boolean;
    readonly limit: number;
  }): Promise<readonly Review[]>;
  /** What became of the pushes whose head this was, newest first; the reason where no review was made of one. */
  pushOutcomes(repository: string, head: string): Promise<readonly PushOutcome[]>;
}

export interface PushOutcome {
  /** Which feed told of it. */
  readonly source: string;
  readonly ref: string;
  /** `accepted`, `coalesced` or `ignored`. */
  readonly outcome: string;
  readonly reason?: string;
  /** ms since the epoch. */
  readonly receivedAt: number;
}
