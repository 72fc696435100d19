// One accepted request to review a Change, from the question to its end.
import type { Change } from "./change.ts";
import type { ConversationRef, MessageRef, PersonRef } from "./delivery.ts";
import type { ReviewId } from "./ids.ts";
import type { Usage } from "./report.ts";

export type ReviewStatus =
  | "queued"
  | "running"
  | "reported"
  | "clean"
  | "skipped"
  | "failed"
  | "cancelled"
  | "superseded";

export function isFinal(status: ReviewStatus): boolean {
  return status !== "queued" && status !== "running";
}

/** Who asked: a person in a conversation, or a feed. */
export type Requester =
  | {
      readonly kind: "person";
      readonly conversation: ConversationRef;
      readonly person: PersonRef;
      /** The thread or message that the command came in, where answers belong. */
      readonly thread?: string;
    }
  | { readonly kind: "feed"; readonly feed: string };

export interface ReviewFailure {
  readonly code: string;
  /** What went wrong, one sentence, redacted. */
  readonly message: string;
  readonly remedy: string;
  /** Catalogue key and values, see AppError. */
  readonly reason?: string;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** Where the time of a review went, in ms, and what its models used. */
export interface ReviewTimings {
  readonly queuedMs: number;
  readonly resolveMs: number;
  readonly materialiseMs: number;
  readonly agentMs: number;
  readonly totalMs: number;
  /** All passes of the last attempt together; absent where no agent told. */
  readonly usage?: Usage;
}

export interface Review {
  readonly id: ReviewId;
  readonly repository: string;
  /** The revision as asked for; empty means the newest change of the default branch. */
  readonly spec: string;
  readonly agent: string;
  /** Globs that narrow the review to some paths. */
  readonly paths: readonly string[];
  readonly locale: string;
  readonly requester: Requester;
  readonly status: ReviewStatus;
  readonly attempt: number;
  readonly change?: Change;
  readonly skipReason?: string;
  readonly failure?: ReviewFailure;
  readonly timings?: ReviewTimings;
  /** The private message that shows progress to the asker, once there is one. */
  readonly progress?: MessageRef;
  /** Set when this review was answered from an earlier one of the same range. */
  readonly answeredFrom?: ReviewId;
  /** Set when somebody wanted that review done again: it is never answered from another. */
  readonly rerunOf?: ReviewId;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
}
