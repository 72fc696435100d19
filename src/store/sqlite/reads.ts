// Every read of the store on a connection that cannot write.
import type { Database } from "better-sqlite3";
import { closedStore, toStoreFault } from "./faults.ts";
import { createActionReads } from "./read-actions.ts";
import { createChannelReads } from "./read-channels.ts";
import { createChatReads } from "./read-chat.ts";
import { createConversationReads } from "./read-conversations.ts";
import { createDeliveryReads } from "./read-deliveries.ts";
import { createDigestReads } from "./read-digest.ts";
import { createFeedReads } from "./read-feeds.ts";
import { createFindingReader, createFindingReads } from "./read-findings.ts";
import { createOutboxReads } from "./read-outbox.ts";
import { createReviewReads } from "./read-reviews.ts";

export type Reads = ReturnType<typeof createReads>;

export function createReads(db: Database) {
  const finding = createFindingReader(db);
  return {
    ...createReviewReads(db),
    ...createFindingReads(db, finding),
    ...createConversationReads(db, finding),
    ...createActionReads(db),
    ...createOutboxReads(db),
    ...createDigestReads(db),
    ...createDeliveryReads(db),
    ...createChatReads(db),
    ...createChannelReads(db),
    ...createFeedReads(db),
  };
}

/** The read as an asynchronous one whose errors are AppErrors. */
export function readBy<A extends readonly unknown[], R>(db: Database, read: (...args: A) => R) {
  return async (...args: A): Promise<R> => {
    if (!db.open) throw closedStore("a read came after close");
    try {
      return read(...args);
    } catch (error) {
      throw toStoreFault(error);
    }
  };
}
