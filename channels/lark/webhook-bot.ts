// Custom bots of groups as a channel of their own, for those who may not make an app: signed posts, and nothing is heard.
import { createHmac } from "node:crypto";
import type { Page } from "../../src/core/card.ts";
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import { AppError } from "../../src/core/errors.ts";
import { type Channel, ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { errorAnswer } from "../kit/answers.ts";
import { denied } from "../kit/faults.ts";
import { larkWebhookCapabilities } from "./capabilities.ts";
import { messageText } from "./card/escape.ts";
import type { LarkChannelConfig } from "./config.ts";
import { isContentRefusal, toChannelError } from "./faults.ts";
import { createLarkHttp, isLoopback, type LarkHttp } from "./http.ts";
import { type Bucket, createBucket } from "./pace.ts";
import { renderCard, renderText, verdictText } from "./render.ts";

export interface LarkWebhookOptions {
  readonly config: Pick<LarkChannelConfig, "webhooks">;
  /** Reads an environment variable. */
  readonly secret: (name: string) => string | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

const NAME = "lark-webhook";
/** Largest body of a post, bytes. */
const MAX_BODY_BYTES = 20 * 1024;
/** 100 a minute and 5 a second: within any second at most 3 + 1.5, within any minute at most 3 + 90. */
const PER_SECOND = 1.5;
const BURST = 3;
/** Longest wait for a bot's turn, ms. */
const PATIENCE_MS = 20_000;
const TIMEOUT_MS = 10_000;

interface CustomBot {
  readonly url: string;
  readonly secret: string | undefined;
  readonly keyword: string | undefined;
  readonly bucket: Bucket;
}

/**
 * A conversation is named by the name of its bot in the configuration (`channels.lark.webhooks`), in any workspace.
 * Throws AppError `config` for an address or secret that is missing or unusable.
 */
export function createLarkWebhookChannel(options: LarkWebhookOptions): Channel {
  const { config, clock, ids, logger } = options;
  const bots = new Map(config.webhooks.map((webhook) => [webhook.name, customBot(webhook, options)] as const));
  const hidden = [...bots.values()].flatMap(({ url, secret }) => [url, tokenOf(url), secret ?? ""]);
  let http: LarkHttp | undefined;

  function botOf({ conversation, onlyFor }: Target): CustomBot {
    const bot = conversation.channel === NAME ? bots.get(conversation.conversation) : undefined;
    if (bot === undefined) throw new ChannelError("rejected", "No custom bot has this name.");
    if (onlyFor !== undefined) throw new ChannelError("rejected", "A custom bot can tell nothing to one person alone.");
    return bot;
  }

  async function send(target: Target, page: Page): Promise<MessageRef> {
    const bot = botOf(target);
    const checked = renderCard(page, { hearsClicks: false, knowsPeople: false });
    if (!checked.ok) {
      logger.error("lark.card_not_sent", {
        conversation: target.conversation.conversation,
        verdict: verdictText(checked.verdicts),
      });
      return post(target, bot, textBody(page, bot));
    }
    const card = withKeyword(checked.card, bot.keyword);
    try {
      return await post(target, bot, { msg_type: "interactive", card });
    } catch (thrown) {
      if (!isContentRefusal(thrown)) throw thrown;
      logger.error("lark.card_refused", { conversation: target.conversation.conversation });
      return post(target, bot, textBody(page, bot));
    }
  }

  async function post(target: Target, bot: CustomBot, message: Readonly<Record<string, unknown>>): Promise<MessageRef> {
    if (http === undefined) throw new ChannelError("not_sent", "The channel is not started.");
    const body = { ...signed(bot, Math.floor(clock.now() / 1_000)), ...message };
    const bytes = Buffer.byteLength(JSON.stringify(body));
    if (bytes > MAX_BODY_BYTES)
      throw new ChannelError("too_large", `The post has ${bytes} bytes, ${MAX_BODY_BYTES} are allowed.`);
    await bot.bucket.take("");
    try {
      await http.post(bot.url, body);
    } catch (thrown) {
      throw toChannelError(thrown);
    }
    // The platform gives no id; nothing can be done with such a message.
    return { ...target.conversation, message: ids.next("lw") };
  }

  return {
    name: NAME,
    capabilities: larkWebhookCapabilities,
    routes: [],
    async start() {
      http ??= createLarkHttp({ clock, timeoutMs: TIMEOUT_MS, throwCodes: true, secrets: hidden });
    },
    async stop() {
      const closing = http;
      http = undefined;
      await closing?.close();
    },
    health: () => ({ state: http === undefined ? "down" : "up" }),
    async webhook() {
      const remedy = "Make an app of Lark or Feishu for a bot that hears.";
      return errorAnswer(404, { code: "not_found", message: "Custom bots hear nothing.", remedy });
    },
    send,
    edit: () => Promise.reject(denied(NAME, "edits")),
    remove: () => Promise.reject(denied(NAME, "removals")),
    attach: () => Promise.reject(denied(NAME, "files")),
    react: () => Promise.reject(denied(NAME, "reactions")),
    permalink: async () => null,
    ask: () => Promise.reject(denied(NAME, "forms")),
    find: async () => "unknown",
  };
}

/** @param seconds the time of sending, s since the epoch: the platform takes it for an hour. */
export function signatureOf(secret: string, seconds: number): string {
  return createHmac("sha256", `${seconds}\n${secret}`).update("").digest("base64");
}

function signed({ secret }: CustomBot, seconds: number): Readonly<Record<string, string>> {
  return secret === undefined ? {} : { timestamp: String(seconds), sign: signatureOf(secret, seconds) };
}

function textBody(page: Page, { keyword }: CustomBot): Readonly<Record<string, unknown>> {
  const text = renderText(page, { knowsPeople: false });
  const named = keyword === undefined || text.includes(keyword) ? text : `${text}\n\n${messageText(keyword)}`;
  return { msg_type: "text", content: { text: named } };
}

type WithBody = { readonly body: { readonly elements: readonly unknown[] } };

/** The keyword that the bot's security settings ask for, where the card does not hold it already. */
function withKeyword<Card extends WithBody>(card: Card, keyword: string | undefined): unknown {
  if (keyword === undefined || JSON.stringify(card).includes(JSON.stringify(keyword).slice(1, -1))) return card;
  const line = { tag: "div", text: { tag: "plain_text", content: keyword, text_size: "notation" } };
  return { ...card, body: { ...card.body, elements: [...card.body.elements, line] } };
}

function customBot(
  { name, url_env: urlEnv, secret_env: secretEnv, keyword }: LarkChannelConfig["webhooks"][number],
  { secret, clock }: LarkWebhookOptions,
): CustomBot {
  const url = secret(urlEnv);
  if (url === undefined || !isHook(url)) {
    throw new AppError("config", `The address of the custom bot ${name} is missing or is none of a custom bot.`, {
      remedy: `Set ${urlEnv} to the webhook address that the group's settings show for the bot.`,
    });
  }
  const signing = secretEnv === undefined ? undefined : secret(secretEnv);
  if (secretEnv !== undefined && (signing === undefined || signing === "")) {
    throw new AppError("config", `The signing secret of the custom bot ${name} is missing.`, {
      remedy: `Set ${secretEnv}, or remove secret_env where the bot checks no signatures.`,
    });
  }
  const bucket = createBucket({ clock, perSecond: PER_SECOND, burst: BURST, patienceMs: PATIENCE_MS });
  return { url, secret: signing, keyword, bucket };
}

function isHook(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isSafe && pathname.startsWith("/open-apis/bot/v2/hook/") && tokenOf(text) !== "";
}

/** The last part of the address: whoever has it can post. */
function tokenOf(url: string): string {
  return new URL(url).pathname.split("/").pop() ?? "";
}
