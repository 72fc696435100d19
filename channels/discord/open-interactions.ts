// Interactions whose tokens still answer: what only one person may see goes through them, because Discord has no other private message in a channel.
import type { ConversationRef, PersonRef } from "../../src/core/delivery.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** An interaction that was acknowledged, as long as its token answers. */
export interface OpenInteraction {
  readonly id: string;
  /** A secret until it ends. */
  readonly token: string;
  readonly conversation: ConversationRef;
  readonly thread?: string;
  readonly person: PersonRef;
  /** When Discord made it, ms since the epoch (`madeAt(id)`); its token answers for 15 minutes from then. */
  readonly at: number;
  /**
   * What the deferral left to be filled: `private` or `public` a "thinking" message (chosen at the deferral, for good);
   * `none` after a pressed button, whose original response is the card itself and must not be overwritten.
   */
  readonly original: "private" | "public" | "none";
}

export interface OpenInteractions {
  /** To be called as soon as Discord took the acknowledgement. */
  open(interaction: OpenInteraction): void;
  /** The newest of a person here, if its token still answers. */
  newestOf(conversation: ConversationRef, person: PersonRef): OpenInteraction | null;
  /** Takes the original response; true for the first who asks, false when it is filled or there was none. */
  takeOriginal(id: string): boolean;
  /** It could not be filled after all: the next who asks may. */
  returnOriginal(id: string): void;
  /** Whether somebody filled the original response. */
  isFilled(id: string): boolean;
  /** A message that went through an interaction, so that it can be edited through the same. */
  bind(message: string, interaction: OpenInteraction): void;
  /** Through which interaction a message can be edited; `expired` when it was sent so and its token is over; null: it never was. */
  through(message: string): OpenInteraction | "expired" | null;
  /** Its token does not answer any more, whatever our clock says (50027, 10015). */
  close(id: string): void;
}

/** A token answers for 15 minutes; half a minute is kept for clocks that differ and calls that travel. */
export const TOKEN_MS = 14.5 * 60_000;
const MOST = 2_000;

interface Held {
  readonly interaction: OpenInteraction;
  hasOriginal: boolean;
  isOver: boolean;
}

export function createOpenInteractions(clock: Pick<Clock, "now">): OpenInteractions {
  const held = new Map<string, Held>();
  const messages = new Map<string, Held>();

  const answers = ({ interaction, isOver }: Held): boolean => !isOver && clock.now() < interaction.at + TOKEN_MS;

  return {
    open(interaction) {
      held.set(interaction.id, { interaction, hasOriginal: interaction.original !== "none", isOver: false });
      forgetOldest(held);
    },
    newestOf(conversation, person) {
      const candidates = [...held.values()].reverse();
      const found = candidates.find((one) => {
        const { conversation: place, person: who } = one.interaction;
        const isHere = place.workspace === conversation.workspace && place.conversation === conversation.conversation;
        return isHere && who.person === person.person && answers(one);
      });
      return found?.interaction ?? null;
    },
    takeOriginal(id) {
      const found = held.get(id);
      if (found === undefined || !found.hasOriginal) return false;
      found.hasOriginal = false;
      return true;
    },
    returnOriginal(id) {
      const found = held.get(id);
      if (found !== undefined && found.interaction.original !== "none") found.hasOriginal = true;
    },
    isFilled: (id) => held.get(id)?.hasOriginal !== true,
    bind(message, { id }) {
      const found = held.get(id);
      if (found === undefined) return;
      messages.set(message, found);
      forgetOldest(messages);
    },
    through(message) {
      const found = messages.get(message);
      if (found === undefined) return null;
      return answers(found) ? found.interaction : "expired";
    },
    close(id) {
      const found = held.get(id);
      if (found !== undefined) found.isOver = true;
    },
  };
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= MOST) return;
    map.delete(key);
  }
}
