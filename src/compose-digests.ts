// Composes the sending of digests, apart from the rest, so that a server that starts does not wait for calendars to load.
import { createRestrain } from "./app/restrain.ts";
import { createSendDigests, type SendDigests } from "./app/send-digest.ts";
import type { Config } from "./config/config.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Subscriptions } from "./ports/listeners.ts";
import type { Logger } from "./ports/logger.ts";
import type { Store } from "./ports/store.ts";
import { dueSlots } from "./schedule/due-slots.ts";

export interface DigestsFoundation {
  readonly config: Pick<Config, "repositories">;
  readonly store: Store;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly wake: () => void;
}

export function composeDigests({ config, ...foundation }: DigestsFoundation): SendDigests {
  const { store, clock } = foundation;
  const repositories = config.repositories.map(({ alias }) => alias);
  return createSendDigests({ ...foundation, repositories, dueSlots, restrain: createRestrain({ store, clock }) });
}
