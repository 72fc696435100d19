// Shows what the core answers to a command: through the interaction while its token answers, else by the bot itself.
import type { Page } from "../../src/core/card.ts";
import { type Channel, ChannelError, type CommandReply } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { fitReply } from "../kit/fit-reply.ts";
import type { DiscordClient } from "./client.ts";
import type { Actor } from "./inbound.ts";
import type { OpenInteraction, OpenInteractions } from "./open-interactions.ts";
import { pause } from "./pause.ts";

export interface RepliesPorts {
  readonly client: Pick<DiscordClient, "answer" | "dropOriginal" | "send">;
  readonly limits: Channel["capabilities"]["limits"];
  readonly interactions: OpenInteractions;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Replies {
  /** @param open absent when Discord took no acknowledgement. Never throws: a reply that cannot be shown is logged. */
  show(reply: CommandReply | null, to: Asked, open: OpenInteraction | null): Promise<void>;
}

/** Who asked where, with the event's id, under which the answer is sent once. */
export interface Asked {
  readonly eventId: string;
  readonly actor: Pick<Actor, "conversation" | "person" | "thread">;
}

/** A refusal that passes is waited out so long, once, ms. */
const MOST_WAIT_MS = 10_000;
const SHORT_WAIT_MS = 1_000;

export function createReplies({ client, limits, interactions, clock, logger }: RepliesPorts): Replies {
  return {
    async show(reply, asked, open) {
      try {
        const pages = reply?.page == null ? [] : fitReply(reply.page, limits);
        const isPrivate = reply?.visibility !== "everyone";
        for (const [index, page] of pages.entries()) {
          await twice(() => show(page, index, isPrivate, asked, open));
        }
        // A "thinking" message that nothing fills would stand for a quarter of an hour.
        if (open !== null && open.original !== "none" && !interactions.isFilled(open.id)) {
          await client.dropOriginal(open);
        }
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown.message : String(thrown);
        logger.warn("discord.reply_not_shown", { event: asked.eventId, error });
      }
    },
  };

  async function show(
    page: Page,
    index: number,
    isPrivate: boolean,
    { eventId, actor }: Asked,
    open: OpenInteraction | null,
  ): Promise<void> {
    // The deferral was private, so that what everybody is to read is a message of its own.
    if (isPrivate && open !== null && (await client.answer(open, page, true)) !== "expired") return;
    const { conversation, person, thread } = actor;
    const target = {
      conversation,
      ...(thread === undefined ? {} : { thread }),
      ...(isPrivate ? { onlyFor: person } : {}),
    };
    await client.send(target, page, `reply/${eventId}/${index}`);
  }

  /** Once more for what Discord did not take; what may have arrived is left alone. */
  async function twice(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (thrown) {
      const isPassing =
        thrown instanceof ChannelError && (thrown.fault === "not_sent" || thrown.fault === "rate_limited");
      if (!isPassing) throw thrown;
      const waitMs = Math.max(SHORT_WAIT_MS, thrown.retryAfterMs ?? 0);
      if (waitMs > MOST_WAIT_MS) throw thrown;
      await pause(clock, waitMs, new AbortController().signal);
      await call();
    }
  }
}
