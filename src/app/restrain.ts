// What holds a subscribed conversation back from hearing: a mute, which beats everything, a pause, or its quiet hours.
import { quietUntil } from "../core/quiet-hours.ts";
import type { Subscription } from "../core/subscription.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";

/** Parts of a planned delivery: a reason suppresses it, a due time puts it off. */
export type Restraint =
  | { readonly reason: "muted" | "paused" }
  | { readonly dueAt: number }
  | Readonly<Record<string, never>>;

export type Restrain = (subscription: Subscription) => Promise<Restraint>;

export function createRestrain({
  store,
  clock,
}: {
  readonly store: Pick<Store, "mutesIn" | "isPaused">;
  readonly clock: Clock;
}): Restrain {
  return async ({ conversation, repository, quiet, timeZone }) => {
    const now = clock.now();
    const mutes = await store.mutesIn(conversation, now);
    if (mutes.some((mute) => mute.repository === undefined || mute.repository === repository)) {
      return { reason: "muted" };
    }
    if (await store.isPaused(conversation)) return { reason: "paused" };
    // Everything waits, grave problems too: who wants to be woken by them leaves quiet hours out.
    const dueAt = quiet === undefined ? null : quietUntil(now, quiet, timeZone ?? "UTC");
    return dueAt === null ? {} : { dueAt };
  };
}
