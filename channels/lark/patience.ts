// What the channel sends by itself, outside of the core's queue, is tried again when what stands in its way passes.
import { ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** Tries of one message; each has the same key, so that it shows once (a card that one person sees may show twice to them). */
const TRIES = 4;
const MAX_WAIT_MS = 30_000;

/** @param waits is told before each wait, ms. Throws what the last try threw. */
export async function patiently<T>(send: () => Promise<T>, clock: Clock, waits: (ms: number) => void): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await send();
    } catch (thrown) {
      const wait = waitAfter(thrown, tried);
      if (wait === null) throw thrown;
      waits(wait);
      await new Promise<void>((resolve) => void clock.after(wait, resolve));
    }
  }
}

/** ms until the next try; null when there is none. */
function waitAfter(thrown: unknown, tried: number): number | null {
  if (!(thrown instanceof ChannelError) || tried >= TRIES) return null;
  const passes = thrown.fault === "not_sent" || thrown.fault === "uncertain" || thrown.fault === "rate_limited";
  if (!passes) return null;
  return Math.min(thrown.retryAfterMs ?? 1_000 * 2 ** (tried - 1), MAX_WAIT_MS);
}
