// The store port on SQLite: one writer with group commit, reads on a connection of this thread that sees what is committed.
import { join, resolve } from "node:path";
import type { Database } from "better-sqlite3";
import type { AppError } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ChatLog, Store } from "../../ports/store.ts";
import { compactFinish } from "./compact-finish.ts";
import { corruptStore, toStoreFault } from "./faults.ts";
import type { Later } from "./group-commit.ts";
import { createInThreadWriter } from "./in-thread-writer.ts";
import { type OpenOptions, openReader } from "./open.ts";
import { createReads, type Reads, readBy } from "./reads.ts";
import { createThreadedWriter } from "./threaded-writer.ts";
import type { Writer } from "./writer.ts";

/** The file's name inside a data directory. */
export const storeFileName = "aicr-bot.sqlite";

export type SqliteStoreOptions = {
  /** The bundled writer thread (`store-writer.mjs`); absent: writes happen in this thread, for short runs. */
  readonly writerEntry?: string | URL;
  /** Upper bound of the file in bytes; absent means the disk decides. */
  readonly maxBytes?: number;
  /** Times the checkpoint of an in-thread writer; absent: real time. */
  readonly clock?: Clock;
  readonly logger: Logger;
} & (
  | { readonly file: string }
  /** The data directory; it is made when missing. */
  | { readonly directory: string }
);

/**
 * Opens the store: checks the file, migrates it, starts the writer.
 * @throws AppError `config` (folder not usable, file of a newer version or another program), `corrupt` (nothing was
 *   written) or `unavailable` (locked, disk full).
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { logger } = options;
  const open: OpenOptions = {
    file: resolve("file" in options ? options.file : join(options.directory, storeFileName)),
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
  };
  const writer =
    options.writerEntry === undefined
      ? createInThreadWriter(open, laterBy(options.clock))
      : await createThreadedWriter(options.writerEntry, open);
  const { from, to, copies } = writer.migrated;
  if (from !== to) logger.info("store.migrated", { from, to, copies });
  try {
    return createStore(watched(writer, logger), openReader(open.file));
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function createStore(writer: WatchedWriter, db: Database): Store {
  const reads = createReads(db);
  const { write } = writer;
  const review = readBy(db, reads.review);
  let closing: Promise<void> | undefined;

  return {
    registerRepositories: (repositories, now) => write("registerRepositories", repositories, now),
    seeConversation: (conversation, facts, now) => write("seeConversation", conversation, facts, now),
    acceptReview: (request) => write("acceptReview", request),
    acceptPush: (request) => write("acceptPush", request),
    lastReviewedHead: readBy(db, reads.lastReviewedHead),
    acceptedHeads: readBy(db, reads.acceptedHeads),
    unsureRefs: readBy(db, reads.unsureRefs),
    cursor: readBy(db, reads.cursor),
    moveCursor: (request) => write("moveCursor", request),
    forgetFeed: (repository) => write("forgetFeed", repository),
    leaseHolders: readBy(db, reads.leaseHolders),
    endLeases: (workers, now) => write("endLeases", workers, now),
    heartbeat: (request) => write("heartbeat", request),
    releaseJob: (request) => write("releaseJob", request),
    startReview: (request) => write("startReview", request),
    finishReview: (request) => write("finishReview", compactFinish(request)),
    cancelReview: (id, now) => write("cancelReview", id, now),
    setProgress: (id, progress) => write("setProgress", id, progress),
    review,
    reviews: readBy(db, reads.reviews),
    recentReview: readBy(db, reads.recentReview),
    usageSince: readBy(db, reads.usageSince),
    report: readBy(db, reads.report),
    queue: readBy(db, reads.queue),
    findingsByKeys: readBy(db, reads.findingsByKeys),
    openFindings: readBy(db, reads.openFindings),
    deliveredFindings: readBy(db, reads.deliveredFindings),
    findRoot: readBy(db, reads.findRoot),
    planMessages: (request) => write("planMessages", request),
    replanMessages: (request) => write("replanMessages", request),
    markSending: (request) => write("markSending", request),
    settleMessage: (request) => write("settleMessage", request),
    settleDelivery: (request) => write("settleDelivery", request),
    deliveriesOf: readBy(db, reads.deliveriesOf),
    audit: (entry) => write("audit", entry),
    saveSubscription: (subscription) => write("saveSubscription", subscription),
    removeSubscription: (conversation, repository) => write("removeSubscription", conversation, repository),
    subscriptionsOf: readBy(db, reads.subscriptionsOf),
    subscriptionsIn: readBy(db, reads.subscriptionsIn),
    digestSubscriptions: readBy(db, reads.digestSubscriptions),
    mute: (mute, now) => write("mute", mute, now),
    unmute: (conversation, repository, now) => write("unmute", conversation, repository, now),
    mutesIn: readBy(db, reads.mutesIn),
    findings: readBy(db, reads.findings),
    finding: readBy(db, reads.finding),
    dismissFinding: (request) => write("dismissFinding", request),
    reopenFinding: (finding) => write("reopenFinding", finding),
    linkIdentity: (request) => write("linkIdentity", request),
    personOf: readBy(db, reads.personOf),
    reviewsOfHead: readBy(db, reads.reviewsOfHead),
    pushOutcomes: readBy(db, reads.pushOutcomes),
    action: readBy(db, reads.action),
    actionOnCard: readBy(db, reads.actionOnCard),
    acknowledgeFinding: (request) => write("acknowledgeFinding", request),
    acknowledgementsOf: readBy(db, reads.acknowledgementsOf),
    muteKind: (mute, now) => write("muteKind", mute, now),
    kindMutes: readBy(db, reads.kindMutes),
    owe: (deliveries, now) => write("owe", deliveries, now),
    pauseConversation: (request) => write("pauseConversation", request),
    resumeConversation: (conversation) => write("resumeConversation", conversation),
    pauseWorkspace: (request) => write("pauseWorkspace", request),
    resumeWorkspace: (channel, workspace, reason) => write("resumeWorkspace", channel, workspace, reason),
    claimEvent: (event, now) => write("claimEvent", event, now),
    settleEvent: (event, now) => write("settleEvent", event, now),
    releaseEvent: (event) => write("releaseEvent", event),
    acquireLease: (request) => write("acquireLease", request),
    releaseLease: (name, owner) => write("releaseLease", name, owner),
    saveInstallation: (installation) => write("saveInstallation", installation),
    installation: readBy(db, reads.installation),
    installations: readBy(db, reads.installations),
    revokeInstallation: (request) => write("revokeInstallation", request),
    note: readBy(db, reads.note),
    saveNote: (channel, key, value) => write("saveNote", channel, key, value),
    absorbAudits: (request) => write("absorbAudits", request),
    absorbedBy: readBy(db, reads.absorbedBy),
    isPaused: readBy(db, reads.isPaused),
    shownCard: readBy(db, reads.shownCard),
    takeDigestSlot: (slot) => write("takeDigestSlot", slot),
    digestNumbers: readBy(db, reads.digestNumbers),
    lastDigestSlot: readBy(db, reads.lastDigestSlot),
    chat: createChatLog(writer, db, reads),

    // The writer leases; what was leased is read here, so that documents are parsed once and in one place.
    async claimJob(request) {
      const lease = await write("claimJob", request);
      if (lease === null) return null;
      const leased = await review(lease.review);
      if (leased === null) throw corruptStore(`job ${lease.id} has no review`);
      const { id, attempt, exhausted, ref } = lease;
      return { id, token: request.token, attempt, exhausted, review: leased, ...(ref === null ? {} : { ref }) };
    },

    async claimDelivery(request) {
      const lease = await write("claimDelivery", request);
      if (lease === null) return null;
      const leased = await readBy(db, reads.delivery)(lease.id);
      if (leased === null) throw corruptStore(`delivery ${lease.id} is gone`);
      return { ...leased, token: request.token, attempt: lease.attempt };
    },

    async purge(before) {
      let removed = 0;
      for (;;) {
        const chunk = await write("purgeChunk", before);
        if (chunk === 0) return removed;
        removed += chunk;
      }
    },

    async health() {
      const detail = writer.trouble();
      return detail === undefined ? { ok: true } : { ok: false, detail };
    },

    close() {
      // The reader goes first: the last connection to leave is the one that may clear the log away.
      if (db.open) db.close();
      closing ??= writer.close();
      return closing;
    },
  };
}

interface WatchedWriter {
  readonly write: Writer["write"];
  readonly close: Writer["close"];
  /** What keeps the store from writing, as one text, or undefined. */
  trouble(): string | undefined;
}

/** Remembers whether the newest write failed for a reason that stops all writes, such as a full disk. */
function watched(writer: Writer, logger: Logger): WatchedWriter {
  let stopped: AppError | undefined;
  return {
    async write(name, ...args) {
      try {
        const value = await writer.write(name, ...args);
        stopped = undefined;
        return value;
      } catch (error) {
        const fault = toStoreFault(error);
        if (fault.code !== "internal" && fault.code !== "not_found") stopped = fault;
        logger.error("store.write_failed", { operation: name, code: fault.code, detail: fault.detail });
        throw fault;
      }
    },
    close: () => writer.close(),
    trouble: () => writer.lost() ?? (stopped === undefined ? undefined : `${stopped.message} ${stopped.remedy}`),
  };
}

function createChatLog({ write }: WatchedWriter, db: Database, reads: Reads): ChatLog {
  const get = readBy(db, reads.chatGet);
  const findByKey = readBy(db, reads.chatByKey);
  return {
    get,
    findByKey,
    list: readBy(db, reads.chatList),
    async append(message, key) {
      await write("chatAppend", message, key);
      // Only a removal in the same instant leaves nothing to read: what was appended is then the answer.
      return (await findByKey(key)) ?? message;
    },
    async edit(id, change) {
      return (await write("chatEdit", id, change)) ? get(id) : null;
    },
    remove: (id) => write("chatRemove", id),
  };
}

function laterBy(clock: Clock | undefined): Later {
  if (clock !== undefined) return (ms, run) => clock.after(ms, run);
  return (ms, run) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  };
}
