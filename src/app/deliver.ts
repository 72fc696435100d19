// Empties the outbox: one ordered lane per conversation, composed once, refitted at most twice, and never given up in silence.
import type { PlannedAction } from "../core/action.ts";
import type { Attachment, Page } from "../core/card.ts";
import type { MessageRef, OutboxMessage, PlannedDelivery } from "../core/delivery.ts";
import type { MessageKey } from "../core/ids.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Logger } from "../ports/logger.ts";
import type { ClaimedDelivery, PlannedMessage, Store } from "../ports/store.ts";
import type { GiveUp } from "./give-up.ts";
import type { LimitRate } from "./limit-rate.ts";
import { type CrashPoint, createSendMessage, type SendOutcome } from "./send-message.ts";

/** How long a lane is leased to its sender, ms. */
const LEASE_MS = 60_000;
/** After a crash, how long a request may still be travelling before we look for its message, ms. */
const SETTLE_MS = 30_000;
/** Waits before the n-th retry of what fails within the bot itself, ms; the last one repeats. */
const RETRY_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;
/** How long a platform may refuse or be away before a delivery is given up, ms. */
const PATIENCE_MS = 24 * 3_600_000;
/** Most audit lines of one message. */
const AUDIT_LINES = 30;
/** Tries of what fails within the bot itself. */
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

/** `halved` after the platform refused their size; `plain` after it refused that too, or what they hold. */
export type Fitting = "full" | "halved" | "plain";

/** Makes the messages of a delivery. */
export type ComposeDelivery = (
  delivery: PlannedDelivery,
  channel: Channel,
  fitting: Fitting,
) => Promise<readonly ComposedMessage[]>;

export interface DeliverPorts {
  readonly store: Pick<
    Store,
    | "claimDelivery"
    | "absorbAudits"
    | "planMessages"
    | "replanMessages"
    | "markSending"
    | "settleMessage"
    | "settleDelivery"
  >;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly compose: ComposeDelivery;
  /** Names this process, so that its lanes are free as soon as it is known to be dead. Absent: when their leases end. */
  readonly worker?: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Whom it concerns that something could not be delivered. Absent: the log alone. */
  readonly giveUp?: GiveUp;
  /** Absent: no limit but what the platforms answer. */
  readonly limit?: LimitRate;
  /** Default 30 s: more than a client's timeout and a platform's lag together, ms. */
  readonly settleMs?: number;
  /** Default 60 s: how long a lane stays with a sender that died, ms. */
  readonly leaseMs?: number;
  /** For drills: called at every named point of a message's life. */
  readonly at?: (point: CrashPoint) => void;
}

/** Sends what is owed in one lane; false when no lane is due. */
export type DeliverNext = () => Promise<boolean>;

/** What became of a delivery's messages: all done, or one that must wait; `undefined` is a lane that is no longer ours. */
type Progress = { readonly waitMs: number; readonly error: string } | "done" | "over";

export function createDeliverNext(ports: DeliverPorts): DeliverNext {
  const { store, channels, clock, ids, logger, settleMs = SETTLE_MS, at = () => {} } = ports;
  const sendMessage = createSendMessage({ store, clock, settleMs, at });

  return async () => {
    const token = ids.token();
    const { worker, leaseMs = LEASE_MS } = ports;
    const holder = worker === undefined ? {} : { worker };
    const claimed = await store.claimDelivery({ ...holder, token, leaseMs, now: clock.now() });
    if (claimed === null) return false;
    at("claimed");
    const { delivery } = claimed;
    const channel = channels.get(delivery.target.conversation.channel);
    if (channel === undefined) {
      await bury(claimed, `the channel ${delivery.target.conversation.channel} is not configured`);
      return true;
    }
    try {
      const progress = await deliver(claimed, channel);
      if (progress === "done") await end(claimed);
      else if (progress !== "over") await putOff(claimed, progress.waitMs, progress.error);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      logger.error("delivery.failed", { delivery: delivery.id, error: message });
      if (claimed.attempt >= MAX_ATTEMPTS) await bury(claimed, message);
      else await putOff(claimed, retryDelay(claimed.attempt), message);
    }
    return true;
  };

  /** Sends what is not sent yet, in order; stops at the first message that must wait. */
  async function deliver(claimed: ClaimedDelivery, channel: Channel): Promise<Progress> {
    const messages = claimed.messages.length > 0 ? claimed.messages : await plan(claimed, channel);
    let root: MessageRef | undefined;
    for (const message of messages) {
      if (message.role === "root" && message.state === "sent") root = message.ref ?? root;
      if (message.state !== "pending" && message.state !== "sending") continue;
      await ports.limit?.(channel.name);
      const outcome = await sendMessage(claimed, channel, message, root);
      if (outcome.kind === "sent") {
        // A reply that lost its root takes its place: the others follow it.
        const isRoot = message.role === "root" || (message.role === "thread" && outcome.ref.thread === undefined);
        if (isRoot) root = outcome.ref;
        continue;
      }
      const stop = await afterwards(claimed, channel, message, outcome, messages);
      if (stop !== null) return stop;
    }
    return "done";
  }

  async function plan(claimed: ClaimedDelivery, channel: Channel): Promise<readonly OutboxMessage[]> {
    const { delivery, token } = claimed;
    // A busy audit conversation gets one message for what waits, not one message each.
    if (delivery.kind === "audit") {
      await store.absorbAudits({ delivery: delivery.id, token, limit: AUDIT_LINES - 1, now: clock.now() });
    }
    const composed = await ports.compose(delivery, channel, "full");
    if (composed.length === 0) return [];
    const planned = numbered(delivery, composed, 0);
    const stored = await store.planMessages({
      delivery: delivery.id,
      token,
      messages: planned,
      now: clock.now(),
    });
    if (!stored) throw new Error("the lane's lease was lost");
    at("planned");
    return planned.map((message) => ({ ...message, delivery: delivery.id, state: "pending", attempts: 0 }));
  }

  /** What to do about a message that was not sent; null: go on with the next. */
  async function afterwards(
    claimed: ClaimedDelivery,
    channel: Channel,
    message: OutboxMessage,
    outcome: Exclude<SendOutcome, { kind: "sent" }>,
    messages: readonly OutboxMessage[],
  ): Promise<Progress | null> {
    if (outcome.kind === "lost_lease") return "over";
    if (outcome.kind === "travelling") {
      return { waitMs: outcome.waitMs, error: "waiting until a request in flight must have arrived" };
    }
    if (outcome.kind === "unknown") {
      await settle(claimed, message, "unknown", "it may have been sent; nobody can tell");
      return null;
    }
    const { fault, error, retryAfterMs } = outcome;
    logger.warn("message.refused", { message: message.key, fault, error });
    if (fault === "too_large" || fault === "rejected") {
      if (await refit(claimed, channel, message, messages, fault)) return { waitMs: 0, error };
      await settle(claimed, message, "dead", error);
      if (message.role !== "root") return null;
      await bury(claimed, error);
      return "over";
    }
    if (fault === "forbidden" || fault === "gone") {
      await settle(claimed, message, "dead", error);
      if (fault === "gone" && message.role !== "root") return null;
      await bury(claimed, error, fault === "forbidden");
      return "over";
    }
    if (clock.now() - claimed.createdAt >= PATIENCE_MS) {
      await settle(claimed, message, fault === "uncertain" ? "unknown" : "dead", error);
      await bury(claimed, error);
      return "over";
    }
    // What may have arrived stays in `sending`: it is looked for before it is sent again.
    if (fault !== "uncertain") await settle(claimed, message, "pending", error);
    return { waitMs: Math.max(retryAfterMs, patience(clock.now() - (message.firstTriedAt ?? clock.now()))), error };
  }

  /** Once at half the limits, then once as plain text; false when nothing smaller is left to try. */
  async function refit(
    claimed: ClaimedDelivery,
    channel: Channel,
    refused: OutboxMessage,
    messages: readonly OutboxMessage[],
    fault: "too_large" | "rejected",
  ): Promise<boolean> {
    const firstUnsent = messages.indexOf(refused);
    const cardsDone = messages.slice(0, firstUnsent + 1).filter(beginsCard).length - 1;
    for (const fitting of fault === "too_large" ? (["halved", "plain"] as const) : (["plain"] as const)) {
      const composed = await ports.compose(claimed.delivery, channel, fitting);
      let card = -1;
      const left = composed.filter((message) => {
        if (begins(message.content)) card += 1;
        return card >= cardsDone;
      });
      const { delivery, token } = claimed;
      const replanned = await store.replanMessages({
        delivery: delivery.id,
        token,
        messages: numbered(delivery, left, firstUnsent),
        fitting,
        now: clock.now(),
      });
      if (replanned) {
        at("refitted");
        return true;
      }
    }
    return false;
  }

  async function settle(
    claimed: ClaimedDelivery,
    message: OutboxMessage,
    state: "pending" | "unknown" | "dead",
    error: string,
  ): Promise<void> {
    await store.settleMessage({ message: message.key, token: claimed.token, state, error, now: clock.now() });
  }

  async function end({ delivery, token }: ClaimedDelivery): Promise<void> {
    await store.settleDelivery({ delivery: delivery.id, token, state: "sent", now: clock.now() });
    at("ended");
  }

  /** Given up, with those told who can do something about it. */
  async function bury({ delivery, token }: ClaimedDelivery, error: string, isForbidden = false): Promise<void> {
    logger.error("delivery.dead", { delivery: delivery.id, kind: delivery.kind, error });
    const notices = (await ports.giveUp?.(delivery, error, isForbidden)) ?? [];
    await store.settleDelivery({ delivery: delivery.id, token, state: "dead", error, notices, now: clock.now() });
  }

  async function putOff({ delivery, token }: ClaimedDelivery, delayMs: number, error: string): Promise<void> {
    const now = clock.now();
    await store.settleDelivery({ delivery: delivery.id, token, state: "pending", dueAt: now + delayMs, error, now });
  }
}

function beginsCard({ page }: OutboxMessage): boolean {
  return begins(JSON.parse(page) as Page | Attachment);
}

/** Whether a page is the first of its card; a file belongs to the card before it. */
function begins(content: Page | Attachment): boolean {
  return "card" in content && (content.part === undefined || content.part.number === 1);
}

/** @param first the number of the first of them, n in `<delivery>/<n>`. */
function numbered(
  delivery: PlannedDelivery,
  messages: readonly ComposedMessage[],
  first: number,
): readonly PlannedMessage[] {
  return messages.map(({ role, content, edits, fingerprint, actions }, index) => {
    const key: MessageKey = `${delivery.id}/${first + index}`;
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

/** Half of the time that it has been tried for, so that neither an outage nor a crash of the bot makes the waits explode. */
function patience(triedForMs: number): number {
  const [shortest, longest] = [RETRY_MS[0], RETRY_MS[RETRY_MS.length - 1] ?? RETRY_MS[0]];
  return Math.min(longest, Math.max(shortest, triedForMs / 2));
}

function retryDelay(attempt: number): number {
  return RETRY_MS[Math.min(attempt, RETRY_MS.length) - 1] ?? RETRY_MS[0];
}
