// Everything that is heard, whichever way it comes: the dispatcher with all handlers, and what still goes on behind them.
import type { Inbox } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { type Background, createBackground } from "./background.ts";
import { createClick } from "./click.ts";
import type { LarkClient } from "./client.ts";
import type { LarkChannelConfig } from "./config.ts";
import { createEventClaims } from "./event-claims.ts";
import type { Hearing } from "./inbound.ts";
import type { People } from "./people.ts";
import { createReceive } from "./receive.ts";
import { createShowReply } from "./reply.ts";
import { createLarkDispatcher, type LarkDispatcher } from "./sdk.ts";
import type { Words } from "./words.ts";

export interface HearingPorts {
  readonly config: Pick<LarkChannelConfig, "menu">;
  readonly inbox: Inbox;
  readonly channel: Pick<LarkClient, "send" | "remove" | "react" | "tellsElsewhere">;
  readonly words: Words;
  readonly people: People;
  readonly store: ChannelStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hearing: Hearing;
}

export interface HearingSide {
  readonly dispatcher: LarkDispatcher;
  readonly background: Background;
  /** Settles when nothing goes on any more, or after `ms`. */
  ended(ms: number): Promise<void>;
}

export function createHearing(ports: HearingPorts): HearingSide {
  const { config, inbox, channel, words, people, store, clock, logger, hearing } = ports;
  const background = createBackground(clock, logger);
  const claims = createEventClaims({ store, clock });
  const show = createShowReply({ channel, words, clock, logger });
  const receive = createReceive(
    { inbox, claims, show, people, menu: config.menu, store, background, clock, logger },
    hearing,
  );
  const click = createClick({ inbox, claims, channel, words, people, background, clock, logger }, hearing);
  const dispatcher = createLarkDispatcher({ handlers: { ...receive, "card.action.trigger": click }, logger });
  return {
    dispatcher,
    background,
    async ended(ms) {
      await claims.ended(ms);
      await background.ended(ms);
    },
  };
}
