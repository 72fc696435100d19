// The outbox: one ordered lane per conversation, messages planned once, every step conditional on the lease's token.
import type { Database } from "better-sqlite3";
import type { DeliveryState, MessageRef } from "../../core/delivery.ts";
import { AppError } from "../../core/errors.ts";
import type { DeliveryId, MessageKey } from "../../core/ids.ts";
import type { PlannedMessage, Store } from "../../ports/store.ts";
import { type DeliveryRow, deliveryRow } from "./compact-finish.ts";
import type { ActionInserts } from "./write-actions.ts";

/** A claim as the writer answers it; the delivery itself is read by the caller. */
export interface DeliveryLease {
  readonly id: DeliveryId;
  readonly attempt: number;
}

interface Lane {
  readonly channel: string;
  readonly workspace: string;
  readonly conversation: string;
}

export function createDeliveryInserts(db: Database) {
  const insert = db.prepare(
    `INSERT INTO deliveries (id, kind, review, channel, workspace, conversation, thread, only_channel, only_workspace,
       only_person, only_name, locale, thread_key, reason, facts, state, ready_at, created_at, finished_at, parked, head)
     VALUES (@id, @kind, @review, @channel, @workspace, @conversation, @thread, @onlyChannel, @onlyWorkspace,
       @onlyPerson, @onlyName, @locale, @threadKey, @reason, @facts, @state, @readyAt, @now, @finishedAt, @parked,
       @finishedAt IS NULL AND @parked = 0 AND NOT EXISTS (SELECT 1 FROM deliveries WHERE channel = @channel
         AND workspace = @workspace AND conversation = @conversation AND finished_at IS NULL AND parked = 0))`,
  );
  return (deliveries: readonly DeliveryRow[], now: number): void => {
    for (const { dueAt, ...delivery } of deliveries) {
      const suppressed = delivery.reason !== null;
      const state = suppressed ? "suppressed" : "pending";
      const readyAt = Math.max(now, dueAt ?? now);
      const parked = !suppressed && readyAt > now ? 1 : 0;
      insert.run({ ...delivery, state, now, readyAt, parked, finishedAt: suppressed ? now : null });
    }
  };
}

export function createDeliveryWrites(db: Database, insertActions: ActionInserts) {
  const insertDeliveries = createDeliveryInserts(db);
  const next = db.prepare<unknown[], { seq: number; id: DeliveryId; attempts: number }>(
    "SELECT seq, id, attempts FROM deliveries WHERE head = 1 AND ready_at <= ? ORDER BY ready_at, seq LIMIT 1",
  );
  const lease = db.prepare(
    "UPDATE deliveries SET lease_token = ?, worker = ?, ready_at = ?, attempts = attempts + 1 WHERE seq = ?",
  );
  const held = db.prepare<unknown[], { seq: number; planned: number; replanned: number } & Lane>(
    `SELECT seq, planned, replanned, channel, workspace, conversation FROM deliveries
     WHERE id = ? AND lease_token = ?`,
  );
  const markPlanned = db.prepare("UPDATE deliveries SET planned = 1 WHERE seq = ?");
  const markReplanned = db.prepare("UPDATE deliveries SET replanned = ? WHERE seq = ?");
  const insertMessage = db.prepare(
    `INSERT OR IGNORE INTO messages (delivery, number, role, state, page, fingerprint, edits_channel, edits_workspace,
       edits_conversation, edits_thread, edits_message) VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)`,
  );
  const dropUnsent = db.prepare("DELETE FROM messages WHERE delivery = ? AND state NOT IN ('sent', 'unknown')");
  const sending = db.prepare(
    `UPDATE messages SET state = 'sending', attempts = attempts + 1, first_tried_at = coalesce(first_tried_at, @now),
       last_tried_at = @now
     WHERE delivery = @seq AND number = @number AND state IN ('pending', 'sending')`,
  );
  const deliverySending = db.prepare("UPDATE deliveries SET state = 'sending' WHERE seq = ? AND state = 'pending'");
  const settle = db.prepare(
    `UPDATE messages SET state = ?, error = ?, settled_at = ?, ref_channel = coalesce(?, ref_channel),
       ref_workspace = coalesce(?, ref_workspace), ref_conversation = coalesce(?, ref_conversation),
       ref_thread = coalesce(?, ref_thread), ref_message = coalesce(?, ref_message)
     WHERE delivery = ? AND number = ? AND state NOT IN ('sent', 'dead')`,
  );
  const putOff = db.prepare(
    "UPDATE deliveries SET state = ?, ready_at = ?, lease_token = NULL, error = ? WHERE seq = ?",
  );
  const end = db.prepare(
    "UPDATE deliveries SET state = ?, head = 0, lease_token = NULL, error = ?, finished_at = ? WHERE seq = ?",
  );
  const promote = db.prepare(
    `UPDATE deliveries SET head = 1 WHERE seq = (SELECT seq FROM deliveries
       WHERE channel = ? AND workspace = ? AND conversation = ? AND finished_at IS NULL AND parked = 0
       ORDER BY seq LIMIT 1)`,
  );
  const parkedUntil = db.prepare<unknown[], { seq: number } & Lane>(
    "SELECT seq, channel, workspace, conversation FROM deliveries WHERE parked = 1 AND ready_at <= ? ORDER BY ready_at",
  );
  const unpark = db.prepare("UPDATE deliveries SET parked = 0 WHERE seq = ?");
  const hasHead = db.prepare(
    `SELECT 1 FROM deliveries WHERE channel = ? AND workspace = ? AND conversation = ? AND finished_at IS NULL
       AND head = 1`,
  );

  /** What waited for the end of quiet hours takes its old place in its lane, behind what is being sent. */
  function endQuietHours(now: number): void {
    const due = parkedUntil.all(now);
    for (const { seq } of due) unpark.run(seq);
    for (const { channel, workspace, conversation } of due) {
      if (hasHead.get(channel, workspace, conversation) === undefined) promote.run(channel, workspace, conversation);
    }
  }

  function insertMessages(delivery: DeliveryId, seq: number, messages: readonly PlannedMessage[], now: number): void {
    for (const message of messages) {
      const key = splitKey(message.key);
      if (key.delivery !== delivery) throw foreignKey(message.key);
      const { role, page, fingerprint, edits } = message;
      const { changes } = insertMessage.run(seq, key.number, role, page, fingerprint ?? null, ...refColumns(edits));
      // A page that is sent already keeps its own buttons.
      if (changes === 1) insertActions(seq, key.number, message.actions ?? [], now);
    }
  }

  return {
    claimDelivery({ worker, token, leaseMs, now }: Parameters<Store["claimDelivery"]>[0]): DeliveryLease | null {
      endQuietHours(now);
      const head = next.get(now);
      if (head === undefined) return null;
      lease.run(token, worker ?? null, now + leaseMs, head.seq);
      return { id: head.id, attempt: head.attempts + 1 };
    },

    planMessages({ delivery, token, messages, now }: Parameters<Store["planMessages"]>[0]): boolean {
      const row = held.get(delivery, token);
      if (row === undefined || row.planned === 1) return false;
      insertMessages(delivery, row.seq, messages, now);
      markPlanned.run(row.seq);
      return true;
    },

    replanMessages({
      delivery,
      token,
      messages,
      fitting = "halved",
      now,
    }: Parameters<Store["replanMessages"]>[0]): boolean {
      const row = held.get(delivery, token);
      const stage = fitting === "halved" ? 1 : 2;
      if (row === undefined || row.planned === 0 || row.replanned >= stage) return false;
      dropUnsent.run(row.seq);
      insertMessages(delivery, row.seq, messages, now);
      markReplanned.run(stage, row.seq);
      return true;
    },

    markSending({ message, token, now }: Parameters<Store["markSending"]>[0]): boolean {
      const { delivery, number } = splitKey(message);
      const row = held.get(delivery, token);
      if (row === undefined || sending.run({ now, seq: row.seq, number }).changes === 0) return false;
      deliverySending.run(row.seq);
      return true;
    },

    settleMessage({ message, token, state, ref, error, now }: Parameters<Store["settleMessage"]>[0]): boolean {
      const { delivery, number } = splitKey(message);
      const row = held.get(delivery, token);
      if (row === undefined) return false;
      return settle.run(state, error ?? null, now, ...refColumns(ref), row.seq, number).changes === 1;
    },

    settleDelivery({
      delivery,
      token,
      state,
      dueAt,
      error,
      notices = [],
      now,
    }: Parameters<Store["settleDelivery"]>[0]): boolean {
      const row = held.get(delivery, token);
      if (row === undefined) return false;
      if (isUnfinished(state)) {
        putOff.run(state, dueAt ?? now, error ?? null, row.seq);
        return true;
      }
      end.run(state, error ?? null, now, row.seq);
      insertDeliveries(notices.map(deliveryRow), now);
      promote.run(row.channel, row.workspace, row.conversation);
      return true;
    },
  };
}

function isUnfinished(state: DeliveryState): boolean {
  return state === "pending" || state === "sending";
}

function refColumns(ref: MessageRef | undefined): readonly (string | null)[] {
  if (ref === undefined) return [null, null, null, null, null];
  return [ref.channel, ref.workspace, ref.conversation, ref.thread ?? null, ref.message];
}

function splitKey(key: MessageKey): { readonly delivery: string; readonly number: number } {
  const match = /^(.+)\/(\d{1,9})$/.exec(key);
  if (match?.[1] === undefined) throw foreignKey(key);
  return { delivery: match[1], number: Number(match[2]) };
}

function foreignKey(key: string): AppError {
  return new AppError("internal", `${key} is no message key of this delivery.`, {
    reason: "message_key",
    remedy: "Report this as a bug of aicr-bot.",
  });
}
