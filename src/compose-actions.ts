// Composes the answers to buttons: what each does, who may, and how the card shows it.
import { createAuthorise } from "./app/authorise.ts";
import { createHandleAction, type HandleAction } from "./app/handle-action.ts";
import type { HandleCommand } from "./app/handle-command.ts";
import type { ShowFinding } from "./app/show-finding.ts";
import type { TellAuditors } from "./app/tell-auditors.ts";
import type { InTurn } from "./app/turns.ts";
import type { ActionCards } from "./cards/action-cards.ts";
import type { Config } from "./config/config.ts";
import type { Channel } from "./ports/channel.ts";
import type { Clock } from "./ports/clock.ts";
import type { Visibility } from "./ports/listeners.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";

export interface ActionsFoundation {
  readonly config: Config;
  readonly store: Store;
  readonly visibility: Visibility;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly cards: ActionCards;
  readonly showFinding: ShowFinding;
  readonly inTurn: InTurn;
  readonly command: HandleCommand;
  readonly tellAuditors: TellAuditors;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function composeActions(foundation: ActionsFoundation): HandleAction {
  const { config, store, visibility, channels, cards, showFinding, inTurn, command, clock, logger } = foundation;
  return createHandleAction({
    store,
    channels,
    authorise: createAuthorise({ visibility, grants: config.roles, store, clock }),
    command,
    tellAuditors: foundation.tellAuditors,
    cards,
    showFinding,
    inTurn,
    clock,
    logger,
    defaultLocale: config.language,
  });
}
