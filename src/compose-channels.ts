// Composes the configured channels; each module, with its platform's SDK, is loaded only when it is configured.
import { channelModules } from "../channels/index.ts";
import type { Config } from "./config/config.ts";
import type { AppError } from "./core/errors.ts";
import type { Channel } from "./ports/channel.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import type { Texts } from "./ports/texts.ts";
import { maskChannel } from "./telemetry/mask-gates.ts";
import { createRedactor } from "./telemetry/redact.ts";

/** What people type, after the slash, where a channel's settings say nothing else. */
const COMMAND = "review";

export interface ChannelsFoundation {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly texts: () => Promise<Texts>;
  /** Called when the process cannot go on with a channel; the server then drains and exits. */
  readonly fatal: (error: AppError) => void;
}

/** Throws AppError `config` when a channel cannot be made of its settings. */
export async function composeChannels(foundation: ChannelsFoundation): Promise<Map<string, Channel>> {
  const { config, store, clock, ids, logger, texts, fatal } = foundation;
  const { web, slack, lark, discord } = config.channels;
  const made: Channel[] = [];
  const publicUrl = config.server.publicUrl === undefined ? {} : { publicUrl: config.server.publicUrl };
  if (web.enabled) {
    const { createWebChannel } = await channelModules.web();
    const reviews = { get: (id: Parameters<Store["review"]>[0]) => store.review(id) };
    made.push(createWebChannel({ config: web, chat: store.chat, reviews, ids, clock, logger, ...publicUrl }));
  }
  const secret = (name: string): string | undefined => config.channelSecrets[name];
  const common = { secret, store, clock, ids, logger, commandName: COMMAND, texts, fatal, ...publicUrl };
  if (slack?.enabled === true) {
    const { createSlackChannel } = await channelModules.slack();
    made.push(createSlackChannel({ ...common, config: slack }));
  }
  if (lark?.enabled === true) {
    const { createLarkChannel, createLarkWebhookChannel } = await channelModules.lark();
    if (lark.app_id !== undefined) made.push(createLarkChannel({ ...common, config: lark }));
    if (lark.webhooks.length > 0) made.push(createLarkWebhookChannel({ ...common, config: lark }));
  }
  if (discord?.enabled === true) {
    const { createDiscordChannel } = await channelModules.discord();
    made.push(createDiscordChannel({ ...common, config: discord }));
  }
  // Whatever was composed, and of whatever: nothing goes out to a platform with a secret in it.
  const redactor = createRedactor(config.secrets);
  return new Map(made.map((channel) => [channel.name, maskChannel(channel, redactor)]));
}
