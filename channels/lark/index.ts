// Lark and Feishu as a channel: what goes out through the client, what comes in by the long connection or the webhook.
import { AppError } from "../../src/core/errors.ts";
import type { Channel, ChannelHealth, Inbox } from "../../src/ports/channel.ts";
import { errorAnswer } from "../kit/answers.ts";
import type { PlatformOptions } from "../kit/platform-options.ts";
import { larkCapabilities } from "./capabilities.ts";
import type { LarkCard } from "./card/elements.ts";
import { formCard } from "./card/form-card.ts";
import { type CardPlace, createLarkClient } from "./client.ts";
import type { LarkChannelConfig } from "./config.ts";
import { larkOrigin } from "./domain.ts";
import { createEventsGate } from "./events-gate.ts";
import { createHearing, type HearingSide } from "./hearing.ts";
import { createLarkHttp } from "./http.ts";
import { createIdentity } from "./identity.ts";
import { createLongConnection } from "./long-connection.ts";
import { openSocket } from "./open-socket.ts";
import { patiently } from "./patience.ts";
import { createPeople } from "./people.ts";
import type { LarkDispatcher } from "./sdk.ts";
import { requiredSecret } from "./secrets.ts";
import { registerCommand } from "./slash.ts";
import { answerWebhook } from "./webhook.ts";
import { createWords } from "./words.ts";

export { createLarkWebhookChannel } from "./webhook-bot.ts";

export type LarkChannelOptions = PlatformOptions<LarkChannelConfig>;

/** Deadline of one call of the platform's API, ms. */
const CALL_MS = 15_000;
/** How long a stop waits for what is going on, ms. */
const STOP_MS = 5_000;

/** Throws AppError `config` when the settings name no app, or a secret is not set. */
export function createLarkChannel(options: LarkChannelOptions): Channel {
  const { config, secret, store, clock, ids, logger } = options;
  if (config.app_id === undefined) {
    throw new AppError("config", "The Lark channel has no app.", { remedy: "Set app_id and app_secret_env." });
  }
  const appId = config.app_id;
  const appSecret = requiredSecret(config.app_secret_env, secret);
  const isWebhook = config.transport === "webhook";
  const origin = larkOrigin(config.domain);
  const commandName = config.command ?? options.commandName;
  const words = createWords(options.texts, config.language ?? (config.domain === "feishu" ? "zh-CN" : "en"));
  const http = createLarkHttp({ clock, timeoutMs: CALL_MS, throwCodes: true, secrets: [appSecret] });
  const socketHttp = createLarkHttp({ clock, timeoutMs: CALL_MS, throwCodes: false, secrets: [appSecret] });
  const gate = isWebhook
    ? createEventsGate({
        encryptKey: requiredSecret(config.encrypt_key_env, secret),
        verificationToken: requiredSecret(config.verification_token_env, secret),
        clock,
      })
    : undefined;
  let wasKnown = false;
  const client = createLarkClient({
    appId,
    appSecret,
    domain: config.domain,
    http,
    clock,
    logger,
    ...(config.tenant_key === undefined ? {} : { workspace: config.tenant_key }),
    withoutButtons: () => words.text("lark.without_buttons"),
    onRefused(error) {
      identity.doubt(`${error.message} ${error.remedy}`);
      // Credentials that worked may work again; those that never did need an operator.
      if (!wasKnown) options.fatal(error);
    },
  });
  const identity = createIdentity(
    async () => {
      const { openId } = await client.bot();
      // The client remembers who the bot is; whether the credentials are still taken shows in another call.
      if (wasKnown) await client.api.call({ method: "GET", path: "/open-apis/bot/v3/info" });
      return openId;
    },
    clock,
    logger,
  );
  const connection = createLongConnection({
    open: (events) => {
      if (hearing === undefined) throw new Error("the connection is opened before the bot is known");
      const { dispatcher } = hearing;
      return openSocket({ appId, appSecret, origin, http: socketHttp, dispatcher, logger }, events);
    },
    store,
    appId,
    clock,
    ids,
    logger,
  });
  let hearing: HearingSide | undefined;
  let state: "new" | "started" | "stopped" = "new";

  function health(): ChannelHealth {
    if (state !== "started") return { state: state === "new" ? "starting" : "down" };
    const pausedUntil = client.api.pausedUntil();
    if (pausedUntil !== null) {
      const until = new Date(pausedUntil).toISOString();
      return { state: "down", detail: `The tenant's monthly quota of calls is used up; the next try is at ${until}.` };
    }
    const known = identity.health();
    if (known.state !== "up") return known;
    return isWebhook ? { state: "up" } : connection.health();
  }

  function heard(inbox: Inbox, botOpenId: string): void {
    wasKnown = true;
    hearing = createHearing({
      config,
      inbox,
      channel: client,
      words,
      people: createPeople(client.api, clock, logger),
      store,
      clock,
      logger,
      hearing: {
        botOpenId,
        commandName,
        allowedBots: config.allow_bots,
        ...(config.tenant_key === undefined ? {} : { tenant: config.tenant_key }),
      },
    });
    if (!isWebhook) connection.start();
    if (!config.register_command) return;
    hearing.background.run("lark.command_failed", () =>
      registerCommand({ api: client.api, store, words, logger, appId, commandName }),
    );
  }

  return {
    name: "lark",
    capabilities: larkCapabilities,
    routes: isWebhook ? ["/lark/events"] : [],
    async start(inbox) {
      state = "started";
      identity.find((botOpenId) => heard(inbox, botOpenId));
      // So that the first toast need not wait for them.
      options.texts().catch(() => undefined);
    },
    async stop() {
      if (state === "stopped") return;
      state = "stopped";
      identity.stop();
      await connection.stop();
      await hearing?.ended(STOP_MS);
      await Promise.all([http.close(), socketHttp.close()]);
    },
    health,
    async webhook(request) {
      const dispatcher = (): LarkDispatcher | undefined => (state === "started" ? hearing?.dispatcher : undefined);
      if (gate !== undefined) return answerWebhook(request, { gate, hearing: dispatcher, logger });
      const remedy = "Set transport: webhook, or take the address out of the app's settings.";
      return errorAnswer(404, { code: "not_found", message: "The long connection is used.", remedy });
    },
    send: client.send,
    edit: client.edit,
    remove: client.remove,
    attach: client.attach,
    react: client.react,
    permalink: client.permalink,
    find: client.find,
    async ask(trigger, form) {
      const submit = await words.text("lark.form.submit");
      const { conversation, person, message, eventId } = trigger;
      const thread = message.thread === undefined ? {} : { thread: message.thread };
      const target = { conversation, onlyFor: person, ...thread };
      const make = (place: CardPlace): LarkCard => formCard({ form, trigger, submit, place });
      // Whoever pressed was told that it arrived: nobody but us will try again.
      const waits = (ms: number): void => logger.info("lark.form_waits", { event: eventId, ms });
      await patiently(() => client.sendCard(target, make, `form/${eventId}`), clock, waits);
    },
  };
}
