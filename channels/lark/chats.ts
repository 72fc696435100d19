// What kind of place a chat is: the answer decides how one person can be told something there.
import { ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { LarkApi } from "./api.ts";
import { createRecent } from "./recent.ts";

/** `unknown`: the platform does not say, for want of the scope `im:chat:read` for instance. */
export type ChatMode = "group" | "topic" | "p2p" | "unknown";

export interface Chats {
  mode(chat: string): Promise<ChatMode>;
  /** Asks the platform, whatever is remembered. Throws ChannelError. */
  look(chat: string): Promise<ChatMode>;
}

/** A group can be turned into one of topics, ms. */
const FRESH_MS = 10 * 60_000;
const MAX_CHATS = 2_000;

export function createChats(api: LarkApi, clock: Clock, logger: Logger): Chats {
  const known = createRecent<{ readonly mode: ChatMode; readonly at: number }>(MAX_CHATS);

  async function look(chat: string): Promise<ChatMode> {
    const data = await api.call({ method: "GET", path: `/open-apis/im/v1/chats/${encodeURIComponent(chat)}` });
    const { chat_mode: given, group_message_type: messages } = data;
    // A group whose messages are all topics says so in a property of its own.
    const mode: ChatMode =
      given === "topic" || messages === "thread" ? "topic" : given === "group" || given === "p2p" ? given : "unknown";
    known.set(chat, { mode, at: clock.monotonic() });
    return mode;
  }

  return {
    look,
    async mode(chat) {
      const held = known.get(chat);
      if (held !== undefined && clock.monotonic() - held.at < FRESH_MS) return held.mode;
      try {
        return await look(chat);
      } catch (thrown) {
        if (!(thrown instanceof ChannelError)) throw thrown;
        // What may pass is not remembered; a refusal is, so that it is not asked for again at every message.
        const passes = ["not_sent", "uncertain", "rate_limited"].includes(thrown.fault);
        if (passes) throw thrown;
        logger.info("lark.chat_unknown", { chat, error: thrown.message });
        known.set(chat, { mode: "unknown", at: clock.monotonic() });
        return "unknown";
      }
    },
  };
}
