// Shows what the core answers to a command: to the asker or to everyone, and with its age when the command came late.
import { halved } from "../../src/cards/fit.ts";
import type { Card, Page } from "../../src/core/card.ts";
import type { Target } from "../../src/core/delivery.ts";
import { ChannelError, type CommandReply, type InboundCommand } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { fitReply } from "../kit/fit-reply.ts";
import { larkCapabilities } from "./capabilities.ts";
import type { LarkClient } from "./client.ts";
import { isMessageId } from "./destination.ts";
import { patiently } from "./patience.ts";
import { renderCard } from "./render.ts";
import type { Words } from "./words.ts";

export interface ReplyPorts {
  readonly channel: Pick<LarkClient, "send" | "react" | "tellsElsewhere">;
  readonly words: Words;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** @param at when the command was written, ms since the epoch. */
export type ShowReply = (command: InboundCommand, reply: CommandReply, at: number | undefined) => Promise<void>;

/** A command older than this says so: the platform pushes again after 5 minutes, an hour and six hours, ms. */
const LATE_MS = 2 * 60_000;
const HOUR_MS = 3_600_000;

export function createShowReply({ channel, words, clock, logger }: ReplyPorts): ShowReply {
  return async (command, reply, at) => {
    const { conversation, person, thread, eventId } = command;
    const place: Target = { conversation, ...(thread === undefined ? {} : { thread }) };
    const note = await lateNote(at);
    if (reply.page === null || reply.visibility === "asker") await nod(command, { ...place, onlyFor: person });
    if (reply.page === null) {
      // The core has posted its answer already; only the age is missing.
      if (note !== null) await send({ ...place, onlyFor: person }, { card: plainCard(note) }, `late/${eventId}`);
      return;
    }
    const target = reply.visibility === "asker" ? { ...place, onlyFor: person } : place;
    const page = note === null ? reply.page : withNote(reply.page, note);
    for (const [index, one] of pagesOf(page).entries()) {
      await send(target, one, index === 0 ? `reply/${eventId}` : `reply/${eventId}/${index}`);
    }
  };

  /** A command whose answer stands in the person's direct chat has a reaction, so that the place shows that it was heard. */
  async function nod({ conversation, eventId }: InboundCommand, target: Target): Promise<void> {
    if (!isMessageId(eventId)) return;
    try {
      if (await channel.tellsElsewhere(target)) await channel.react({ ...conversation, message: eventId }, "seen");
    } catch (thrown) {
      logger.info("lark.reaction_failed", { error: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }

  async function lateNote(at: number | undefined): Promise<string | null> {
    const age = at === undefined ? 0 : clock.now() - at;
    if (age <= LATE_MS) return null;
    if (age < HOUR_MS) return words.text("lark.late.minutes", { n: Math.round(age / 60_000) });
    return words.text("lark.late.hours", { n: Math.round(age / HOUR_MS) });
  }

  async function send(target: Target, page: Page, key: string): Promise<void> {
    const waits = (ms: number): void => logger.info("lark.reply_waits", { key, ms });
    await patiently(() => channel.send(target, page, key), clock, waits);
  }
}

/** Escaping is not counted beforehand: what it makes too large takes more pages. */
function pagesOf(page: Page): readonly Page[] {
  const pages = fitReply(page, larkCapabilities.limits);
  return pages.every(isSmall) ? pages : fitReply(page, halved(larkCapabilities.limits));
}

function isSmall(page: Page): boolean {
  try {
    renderCard(page);
    return true;
  } catch (thrown) {
    if (thrown instanceof ChannelError && thrown.fault === "too_large") return false;
    throw thrown;
  }
}

function withNote(page: Page, note: string): Page {
  const block = { kind: "text", children: [{ kind: "emphasis", children: [{ kind: "text", text: note }] }] } as const;
  return { ...page, card: { ...page.card, blocks: [block, ...page.card.blocks] } };
}

function plainCard(title: string): Card {
  return { title, tone: "neutral", fallback: title, blocks: [] };
}
