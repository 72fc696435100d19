// Discord as a channel: what comes in by the gateway or by HTTP, what goes out by REST, and the commands that are registered.
import { AppError } from "../../src/core/errors.ts";
import type { Channel, Inbox } from "../../src/ports/channel.ts";
import { errorAnswer } from "../kit/answers.ts";
import { denied } from "../kit/faults.ts";
import type { PlatformOptions } from "../kit/platform-options.ts";
import { callback } from "./answers.ts";
import { discordCapabilities } from "./capabilities.ts";
import { createDiscordClient } from "./client.ts";
import type { CommandNames } from "./command-line.ts";
import { commandBodies } from "./commands.ts";
import type { DiscordChannelConfig } from "./config.ts";
import { createGateway } from "./gateway.ts";
import type { ShardPlace } from "./gateway-connection.ts";
import { createHttpTransport } from "./http-transport.ts";
import { createInFlight } from "./in-flight.ts";
import { createInteractions } from "./interactions.ts";
import { createHttpInteractions } from "./interactions-http.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createOpenInteractions } from "./open-interactions.ts";
import { createPresses } from "./presses.ts";
import { registerCommands } from "./registration.ts";
import { createReplies } from "./replies.ts";
import { createDiscordRest } from "./rest.ts";
import { isTokenLost } from "./token-watch.ts";

export type DiscordChannelOptions = PlatformOptions<DiscordChannelConfig>;

/** How long a stop waits for answers that are under way, ms. */
const DRAIN_MS = 5_000;
/** Until commands that could not be registered are tried again, ms. */
const REGISTER_AGAIN_MS = 15 * 60_000;

/** Throws AppError `config` when the token is not there. */
export function createDiscordChannel(options: DiscordChannelOptions): Channel {
  const { config, store, clock, ids, logger, texts, fatal } = options;
  const { application_id: applicationId, bot_token_env: tokenEnv, api_url: apiUrl } = config;
  const token = tokenOf(options);
  const facts = { applicationId, tokenEnv };
  const names: CommandNames = { review: options.commandName, verbs: config.verbs_command };
  const rest = createDiscordRest({ token, apiUrl });
  const interactions = createOpenInteractions(clock);
  const client = createDiscordClient({ rest, applicationId, interactions, clock, logger, texts });
  const presses = createPresses(clock);
  const replies = createReplies({ client, limits: discordCapabilities.limits, interactions, clock, logger });
  const handler = createInteractions({
    names,
    rules: { guildAdmins: config.guild_admins },
    guilds: config.guilds,
    interactions,
    presses,
    replies,
    store,
    texts,
    clock,
    logger,
  });
  const lifecycle = createLifecycle({ store, applicationId, forgetChannel: client.forgetChannel, logger });
  const inFlight = createInFlight(clock);
  let inbox: Inbox | undefined;
  let cancelRegistration = (): void => {};
  let isRegistering = false;
  let isStopping = false;
  let unregistered: readonly string[] = [];

  function dispatch(type: string, data: unknown, shard: ShardPlace): void {
    if (inbox === undefined) return;
    if (type === "READY" || type === "RESUMED") registerOnce();
    // Nothing is waited for here: the next event must not wait for the answer to this one.
    if (type === "INTERACTION_CREATE") inFlight.add(handler.handle(data, inbox, client.acknowledge));
    else inFlight.add(lifecycle.hear(type, data, shard, inbox));
  }

  const transport =
    config.transport === "http"
      ? createHttpTransport({ rest, facts, clock, fatal })
      : createGateway({
          token,
          apiUrl,
          facts,
          store,
          clock,
          logger,
          owner: ids.token(),
          isTokenLost: () => isTokenLost(rest),
          dispatch,
          fatal,
        });

  const { public_key: publicKey } = config;
  const endpoint =
    config.transport === "http" && publicKey !== undefined
      ? createHttpInteractions({ publicKey, handle: handleHere, bodyOf: callback, clock, logger })
      : null;

  async function handleHere(...[payload, acknowledge]: HandleGiven): Promise<void> {
    if (inbox === undefined) return;
    const work = handler.handle(payload, inbox, acknowledge);
    inFlight.add(work);
    await work;
  }

  async function register(): Promise<void> {
    const permissions = config.command_permissions === undefined ? {} : { permissions: config.command_permissions };
    const commands = commandBodies({ names, texts: await texts(), ...permissions });
    const ports = { client, store, clock, logger, applicationId, guilds: config.guild_commands };
    unregistered = (await registerCommands(ports, commands)).mistakes;
    if (unregistered.length > 0 && !isStopping) cancelRegistration = clock.after(REGISTER_AGAIN_MS, begin);
  }

  /** At the first sign that Discord is there. */
  function registerOnce(): void {
    if (isRegistering) return;
    isRegistering = true;
    begin();
  }

  function begin(): void {
    inFlight.add(
      register().catch((thrown: unknown) => {
        logger.error("discord.registration_failed", {
          error: thrown instanceof Error ? thrown.message : String(thrown),
        });
      }),
    );
  }

  return {
    name: "discord",
    capabilities: discordCapabilities,
    routes: endpoint === null ? [] : ["/discord/interactions"],
    async start(given) {
      inbox = given;
      await transport.start();
      if (config.transport === "http") registerOnce();
    },
    async stop() {
      isStopping = true;
      cancelRegistration();
      await inFlight.drain(DRAIN_MS);
      await transport.stop();
      // What came until the good-bye is answered too.
      await inFlight.drain(DRAIN_MS);
      inbox = undefined;
    },
    health() {
      const health = transport.health();
      return health.state === "up" && unregistered.length > 0 ? { ...health, detail: unregistered.join(" ") } : health;
    },
    async webhook(request) {
      if (endpoint !== null && inbox !== undefined) return endpoint(request);
      const remedy = endpoint === null ? "Set transport: http." : "Try again in a moment.";
      return errorAnswer(endpoint === null ? 404 : 503, {
        code: "unavailable",
        message: "Interactions are not taken here now.",
        remedy,
      });
    },
    async send(target, page, key) {
      if (target.onlyFor !== undefined) await presses.beforePrivate(target.conversation, target.onlyFor);
      return client.send(target, page, key);
    },
    edit: client.edit,
    remove: client.remove,
    attach: client.attach,
    react: () => Promise.reject(denied("discord", "reactions")),
    permalink: client.permalink,
    ask: ({ eventId }, form) => presses.ask(eventId, form),
    find: client.find,
  };
}

type HandleGiven = Parameters<Parameters<typeof createHttpInteractions>[0]["handle"]>;

function tokenOf({ config, secret }: DiscordChannelOptions): string {
  const token = (secret(config.bot_token_env) ?? "").trim();
  if (token !== "") return token;
  throw new AppError("config", `The environment variable ${config.bot_token_env} is not set.`, {
    remedy: `Put the bot's token of the application ${config.application_id} into ${config.bot_token_env}.`,
  });
}
