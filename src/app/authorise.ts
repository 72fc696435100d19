// Who may ask for what: a repository that a conversation may not see is answered like one that does not exist.
import type { ConversationRef } from "../core/delivery.ts";
import type { Clock } from "../ports/clock.ts";
import type { Visibility } from "../ports/listeners.ts";
import type { Store } from "../ports/store.ts";

export interface AuthorisePorts {
  readonly visibility: Visibility;
  readonly store: Pick<Store, "audit">;
  readonly clock: Clock;
}

export interface Authorise {
  /** Aliases that the conversation may see, in the configuration's order. */
  visible(conversation: ConversationRef): readonly string[];
  /** Writes a refusal into the audit trail. */
  refused(conversation: ConversationRef, person: string, action: string, object: string): Promise<void>;
}

export function createAuthorise({ visibility, store, clock }: AuthorisePorts): Authorise {
  return {
    visible: (conversation) => visibility.repositoriesFor(conversation),
    refused: (conversation, person, action, object) =>
      store.audit({
        actor: `${conversation.channel}:${conversation.workspace}:${person}`,
        action,
        object,
        outcome: "refused",
        now: clock.now(),
      }),
  };
}
