// What the store remembers of deliveries beyond the reviews that made them: notices, pauses, digests' slots, shown cards.
import type { ConversationRef, MessageRef, PlannedDelivery } from "../core/delivery.ts";
import type { DigestNumbers } from "../core/digest.ts";
import type { DeliveryId, SubscriptionId } from "../core/ids.ts";

/** Named atomic operations like those of `Store`, of which they are a part. */
export interface OutboxStore {
  /** Owes what no review brings about: a notice, an audit line, a digest that was asked for. */
  owe(deliveries: readonly PlannedDelivery[], now: number): Promise<void>;
  /** The audit deliveries that wait right behind this one in its lane become part of it; only under its lease. Returns how many. */
  absorbAudits(request: {
    readonly delivery: DeliveryId;
    readonly token: string;
    readonly limit: number;
    readonly now: number;
  }): Promise<number>;
  /** What became part of a delivery, in the order in which it was owed. */
  absorbedBy(delivery: DeliveryId): Promise<readonly PlannedDelivery[]>;
  /**
   * Its subscriptions say nothing until it is resumed; the notices are owed in the same operation, and only by the first pause.
   */
  pauseConversation(request: {
    readonly conversation: ConversationRef;
    readonly reason: string;
    readonly notices: readonly PlannedDelivery[];
    readonly now: number;
  }): Promise<"paused" | "already">;
  /** False when it was not paused. */
  resumeConversation(conversation: ConversationRef): Promise<boolean>;
  /** Every known conversation of the workspace; those that are paused already keep their reason. Returns how many were paused. */
  pauseWorkspace(request: {
    readonly channel: string;
    readonly workspace: string;
    readonly reason: string;
    readonly now: number;
  }): Promise<number>;
  /** Ends the pauses of a workspace that have this reason. Returns how many. */
  resumeWorkspace(channel: string, workspace: string, reason: string): Promise<number>;
  isPaused(conversation: ConversationRef): Promise<boolean>;
  /** The newest card about a finding that a conversation was shown: where it stands, and its page as it was composed, JSON. */
  shownCard(query: {
    readonly conversation: ConversationRef;
    readonly repository: string;
    readonly fingerprint: string;
  }): Promise<{ readonly ref: MessageRef; readonly page: string } | null>;
  /** Decides a slot once and for all, and owes its digest in the same operation; `taken` when it was decided before. */
  takeDigestSlot(slot: DigestSlot): Promise<"taken" | "yours">;
  /** The newest decided slot of a subscription, and up to when its digests have told what happened. */
  lastDigestSlot(
    subscription: SubscriptionId,
  ): Promise<{ readonly slot: string; readonly dueAt: number; readonly reportedTo: number | null } | null>;
  /** @param conversation absent: what was skipped counts as silent, whoever listens. */
  digestNumbers(query: {
    readonly conversation?: ConversationRef;
    readonly repository: string;
    readonly from: number;
    readonly to: number;
  }): Promise<DigestNumbers>;
}

export interface DigestSlot {
  readonly subscription: SubscriptionId;
  /** Local date and time, `2026-03-29 09:00`. */
  readonly slot: string;
  readonly outcome: "sent" | "empty" | "skipped";
  /** ms since the epoch. */
  readonly dueAt: number;
  readonly delivery?: PlannedDelivery;
  readonly now: number;
}
