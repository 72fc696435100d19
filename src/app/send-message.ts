// Sends one message of a delivery under its key: the intent is committed first, and what may have arrived is looked for, never repeated.
import type { Attachment, Page } from "../core/card.ts";
import type { MessageRef, OutboxMessage, PlannedDelivery, Target } from "../core/delivery.ts";
import { type Channel, ChannelError, type ChannelFault } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { ClaimedDelivery, Store } from "../ports/store.ts";

/** Where a process may die, in the order of a message's life; drills kill it at each. */
export const crashPoints = ["claimed", "planned", "marked", "posted", "settled", "found", "refitted", "ended"] as const;
export type CrashPoint = (typeof crashPoints)[number];

export interface SendMessagePorts {
  readonly store: Pick<Store, "markSending" | "settleMessage">;
  readonly clock: Clock;
  /** After the last try, how long a request may still be travelling before its message may be called absent, ms. */
  readonly settleMs: number;
  readonly at: (point: CrashPoint) => void;
}

export type SendOutcome =
  | { readonly kind: "sent"; readonly ref: MessageRef }
  /** Nobody can tell whether it was sent: it is never sent again, and what follows it goes on. */
  | { readonly kind: "unknown" }
  /** It may still be arriving: look again after so many ms. */
  | { readonly kind: "travelling"; readonly waitMs: number }
  | { readonly kind: "lost_lease" }
  | {
      readonly kind: "refused";
      readonly fault: ChannelFault;
      readonly error: string;
      /** The least time before another try, ms. */
      readonly retryAfterMs: number;
    };

export type SendMessage = (
  claimed: ClaimedDelivery,
  channel: Channel,
  message: OutboxMessage,
  root: MessageRef | undefined,
) => Promise<SendOutcome>;

export function createSendMessage({ store, clock, settleMs, at }: SendMessagePorts): SendMessage {
  return async (claimed, channel, message, root) => {
    const target = targetOf(claimed.delivery, message, channel.capabilities.thread === "none" ? undefined : root);
    try {
      // An edit is the same however often it is made; only what it may have become, a new message, is looked for.
      if (message.state === "sending" && message.edits === undefined) {
        const looked = await lookFor(claimed, channel, message, target);
        if (looked !== "absent") return looked;
      }
      const { key } = message;
      if (!(await store.markSending({ message: key, token: claimed.token, now: clock.now() }))) {
        return { kind: "lost_lease" };
      }
      at("marked");
      const posted = await post(claimed, channel, message, target);
      if (posted.kind !== "sent") return posted;
      at("posted");
      await settle(claimed, message, posted.ref);
      return posted;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      if (!(thrown instanceof ChannelError)) return { kind: "refused", fault: "uncertain", error, retryAfterMs: 0 };
      return { kind: "refused", fault: thrown.fault, error, retryAfterMs: thrown.retryAfterMs ?? 0 };
    }
  };

  async function post(
    claimed: ClaimedDelivery,
    channel: Channel,
    message: OutboxMessage,
    target: Target,
  ): Promise<SendOutcome> {
    const content = JSON.parse(message.page) as Page | Attachment;
    if (!("card" in content)) return sent(await channel.attach(target, content, message.key));
    if (message.edits === undefined) return sendAnew(channel, message, target, content);
    try {
      await channel.edit(message.edits, content);
      return sent(message.edits);
    } catch (thrown) {
      if (!(thrown instanceof ChannelError) || thrown.fault !== "gone") throw thrown;
    }
    // A reply whose message is gone has nothing to correct any more.
    if (message.role === "thread") return { kind: "unknown" };
    // The message to replace was deleted: a new one takes its place, once.
    if (message.state === "sending") {
      const looked = await lookFor(claimed, channel, message, target);
      if (looked !== "absent") return looked;
    }
    return sent(await channel.send(target, content, message.key));
  }

  /** A reply whose root was deleted stands by itself: a dead root stops no lane. */
  async function sendAnew(channel: Channel, message: OutboxMessage, target: Target, page: Page): Promise<SendOutcome> {
    try {
      return sent(await channel.send(target, page, message.key));
    } catch (thrown) {
      const isOrphan = thrown instanceof ChannelError && thrown.fault === "gone" && target.thread !== undefined;
      if (!isOrphan) throw thrown;
      const { thread: _, ...open } = target;
      return sent(await channel.send(open, page, message.key));
    }
  }

  /** A message found in `sending`: settle, look, and only then send again. */
  async function lookFor(
    claimed: ClaimedDelivery,
    channel: Channel,
    message: OutboxMessage,
    target: Target,
  ): Promise<SendOutcome | "absent"> {
    const since = message.firstTriedAt ?? claimed.createdAt;
    if (!channel.capabilities.find) return { kind: "unknown" };
    const found = await channel.find(target, message.key, since).catch(stillUncertain);
    if (typeof found === "object") {
      at("found");
      await settle(claimed, message, found);
      return sent(found);
    }
    if (found === "unknown") return { kind: "unknown" };
    // The newest try counts: the one before it may have been answered long ago.
    const age = clock.now() - (message.lastTriedAt ?? since);
    return age >= settleMs ? "absent" : { kind: "travelling", waitMs: settleMs - age };
  }

  async function settle(claimed: ClaimedDelivery, message: OutboxMessage, ref: MessageRef): Promise<void> {
    const { token } = claimed;
    await store.settleMessage({ message: message.key, token, state: "sent", ref, now: clock.now() });
    at("settled");
  }
}

/** A look that failed has found out nothing: whatever the look itself suffered, the message may have been sent. Always throws. */
function stillUncertain(thrown: unknown): never {
  if (!(thrown instanceof ChannelError) || thrown.fault === "forbidden" || thrown.fault === "gone") throw thrown;
  const { message, retryAfterMs } = thrown;
  throw new ChannelError("uncertain", message, {
    cause: thrown,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function sent(ref: MessageRef): SendOutcome {
  return { kind: "sent", ref };
}

function targetOf(delivery: PlannedDelivery, message: OutboxMessage, root: MessageRef | undefined): Target {
  const { conversation, onlyFor, thread } = delivery.target;
  if (message.role === "thread" && root !== undefined) return { conversation, thread: root.thread ?? root.message };
  if (message.role === "private" && onlyFor !== undefined) {
    return { conversation, onlyFor, ...(thread === undefined ? {} : { thread }) };
  }
  return { conversation, ...(message.role === "root" || thread === undefined ? {} : { thread }) };
}
