// Reactions tell how far a request is: one at a time on each message.
import type { MessageRef } from "../../src/core/delivery.ts";
import { ChannelError, type ReactionKind } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { isFile, timestamp } from "./places.ts";
import { SlackCallError, type WebCalls } from "./web-calls.ts";

const names: Readonly<Record<ReactionKind, string>> = {
  seen: "eyes",
  working: "hourglass_flowing_sand",
  clean: "white_check_mark",
  failed: "x",
};
const MAX_REMEMBERED = 1_000;

export type React = (ref: MessageRef, kind: ReactionKind) => Promise<void>;

export function createReact({ calls, logger }: { readonly calls: WebCalls; readonly logger: Logger }): React {
  /** The reaction that this process put on a message last; it makes room for the next. */
  const standing = new Map<string, string>();

  return async ({ workspace, conversation: channel, message }, kind) => {
    if (isFile(message)) throw new ChannelError("rejected", "Slack tells no message of the file to react to.");
    const given = { channel, timestamp: timestamp(message) };
    const place = `${workspace} ${channel} ${message}`;
    const name = names[kind];
    const before = standing.get(place);
    if (before === name) return;
    await unless("already_reacted", () => calls.write(workspace, "reactions.add", { ...given, name }));
    standing.set(place, name);
    const [oldest] = standing.keys();
    if (standing.size > MAX_REMEMBERED && oldest !== undefined) standing.delete(oldest);
    if (before === undefined) return;
    try {
      await unless("no_reaction", () => calls.write(workspace, "reactions.remove", { ...given, name: before }));
    } catch (thrown) {
      // The new one stands: an old one beside it does no harm.
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      logger.warn("slack.reaction_left", { channel, error });
    }
  };
}

async function unless(code: string, call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (thrown) {
    if (!(thrown instanceof SlackCallError) || thrown.code !== code) throw thrown;
  }
}
