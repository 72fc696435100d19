// Shows a finding's card as things are now, in its place: after a button on it, and after a command about its finding.
import type { ActionCards, FindingState } from "../cards/action-cards.ts";
import type { StoredAction } from "../core/action.ts";
import type { ConversationRef, MessageRef } from "../core/delivery.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { InTurn } from "./turns.ts";

export interface ShowFindingPorts {
  readonly store: Pick<Store, "actionOnCard" | "findingsByKeys" | "acknowledgementsOf" | "kindMutes">;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly cards: Pick<ActionCards, "page" | "state">;
  /** Two people at one card at once: whoever shows it last must know what the other did. */
  readonly inTurn: InTurn;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ShowFinding {
  /**
   * Edits the card that holds a button; the caller has the card's turn.
   * @returns what the card could not be made to say, as plain sentences; empty when it says it.
   */
  onCard(action: StoredAction, ref: MessageRef): Promise<readonly string[]>;
  /** Edits the newest card about a finding in a conversation, if there is one; a card that cannot be edited is logged. */
  inConversation(finding: StoredFinding, conversation: ConversationRef): Promise<void>;
}

export function createShowFinding(ports: ShowFindingPorts): ShowFinding {
  const { store, channels, cards, inTurn, clock, logger } = ports;

  return {
    onCard,
    async inConversation({ repository, fingerprint }, conversation) {
      try {
        const action = await store.actionOnCard({ conversation, repository, fingerprint });
        const ref = action?.ref;
        if (action === null || ref === undefined) return;
        await inTurn(action.message, async () => void (await onCard(action, ref)));
      } catch (thrown) {
        // What was decided stands, whatever the card says.
        const error = thrown instanceof Error ? thrown.message : String(thrown);
        logger.warn("finding.not_shown", { conversation: conversation.conversation, error });
      }
    },
  };

  async function onCard(action: StoredAction, ref: MessageRef): Promise<readonly string[]> {
    const channel = channels.get(ref.channel);
    const state = await stateOf(action);
    if (channel === undefined || state === null) return [];
    try {
      if (channel.capabilities.edit) {
        await channel.edit(ref, cards.page(state, action, channel.capabilities.limits));
        return [];
      }
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      logger.warn("action.card_not_edited", { message: action.message, error });
    }
    return cards.state(state, action);
  }

  async function stateOf(action: StoredAction): Promise<FindingState | null> {
    const { conversation, repository, fingerprint } = action;
    if (fingerprint === undefined) return null;
    const [finding] = await store.findingsByKeys(repository, [fingerprint]);
    if (finding === undefined) return null;
    const { category = finding.category } = action;
    const mutes = await store.kindMutes(conversation, repository, clock.now());
    const mute = mutes.find((one) => one.category === category) ?? null;
    return { finding, seenBy: await store.acknowledgementsOf(finding.id), mute };
  }
}
