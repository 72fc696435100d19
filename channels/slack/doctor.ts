// What `aicr-bot doctor slack` looks at: tokens, scopes, the connection, each conversation that hears something, and a card that comes and goes.
import type { ConversationRef } from "../../src/core/delivery.ts";
import { AppError } from "../../src/core/errors.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Texts } from "../../src/ports/texts.ts";
import { createAccess } from "./access.ts";
import { createSlackClient } from "./client.ts";
import type { SlackClient, SlackIdentity } from "./client-types.ts";
import type { SlackChannelConfig } from "./config.ts";
import { channelName } from "./inbound.ts";
import { neededScopes, optionalScopes } from "./scopes.ts";
import { openSocketSession } from "./socket-session.ts";
import { remedyFor } from "./sockets.ts";
import { messageOf } from "./spoken.ts";
import { createWords } from "./words.ts";

export interface SlackCheckOutcome {
  readonly state: "ok" | "warn" | "fail";
  /** What was found, one line. */
  readonly detail: string;
  /** What to do; absent when all is well. */
  readonly remedy?: string;
}

export interface SlackCheck {
  /** Stable name for scripts; begins with `slack:`. */
  readonly name: string;
  run(): Promise<SlackCheckOutcome>;
}

export interface SlackDoctorOptions {
  readonly config: SlackChannelConfig;
  readonly secret: (name: string) => string | undefined;
  readonly store: ChannelStore;
  /** Those that are subscribed to something; of other channels too. */
  readonly conversations: readonly ConversationRef[];
  readonly texts: () => Promise<Texts>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly publicUrl?: string;
  /** Language of the proof. Default: English. */
  readonly locale?: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** Throws AppError `config` when a secret is not set. To be run one after another. */
export async function slackChecks(options: SlackDoctorOptions): Promise<readonly SlackCheck[]> {
  const { config, clock, logger, store, publicUrl } = options;
  if (!config.enabled) return [];
  const secret = (name: string | undefined): string => {
    const value = name === undefined ? undefined : options.secret(name);
    if (name !== undefined && value !== undefined && value !== "") return value;
    throw new AppError("config", `The environment variable ${name ?? "of a secret of Slack"} is not set.`, {
      remedy: "Set it, or put it into .env; channels/slack/README.md says where Slack shows its value.",
    });
  };
  const network = options.fetch === undefined ? {} : { fetch: options.fetch };
  const words = createWords(options.texts);
  const authTest = (token: string): Promise<SlackIdentity> => client.authTest(token);
  const access = createAccess({ ...options, secret, words, authTest, installed: async () => undefined });
  const apiUrl = config.api_url;
  const client: SlackClient = createSlackClient({
    token: access.bot,
    apiUrl,
    clock,
    logger,
    refused: access.refused,
    ...network,
  });
  /** Workspaces to look at, with how to get their tokens. */
  const workspaces: readonly (() => Promise<string>)[] =
    config.oauth === undefined
      ? [async () => secret(config.bot_token_env)]
      : (await store.installations(channelName)).map(
          ({ workspace }) =>
            async () =>
              (await access.bot(workspace)).token,
        );
  const places = options.conversations.filter(({ channel }) => channel === channelName);
  let writable: ConversationRef | undefined;

  async function identify(tokenOf: () => Promise<string>): Promise<SlackIdentity> {
    return client.authTest(await tokenOf());
  }

  function token(tokenOf: () => Promise<string>): Promise<SlackCheckOutcome> {
    return answered(installRemedy(publicUrl, config), async () => {
      const { workspace, workspaceName, botUserId } = await identify(tokenOf);
      return ok(`the bot is ${botUserId} in ${workspaceName} (${workspace})`);
    });
  }

  function scopes(tokenOf: () => Promise<string>): Promise<SlackCheckOutcome> {
    return answered(installRemedy(publicUrl, config), async () => {
      const { scopes: granted } = await identify(tokenOf);
      if (granted.length === 0) return { state: "warn", detail: "Slack does not tell which scopes the token has" };
      const missing = neededScopes.filter((scope) => !granted.includes(scope));
      if (missing.length > 0) {
        const remedy = `Add them at api.slack.com/apps, OAuth & Permissions, and ${reinstall(publicUrl, config)}.`;
        return { state: "fail", detail: `scopes are missing: ${missing.join(", ")}`, remedy };
      }
      const lost = Object.entries(optionalScopes).filter(([scope]) => !granted.includes(scope));
      if (lost.length === 0) return ok(`all ${granted.length} scopes are granted`);
      const detail = `without ${lost.map(([scope]) => scope).join(", ")}`;
      const remedy = `${lost.map(([scope, what]) => `${scope}: ${what}`).join("; ")}. Add what you miss.`;
      return { state: "warn", detail, remedy };
    });
  }

  async function connection(): Promise<SlackCheckOutcome> {
    const appToken = secret(config.app_token_env);
    let isUp = false;
    let hello: () => void = () => undefined;
    const greeted = new Promise<void>((resolve) => {
      hello = resolve;
    });
    const session = openSocketSession(
      // What arrives meanwhile is not acknowledged, so that Slack sends it to a bot that works.
      { appToken, apiUrl, clock, logger, receive: async () => undefined, ...network },
      () => {
        isUp = true;
        hello();
      },
    );
    const end = await Promise.race([greeted, session.ended]);
    if (isUp) await session.close();
    if (end === undefined) return ok("Socket Mode: Slack says hello");
    return { state: "fail", detail: `Socket Mode: ${end.reason}`, remedy: remedyFor(end.reason) };
  }

  async function endpoint(): Promise<SlackCheckOutcome> {
    const isUsual = /^[0-9a-f]{32}$/.test(secret(config.signing_secret_env));
    const address = `${publicUrl ?? "https://<this server>"}/slack/events`;
    const remedy = `Enter ${address} at api.slack.com/apps for events, interactivity and the command.`;
    if (!isUsual) {
      const what = "the signing secret is not 32 hexadecimal digits, as Slack's are";
      return { state: "warn", detail: what, remedy: "Copy the Signing Secret from Basic Information of the app." };
    }
    if (publicUrl?.startsWith("https://") === true) return ok(`Slack is expected to post to ${address}`);
    return { state: "warn", detail: "Slack posts to https addresses only, and server.public_url is none", remedy };
  }

  function place(conversation: ConversationRef): Promise<SlackCheckOutcome> {
    return answered("Look at the conversation's id and workspace.", async () => {
      const { workspace, conversation: id } = conversation;
      if (/^[UW]/.test(id)) return ok("a person, by direct message");
      const found = await client.conversationInfo(workspace, id);
      const invite = "Invite the bot there with /invite, or correct the id.";
      if (found === null) return { state: "fail", detail: "the bot cannot see this conversation", remedy: invite };
      const name = found.name === undefined ? id : `#${found.name}`;
      if (found.isArchived) {
        return { state: "fail", detail: `${name} is archived`, remedy: "Unarchive it, or remove its subscriptions." };
      }
      if (found.isMember) {
        writable ??= conversation;
        return ok(`the bot is in ${name}`);
      }
      if (found.kind !== "public") return { state: "fail", detail: `the bot is not in ${name}`, remedy: invite };
      return {
        state: "warn",
        detail: `the bot is not in ${name}; it can post there with chat:write.public`,
        remedy: invite,
      };
    });
  }

  function proof(): Promise<SlackCheckOutcome> {
    return answered("Look at the fault above; the bot needs chat:write and a conversation that it is in.", async () => {
      if (writable === undefined) {
        const remedy = "Subscribe a conversation that the bot is in, then look again.";
        return { state: "warn", detail: "no card was posted: there is no conversation to post it in", remedy };
      }
      const page = await words.page("slack.proof", options.locale);
      const ref = await client.send({ conversation: writable }, page, options.ids.next("doctor"));
      await client.remove(ref);
      return ok(`a card was posted in ${writable.conversation} and removed`);
    });
  }

  const many = workspaces.length > 1;
  return [
    ...(workspaces.length === 0 ? [{ name: "slack:installations", run: async () => nowhere(publicUrl) }] : []),
    ...workspaces.flatMap((tokenOf, index) => {
      const suffix = many ? `:${index + 1}` : "";
      return [
        { name: `slack:token${suffix}`, run: () => token(tokenOf) },
        { name: `slack:scopes${suffix}`, run: () => scopes(tokenOf) },
      ];
    }),
    { name: "slack:connection", run: config.transport === "socket" ? connection : endpoint },
    ...places.map((one) => ({ name: `slack:conversation:${one.conversation}`, run: () => place(one) })),
    { name: "slack:proof", run: proof },
  ];
}

function ok(detail: string): SlackCheckOutcome {
  return { state: "ok", detail };
}

function nowhere(publicUrl: string | undefined): SlackCheckOutcome {
  const remedy = `Open ${publicUrl ?? "https://<this server>"}/slack/install and give consent.`;
  return { state: "fail", detail: "the app is installed in no workspace", remedy };
}

/** What Slack refuses is a finding, not a fault of the doctor. */
async function answered(remedy: string, look: () => Promise<SlackCheckOutcome>): Promise<SlackCheckOutcome> {
  try {
    return await look();
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    const isReachable = thrown instanceof ChannelError && thrown.fault !== "not_sent" && thrown.fault !== "uncertain";
    const network = "Look at the network and the proxy, then at status.slack.com.";
    return { state: "fail", detail: messageOf(thrown), remedy: isReachable ? remedy : network };
  }
}

function installRemedy(publicUrl: string | undefined, config: SlackChannelConfig): string {
  return `Get a new token: ${reinstall(publicUrl, config)}.`;
}

function reinstall(publicUrl: string | undefined, { oauth }: SlackChannelConfig): string {
  if (oauth !== undefined) return `install the app again at ${publicUrl ?? "https://<this server>"}/slack/install`;
  return "install the app again there and put its Bot User OAuth Token into the variable";
}
