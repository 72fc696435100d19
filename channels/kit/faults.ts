// Turns what a channel's client threw into the ChannelError that tells the sender what to do.
import { AppError } from "../../src/core/errors.ts";
import { ChannelError } from "../../src/ports/channel.ts";

/** Runs a call; whatever it throws comes out as a ChannelError. A retryable fault is `uncertain`: the call may have been done. */
export async function asChannelCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof ChannelError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const willNeverWork = thrown instanceof AppError && !thrown.retryable;
    throw new ChannelError(willNeverWork ? "rejected" : "uncertain", message, { cause: thrown });
  }
}

/** For the members that a channel's capabilities deny: the core never calls them. */
export function denied(channel: string, member: string): ChannelError {
  return new ChannelError("rejected", `The ${channel} channel has no ${member}.`);
}
