// Cards that one person of a group sees: the platform cannot update them, so an update takes the old one away and shows a new one.
import { ChannelError } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { LarkApi } from "./api.ts";
import { ephemeralId, rawEphemeralId } from "./card/button-value.ts";
import { createRecent } from "./recent.ts";

export interface ShownToOne {
  readonly chat: string;
  readonly person: string;
  /** The platform's id of the card that is shown now. */
  readonly current: string;
}

export interface Ephemerals {
  /** @returns the id by which the core knows the card from now on. */
  keep(shown: ShownToOne): string;
  /** Null for ids of ordinary messages. Throws ChannelError `gone` for a card of an earlier process, or one taken away. */
  of(id: string): ShownToOne | null;
  /** Another card stands in its place now; the earlier one is taken away, as far as the platform lets us. */
  replace(id: string, current: string): Promise<void>;
  /** Takes the card away; does nothing when it is gone already. Throws ChannelError. */
  remove(id: string): Promise<void>;
}

/** Cards remembered; the older ones can still be taken away, but no longer updated. */
const MAX_SHOWN = 2_000;

export function createEphemerals(api: LarkApi, logger: Logger): Ephemerals {
  const shown = createRecent<ShownToOne>(MAX_SHOWN);

  async function takeAway(current: string): Promise<void> {
    try {
      await api.call({ method: "POST", path: "/open-apis/ephemeral/v1/delete", body: { message_id: current } });
    } catch (thrown) {
      if (!(thrown instanceof ChannelError) || thrown.fault !== "gone") throw thrown;
    }
  }

  return {
    keep(card) {
      const id = ephemeralId(card.current);
      shown.set(id, card);
      return id;
    },
    of(id) {
      if (rawEphemeralId(id) === null) return null;
      const card = shown.get(id);
      if (card === undefined) throw new ChannelError("gone", "The card that one person saw is gone.");
      return card;
    },
    async replace(id, current) {
      const card = shown.get(id);
      if (card === undefined) return;
      shown.set(id, { ...card, current });
      try {
        await takeAway(card.current);
      } catch (thrown) {
        // Only the person sees both; to try again would show a third.
        logger.info("lark.old_card_stays", { error: thrown instanceof Error ? thrown.message : String(thrown) });
      }
    },
    async remove(id) {
      const current = shown.get(id)?.current ?? rawEphemeralId(id);
      if (current === null) return;
      await takeAway(current);
      shown.delete(id);
    },
  };
}
