// The Slack channel: its parts put together, and its life from start to stop.
import { AppError } from "../../src/core/errors.ts";
import { type Channel, ChannelError, type ChannelHealth, type Inbox } from "../../src/ports/channel.ts";
import { errorAnswer } from "../kit/answers.ts";
import type { PlatformOptions } from "../kit/platform-options.ts";
import { createAccess } from "./access.ts";
import { createBolt } from "./bolt.ts";
import { slackCapabilities } from "./capabilities.ts";
import { createSlackClient } from "./client.ts";
import type { SlackChannelConfig } from "./config.ts";
import { createHome } from "./home.ts";
import { createEventsEndpoint } from "./http.ts";
import { channelName } from "./inbound.ts";
import { installPath, redirectPath } from "./install.ts";
import { createOnce } from "./once.ts";
import { createLookUpPerson } from "./people.ts";
import { createPressed } from "./pressed.ts";
import { createReceive } from "./receive.ts";
import { createReply } from "./reply.ts";
import { createShortcut } from "./shortcut.ts";
import { createSignatureGate } from "./signature.ts";
import { createSockets, remedyFor } from "./sockets.ts";
import { createSpoken } from "./spoken.ts";
import { createWords } from "./words.ts";

export { type SlackCheck, type SlackCheckOutcome, type SlackDoctorOptions, slackChecks } from "./doctor.ts";

export interface SlackChannelOptions extends PlatformOptions<SlackChannelConfig> {
  /** Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch;
}

const eventsPath = "/slack/events";
/** How long a stop waits for what is at work, ms. */
const DRAIN_MS = 5_000;

/** Throws AppError `config` when a secret is missing, or several workspaces are to be installed without a public address. */
export function createSlackChannel(options: SlackChannelOptions): Channel {
  const { config, clock, logger, store } = options;
  const secret = (name: string | undefined): string => {
    const value = name === undefined ? undefined : options.secret(name);
    if (name !== undefined && value !== undefined && value !== "") return value;
    throw new AppError("config", `The environment variable ${name ?? "of a secret of Slack"} is not set.`, {
      remedy: "Set it, or put it into .env; channels/slack/README.md says where Slack shows its value.",
    });
  };
  let inbox: Inbox | undefined;
  let state: ChannelHealth["state"] = "starting";

  const network = options.fetch === undefined ? {} : { fetch: options.fetch };
  const words = createWords(options.texts);
  const access = createAccess({
    ...options,
    secret,
    words,
    authTest: (token) => client.authTest(token),
    installed: async (workspace) => inbox?.lifecycle({ kind: "installed", channel: channelName, workspace }),
  });
  const client = createSlackClient({
    token: access.bot,
    apiUrl: config.api_url,
    clock,
    logger,
    refused: access.refused,
    ...network,
    ...(access.installUrl === undefined ? {} : { installUrl: access.installUrl }),
  });
  const once = createOnce({ store, clock });
  const lookUp = createLookUpPerson({ client, clock, logger, workspaceAdmins: config.workspace_admins });
  const ports = { client, once, lookUp, words, logger, reply: createReply({ client, logger }) };
  const commandName = config.command ?? options.commandName;
  const botUserId = (workspace: string): Promise<string | undefined> =>
    access.bot(workspace).then(
      (bot) => bot.botUserId,
      () => undefined,
    );
  const pressed = createPressed(ports);
  const bolt = createBolt({
    bot: access.bot,
    handle: createReceive({
      inbox: () => inbox,
      once,
      spoken: createSpoken({ ...ports, botUserId, commandName }),
      pressed,
      shortcut: createShortcut(ports),
      home: createHome(ports),
      onLifecycle: access.onLifecycle,
      logger,
    }),
    clock,
    logger,
    apiUrl: config.api_url,
  });
  const sockets =
    config.transport === "socket"
      ? createSockets({
          appToken: secret(config.app_token_env),
          apiUrl: config.api_url,
          ...network,
          clock,
          logger,
          receive: bolt.receive,
          random: () => fractionOf(options.ids.token()),
          refused(code, whileStarting) {
            if (whileStarting) options.fatal(refusal("app-level token", code, remedyFor(code)));
          },
        })
      : undefined;
  const events =
    config.transport === "http"
      ? createEventsEndpoint({
          receive: bolt.receive,
          gate: createSignatureGate({ secret: secret(config.signing_secret_env), clock }),
          clock,
          logger,
        })
      : undefined;

  function ours<T extends { readonly channel: string }>(place: T): T {
    if (place.channel === channelName) return place;
    throw new ChannelError("rejected", "The conversation is none of Slack.");
  }

  return {
    name: channelName,
    capabilities: slackCapabilities,
    routes: [
      ...(events === undefined ? [] : [eventsPath]),
      ...(access.install === undefined ? [] : [installPath, redirectPath]),
    ],
    async start(given) {
      inbox = given;
      state = "starting";
      const trouble = await access.start();
      if (trouble !== null) options.fatal(trouble);
      // With a token that is refused there is nobody to answer as.
      else await sockets?.start();
      state = "up";
    },
    async stop() {
      inbox = undefined;
      state = "down";
      await Promise.race([bolt.idle(), new Promise<void>((resolve) => void clock.after(DRAIN_MS, resolve))]);
      access.stop();
      await sockets?.stop();
    },
    health() {
      if (state === "down") return { state };
      const own = access.health();
      if (own.state !== "up") return own;
      const connected = sockets?.health() ?? { state };
      const details = [connected.detail, own.detail].filter((detail) => detail !== undefined);
      return { state: connected.state, ...(details.length === 0 ? {} : { detail: details.join(" ") }) };
    },
    async webhook(request) {
      const { pathname } = new URL(request.url);
      const endpoint = pathname === eventsPath ? events : access.install;
      if (endpoint !== undefined) return endpoint(request);
      return errorAnswer(404, { code: "not_found", message: "There is nothing here.", remedy: "See the README." });
    },
    send: async (target, page, key) => client.send({ ...target, conversation: ours(target.conversation) }, page, key),
    edit: async (ref, page) => client.edit(ours(ref), page),
    remove: async (ref) => client.remove(ours(ref)),
    attach: async (target, file, key) =>
      client.attach({ ...target, conversation: ours(target.conversation) }, file, key),
    react: async (ref, kind) => client.react(ours(ref), kind),
    permalink: async (ref) => client.permalink(ours(ref)),
    ask: (trigger, form) => pressed.ask(trigger, form),
    find: async (target, key, since) => client.find({ ...target, conversation: ours(target.conversation) }, key, since),
  };
}

/** A token as a number from 0 to below 1. */
function fractionOf(token: string): number {
  let sum = 0;
  for (const character of token) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return sum / 2 ** 32;
}

function refusal(what: string, code: string, remedy: string): AppError {
  return new AppError("config", `Slack refuses the ${what}: ${code}.`, { remedy });
}
