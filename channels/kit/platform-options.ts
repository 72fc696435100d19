// What a channel of a platform is made of; every factory takes the same, with its own settings.
import type { AppError } from "../../src/core/errors.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Texts } from "../../src/ports/texts.ts";

export interface PlatformOptions<Config> {
  readonly config: Config;
  /** The value of an environment variable. */
  readonly secret: (name: string) => string | undefined;
  readonly store: ChannelStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Name of the command that asks for a review, without its slash, where the channel's settings name none. */
  readonly commandName: string;
  /** Where people reach the server, without a slash at its end. */
  readonly publicUrl?: string;
  /** Loaded when first needed. */
  readonly texts: () => Promise<Texts>;
  /** The platform refuses the bot until its settings are corrected: the process drains and exits. */
  readonly fatal: (error: AppError) => void;
}
