// Does the work of an event once, however often Slack sends it: claimed before, settled after, released when it had no effect.
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { settleAfter } from "../kit/settle-after.ts";
import { channelName } from "./inbound.ts";

/**
 * Runs `work` when nobody has done it, and settles the event. What `work` throws is thrown after the event is released, so that
 * the next copy may do it. A copy that comes while the first is at work shares its outcome, and so is not acknowledged before.
 * Settles with whether the work was done by this call.
 */
export type Once = (key: string, work: () => Promise<void>) => Promise<boolean>;

export function createOnce({ store, clock }: { readonly store: ChannelStore; readonly clock: Clock }): Once {
  const running = new Map<string, Promise<boolean>>();

  async function run(key: string, work: () => Promise<void>): Promise<boolean> {
    const event = { channel: channelName, key };
    if (!(await store.claimEvent(event, clock.now()))) return false;
    await settleAfter({ store, clock }, event, work);
    return true;
  }

  return (key, work) => {
    const first = running.get(key);
    if (first !== undefined) return first.then(() => false);
    const doing = run(key, work).finally(() => running.delete(key));
    running.set(key, doing);
    return doing;
  };
}
