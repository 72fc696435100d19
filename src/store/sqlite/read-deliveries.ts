// Reads the outbox: deliveries with their messages, and what a conversation has already heard.
import type { Database } from "better-sqlite3";
import type {
  ConversationRef,
  DeliveryKind,
  DeliveryState,
  MessageRef,
  MessageRole,
  OutboxMessage,
  PlannedDelivery,
} from "../../core/delivery.ts";
import type { DeliveryId, ReviewId } from "../../core/ids.ts";
import type { Store } from "../../ports/store.ts";
import { factsDocument, readDocument } from "./documents.ts";
import { messageRef, type RefColumns } from "./message-ref.ts";

interface DeliveryRow {
  readonly seq: number;
  readonly id: DeliveryId;
  readonly kind: DeliveryKind;
  readonly review: ReviewId | null;
  readonly channel: string;
  readonly workspace: string;
  readonly conversation: string;
  readonly thread: string | null;
  readonly only_channel: string | null;
  readonly only_workspace: string | null;
  readonly only_person: string | null;
  readonly only_name: string | null;
  readonly locale: string;
  readonly thread_key: string | null;
  readonly reason: string | null;
  readonly facts: string | null;
  readonly state: DeliveryState;
  readonly ready_at: number;
  readonly parked: number;
  readonly created_at: number;
}

interface MessageRow extends RefColumns<"edits">, RefColumns<"ref"> {
  readonly number: number;
  readonly role: MessageRole;
  readonly state: DeliveryState;
  readonly page: string;
  readonly fingerprint: string | null;
  readonly attempts: number;
  readonly first_tried_at: number | null;
  readonly last_tried_at: number | null;
}

export interface DeliveryWithMessages {
  readonly delivery: PlannedDelivery;
  readonly createdAt: number;
  readonly messages: readonly OutboxMessage[];
}

const columns = `seq, id, kind, review, channel, workspace, conversation, thread, only_channel, only_workspace,
  only_person, only_name, locale, thread_key, reason, facts, state, ready_at, parked, created_at`;
const refColumns = "m.ref_channel, m.ref_workspace, m.ref_conversation, m.ref_thread, m.ref_message";
const inGroup = "d.channel = ? AND d.workspace = ? AND d.conversation = ? AND d.thread_key = ?";

export function createDeliveryReads(db: Database) {
  const one = db.prepare<unknown[], DeliveryRow>(`SELECT ${columns} FROM deliveries WHERE id = ?`);
  const ofReview = db.prepare<unknown[], DeliveryRow>(
    `SELECT ${columns} FROM deliveries WHERE review = ? ORDER BY seq`,
  );
  const absorbed = db.prepare<unknown[], DeliveryRow>(
    `SELECT ${columns} FROM deliveries WHERE absorbed_by = ? ORDER BY seq`,
  );
  const messages = db.prepare<unknown[], MessageRow>(
    `SELECT m.number, m.role, m.state, m.page, m.fingerprint, m.attempts, m.first_tried_at, m.last_tried_at, m.edits_channel,
       m.edits_workspace, m.edits_conversation, m.edits_thread, m.edits_message, ${refColumns}
     FROM messages m WHERE m.delivery = ? ORDER BY m.number`,
  );
  const shown = db.prepare<unknown[], RefColumns<"ref"> & { readonly settled_at: number }>(
    `SELECT m.settled_at, ${refColumns} FROM messages m CROSS JOIN deliveries d ON d.seq = m.delivery
       CROSS JOIN reviews r ON r.id = d.review
     WHERE m.fingerprint = ? AND m.state = 'sent' AND m.ref_message IS NOT NULL AND d.channel = ?
       AND d.workspace = ? AND d.conversation = ? AND r.repository = ?
     ORDER BY m.settled_at DESC, d.seq DESC LIMIT 1`,
  );
  const root = db.prepare<unknown[], RefColumns<"ref"> & { readonly delivery: DeliveryId }>(
    `SELECT d.id AS delivery, ${refColumns} FROM deliveries d CROSS JOIN messages m ON m.delivery = d.seq
     WHERE ${inGroup} AND m.role = 'root' AND m.state = 'sent' AND m.settled_at >= ?
       AND (m.edits_message IS NULL OR m.edits_message <> m.ref_message)
     ORDER BY m.settled_at DESC, d.seq DESC LIMIT 1`,
  );

  return {
    delivery(id: DeliveryId): DeliveryWithMessages | null {
      const row = one.get(id);
      if (row === undefined) return null;
      return {
        delivery: deliveryFrom(row),
        createdAt: row.created_at,
        messages: messages.all(row.seq).map((message) => messageFrom(id, message)),
      };
    },

    absorbedBy: (id: DeliveryId): readonly PlannedDelivery[] => absorbed.all(id).map(deliveryFrom),

    deliveriesOf(review: ReviewId): readonly (PlannedDelivery & { readonly state: DeliveryState })[] {
      return ofReview.all(review).map((row) => ({ ...deliveryFrom(row), state: row.state }));
    },

    /** The newest message about each fingerprint, newest first. */
    deliveredFindings(
      query: Parameters<Store["deliveredFindings"]>[0],
    ): Awaited<ReturnType<Store["deliveredFindings"]>> {
      const { conversation: place, repository, fingerprints } = query;
      const found = [...new Set(fingerprints)].flatMap((fingerprint) => {
        const row = shown.get(fingerprint, place.channel, place.workspace, place.conversation, repository);
        const ref = row === undefined ? undefined : messageRef(row, "ref");
        return row === undefined || ref === undefined ? [] : [{ fingerprint, ref, at: row.settled_at }];
      });
      return found.sort((a, b) => b.at - a.at).map(({ fingerprint, ref }) => ({ fingerprint, ref }));
    },

    findRoot(
      place: ConversationRef,
      threadKey: string,
      since: number,
    ): { readonly ref: MessageRef; readonly delivery: DeliveryId } | null {
      const row = root.get(place.channel, place.workspace, place.conversation, threadKey, since);
      const ref = row === undefined ? undefined : messageRef(row, "ref");
      return row === undefined || ref === undefined ? null : { ref, delivery: row.delivery };
    },
  };
}

function deliveryFrom(row: DeliveryRow): PlannedDelivery {
  const { channel, workspace, conversation, thread, only_channel, only_workspace, only_person, only_name } = row;
  const isPrivate = only_channel !== null && only_workspace !== null && only_person !== null;
  return {
    id: row.id,
    kind: row.kind,
    ...(row.review === null ? {} : { review: row.review }),
    target: {
      conversation: { channel, workspace, conversation },
      ...(thread === null ? {} : { thread }),
      ...(isPrivate
        ? {
            onlyFor: {
              channel: only_channel,
              workspace: only_workspace,
              person: only_person,
              ...(only_name === null ? {} : { name: only_name }),
            },
          }
        : {}),
    },
    locale: row.locale,
    ...(row.thread_key === null ? {} : { threadKey: row.thread_key }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.facts === null ? {} : { facts: readDocument(factsDocument, "deliveries.facts", row.facts) }),
    ...(row.parked === 0 ? {} : { dueAt: row.ready_at }),
  };
}

function messageFrom(delivery: DeliveryId, row: MessageRow): OutboxMessage {
  const edits = messageRef(row, "edits");
  const ref = messageRef(row, "ref");
  return {
    key: `${delivery}/${row.number}`,
    delivery,
    role: row.role,
    state: row.state,
    page: row.page,
    ...(edits === undefined ? {} : { edits }),
    ...(ref === undefined ? {} : { ref }),
    attempts: row.attempts,
    ...(row.first_tried_at === null ? {} : { firstTriedAt: row.first_tried_at }),
    ...(row.last_tried_at === null ? {} : { lastTriedAt: row.last_tried_at }),
    ...(row.fingerprint === null ? {} : { fingerprint: row.fingerprint }),
  };
}
