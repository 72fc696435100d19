// What is owed to a conversation, and the names by which channels know places, people and messages.
import type { DeliveryId, MessageKey, ReviewId } from "./ids.ts";

/** A chat channel, group or DM. Three columns, never one delimited string. */
export interface ConversationRef {
  /** Name of the channel adapter: `web`, `slack`, `lark`, `discord`. */
  readonly channel: string;
  /** Team, tenant or guild; `local` on the web channel. */
  readonly workspace: string;
  readonly conversation: string;
}

export interface PersonRef {
  readonly channel: string;
  readonly workspace: string;
  readonly person: string;
  readonly name?: string;
}

export interface MessageRef extends ConversationRef {
  /** The root message's id where the message stands in a thread. */
  readonly thread?: string;
  readonly message: string;
}

/** Where a page goes: into the conversation, into a thread of it, to one person only. */
export interface Target {
  readonly conversation: ConversationRef;
  readonly thread?: string;
  /** The only person who may see it. */
  readonly onlyFor?: PersonRef;
}

/**
 * `report`: a root card with its thread. `answer`: to the asker alone (clean, skipped, still open, no one else concerned).
 * `failure`: what failed and what to do. `audit`: one line. `digest`: a summary over time.
 * `notice`: something that an operator or an owner must know; nobody is told of a notice that cannot be delivered.
 */
export type DeliveryKind = "report" | "answer" | "failure" | "audit" | "digest" | "notice";

/** `unknown`: sent perhaps; the platform could not tell. `dead`: given up, with the reason kept. */
export type DeliveryState = "pending" | "sending" | "sent" | "unknown" | "dead" | "suppressed";

/** One thing owed to one Conversation. It is composed when its lane reaches it, and never again. */
export interface PlannedDelivery {
  readonly id: DeliveryId;
  readonly kind: DeliveryKind;
  readonly review?: ReviewId;
  readonly target: Target;
  readonly locale: string;
  /** Groups the messages of one branch or change under one root: `repository + ref` (or + change). */
  readonly threadKey?: string;
  /** Present on a `suppressed` delivery: why nothing is sent (`no_problems_suppressed`, `muted`, …). */
  readonly reason?: string;
  /** Facts that the composer needs beside the review itself. */
  readonly facts?: DeliveryFacts;
  /** When quiet hours end: until then it waits, and what comes after it in the conversation does not wait with it. */
  readonly dueAt?: number;
}

export interface DeliveryFacts {
  /** Fingerprints first seen by this delivery's conversation; the others are "still open". */
  readonly fresh?: readonly string[];
  readonly stillOpen?: readonly string[];
  readonly resolved?: readonly string[];
  /** What is left out by the severity floor. */
  readonly belowFloor?: number;
  /** Edit the root in place, post nothing new. */
  readonly editOnly?: boolean;
  /** The author of the change is to be notified of what is new. */
  readonly mentionAuthor?: boolean;
  /** What a delivery without a review says: a text of the catalogue and its values. */
  readonly notice?: { readonly key: string; readonly params: Readonly<Record<string, string | number>> };
  /** What a digest is about: a repository and a window of time, ms since the epoch. */
  readonly digest?: DigestWindow;
}

export interface DigestWindow {
  readonly repository: string;
  readonly from: number;
  readonly to: number;
  /** IANA name, by whose clock the window is told. */
  readonly timeZone: string;
}

export type MessageRole = "root" | "thread" | "private";

/** One page of a delivery as stored before it is sent. */
export interface OutboxMessage {
  readonly key: MessageKey;
  readonly delivery: DeliveryId;
  readonly role: MessageRole;
  readonly state: DeliveryState;
  /** The composed content as JSON: a `Page`, or an `Attachment` (core/card.ts). */
  readonly page: string;
  /** An earlier message that this page replaces in place. */
  readonly edits?: MessageRef;
  readonly ref?: MessageRef;
  readonly attempts: number;
  /** When `sending` was committed first, ms since the epoch. */
  readonly firstTriedAt?: number;
  /** The same of the newest try: a request may be travelling since then. */
  readonly lastTriedAt?: number;
  /** The fingerprint that a thread message is about. */
  readonly fingerprint?: string;
}
