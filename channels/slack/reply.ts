// Shows an answer of the core where it was asked for: through the interaction's own address first, else like every other message.
import type { Page } from "../../src/core/card.ts";
import type { ConversationRef, PersonRef } from "../../src/core/delivery.ts";
import { ChannelError, type CommandReply } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { fitReply } from "../kit/fit-reply.ts";
import { slackCapabilities } from "./capabilities.ts";
import type { SlackClient } from "./client-types.ts";

/** Where an answer goes. */
export interface Asked {
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  readonly thread?: string;
  /** Of a command or a shortcut: five answers within half an hour. */
  readonly responseUrl?: string;
  /** The direct conversation with the bot, which nobody else sees. */
  readonly isDirect?: boolean;
  /** Makes the keys of the messages. */
  readonly key: string;
}

export interface Reply {
  /** Never throws: an answer that cannot be shown is logged, because what was asked for is done. */
  show(reply: CommandReply | null, asked: Asked): Promise<void>;
  /** To the person alone. */
  tell(page: Page, asked: Asked): Promise<void>;
}

/** Answers that a response address takes; what is more goes another way. */
const MOST_RESPONSES = 4;

export function createReply({
  client,
  logger,
}: {
  readonly client: Pick<SlackClient, "send" | "respond" | "postEphemeral">;
  readonly logger: Logger;
}): Reply {
  async function show(reply: CommandReply | null, asked: Asked): Promise<void> {
    if (reply?.page == null) return;
    try {
      for (const [index, page] of fitReply(reply.page, slackCapabilities.limits).entries())
        await post(page, reply.visibility, asked, index);
    } catch (thrown) {
      const fault = thrown instanceof ChannelError ? thrown.fault : "rejected";
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      logger.warn("slack.answer_not_shown", { conversation: asked.conversation.conversation, fault, error });
    }
  }

  async function post(page: Page, visibility: CommandReply["visibility"], asked: Asked, index: number): Promise<void> {
    const { conversation, person, thread, responseUrl, isDirect = false, key } = asked;
    const place = { conversation, ...(thread === undefined ? {} : { thread }) };
    const isPrivate = visibility === "asker" && !isDirect;
    // A response address knows no threads, and posts where the command was given.
    const address = thread === undefined && index < MOST_RESPONSES ? responseUrl : undefined;
    if (!isPrivate) {
      try {
        await client.send(place, page, `${key}/${index}`);
      } catch (thrown) {
        if (address === undefined || !isForbidden(thrown)) throw thrown;
        // Where the bot is no member, Slack lets it answer nevertheless.
        await client.respond(address, page, { visibility: "everyone" });
      }
      return;
    }
    if (address !== undefined) {
      try {
        return await client.respond(address, page, { visibility: "asker" });
      } catch (thrown) {
        // What may have been shown is not shown twice.
        if (!(thrown instanceof ChannelError) || thrown.fault === "uncertain") throw thrown;
      }
    }
    await client.postEphemeral({ ...place, onlyFor: person }, page);
  }

  return {
    show,
    tell: (page, asked) => show({ page, visibility: "asker" }, asked),
  };
}

function isForbidden(thrown: unknown): boolean {
  return thrown instanceof ChannelError && thrown.fault === "forbidden";
}
