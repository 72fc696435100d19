// The doctor's checks of Discord, made from the settings alone: nothing is connected, and nobody else is disturbed.
import type { ConversationRef } from "../../src/core/delivery.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Texts } from "../../src/ports/texts.ts";
import { createDiscordClient } from "./client.ts";
import type { DiscordChannelConfig } from "./config.ts";
import { type DiscordCheck, discordDoctor } from "./doctor.ts";
import { createOpenInteractions } from "./open-interactions.ts";
import { createDiscordRest } from "./rest.ts";

export interface DiscordChecksOptions {
  readonly config: DiscordChannelConfig;
  /** Reads an environment variable. */
  readonly secret: (name: string) => string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly commandName: string;
  /** Those that are subscribed to something; of other channels too. */
  readonly conversations: readonly ConversationRef[];
  readonly texts: () => Promise<Texts>;
  /** Language of the proof. Default: English. */
  readonly locale?: string;
}

/** Each posts nothing but the proof in a subscribed channel, which it deletes. */
export function discordChecks(options: DiscordChecksOptions): readonly DiscordCheck[] {
  const { config, secret, clock, logger, texts } = options;
  const token = (secret(config.bot_token_env) ?? "").trim();
  if (token === "") {
    const detail = `The environment variable ${config.bot_token_env} is not set.`;
    const remedy = `Put the bot's token of the application ${config.application_id} into it.`;
    return [{ name: "discord:token", run: async () => ({ state: "fail", detail, remedy }) }];
  }
  const rest = createDiscordRest({ token, apiUrl: config.api_url });
  const interactions = createOpenInteractions(clock);
  const applicationId = config.application_id;
  const client = createDiscordClient({ rest, applicationId, interactions, clock, logger, texts });
  return discordDoctor({ ...options, rest, client });
}
