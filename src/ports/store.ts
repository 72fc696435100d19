// What the product remembers: named atomic operations with plain-data arguments, each durable when its promise resolves.
import type { PlannedAction } from "../core/action.ts";
import type { Change, VcsKind } from "../core/change.ts";
import type {
  ConversationRef,
  DeliveryState,
  MessageRef,
  MessageRole,
  OutboxMessage,
  PlannedDelivery,
} from "../core/delivery.ts";
import type { FindingUpdate, StoredFinding } from "../core/finding.ts";
import type { DeliveryId, JobId, MessageKey, ReviewId } from "../core/ids.ts";
import type { Report, Usage } from "../core/report.ts";
import type { Requester, Review, ReviewFailure, ReviewTimings } from "../core/review.ts";
import type { ActionStore } from "./action-store.ts";
import type { ChannelStore } from "./channel-store.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { FeedStore } from "./feed-store.ts";
import type { OutboxStore } from "./outbox-store.ts";

/** All times are ms since the epoch, given by the caller. */
export interface Store extends FeedStore, ConversationStore, ActionStore, OutboxStore, ChannelStore {
  /** Makes the configured repositories known; aliases that are gone stay, with their history. */
  registerRepositories(
    repositories: readonly { readonly alias: string; readonly vcs: VcsKind }[],
    now: number,
  ): Promise<void>;
  /** Notes that a conversation exists; keeps the first `seenAt`, refreshes name and locale. */
  seeConversation(
    conversation: ConversationRef,
    facts: { readonly name?: string; readonly locale?: string },
    now: number,
  ): Promise<void>;

  /** Inbox row, review and job in one operation: commit this before acknowledging anything. */
  acceptReview(request: AcceptReview): Promise<AcceptedReview>;
  /**
   * Leases the next due job: lowest `dueAt` first, one running job a key, attempts counted here.
   * A job already claimed `maxAttempts` times comes back with `exhausted: true` once, for its review to be failed and finished.
   */
  claimJob(request: {
    readonly worker: string;
    readonly token: string;
    readonly leaseMs: number;
    readonly maxAttempts: number;
    readonly now: number;
  }): Promise<ClaimedJob | null>;
  /** False when the lease is no longer held: the caller must stop and write nothing. */
  heartbeat(request: {
    readonly job: JobId;
    readonly token: string;
    readonly leaseMs: number;
    readonly now: number;
  }): Promise<boolean>;
  /** Gives a job back for another attempt; `refund` returns the attempt (a shutdown, not a fault). False when the lease is lost. */
  releaseJob(request: {
    readonly job: JobId;
    readonly token: string;
    readonly dueAt: number;
    readonly refund: boolean;
    readonly now: number;
  }): Promise<boolean>;
  /** Stores the resolved change and marks the review running. False when the lease is lost. */
  startReview(request: {
    readonly job: JobId;
    readonly token: string;
    readonly review: ReviewId;
    readonly change: Change;
    readonly now: number;
  }): Promise<boolean>;
  /** Result, problems, findings and deliveries in one operation, and the job is done. False when the lease is lost: nothing is written. */
  finishReview(request: FinishReview): Promise<boolean>;
  /** Cancels a queued review at once; a running one is marked and its worker told by the next heartbeat. */
  cancelReview(review: ReviewId, now: number): Promise<"cancelled" | "requested" | "finished" | "unknown">;
  setProgress(review: ReviewId, progress: MessageRef): Promise<void>;

  review(id: ReviewId): Promise<Review | null>;
  /** Newest first. */
  reviews(query: {
    readonly repository?: string;
    readonly conversation?: ConversationRef;
    readonly limit: number;
  }): Promise<readonly Review[]>;
  /** The newest finished review (reported, clean or skipped) of exactly this range by this agent since a time, not itself answered from another. */
  recentReview(query: {
    readonly repository: string;
    readonly head: string;
    readonly base: string;
    readonly agent: string;
    readonly paths: readonly string[];
    readonly since: number;
  }): Promise<Review | null>;
  report(id: ReviewId): Promise<Report | null>;
  /** What models used in the reviews of a repository by an agent that finished since a time, failed ones included. */
  usageSince(query: { readonly repository: string; readonly agent: string; readonly since: number }): Promise<Usage>;
  queue(now: number): Promise<QueueState>;

  /** Findings of a repository that are known under any of the keys. */
  findingsByKeys(repository: string, keys: readonly string[]): Promise<readonly StoredFinding[]>;
  /** Findings that are open on a ref, in any of the files. */
  openFindings(repository: string, ref: string, files: readonly string[]): Promise<readonly StoredFinding[]>;
  /** Which of the fingerprints a conversation has already been shown (a message about them was sent), with that message's place. Newest first. */
  deliveredFindings(query: {
    readonly conversation: ConversationRef;
    readonly repository: string;
    readonly fingerprints: readonly string[];
  }): Promise<readonly { readonly fingerprint: string; readonly ref: MessageRef }[]>;
  /** The newest root message that was sent into a conversation for a thread group since a time. */
  findRoot(
    conversation: ConversationRef,
    threadKey: string,
    since: number,
  ): Promise<{ readonly ref: MessageRef; readonly delivery: DeliveryId } | null>;

  /**
   * Leases the head of the next due lane: one ordered lane per conversation, a lane whose head waits or is leased is skipped.
   * Deliveries found in `sending` (a crash) come back with their messages as they are.
   */
  claimDelivery(request: {
    /** Whose lease it is, for `endLeases`; absent: it ends by its time alone. */
    readonly worker?: string;
    readonly token: string;
    readonly leaseMs: number;
    readonly now: number;
  }): Promise<ClaimedDelivery | null>;
  /** Stores the composed pages, once; a second call for the same delivery is refused (returns false). */
  planMessages(request: {
    readonly delivery: DeliveryId;
    readonly token: string;
    readonly messages: readonly PlannedMessage[];
    readonly now: number;
  }): Promise<boolean>;
  /**
   * Replaces the pages that are not sent yet: once by smaller ones on a size refusal, and once, last, by plain ones. False when
   * this or the last was done before.
   */
  replanMessages(request: {
    readonly delivery: DeliveryId;
    readonly token: string;
    readonly messages: readonly PlannedMessage[];
    /** Default `halved`. */
    readonly fitting?: "halved" | "plain";
    readonly now: number;
  }): Promise<boolean>;
  /** Commits the intent to send before the request goes out. */
  markSending(request: {
    readonly message: MessageKey;
    readonly token: string;
    readonly now: number;
  }): Promise<boolean>;
  settleMessage(request: {
    readonly message: MessageKey;
    readonly token: string;
    readonly state: DeliveryState;
    readonly ref?: MessageRef;
    readonly error?: string;
    readonly now: number;
  }): Promise<boolean>;
  /** Ends a delivery, or puts it off until `dueAt` when `state` is `pending`. Frees the lane's lease. */
  settleDelivery(request: {
    readonly delivery: DeliveryId;
    readonly token: string;
    readonly state: DeliveryState;
    readonly dueAt?: number;
    readonly error?: string;
    /** What is owed to others because of how it ended, in the same operation. */
    readonly notices?: readonly PlannedDelivery[];
    readonly now: number;
  }): Promise<boolean>;

  /** Why was it silent: every delivery decided for a review, suppressed ones with their reason. */
  deliveriesOf(review: ReviewId): Promise<readonly (PlannedDelivery & { readonly state: DeliveryState })[]>;
  audit(entry: {
    readonly actor: string;
    readonly action: string;
    readonly object: string;
    readonly outcome: string;
    readonly now: number;
  }): Promise<void>;
  /** Deletes finished reviews, inbox rows, sent messages and audit rows older than `before`; open findings stay. Returns rows removed. */
  purge(before: number): Promise<number>;

  /** The web chat's own log (it has no platform that keeps it). */
  readonly chat: ChatLog;
  health(): Promise<{ readonly ok: boolean; readonly detail?: string }>;
  close(): Promise<void>;
}

export interface AcceptReview {
  readonly review: ReviewId;
  readonly job: JobId;
  /** Where the request came from and its id there; the same pair twice is a no-op. */
  readonly inbox: { readonly source: string; readonly key: string };
  /** Serialises and coalesces: one running and one pending job a key. */
  readonly jobKey: string;
  /** Lets a pending review of the same key absorb this request (feeds); a person's review stands alone. */
  readonly coalesce: boolean;
  readonly repository: string;
  readonly spec: string;
  readonly ref?: string;
  readonly agent: string;
  readonly paths: readonly string[];
  readonly locale: string;
  readonly requester: Requester;
  /** The review that this one does again. */
  readonly rerunOf?: ReviewId;
  readonly now: number;
}

export type AcceptedReview =
  | { readonly outcome: "accepted" | "coalesced"; readonly review: ReviewId }
  | { readonly outcome: "duplicate"; readonly review: ReviewId | null };

export interface ClaimedJob {
  readonly id: JobId;
  readonly token: string;
  readonly attempt: number;
  readonly exhausted: boolean;
  readonly review: Review;
  /** The full ref of a feed's job. */
  readonly ref?: string;
}

export type { FindingUpdate, StoredFinding } from "../core/finding.ts";

export interface FinishReview {
  readonly job: JobId;
  readonly token: string;
  readonly review: ReviewId;
  readonly result:
    | { readonly status: "reported" | "clean" | "skipped"; readonly report: Report }
    | { readonly status: "failed"; readonly failure: ReviewFailure }
    | { readonly status: "cancelled" | "superseded" };
  readonly answeredFrom?: ReviewId;
  readonly timings: ReviewTimings;
  readonly findings: readonly FindingUpdate[];
  readonly deliveries: readonly PlannedDelivery[];
  readonly now: number;
}

export interface QueueState {
  readonly queued: number;
  readonly running: number;
  readonly dead: number;
  /** Deliveries not finished yet. */
  readonly undelivered: number;
  /** Age of the oldest due job, ms. */
  readonly oldestMs: number;
}

export interface PlannedMessage {
  readonly key: MessageKey;
  readonly role: MessageRole;
  readonly page: string;
  readonly edits?: MessageRef;
  readonly fingerprint?: string;
  /** The buttons that the page shows, or will show. */
  readonly actions?: readonly PlannedAction[];
}

export interface ClaimedDelivery {
  readonly delivery: PlannedDelivery;
  readonly token: string;
  readonly attempt: number;
  readonly createdAt: number;
  readonly messages: readonly OutboxMessage[];
}

export interface ChatMessage {
  readonly id: string;
  readonly conversation: string;
  readonly thread?: string;
  readonly from: "person" | "bot";
  readonly visibility: "asker" | "everyone";
  readonly text: string;
  /** The card as JSON. */
  readonly card?: string;
  readonly createdAt: number;
  readonly editedAt?: number;
}

export interface ChatLog {
  /** Appends once per key: a second append with the key returns the first message. */
  append(message: Omit<ChatMessage, "editedAt">, key: string): Promise<ChatMessage>;
  edit(
    id: string,
    change: { readonly text: string; readonly card?: string; readonly now: number },
  ): Promise<ChatMessage | null>;
  remove(id: string): Promise<boolean>;
  get(id: string): Promise<ChatMessage | null>;
  findByKey(key: string): Promise<ChatMessage | null>;
  /** Oldest first, the newest `limit` root messages with all their replies. */
  list(conversation: string, limit: number): Promise<readonly ChatMessage[]>;
}
