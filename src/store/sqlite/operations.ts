// Every write of the store as one synchronous function on the writing connection, without transactions of its own.
import type { Database } from "better-sqlite3";
import type { ConversationRef } from "../../core/delivery.ts";
import type { Store } from "../../ports/store.ts";
import { createActionInserts, createActionWrites } from "./write-actions.ts";
import { createChannelWrites } from "./write-channels.ts";
import { createChatWrites } from "./write-chat.ts";
import { createConversationWrites } from "./write-conversations.ts";
import { createDeliveryInserts, createDeliveryWrites } from "./write-deliveries.ts";
import { createFindingUpdates } from "./write-findings.ts";
import { createJobWrites } from "./write-jobs.ts";
import { createOutboxWrites } from "./write-outbox.ts";
import { createPurge } from "./write-purge.ts";
import { createPushWrites, createReviewedHeads } from "./write-pushes.ts";
import { createReviewWrites } from "./write-reviews.ts";

export type Operations = ReturnType<typeof createOperations>;
export type OperationName = keyof Operations;

export function createOperations(db: Database) {
  return {
    ...createNotes(db),
    ...createReviewWrites(db, createFindingUpdates(db), createDeliveryInserts(db), createReviewedHeads(db)),
    ...createPushWrites(db),
    ...createJobWrites(db),
    ...createDeliveryWrites(db, createActionInserts(db)),
    ...createActionWrites(db),
    ...createOutboxWrites(db, createDeliveryInserts(db)),
    ...createChatWrites(db),
    ...createChannelWrites(db),
    ...createConversationWrites(db),
    ...createPurge(db),
  };
}

/** Repositories, conversations and the audit log: rows that are only noted. */
function createNotes(db: Database) {
  const repository = db.prepare(
    `INSERT INTO repositories (alias, vcs, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (alias) DO UPDATE SET vcs = excluded.vcs, last_seen_at = excluded.last_seen_at`,
  );
  const conversation = db.prepare(
    `INSERT INTO conversations (channel, workspace, conversation, name, locale, seen_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (channel, workspace, conversation) DO UPDATE SET name = coalesce(excluded.name, name),
       locale = coalesce(excluded.locale, locale)`,
  );
  const audit = db.prepare("INSERT INTO audit (at, actor, action, object, outcome) VALUES (?, ?, ?, ?, ?)");

  return {
    registerRepositories(repositories: Parameters<Store["registerRepositories"]>[0], now: number): void {
      for (const { alias, vcs } of repositories) repository.run(alias, vcs, now, now);
    },
    seeConversation(place: ConversationRef, facts: Parameters<Store["seeConversation"]>[1], now: number): void {
      const { channel, workspace } = place;
      conversation.run(channel, workspace, place.conversation, facts.name ?? null, facts.locale ?? null, now);
    },
    audit({ actor, action, object, outcome, now }: Parameters<Store["audit"]>[0]): void {
      audit.run(now, actor, action, object, outcome);
    },
  };
}
