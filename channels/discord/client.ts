// The sending half of the Discord channel: where a page goes, in which form, and what its refusal means.
import type { Page } from "../../src/core/card.ts";
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import { type Channel, ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Texts } from "../../src/ports/texts.ts";
import { createAnswers } from "./answers.ts";
import { sendFile, textPage } from "./attaching.ts";
import type { CommandCalls, InteractionCalls } from "./calls.ts";
import { createCommandCalls } from "./command-calls.ts";
import { channelError, codes, isTokenOver } from "./faults.ts";
import { createFinding } from "./finding.ts";
import { createForum } from "./forum.ts";
import type { OpenInteractions } from "./open-interactions.ts";
import { createPlaces } from "./places.ts";
import { createPostPage, type SendMessage } from "./posting.ts";
import { createPrivately, DIRECT } from "./privately.ts";
import { createPublicly } from "./publicly.ts";
import type { DiscordRest, RestAnswer } from "./rest.ts";
import { createSentMessages } from "./sent-messages.ts";
import { createThreads } from "./threads.ts";

export type { Acknowledged, CommandCalls, FirstAnswer, InteractionCalls } from "./calls.ts";

export interface DiscordClient
  extends Pick<Channel, "send" | "edit" | "remove" | "attach" | "permalink" | "find">,
    InteractionCalls,
    CommandCalls {
  /** What we knew of a channel is no longer so: it was renamed, locked, given other tags, deleted. */
  forgetChannel(channel: string): void;
}

export interface DiscordClientOptions {
  readonly rest: DiscordRest;
  readonly applicationId: string;
  readonly interactions: OpenInteractions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly texts: () => Promise<Texts>;
  /** Of the few words that the channel says itself where nobody's language is known. Default `en`. */
  readonly locale?: string;
  /** Where people read messages, without a slash at its end. Default `https://discord.com`. */
  readonly webUrl?: string;
}

export function createDiscordClient(options: DiscordClientOptions): DiscordClient {
  const { rest, applicationId, interactions, clock, logger, locale = "en", webUrl = "https://discord.com" } = options;
  const word = async (key: string): Promise<string> => (await options.texts()).text(key, locale);
  const defaultName = () => word("discord.thread");
  const postPage = createPostPage({ logger, filteredText: () => word("discord.filtered") });
  const places = createPlaces(rest, clock);
  const threads = createThreads({ rest, logger, defaultName, self: places.self });
  const forum = createForum({ rest, places, logger, defaultName });
  const answers = createAnswers({ rest, application: applicationId, interactions, postPage, logger });
  const sent = createSentMessages(clock);
  const publicly = createPublicly({ rest, places, threads, forum });
  const privately = createPrivately({ places, interactions, answers, publicly, sent });
  const finding = createFinding({ rest, places });

  const sendPage =
    (page: Page): SendMessage =>
    (options, call) =>
      postPage(page, options, call);

  /** Once for one target and key, as long as this process remembers. */
  async function once(target: Target, key: string, send: () => Promise<MessageRef>): Promise<MessageRef> {
    check(target);
    const known = sent.ref(target, key);
    if (known !== null) return known;
    const ref = await send();
    sent.keep(target, key, ref);
    return ref;
  }

  return {
    send: (target, page, key) =>
      once(target, key, () => {
        const send = sendPage(page);
        if (target.onlyFor !== undefined) return privately.send(target, page, key, send);
        return publicly.send(target, { page, key, send });
      }),
    attach: (target, file, key) =>
      once(target, key, () => {
        const page = textPage(file);
        const send = sendFile(file, postPage);
        if (target.onlyFor !== undefined) return privately.sendDirectly(target, page, key, send);
        return publicly.send(target, { page, key, send, needs: ["Attach Files"] });
      }),
    async edit(ref, page) {
      check({ conversation: ref });
      const through = interactions.through(ref.message);
      if (through === "expired") throw new ChannelError("gone", "The private message can no longer be edited.");
      const answer =
        through === null
          ? await postPage(page, { isEdit: true }, (body) => call(ref, { method: "PATCH", body }))
          : await answers.edit(through, ref.message, page);
      if (answer.ok) return through === null ? retag(ref, page) : undefined;
      const error = channelError(answer.refusal, { doing: "edit a message" });
      if (!isTokenOver(answer.refusal)) throw error;
      if (through !== null) interactions.close(through.id);
      throw new ChannelError("gone", error.message);
    },
    async remove(ref) {
      check({ conversation: ref });
      const through = interactions.through(ref.message);
      if (through === "expired") return;
      const answer =
        through === null ? await call(ref, { method: "DELETE" }) : await answers.remove(through, ref.message);
      if (answer.ok || answer.refusal.code === codes.unknownMessage || isTokenOver(answer.refusal)) return;
      throw channelError(answer.refusal, { doing: "delete a message", isPreparation: true });
    },
    async permalink(ref) {
      // A private message has an address that nobody can open.
      if (interactions.through(ref.message) !== null) return null;
      return `${webUrl}/channels/${ref.workspace}/${await publicly.channelOf(ref)}/${ref.message}`;
    },
    async find(target, key, since) {
      check(target);
      const known = sent.ref(target, key);
      if (known !== null) return known;
      if (target.onlyFor !== undefined) return privately.find(target, key, since, finding);
      return publicly.find(target, key, since, finding);
    },
    acknowledge: answers.acknowledge,
    answer: answers.answer,
    dropOriginal: answers.dropOriginal,
    ...createCommandCalls(rest, applicationId),
    forgetChannel: places.forget,
  };

  /** A call on one message, wherever it stands; an archived thread is brought back for it. */
  async function call(
    ref: MessageRef,
    { method, body }: { readonly method: "PATCH" | "DELETE"; readonly body?: unknown },
  ): Promise<RestAnswer> {
    const channel = await publicly.channelOf(ref);
    const path = `/channels/${channel}/messages/${ref.message}` as const;
    const ask = () => rest.call({ method, path, ...(body === undefined ? {} : { body }) });
    if (channel === ref.conversation) return ask();
    const answer = await threads.within(channel, ask);
    if (answer.ok || answer.refusal.code !== codes.unknownChannel) return answer;
    // A deleted thread took its messages along; the channel is still there.
    return { ok: false, refusal: { ...answer.refusal, code: codes.unknownMessage } };
  }

  /** A forum shows by its tags what its posts say. */
  async function retag(ref: MessageRef, page: Page): Promise<void> {
    if (ref.thread !== undefined || ref.workspace === DIRECT) return;
    const place = await publicly.whereIs(ref);
    if (place.kind === "forum") await forum.retag(place, ref.message, page);
  }
}

function check({ conversation, onlyFor }: Target): void {
  const isOurs = conversation.channel === "discord" && (onlyFor === undefined || onlyFor.channel === "discord");
  const isId = /^\d{1,20}$/.test(conversation.conversation);
  if (!isOurs || !isId) throw new ChannelError("rejected", "The conversation is none of Discord's.");
}
