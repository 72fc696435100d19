// Everything that goes to Lark and Feishu: sending, editing, removing, files, reactions, and what was sent already.
import type { Page } from "../../src/core/card.ts";
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import type { AppError } from "../../src/core/errors.ts";
import { type Channel, ChannelError, type ReactionKind } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { createLarkApi, type LarkApi } from "./api.ts";
import { uploadFile, uploadImage } from "./attachments.ts";
import type { ButtonValue } from "./card/button-value.ts";
import type { LarkCard } from "./card/elements.ts";
import { messageText } from "./card/escape.ts";
import { type Chats, createChats } from "./chats.ts";
import { checkTarget, type Destination, destinationOf, isMessageId } from "./destination.ts";
import { type LarkDomain, larkAppLink, larkOrigin } from "./domain.ts";
import { createEphemerals } from "./ephemerals.ts";
import { isContentRefusal, unsentAsYet } from "./faults.ts";
import type { LarkHttp } from "./http.ts";
import { createBucket, createUpdates } from "./pace.ts";
import { type Draft, postMessage, UUID_LIFE_MS, uuidOf } from "./post.ts";
import { createReactions } from "./reactions.ts";
import { createRecent } from "./recent.ts";
import { type CheckedCard, checkCard, renderCard, renderImage, renderText, verdictText } from "./render.ts";
import { createSdkClient } from "./sdk.ts";
import { createTokenSource } from "./tokens.ts";

export interface LarkClientOptions {
  readonly appId: string;
  readonly appSecret: string;
  readonly domain: LarkDomain;
  /** With `throwCodes: true`; the caller closes it. */
  readonly http: LarkHttp;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The only tenant that is written to; any when absent. */
  readonly workspace?: string;
  /** The platform refuses the app's credentials. */
  readonly onRefused: (error: AppError) => void;
  /** What a text says of the buttons that it stands without. Default: nothing. */
  readonly withoutButtons?: () => Promise<string>;
}

/** What the buttons of a card carry beside their token. */
export type CardPlace = Omit<ButtonValue, "token">;

export interface LarkClient
  extends Pick<Channel, "send" | "edit" | "remove" | "attach" | "react" | "permalink" | "find"> {
  /** For calls of other parts: the bot's own facts, the panel of commands. */
  readonly api: LarkApi;
  /** Sends a card of the channel's own, such as a form. @param make gets what its buttons must carry. */
  sendCard(target: Target, make: (place: CardPlace) => LarkCard, key: string): Promise<MessageRef>;
  /** Whether what only one person may see there is shown in their direct chat instead. Throws ChannelError. */
  tellsElsewhere(target: Target): Promise<boolean>;
  /** The bot's open id and name, asked once. Throws ChannelError. */
  bot(): Promise<{ readonly openId: string; readonly name: string }>;
}

const CHANNEL = "lark";
/** Messages a second into one chat: the platform takes five, shared by all bots of a group. */
const CHAT_RATE = 3;
/** Longest wait for a chat's turn, ms. */
const CHAT_PATIENCE_MS = 10_000;
/** Updates of one card are this far apart at least, ms. */
const UPDATE_INTERVAL_MS = 1_000;
/** Sent messages that are remembered by their key. */
const MAX_SENT = 5_000;
/** A repeated send goes out this long before the platform forgets its uuid, ms. */
const RESEND_MARGIN_MS = 10 * 60_000;

type Make = (place: CardPlace) => CheckedCard;
/** The text that takes a refused card's place. */
type Fallback = () => Promise<string>;

export function createLarkClient(options: LarkClientOptions): LarkClient {
  const { appId, appSecret, domain, http, clock, logger, workspace, onRefused } = options;
  const origin = larkOrigin(domain);
  const sdk = createSdkClient({ appId, appSecret, origin, http, logger });
  const tokens = createTokenSource({ http, origin, appId, appSecret, clock, onRefused });
  const api = createLarkApi({ sdk, tokens, clock, logger });
  const chats: Chats = createChats(api, clock, logger);
  const ephemerals = createEphemerals(api, logger);
  const bucket = createBucket({ clock, perSecond: CHAT_RATE, burst: CHAT_RATE, patienceMs: CHAT_PATIENCE_MS });
  const updates = createUpdates(clock, UPDATE_INTERVAL_MS);
  const sent = createRecent<MessageRef>(MAX_SENT);
  /** When a message perhaps went out first, ms since the epoch: from then on the platform may know its uuid. */
  const doubtful = createRecent<number>(MAX_SENT);
  const react = createReactions(api);
  let bot: Promise<{ readonly openId: string; readonly name: string }> | undefined;

  async function sendCard(target: Target, key: string, make: Make, fallback: Fallback | null): Promise<MessageRef> {
    checkTarget(target, CHANNEL, workspace);
    // Rendered first: what is too large is refused before anything is asked of the platform.
    const isPlain = !make(placeOf(target)).ok && fallback !== null;
    const to = await destinationOf(target, chats, !isPlain).catch(unsentAsYet);
    if (to.kind !== "ephemeral") return sendTo(target, key, to, make, fallback);
    const earlier = sent.get(sentKey(target, key));
    if (earlier !== undefined) return earlier;
    try {
      return await sendTo(target, key, to, make, null);
    } catch (thrown) {
      if (!isPlaceRefusal(thrown)) throw thrown;
      logger.info("lark.not_in_group", { chat: to.chat, error: thrown.message });
      return sendTo(target, key, { kind: "direct", person: to.person }, make, fallback);
    }
  }

  async function sendTo(
    target: Target,
    key: string,
    to: Destination,
    make: Make,
    fallback: Fallback | null,
  ): Promise<MessageRef> {
    const place = to.kind === "ephemeral" ? { isEphemeral: true } : placeOf(target);
    const card = make(place);
    if (card.ok) {
      try {
        return await post(target, key, to, { kind: "card", card: card.card });
      } catch (thrown) {
        if (fallback === null || !isContentRefusal(thrown)) throw thrown;
        logger.error("lark.card_refused", { key, error: thrown instanceof Error ? thrown.message : String(thrown) });
      }
    } else {
      const verdict = verdictText(card.verdicts);
      logger.error("lark.card_not_sent", { key, verdict });
      if (fallback === null) throw new ChannelError("rejected", `The card is not well made: ${verdict}.`);
    }
    return post(target, key, to, { kind: "text", text: await fallback() });
  }

  async function post(target: Target, key: string, to: Destination, draft: Draft): Promise<MessageRef> {
    const { conversation, thread } = target;
    await bucket.take(to.kind === "direct" ? to.person : conversation.conversation);
    const name = sentKey(target, key);
    const at = clock.now();
    const first = to.kind === "ephemeral" ? undefined : doubtful.get(name);
    if (first !== undefined && at - first >= UUID_LIFE_MS - RESEND_MARGIN_MS) {
      throw new ChannelError(
        "uncertain",
        "It may have been sent more than an hour ago: the platform would show it twice.",
      );
    }
    const id = await postMessage(api, to, draft, uuidOf(conversation.conversation, key, draft.kind)).catch(
      (thrown: unknown) => {
        const isDoubtful = thrown instanceof ChannelError && thrown.fault === "uncertain";
        if (isDoubtful && doubtful.get(name) === undefined) doubtful.set(name, at);
        throw thrown;
      },
    );
    const message = to.kind === "ephemeral" ? ephemerals.keep({ ...to, current: id }) : id;
    const isReply = to.kind === "thread" && thread !== undefined;
    const ref: MessageRef = { ...conversation, ...(isReply ? { thread } : {}), message };
    sent.set(name, ref);
    return ref;
  }

  /** Everything but the buttons that are pressed, which no text can have: it says so. */
  async function asText(page: Page): Promise<string> {
    const text = renderText(page);
    const isShort = page.card.blocks.some(
      (block) =>
        block.kind === "actions" && block.actions.some(({ token, url }) => token !== undefined && url === undefined),
    );
    const note = isShort ? await options.withoutButtons?.().catch(() => undefined) : undefined;
    return note === undefined ? text : `${text}\n\n${messageText(note)}`;
  }

  async function edit(ref: MessageRef, page: Page): Promise<void> {
    const { conversation, message } = ref;
    const shown = ephemerals.of(message);
    const place = shown === null ? { chat: conversation } : { isEphemeral: true, message };
    const checked = renderCard(page, { place });
    if (!checked.ok) {
      const verdict = verdictText(checked.verdicts);
      logger.error("lark.card_not_sent", { message, verdict });
      throw new ChannelError("rejected", `The card is not well made: ${verdict}.`);
    }
    const draft: Draft = { kind: "card", card: checked.card };
    if (shown === null) {
      const path = `/open-apis/im/v1/messages/${encodeURIComponent(message)}`;
      await api.call({ method: "PATCH", path, body: { content: JSON.stringify(checked.card) } });
      return;
    }
    await bucket.take(shown.chat);
    // The new one first: should it be refused, the old one still stands.
    const current = await postMessage(api, { kind: "ephemeral", ...shown }, draft, "");
    await ephemerals.replace(message, current);
  }

  return {
    api,
    send: (target, page, key) =>
      sendCard(
        target,
        key,
        (place) => renderCard(page, { place }),
        () => asText(page),
      ),
    sendCard: (target, make, key) => sendCard(target, key, (place) => checkCard(make(place)), null),
    async edit(ref, page) {
      checkRef(ref);
      // What is no card any more, or too large, is told at once, not when its turn comes.
      renderCard(page, { place: { chat: ref.conversation } });
      await updates.run(ref.message, () => edit(ref, page));
    },
    async remove(ref) {
      checkRef(ref);
      if (!isMessageId(ref.message)) return ephemerals.remove(ref.message);
      try {
        await api.call({ method: "DELETE", path: `/open-apis/im/v1/messages/${encodeURIComponent(ref.message)}` });
      } catch (thrown) {
        if (!(thrown instanceof ChannelError) || thrown.fault !== "gone") throw thrown;
      }
    },
    async attach(target, file, key) {
      checkTarget(target, CHANNEL, workspace);
      if ("base64" in file) {
        const imageKey = await uploadImage(api, file).catch(unsentAsYet);
        return sendCard(target, key, () => checkCard(renderImage(imageKey, file.alt)), null);
      }
      const to = await destinationOf(target, chats, false).catch(unsentAsYet);
      const fileKey = await uploadFile(api, file).catch(unsentAsYet);
      return post(target, key, to, { kind: "file", fileKey });
    },
    async react(ref: MessageRef, kind: ReactionKind) {
      checkRef(ref);
      if (!isMessageId(ref.message))
        throw new ChannelError("rejected", "A card that one person sees has no reactions.");
      await react(ref.message, kind);
    },
    async permalink({ conversation }) {
      const base = larkAppLink(domain);
      const isChat = conversation.startsWith("oc_");
      return base === null || !isChat
        ? null
        : `${base}/client/chat/open?openChatId=${encodeURIComponent(conversation)}`;
    },
    async find(target, key, since) {
      checkTarget(target, CHANNEL, workspace);
      const known = sent.get(sentKey(target, key));
      if (known !== undefined) return known;
      const to = await destinationOf(target, chats, true);
      // Tries that were refused for certain do not count; of another process's tries nothing is known but when they began.
      const firstSent = Math.max(since, doubtful.get(sentKey(target, key)) ?? since);
      const isKnownToPlatform = clock.now() - firstSent < UUID_LIFE_MS - RESEND_MARGIN_MS;
      if (to.kind === "ephemeral" || !isKnownToPlatform) return "unknown";
      // A platform that cannot be reached now would not tell a repeated message from a new one.
      await (to.kind === "direct" ? ask() : chats.look(target.conversation.conversation)).catch(answersAtAll);
      return "absent";
    },
    async tellsElsewhere(target) {
      const isElsewhere = (await destinationOf(target, chats, true)).kind === "direct";
      return isElsewhere && target.conversation.conversation !== target.onlyFor?.person;
    },
    bot() {
      bot ??= ask().catch((thrown: unknown) => {
        bot = undefined;
        throw thrown;
      });
      return bot;
    },
  };

  async function ask(): Promise<{ readonly openId: string; readonly name: string }> {
    const answer = await api.call({ method: "GET", path: "/open-apis/bot/v3/info" });
    const { open_id: openId, app_name: name } = (answer["bot"] ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof openId !== "string") throw new ChannelError("uncertain", "The platform does not tell who the bot is.");
    return { openId, name: typeof name === "string" ? name : "" };
  }

  function checkRef(ref: MessageRef): void {
    const isOurs = ref.channel === CHANNEL && (workspace === undefined || ref.workspace === workspace);
    if (!isOurs) throw new ChannelError("rejected", "The message is none of Lark.");
  }
}

/** A click tells the chat that the card stands in, which for direct chats is not the conversation it belongs to. */
function placeOf({ conversation }: Target): CardPlace {
  return { chat: conversation.conversation };
}

function sentKey({ conversation, onlyFor }: Target, key: string): string {
  return JSON.stringify([conversation.workspace, conversation.conversation, onlyFor?.person ?? "", key]);
}

/** A refusal is an answer too (a scope is missing, the bot is outside the group): sending again will say what is wrong. */
function answersAtAll(thrown: unknown): void {
  const isAway = !(thrown instanceof ChannelError) || ["not_sent", "uncertain", "rate_limited"].includes(thrown.fault);
  if (isAway) throw thrown;
}

/** Whether the platform said no to a card for one person, for whatever reason but its size or the pace. */
function isPlaceRefusal(thrown: unknown): thrown is ChannelError {
  return thrown instanceof ChannelError && ["rejected", "forbidden", "gone", "auth"].includes(thrown.fault);
}
