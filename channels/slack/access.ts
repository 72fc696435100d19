// By which right the bot acts: the one token of the environment, or the tokens of the workspaces that installed the app.
import { AppError } from "../../src/core/errors.ts";
import { ChannelError, type ChannelHealth, type InboundLifecycle } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { createSealing } from "../kit/sealing.ts";
import type { SlackBot, SlackIdentity } from "./client-types.ts";
import type { SlackChannelConfig } from "./config.ts";
import { createInstall, installPath } from "./install.ts";
import { createInstallations, createSingleInstallation } from "./installations.ts";
import { createOAuthCalls } from "./oauth-calls.ts";
import { messageOf } from "./spoken.ts";
import type { Words } from "./words.ts";

export interface AccessOptions {
  readonly config: SlackChannelConfig;
  /** Throws AppError `config` when the variable is not set. */
  readonly secret: (name: string | undefined) => string;
  readonly store: ChannelStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly publicUrl?: string;
  readonly words: Words;
  readonly authTest: (token: string) => Promise<SlackIdentity>;
  readonly installed: (workspace: string) => Promise<void>;
  readonly fetch?: typeof globalThis.fetch;
}

export interface Access {
  readonly bot: (workspace: string) => Promise<SlackBot>;
  /** Slack refused the token of a workspace. */
  readonly refused: (workspace: string, code: string) => void;
  readonly onLifecycle: (event: InboundLifecycle) => Promise<void>;
  /** Looks who the bot is. The fault when Slack refuses its token; null when all is well, or Slack cannot be asked yet. */
  start(): Promise<AppError | null>;
  stop(): void;
  health(): ChannelHealth;
  /** Answers the two addresses of the installation. */
  readonly install?: (request: Request) => Promise<Response>;
  /** Where an administrator installs the app. */
  readonly installUrl?: string;
}

/** The time between two tries to learn who the bot is while Slack cannot be reached, ms. */
const FIRST_TRY_MS = 5_000;
const LONGEST_TRY_MS = 60_000;

export function createAccess(options: AccessOptions): Access {
  const { config } = options;
  return config.oauth === undefined ? singleAccess(options) : installedAccess(options, config.oauth);
}

function singleAccess({ config, secret, authTest, clock, logger }: AccessOptions): Access {
  const installation = createSingleInstallation(secret(config.bot_token_env), authTest, logger);
  const { dead } = installation;
  let isKnown = false;
  let isStopped = false;
  let cancel: () => void = () => undefined;

  async function look(waitMs: number): Promise<AppError | null> {
    try {
      const { workspace } = await installation.identity();
      isKnown = true;
      logger.info("slack.identified", { workspace });
      return null;
    } catch (thrown) {
      const message = messageOf(thrown);
      if (thrown instanceof ChannelError && thrown.fault === "auth") {
        installation.refused("*", message);
        return new AppError("config", `Slack refuses the bot's token. ${message}`, { remedy: tokenRemedy });
      }
      logger.warn("slack.not_identified", { error: message, waitMs });
      if (!isStopped) {
        cancel = clock.after(waitMs, () => {
          void look(Math.min(LONGEST_TRY_MS, waitMs * 2));
        });
      }
      return null;
    }
  }

  return {
    bot: installation.bot,
    refused: installation.refused,
    async onLifecycle(event) {
      if (event.kind === "uninstalled") installation.refused(event.workspace, "app_uninstalled");
    },
    start: () => look(FIRST_TRY_MS),
    stop() {
      isStopped = true;
      cancel();
    },
    health() {
      const [code] = dead.values();
      if (code !== undefined)
        return { state: "down", detail: `Slack refuses the bot's token (${code}). ${tokenRemedy}` };
      return isKnown ? { state: "up" } : { state: "starting", detail: "Slack has not yet said who the bot is." };
    },
  };
}

const tokenRemedy =
  "Install the app again at api.slack.com/apps and put the new Bot User OAuth Token into its variable.";

function installedAccess(options: AccessOptions, oauth: NonNullable<SlackChannelConfig["oauth"]>): Access {
  const { config, secret, publicUrl } = options;
  if (publicUrl === undefined) {
    throw new AppError("config", "Installing Slack's app in several workspaces needs the server's public address.", {
      remedy: "Set server.public_url, and allow <that address>/slack/oauth_redirect as a redirect URL of the app.",
    });
  }
  const clientSecret = secret(oauth.client_secret_env);
  const sealing = createSealing(oauth.token_key_envs.map((name) => ({ name, key: secret(name) })));
  const calls = createOAuthCalls({
    apiUrl: config.api_url,
    clientId: oauth.client_id,
    clientSecret,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  const installations = createInstallations({ ...options, sealing, calls });
  const installUrl = `${publicUrl}${installPath}`;

  return {
    bot: installations.bot,
    refused: installations.refused,
    installUrl,
    install: createInstall({
      ...options,
      publicUrl,
      clientId: oauth.client_id,
      clientSecret,
      authorizeUrl: new URL("/oauth/v2/authorize", config.api_url).href,
      calls,
      installations,
    }),
    async onLifecycle(event) {
      if (event.kind === "uninstalled") await installations.revoke(event.workspace);
    },
    start: async () => null,
    stop() {},
    health() {
      const refused = [...installations.dead].map(([workspace, code]) => `${workspace} (${code})`);
      if (refused.length === 0) return { state: "up" };
      return {
        state: "up",
        detail: `Slack refuses the bot in ${refused.join(", ")}: install it again at ${installUrl}.`,
      };
    },
  };
}
