// What a button means: every one is a row that its opaque token names, bound to the message that shows it.
import type { ConversationRef, MessageRef } from "./delivery.ts";
import type { MessageKey, ReviewId } from "./ids.ts";

/**
 * State changes: `dismiss`, `reopen`, `acknowledge` and `mute_kind` of a finding, `rerun` of a review. A view: `show_more`, the
 * problems that a thread left out. (*Open* is a link and needs no row.)
 */
export const actionKinds = ["dismiss", "reopen", "acknowledge", "mute_kind", "rerun", "show_more"] as const;
export type ActionKind = (typeof actionKinds)[number];

/** How long a button works, ms (DESIGN §4d). */
export const ACTION_LIFE_MS = 30 * 86_400_000;

/** How long *Mute this kind* holds, ms. */
export const KIND_MUTE_MS = 7 * 86_400_000;

/** A button as it is stored with its message; the message's review and conversation are its own. */
export interface PlannedAction {
  /** `v1:` and 26 letters and digits. */
  readonly token: string;
  readonly kind: ActionKind;
  /** Of the finding that the button is about. */
  readonly fingerprint?: string;
  /** The kind of problem that `mute_kind` is about. */
  readonly category?: string;
}

export interface StoredAction extends PlannedAction {
  readonly conversation: ConversationRef;
  readonly review: ReviewId;
  readonly repository: string;
  readonly locale: string;
  readonly message: MessageKey;
  /** Where the message stands; absent while it is not known to be sent. */
  readonly ref?: MessageRef;
  /** The page as it was composed, JSON. */
  readonly page: string;
  /** Every button of the message, this one too, those that are not shown at first too. */
  readonly siblings: readonly PlannedAction[];
  /** ms since the epoch. */
  readonly expiresAt: number;
}
