// Answers the command `digest`: now, to whoever asks, also when there is nothing to tell.
import type { Card } from "../core/card.ts";
import type { Command } from "../core/command.ts";
import type { CommandReply } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import { type CommandContext, privately } from "./command-context.ts";
import type { MakeDigest } from "./make-digest.ts";
import type { SubscriptionDirectory } from "./subscription-directory.ts";

export interface AnswerDigestPorts {
  readonly makeDigest: MakeDigest;
  readonly directory: Pick<SubscriptionDirectory, "in">;
  /** Told where a conversation is subscribed to nothing and names no repository. */
  readonly nothingSubscribed: (locale: string) => Card;
  readonly clock: Clock;
}

/** The window where none is named, ms. */
export const DIGEST_WINDOW_MS = 7 * 86_400_000;

export function createAnswerDigest(ports: AnswerDigestPorts) {
  return async (
    { repository, sinceMs = DIGEST_WINDOW_MS }: Extract<Command, { verb: "digest" }>,
    { inbound, visible, locale }: CommandContext,
  ): Promise<CommandReply> => {
    const { conversation } = inbound;
    const listed = await ports.directory.in(conversation);
    const heard = listed.filter(({ idle }) => idle === undefined).map(({ subscription }) => subscription);
    const named = repository === undefined ? heard.map((one) => one.repository) : [repository];
    const repositories = [...new Set(named)].filter((alias) => visible.includes(alias));
    if (repositories.length === 0) return privately(ports.nothingSubscribed(locale));
    const timeZone = heard.find(({ timeZone }) => timeZone !== undefined)?.timeZone ?? "UTC";
    const to = ports.clock.now();
    const { card } = await ports.makeDigest({
      conversation,
      repositories,
      from: to - sinceMs,
      to,
      locale,
      timeZone,
    });
    return privately(card);
  };
}
