// Reads people's wishes: subscriptions, mutes, findings as commands list them, identities, and what became of a head.
import type { Database } from "better-sqlite3";
import type { ConversationRef, PersonRef } from "../../core/delivery.ts";
import type { FindingId, SubscriptionId } from "../../core/ids.ts";
import type { Review } from "../../core/review.ts";
import type { Mute, StoredSubscription } from "../../core/subscription.ts";
import type { ConversationStore, PushOutcome } from "../../ports/conversation-store.ts";
import { filtersDocument, readDocument, termsDocument } from "./documents.ts";
import { type FindingReader, type FindingRow, findingColumns } from "./read-findings.ts";
import { type ReviewRow, reviewColumns, reviewFrom } from "./review-row.ts";

interface SubscriptionRow {
  readonly id: SubscriptionId;
  readonly channel: string;
  readonly workspace: string;
  readonly conversation: string;
  readonly repository: string;
  readonly filters: string;
  readonly terms: string;
  readonly language: string | null;
  readonly owner_channel: string;
  readonly owner_workspace: string;
  readonly owner_person: string;
  readonly owner_name: string | null;
  readonly created_at: number;
}

const subscriptionColumns = `id, channel, workspace, conversation, repository, filters, terms, language, owner_channel,
  owner_workspace, owner_person, owner_name, created_at`;

const rank =
  "CASE severity WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END";

export function createConversationReads(db: Database, findingFrom: FindingReader) {
  const subscriptions = (where: string) =>
    db.prepare<unknown[], SubscriptionRow>(`SELECT ${subscriptionColumns} FROM subscriptions WHERE ${where}`);
  const ofRepository = subscriptions("repository = ?");
  const inConversation = subscriptions("channel = ? AND workspace = ? AND conversation = ? ORDER BY repository");
  const withDigest = subscriptions("has_digest = 1");
  const mutes = db.prepare<unknown[], { repository: string; until: number; muted_by: string }>(
    `SELECT repository, until, muted_by FROM mutes
     WHERE channel = ? AND workspace = ? AND conversation = ? AND until > ? ORDER BY repository`,
  );
  const areOpen = "f.repository = ? AND f.is_open = 1 AND f.dismissed_at IS NULL";
  const areDismissed = "f.repository = ? AND f.dismissed_at IS NOT NULL";
  const open = db.prepare<unknown[], FindingRow>(
    `SELECT ${findingColumns} FROM findings f WHERE ${areOpen} ORDER BY (${rank}), f.last_seen_at DESC LIMIT ?`,
  );
  const dismissed = db.prepare<unknown[], FindingRow>(
    `SELECT ${findingColumns} FROM findings f WHERE ${areDismissed} ORDER BY f.dismissed_at DESC LIMIT ?`,
  );
  const countOpen = db.prepare<unknown[], number>(`SELECT count(*) FROM findings f WHERE ${areOpen}`).pluck();
  const countDismissed = db.prepare<unknown[], number>(`SELECT count(*) FROM findings f WHERE ${areDismissed}`).pluck();
  const oneFinding = db.prepare<unknown[], FindingRow>(`SELECT ${findingColumns} FROM findings f WHERE f.id = ?`);
  const identity = db.prepare<unknown[], { person: string; name: string | null }>(
    "SELECT person, name FROM identities WHERE channel = ? AND workspace = ? AND vcs_user = ?",
  );
  const ofHead = db.prepare<unknown[], ReviewRow>(
    `SELECT ${reviewColumns} FROM changes c CROSS JOIN reviews r ON r.seq = c.review
     WHERE c.repository = ? AND c.head >= ? AND c.head <= ? ORDER BY r.created_at DESC, r.seq DESC LIMIT ?`,
  );
  const pushes = db.prepare<
    unknown[],
    { source: string; ref: string; outcome: string; reason: string | null; received_at: number }
  >(
    `SELECT source, ref, outcome, reason, received_at FROM inbox
     WHERE repository = ? AND head = ? ORDER BY received_at DESC LIMIT 20`,
  );

  return {
    subscriptionsOf: (repository: string): readonly StoredSubscription[] =>
      ofRepository.all(repository).map(subscriptionFrom),
    subscriptionsIn: ({ channel, workspace, conversation }: ConversationRef): readonly StoredSubscription[] =>
      inConversation.all(channel, workspace, conversation).map(subscriptionFrom),
    digestSubscriptions: (): readonly StoredSubscription[] => withDigest.all().map(subscriptionFrom),

    mutesIn(conversation: ConversationRef, now: number): readonly Mute[] {
      const rows = mutes.all(conversation.channel, conversation.workspace, conversation.conversation, now);
      return rows.map(({ repository, until, muted_by: by }) => ({
        conversation,
        ...(repository === "" ? {} : { repository }),
        until,
        by,
      }));
    },

    findings(query: Parameters<ConversationStore["findings"]>[0]): Awaited<ReturnType<ConversationStore["findings"]>> {
      const { repository, state, limit } = query;
      const [list, count] = state === "open" ? [open, countOpen] : [dismissed, countDismissed];
      return { total: count.get(repository) ?? 0, findings: list.all(repository, limit).map(findingFrom) };
    },
    finding(id: FindingId): Awaited<ReturnType<ConversationStore["finding"]>> {
      const row = oneFinding.get(id);
      return row === undefined ? null : findingFrom(row);
    },

    personOf({ channel, workspace, users }: Parameters<ConversationStore["personOf"]>[0]): PersonRef | null {
      for (const user of users) {
        const row = identity.get(channel, workspace, user.toLowerCase());
        if (row === undefined) continue;
        return { channel, workspace, person: row.person, ...(row.name === null ? {} : { name: row.name }) };
      }
      return null;
    },

    reviewsOfHead(query: Parameters<ConversationStore["reviewsOfHead"]>[0]): readonly Review[] {
      const { repository, head, isPrefix, limit } = query;
      return ofHead.all(repository, head, isPrefix ? `${head}\uffff` : head, limit).map(reviewFrom);
    },
    pushOutcomes(repository: string, head: string): readonly PushOutcome[] {
      return pushes.all(repository, head).map(({ source, ref, outcome, reason, received_at: receivedAt }) => ({
        source,
        ref,
        outcome,
        ...(reason === null ? {} : { reason }),
        receivedAt,
      }));
    },
  };
}

function subscriptionFrom(row: SubscriptionRow): StoredSubscription {
  const { id, channel, workspace, conversation, repository, language, owner_name: name } = row;
  return {
    id,
    conversation: { channel, workspace, conversation },
    repository,
    filters: readDocument(filtersDocument, "subscriptions.filters", row.filters),
    ...readDocument(termsDocument, "subscriptions.terms", row.terms),
    ...(language === null ? {} : { language }),
    owner: {
      channel: row.owner_channel,
      workspace: row.owner_workspace,
      person: row.owner_person,
      ...(name === null ? {} : { name }),
    },
    createdAt: row.created_at,
  };
}
