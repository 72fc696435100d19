// Reads buttons with the messages that show them, and what people did with them.
import type { Database } from "better-sqlite3";
import type { ActionKind, PlannedAction, StoredAction } from "../../core/action.ts";
import type { ConversationRef, PersonRef } from "../../core/delivery.ts";
import type { DeliveryId, FindingId, ReviewId } from "../../core/ids.ts";
import type { ActionStore, KindMute } from "../../ports/action-store.ts";
import { messageRef, type RefColumns } from "./message-ref.ts";

interface ButtonRow {
  readonly token: string;
  readonly kind: ActionKind;
  readonly fingerprint: string | null;
  readonly category: string | null;
}

interface ActionRow extends ButtonRow, RefColumns<"ref"> {
  readonly seq: number;
  readonly number: number;
  readonly delivery: DeliveryId;
  readonly channel: string;
  readonly workspace: string;
  readonly conversation: string;
  readonly review: ReviewId;
  readonly repository: string;
  readonly locale: string;
  readonly page: string;
  readonly expires_at: number;
}

interface KindMuteRow {
  readonly category: string;
  readonly until: number;
  readonly muted_by: string;
}

export function createActionReads(db: Database) {
  const byToken = db.prepare<unknown[], ActionRow>(
    `SELECT a.token, a.kind, a.fingerprint, a.category, a.expires_at, a.number, d.seq, d.id AS delivery, d.channel,
       d.workspace, d.conversation, d.locale, r.id AS review, r.repository, m.page, m.ref_channel, m.ref_workspace,
       m.ref_conversation, m.ref_thread, m.ref_message
     FROM actions a JOIN deliveries d ON d.seq = a.delivery JOIN messages m ON m.delivery = a.delivery
       AND m.number = a.number JOIN reviews r ON r.id = d.review
     WHERE a.token = ?`,
  );
  // A card of several pages is named by its first one, and has its buttons on its last one.
  const onCard = db
    .prepare<unknown[], string>(
      `SELECT a.token FROM messages m CROSS JOIN deliveries d ON d.seq = m.delivery CROSS JOIN reviews r ON r.id = d.review
         CROSS JOIN actions a ON a.delivery = m.delivery AND a.fingerprint = m.fingerprint
         CROSS JOIN messages b ON b.delivery = a.delivery AND b.number = a.number
       WHERE m.fingerprint = ? AND m.state = 'sent' AND b.ref_message IS NOT NULL AND d.channel = ? AND d.workspace = ?
         AND d.conversation = ? AND r.repository = ?
       ORDER BY m.settled_at DESC, d.seq DESC, a.token LIMIT 1`,
    )
    .pluck();
  const ofMessage = db.prepare<unknown[], ButtonRow>(
    "SELECT token, kind, fingerprint, category FROM actions WHERE delivery = ? AND number = ? ORDER BY token",
  );
  const seen = db.prepare<unknown[], { channel: string; workspace: string; person: string; name: string | null }>(
    `SELECT a.channel, a.workspace, a.person, a.name FROM acknowledgements a JOIN findings f ON f.seq = a.finding
     WHERE f.id = ? ORDER BY a.at, a.person`,
  );
  const muted = db.prepare<unknown[], KindMuteRow>(
    `SELECT category, until, muted_by FROM kind_mutes WHERE channel = ? AND workspace = ? AND conversation = ?
       AND repository = ? AND until > ? ORDER BY category`,
  );

  function action(token: string): StoredAction | null {
    const row = byToken.get(token);
    if (row === undefined) return null;
    const ref = messageRef(row, "ref");
    const { channel, workspace, conversation, review, repository, locale, page } = row;
    return {
      ...buttonFrom(row),
      conversation: { channel, workspace, conversation },
      review,
      repository,
      locale,
      message: `${row.delivery}/${row.number}`,
      ...(ref === undefined ? {} : { ref }),
      page,
      siblings: ofMessage.all(row.seq, row.number).map(buttonFrom),
      expiresAt: row.expires_at,
    };
  }

  return {
    action,

    actionOnCard(query: Parameters<ActionStore["actionOnCard"]>[0]): StoredAction | null {
      const { conversation: place, repository, fingerprint } = query;
      const token = onCard.get(fingerprint, place.channel, place.workspace, place.conversation, repository);
      return token === undefined ? null : action(token);
    },

    acknowledgementsOf(finding: FindingId): readonly PersonRef[] {
      return seen.all(finding).map(({ name, ...person }) => ({ ...person, ...(name === null ? {} : { name }) }));
    },

    kindMutes(place: ConversationRef, repository: string, now: number): readonly KindMute[] {
      return muted
        .all(place.channel, place.workspace, place.conversation, repository, now)
        .map(({ category, until, muted_by }) => ({ conversation: place, repository, category, until, by: muted_by }));
    },
  };
}

function buttonFrom({ token, kind, fingerprint, category }: ButtonRow): PlannedAction {
  return {
    token,
    kind,
    ...(fingerprint === null ? {} : { fingerprint }),
    ...(category === null ? {} : { category }),
  };
}
