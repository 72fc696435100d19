// Writes of the outbox that no review brings about: what is owed by itself, paused conversations, and digests' slots.
import type { Database } from "better-sqlite3";
import type { ConversationRef } from "../../core/delivery.ts";
import type { OutboxStore } from "../../ports/outbox-store.ts";
import { deliveryRow } from "./compact-finish.ts";
import type { createDeliveryInserts } from "./write-deliveries.ts";

export function createOutboxWrites(db: Database, insertDeliveries: ReturnType<typeof createDeliveryInserts>) {
  const pause = db.prepare(
    `INSERT INTO pauses (channel, workspace, conversation, reason, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (channel, workspace, conversation) DO NOTHING`,
  );
  const resume = db.prepare("DELETE FROM pauses WHERE channel = ? AND workspace = ? AND conversation = ?");
  const pauseAll = db.prepare(
    `INSERT INTO pauses (channel, workspace, conversation, reason, at)
     SELECT channel, workspace, conversation, @reason, @now FROM conversations
     WHERE channel = @channel AND workspace = @workspace
     ON CONFLICT (channel, workspace, conversation) DO NOTHING`,
  );
  const resumeAll = db.prepare("DELETE FROM pauses WHERE channel = ? AND workspace = ? AND reason = ?");
  const takeSlot = db.prepare(
    `INSERT INTO digest_slots (subscription, slot, outcome, due_at, decided_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (subscription, slot) DO NOTHING`,
  );

  // What is not an audit line stands in the way: nothing may be told before what came before it.
  const absorb = db.prepare(
    `UPDATE deliveries SET state = 'sent', finished_at = @now, absorbed_by = @delivery WHERE seq IN (
       SELECT w.seq FROM deliveries w JOIN deliveries h ON h.channel = w.channel AND h.workspace = w.workspace
         AND h.conversation = w.conversation
       WHERE h.id = @delivery AND h.lease_token = @token AND h.planned = 0 AND w.seq > h.seq AND w.kind = 'audit'
         AND w.finished_at IS NULL AND w.parked = 0 AND NOT EXISTS (SELECT 1 FROM deliveries o
           WHERE o.channel = h.channel AND o.workspace = h.workspace AND o.conversation = h.conversation
             AND o.finished_at IS NULL AND o.parked = 0 AND o.kind <> 'audit' AND o.seq > h.seq AND o.seq < w.seq)
       ORDER BY w.seq LIMIT @limit)`,
  );

  return {
    absorbAudits(request: Parameters<OutboxStore["absorbAudits"]>[0]): number {
      return absorb.run(request).changes;
    },

    owe(deliveries: Parameters<OutboxStore["owe"]>[0], now: number): void {
      insertDeliveries(deliveries.map(deliveryRow), now);
    },

    pauseConversation(request: Parameters<OutboxStore["pauseConversation"]>[0]): "paused" | "already" {
      const { conversation: place, reason, notices, now } = request;
      if (pause.run(place.channel, place.workspace, place.conversation, reason, now).changes === 0) return "already";
      insertDeliveries(notices.map(deliveryRow), now);
      return "paused";
    },

    resumeConversation({ channel, workspace, conversation }: ConversationRef): boolean {
      return resume.run(channel, workspace, conversation).changes === 1;
    },

    pauseWorkspace(request: Parameters<OutboxStore["pauseWorkspace"]>[0]): number {
      return pauseAll.run(request).changes;
    },

    resumeWorkspace(channel: string, workspace: string, reason: string): number {
      return resumeAll.run(channel, workspace, reason).changes;
    },

    takeDigestSlot(request: Parameters<OutboxStore["takeDigestSlot"]>[0]): "taken" | "yours" {
      const { subscription, slot, outcome, dueAt, delivery, now } = request;
      if (takeSlot.run(subscription, slot, outcome, dueAt, now).changes === 0) return "taken";
      if (delivery !== undefined) insertDeliveries([deliveryRow(delivery)], now);
      return "yours";
    },
  };
}
