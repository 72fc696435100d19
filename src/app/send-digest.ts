// Sends what is due: each slot of a subscription is decided once, in the store, whatever clocks and restarts do.

import type { PlannedDelivery } from "../core/delivery.ts";
import { CATCH_UP_MS, type DueSlot, isQuiet } from "../core/digest.ts";
import type { Subscription } from "../core/subscription.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Subscriptions } from "../ports/listeners.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { Restrain } from "./restrain.ts";

export interface SendDigestPorts {
  readonly store: Pick<Store, "takeDigestSlot" | "lastDigestSlot" | "digestNumbers">;
  readonly subscriptions: Pick<Subscriptions, "of">;
  readonly repositories: readonly string[];
  /** The newest moments of a cron expression that are due at a time, the newest first. */
  readonly dueSlots: (cron: string, timeZone: string, now: number, count: number) => readonly DueSlot[];
  readonly restrain: Restrain;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Tells the senders that something is owed. */
  readonly wake: () => void;
}

/** Decides every digest that is due now; safe to be called at any time, by several processes too. */
export type SendDigests = () => Promise<void>;

export function createSendDigests(ports: SendDigestPorts): SendDigests {
  const { store, clock, logger } = ports;

  return async () => {
    for (const repository of ports.repositories) {
      for (const subscription of await ports.subscriptions.of(repository)) {
        if (subscription.digest === undefined) continue;
        try {
          await decide(subscription, subscription.digest);
        } catch (thrown) {
          // One subscription's trouble is not the others'.
          const error = thrown instanceof Error ? thrown.message : String(thrown);
          logger.error("digest.failed", { subscription: subscription.id, error });
        }
      }
    }
  };

  async function decide(subscription: Subscription, cron: string): Promise<void> {
    const now = clock.now();
    const [due, earlier] = ports.dueSlots(cron, subscription.timeZone ?? "UTC", now, 2);
    if (due === undefined) return;
    const last = await store.lastDigestSlot(subscription.id);
    // After a clock that was set back, what is due now was due before: its slot is decided already.
    if (last !== null && due.dueAt <= last.dueAt) return;
    const from = last?.reportedTo ?? earlier?.dueAt ?? due.dueAt - 86_400_000;
    const taken = { subscription: subscription.id, slot: due.slot, dueAt: due.dueAt, now };
    if (now - due.dueAt > CATCH_UP_MS) {
      if ((await store.takeDigestSlot({ ...taken, outcome: "skipped" })) === "yours") {
        logger.warn("digest.skipped", { subscription: subscription.id, slot: due.slot });
      }
      return;
    }
    const { conversation, repository } = subscription;
    if (isQuiet(await store.digestNumbers({ conversation, repository, from, to: due.dueAt }))) {
      await store.takeDigestSlot({ ...taken, outcome: "empty" });
      return;
    }
    const delivery = await owed(subscription, from, due.dueAt);
    if ((await store.takeDigestSlot({ ...taken, outcome: "sent", delivery })) === "yours") ports.wake();
  }

  async function owed(subscription: Subscription, from: number, to: number): Promise<PlannedDelivery> {
    const { conversation, repository, locale, timeZone = "UTC" } = subscription;
    return {
      id: ports.ids.next("dl"),
      kind: "digest",
      target: { conversation },
      locale,
      facts: { digest: { repository, from, to, timeZone } },
      ...(await ports.restrain(subscription)),
    };
  }
}
