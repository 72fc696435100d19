// Reads paused conversations, digests' slots, and the cards that a conversation was shown.
import type { Database } from "better-sqlite3";
import type { ConversationRef, MessageRef } from "../../core/delivery.ts";
import type { SubscriptionId } from "../../core/ids.ts";
import type { OutboxStore } from "../../ports/outbox-store.ts";
import { messageRef, type RefColumns } from "./message-ref.ts";

export function createOutboxReads(db: Database) {
  const paused = db.prepare<unknown[], unknown>(
    "SELECT 1 FROM pauses WHERE channel = ? AND workspace = ? AND conversation = ?",
  );
  const lastSlot = db.prepare<unknown[], { slot: string; dueAt: number; reportedTo: number | null }>(
    `SELECT slot, due_at AS dueAt, (SELECT max(due_at) FROM digest_slots s WHERE s.subscription = d.subscription
       AND s.outcome <> 'skipped') AS reportedTo
     FROM digest_slots d WHERE subscription = ? ORDER BY due_at DESC LIMIT 1`,
  );
  // A resolved card is an edit without a fingerprint of its own: what is found here is the card as it was first shown.
  const shown = db.prepare<unknown[], RefColumns<"ref"> & { readonly page: string }>(
    `SELECT m.page, m.ref_channel, m.ref_workspace, m.ref_conversation, m.ref_thread, m.ref_message
     FROM messages m CROSS JOIN deliveries d ON d.seq = m.delivery CROSS JOIN reviews r ON r.id = d.review
     WHERE m.fingerprint = ? AND m.state = 'sent' AND m.ref_message IS NOT NULL AND d.channel = ?
       AND d.workspace = ? AND d.conversation = ? AND r.repository = ?
     ORDER BY m.settled_at DESC, d.seq DESC LIMIT 1`,
  );

  return {
    isPaused({ channel, workspace, conversation }: ConversationRef): boolean {
      return paused.get(channel, workspace, conversation) !== undefined;
    },

    lastDigestSlot(subscription: SubscriptionId): Awaited<ReturnType<OutboxStore["lastDigestSlot"]>> {
      return lastSlot.get(subscription) ?? null;
    },

    shownCard(query: Parameters<OutboxStore["shownCard"]>[0]): { ref: MessageRef; page: string } | null {
      const { conversation: place, repository, fingerprint } = query;
      const row = shown.get(fingerprint, place.channel, place.workspace, place.conversation, repository);
      const ref = row === undefined ? undefined : messageRef(row, "ref");
      return row === undefined || ref === undefined ? null : { ref, page: row.page };
    },
  };
}
