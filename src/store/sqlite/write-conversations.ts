// Writes of people's wishes: subscriptions, mutes, judgements on findings, and links between people and VCS users.
import type { Database } from "better-sqlite3";
import type { ConversationRef } from "../../core/delivery.ts";
import type { FindingId } from "../../core/ids.ts";
import type { Mute, StoredSubscription } from "../../core/subscription.ts";
import type { ConversationStore } from "../../ports/conversation-store.ts";

type Answer<N extends keyof ConversationStore> = Awaited<ReturnType<ConversationStore[N]>>;

export function createConversationWrites(db: Database) {
  return { ...createSubscriptionWrites(db), ...createMuteWrites(db), ...createJudgements(db), ...createLinks(db) };
}

function createSubscriptionWrites(db: Database) {
  const inPlace = "channel = ? AND workspace = ? AND conversation = ? AND repository = ?";
  const known = db.prepare(`SELECT 1 FROM subscriptions WHERE ${inPlace}`);
  const save = db.prepare(
    `INSERT INTO subscriptions (id, channel, workspace, conversation, repository, filters, terms, language, has_digest,
       owner_channel, owner_workspace, owner_person, owner_name, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (repository, channel, workspace, conversation) DO UPDATE SET filters = excluded.filters,
       terms = excluded.terms, language = excluded.language, has_digest = excluded.has_digest,
       owner_channel = excluded.owner_channel, owner_workspace = excluded.owner_workspace,
       owner_person = excluded.owner_person, owner_name = excluded.owner_name`,
  );
  const remove = db.prepare(`DELETE FROM subscriptions WHERE ${inPlace}`);

  return {
    saveSubscription(subscription: StoredSubscription): Answer<"saveSubscription"> {
      const { id, conversation: place, repository, filters, language, owner, createdAt, ...rest } = subscription;
      const { mode, severity, noProblems, mention, digest, timeZone, quiet } = rest;
      const where = [place.channel, place.workspace, place.conversation, repository];
      const isKnown = known.get(...where) !== undefined;
      save.run(
        id,
        ...where,
        JSON.stringify(filters),
        // Undefined members are left out of the document.
        JSON.stringify({ mode, severity, noProblems, mention, digest, timeZone, quiet }),
        language ?? null,
        digest === undefined ? 0 : 1,
        owner.channel,
        owner.workspace,
        owner.person,
        owner.name ?? null,
        createdAt,
      );
      return isKnown ? "replaced" : "added";
    },
    removeSubscription({ channel, workspace, conversation }: ConversationRef, repository: string): boolean {
      return remove.run(channel, workspace, conversation, repository).changes === 1;
    },
  };
}

function createMuteWrites(db: Database) {
  const place = "channel = ? AND workspace = ? AND conversation = ?";
  const forget = db.prepare("DELETE FROM mutes WHERE until <= ?");
  const set = db.prepare(
    `INSERT INTO mutes (channel, workspace, conversation, repository, until, muted_by) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (channel, workspace, conversation, repository) DO UPDATE SET until = excluded.until,
       muted_by = excluded.muted_by`,
  );
  // What a sender has begun is left to it; what was put off after a fault counts as begun.
  const suppress = db.prepare(
    `UPDATE deliveries SET state = 'suppressed', reason = 'muted', head = 0, parked = 0, finished_at = @now
     WHERE channel = @channel AND workspace = @workspace AND conversation = @conversation AND finished_at IS NULL
       AND state = 'pending' AND planned = 0 AND lease_token IS NULL AND only_person IS NULL
       AND (@repository = '' OR review IN (SELECT r.id FROM reviews r WHERE r.id = deliveries.review AND r.repository = @repository))`,
  );
  const promote = db.prepare(
    `UPDATE deliveries SET head = 1 WHERE seq = (SELECT seq FROM deliveries
       WHERE ${place} AND finished_at IS NULL AND parked = 0 ORDER BY seq LIMIT 1)`,
  );
  const endOne = db.prepare(`DELETE FROM mutes WHERE ${place} AND repository = ? AND until > ?`);
  const endAll = db.prepare(`DELETE FROM mutes WHERE ${place} AND until > ?`);

  return {
    mute({ conversation: where, repository = "", until, by }: Mute, now: number): number {
      forget.run(now);
      set.run(where.channel, where.workspace, where.conversation, repository, until, by);
      const { changes } = suppress.run({ ...where, repository, now });
      if (changes > 0) promote.run(where.channel, where.workspace, where.conversation);
      return changes;
    },
    unmute(where: ConversationRef, repository: string | undefined, now: number): boolean {
      const columns = [where.channel, where.workspace, where.conversation];
      const ended = repository === undefined ? endAll.run(...columns, now) : endOne.run(...columns, repository, now);
      return ended.changes > 0;
    },
  };
}

function createJudgements(db: Database) {
  const state = db.prepare<unknown[], { dismissed_at: number | null }>(
    "SELECT dismissed_at FROM findings WHERE id = ?",
  );
  const dismiss = db.prepare(
    "UPDATE findings SET dismissed_by = ?, dismissed_reason = ?, dismissed_at = ? WHERE id = ?",
  );
  const reopen = db.prepare(
    "UPDATE findings SET dismissed_by = NULL, dismissed_reason = NULL, dismissed_at = NULL WHERE id = ?",
  );

  return {
    dismissFinding(request: Parameters<ConversationStore["dismissFinding"]>[0]): Answer<"dismissFinding"> {
      const row = state.get(request.finding);
      if (row === undefined) return "unknown";
      if (row.dismissed_at !== null) return "already";
      dismiss.run(request.by, request.reason, request.now, request.finding);
      return "dismissed";
    },
    reopenFinding(finding: FindingId): Answer<"reopenFinding"> {
      const row = state.get(finding);
      if (row === undefined) return "unknown";
      if (row.dismissed_at === null) return "already";
      reopen.run(finding);
      return "reopened";
    },
  };
}

function createLinks(db: Database) {
  const known = db
    .prepare<unknown[], string>("SELECT person FROM identities WHERE channel = ? AND workspace = ? AND vcs_user = ?")
    .pluck();
  const link = db.prepare(
    "INSERT INTO identities (channel, workspace, vcs_user, person, name, linked_at) VALUES (?, ?, ?, ?, ?, ?)",
  );

  return {
    linkIdentity({ person, user, now }: Parameters<ConversationStore["linkIdentity"]>[0]): Answer<"linkIdentity"> {
      const key = [person.channel, person.workspace, user.toLowerCase()];
      const owner = known.get(...key);
      if (owner !== undefined) return owner === person.person ? "already" : "taken";
      link.run(...key, person.person, person.name ?? null, now);
      return "linked";
    },
  };
}
