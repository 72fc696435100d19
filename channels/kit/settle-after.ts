// Ends a claimed event as its work ends: settled when it is done, given back when it had no effect.
import type { ChannelStore, PlatformEvent } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** What `work` throws is thrown on, after the next copy of the event may claim it. */
export async function settleAfter(
  { store, clock }: { readonly store: Pick<ChannelStore, "settleEvent" | "releaseEvent">; readonly clock: Clock },
  event: PlatformEvent,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    await store.releaseEvent(event);
    throw thrown;
  }
  await store.settleEvent(event, clock.now());
}
