// Empties the outbox: one ordered lane per conversation, composed once, sent with its key, looked for before it is sent again.
import type { PlannedAction } from "../core/action.ts";
import type { Attachment, Page } from "../core/card.ts";
import type { MessageRef, OutboxMessage, PlannedDelivery, Target } from "../core/delivery.ts";
import type { MessageKey } from "../core/ids.ts";
import { type Channel, ChannelError } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Logger } from "../ports/logger.ts";
import type { ClaimedDelivery, PlannedMessage, Store } from "../ports/store.ts";

/** How long a lane is leased to its sender, ms. */
const LEASE_MS = 60_000;
/** After a crash, how long a request may still be travelling before we look for its message, ms. */
const SETTLE_MS = 30_000;
/** Waits before the n-th retry, ms; the last one repeats. */
const RETRY_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;
const MAX_ATTEMPTS = 12;

export interface ComposedMessage {
  readonly role: PlannedMessage["role"];
  /** What is sent: a page, or a file for text that fits no page. */
  readonly content: Page | Attachment;
  /** The message that this page replaces in place. */
  readonly edits?: MessageRef;
  readonly fingerprint?: string;
  /** The buttons that the page shows, or will show. */
  readonly actions?: readonly PlannedAction[];
}

/** Makes the messages of a delivery; `halved` after the platform refused their size. */
export type ComposeDelivery = (
  delivery: PlannedDelivery,
  channel: Channel,
  halved: boolean,
) => Promise<readonly ComposedMessage[]>;

export interface DeliverPorts {
  readonly store: Pick<
    Store,
    "claimDelivery" | "planMessages" | "replanMessages" | "markSending" | "settleMessage" | "settleDelivery"
  >;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly compose: ComposeDelivery;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Sends what is owed in one lane; false when no lane is due. */
export type DeliverNext = () => Promise<boolean>;

export function createDeliverNext(ports: DeliverPorts): DeliverNext {
  const { store, channels, clock, ids, logger } = ports;

  return async () => {
    const token = ids.token();
    const claimed = await store.claimDelivery({ token, leaseMs: LEASE_MS, now: clock.now() });
    if (claimed === null) return false;
    const { delivery } = claimed;
    const channel = channels.get(delivery.target.conversation.channel);
    if (channel === undefined) {
      await end(claimed, "dead", `the channel ${delivery.target.conversation.channel} is not configured`);
      return true;
    }
    try {
      await deliver(claimed, channel);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      logger.error("delivery.failed", { delivery: delivery.id, error: message });
      if (claimed.attempt >= MAX_ATTEMPTS) await end(claimed, "dead", message);
      else await putOff(claimed, retryDelay(claimed.attempt), message);
    }
    return true;
  };

  async function deliver(claimed: ClaimedDelivery, channel: Channel): Promise<void> {
    const messages = claimed.messages.length > 0 ? claimed.messages : await plan(claimed, channel);
    const last = await sendAll(claimed, channel, messages, claimed.messages.length > 0);
    if (last === "sent") await end(claimed, "sent");
  }

  async function plan(claimed: ClaimedDelivery, channel: Channel): Promise<readonly OutboxMessage[]> {
    const composed = await ports.compose(claimed.delivery, channel, false);
    const planned = numbered(claimed.delivery, composed);
    const stored = await store.planMessages({
      delivery: claimed.delivery.id,
      token: claimed.token,
      messages: planned,
      now: clock.now(),
    });
    if (!stored) throw new Error("the lane's lease was lost");
    return planned.map((message) => ({ ...message, delivery: claimed.delivery.id, state: "pending", attempts: 0 }));
  }

  /** Sends what is not sent yet, in order; stops at the first message that must wait. */
  async function sendAll(
    claimed: ClaimedDelivery,
    channel: Channel,
    messages: readonly OutboxMessage[],
    resumed: boolean,
  ): Promise<"sent" | "stopped"> {
    let root: MessageRef | undefined;
    for (const message of messages) {
      if (message.role === "root" && message.state === "sent") root = message.ref ?? root;
      if (message.state !== "pending" && message.state !== "sending") continue;
      const outcome = await sendOne(claimed, channel, message, root, resumed);
      if (outcome === "stopped") return "stopped";
      if (message.role === "root" && outcome !== null) root = outcome;
    }
    return "sent";
  }

  async function sendOne(
    claimed: ClaimedDelivery,
    channel: Channel,
    message: OutboxMessage,
    root: MessageRef | undefined,
    resumed: boolean,
  ): Promise<MessageRef | null | "stopped"> {
    const target = targetOf(claimed.delivery, message, channel.capabilities.thread === "none" ? undefined : root);
    if (resumed && message.state === "sending" && message.edits === undefined) {
      const found = await lookFor(claimed, channel, message, target);
      if (found !== "resend") return found;
    }
    const { token } = claimed;
    const leased = await store.markSending({ message: message.key, token, now: clock.now() });
    if (!leased) return "stopped";
    try {
      const ref = await post(channel, target, message);
      await store.settleMessage({ message: message.key, token, state: "sent", ref, now: clock.now() });
      return ref;
    } catch (thrown) {
      return afterFault(claimed, channel, message, thrown);
    }
  }

  async function post(channel: Channel, target: Target, message: OutboxMessage): Promise<MessageRef> {
    const content = JSON.parse(message.page) as Page | Attachment;
    if (!("card" in content)) return channel.attach(target, content, message.key);
    const page = content;
    if (message.edits === undefined) return channel.send(target, page, message.key);
    try {
      await channel.edit(message.edits, page);
      return message.edits;
    } catch (thrown) {
      // The message to replace is gone: it is replaced by a new one, once.
      if (thrown instanceof ChannelError && thrown.fault === "gone") return channel.send(target, page, message.key);
      throw thrown;
    }
  }

  /** A message found in `sending` after a crash: settle, look, and only then send again. */
  async function lookFor(
    claimed: ClaimedDelivery,
    channel: Channel,
    message: OutboxMessage,
    target: Target,
  ): Promise<MessageRef | null | "stopped" | "resend"> {
    const since = message.firstTriedAt ?? claimed.createdAt;
    if (!channel.capabilities.find) {
      await settle(claimed, message, "unknown", "it may have been sent before a restart");
      return null;
    }
    const found = await channel.find(target, message.key, since);
    if (typeof found === "object") {
      const { token } = claimed;
      await store.settleMessage({ message: message.key, token, state: "sent", ref: found, now: clock.now() });
      return found;
    }
    if (found === "unknown") {
      await settle(claimed, message, "unknown", "the platform cannot tell whether it was sent");
      return null;
    }
    const age = clock.now() - since;
    if (age >= SETTLE_MS) return "resend";
    await putOff(claimed, SETTLE_MS - age, "waiting until a request in flight must have arrived");
    return "stopped";
  }

  async function afterFault(
    claimed: ClaimedDelivery,
    channel: Channel,
    message: OutboxMessage,
    thrown: unknown,
  ): Promise<null | "stopped"> {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    const fault = thrown instanceof ChannelError ? thrown.fault : "uncertain";
    logger.warn("message.refused", { message: message.key, fault, error: text });
    if (fault === "too_large" && claimed.messages.length === 0) {
      const composed = await ports.compose(claimed.delivery, channel, true);
      const messages = numbered(claimed.delivery, composed);
      const { token } = claimed;
      await store.replanMessages({ delivery: claimed.delivery.id, token, messages, now: clock.now() });
      await putOff(claimed, 0, text);
      return "stopped";
    }
    if (fault === "rejected" || fault === "forbidden" || fault === "too_large" || fault === "gone") {
      await settle(claimed, message, "dead", text);
      if (message.role !== "root") return null;
      await end(claimed, "dead", text);
      return "stopped";
    }
    if (claimed.attempt >= MAX_ATTEMPTS) {
      await settle(claimed, message, fault === "uncertain" ? "unknown" : "dead", text);
      await end(claimed, "dead", text);
      return "stopped";
    }
    if (fault !== "uncertain") await settle(claimed, message, "pending", text);
    const asked = thrown instanceof ChannelError ? (thrown.retryAfterMs ?? 0) : 0;
    await putOff(claimed, Math.max(asked, retryDelay(claimed.attempt)), text);
    return "stopped";
  }

  async function settle(
    claimed: ClaimedDelivery,
    message: OutboxMessage,
    state: "pending" | "unknown" | "dead",
    error: string,
  ): Promise<void> {
    await store.settleMessage({ message: message.key, token: claimed.token, state, error, now: clock.now() });
  }

  async function end(claimed: ClaimedDelivery, state: "sent" | "dead", error?: string): Promise<void> {
    const { delivery, token } = claimed;
    const reason = error === undefined ? {} : { error };
    await store.settleDelivery({ delivery: delivery.id, token, state, ...reason, now: clock.now() });
  }

  async function putOff(claimed: ClaimedDelivery, delayMs: number, error: string): Promise<void> {
    const { delivery, token } = claimed;
    const now = clock.now();
    await store.settleDelivery({ delivery: delivery.id, token, state: "pending", dueAt: now + delayMs, error, now });
  }
}

function numbered(delivery: PlannedDelivery, messages: readonly ComposedMessage[]): readonly PlannedMessage[] {
  return messages.map(({ role, content, edits, fingerprint, actions }, index) => {
    const key: MessageKey = `${delivery.id}/${index}`;
    return {
      key,
      role,
      page: JSON.stringify(content),
      ...(edits === undefined ? {} : { edits }),
      ...(fingerprint === undefined ? {} : { fingerprint }),
      ...(actions === undefined ? {} : { actions }),
    };
  });
}

function targetOf(delivery: PlannedDelivery, message: OutboxMessage, root: MessageRef | undefined): Target {
  const { conversation, onlyFor, thread } = delivery.target;
  if (message.role === "thread" && root !== undefined) return { conversation, thread: root.message };
  if (message.role === "private" && onlyFor !== undefined) {
    return { conversation, onlyFor, ...(thread === undefined ? {} : { thread }) };
  }
  return { conversation, ...(message.role === "root" || thread === undefined ? {} : { thread }) };
}

function retryDelay(attempt: number): number {
  return RETRY_MS[Math.min(attempt, RETRY_MS.length) - 1] ?? RETRY_MS[0];
}
