// One reaction of the bot under a message: the newest takes the place of the one before.
import { ChannelError, type ReactionKind } from "../../src/ports/channel.ts";
import type { LarkApi } from "./api.ts";
import { createRecent } from "./recent.ts";

/** The platform's names of its emoji. */
export const emojiOf: Readonly<Record<ReactionKind, string>> = {
  seen: "Get",
  working: "OnIt",
  clean: "DONE",
  failed: "CrossMark",
};

const MAX_REMEMBERED = 2_000;

export function createReactions(api: LarkApi): (message: string, kind: ReactionKind) => Promise<void> {
  const given = createRecent<string>(MAX_REMEMBERED);

  return async (message, kind) => {
    const path = `/open-apis/im/v1/messages/${encodeURIComponent(message)}/reactions`;
    const body = { reaction_type: { emoji_type: emojiOf[kind] } };
    const { reaction_id: id } = await api.call({ method: "POST", path, body });
    const earlier = given.get(message);
    if (typeof id === "string") given.set(message, id);
    if (earlier === undefined || earlier === id) return;
    try {
      await api.call({ method: "DELETE", path: `${path}/${encodeURIComponent(earlier)}` });
    } catch (thrown) {
      // Two reactions say enough: the newer one stands.
      if (!(thrown instanceof ChannelError)) throw thrown;
    }
  };
}
