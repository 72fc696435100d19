// What the store remembers of buttons and of what people did with them.
import type { StoredAction } from "../core/action.ts";
import type { ConversationRef, PersonRef } from "../core/delivery.ts";
import type { FindingId } from "../core/ids.ts";

/** Named atomic operations like those of `Store`, of which they are a part. Buttons are stored by `planMessages`. */
export interface ActionStore {
  action(token: string): Promise<StoredAction | null>;
  /** A button on the newest card about a finding that stands in a conversation, for showing that card anew. */
  actionOnCard(query: {
    readonly conversation: ConversationRef;
    readonly repository: string;
    readonly fingerprint: string;
  }): Promise<StoredAction | null>;
  /** Each person once; the finding stays open. */
  acknowledgeFinding(request: {
    readonly finding: FindingId;
    readonly by: PersonRef;
    readonly now: number;
  }): Promise<"acknowledged" | "already" | "unknown">;
  /** Who has seen a finding, oldest first. */
  acknowledgementsOf(finding: FindingId): Promise<readonly PersonRef[]>;
  /** Holds until its time; a mute of the same kind that holds already stays as it is. */
  muteKind(mute: KindMute, now: number): Promise<"muted" | "already">;
  /** Mutes of kinds that hold at `now`. */
  kindMutes(conversation: ConversationRef, repository: string, now: number): Promise<readonly KindMute[]>;
}

/** A conversation's subscriptions hear nothing of one category of problems of a repository until a time. */
export interface KindMute {
  readonly conversation: ConversationRef;
  readonly repository: string;
  readonly category: string;
  /** ms since the epoch. */
  readonly until: number;
  /** Who muted. */
  readonly by: string;
}
