// Runs queued operations in batches: one transaction and one fsync for all that wait, a savepoint for each.
import type { Database } from "better-sqlite3";
import type { AppError } from "../../core/errors.ts";
import { closedStore, sqliteCode, toStoreFault } from "./faults.ts";

/** Operations of one transaction at most: bounds how long another process waits for the lock. */
const batchLimit = 64;
/** How long the queue must be empty before the log is moved into the file, ms. */
const idleMs = 200;

export interface Outcome {
  readonly value?: unknown;
  readonly fault?: AppError;
}

export interface GroupCommit {
  /** `settle` is called once, after the commit (or the failure) of the batch that the operation was in. */
  enqueue(run: () => unknown, settle: (outcome: Outcome) => void): void;
  /** Finishes what waits and moves the log into the file. */
  close(): void;
}

/** Calls `run` later and returns a function that cancels it. */
export type Later = (ms: number, run: () => void) => () => void;

interface Waiting {
  readonly run: () => unknown;
  readonly settle: (outcome: Outcome) => void;
}

export function createGroupCommit(db: Database, later: Later): GroupCommit {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const savepoint = db.prepare("SAVEPOINT operation");
  const release = db.prepare("RELEASE operation");
  const undo = db.prepare("ROLLBACK TO operation");

  let queue: Waiting[] = [];
  let scheduled = false;
  let closed = false;
  let cancelCheckpoint: (() => void) | undefined;

  function drain(): void {
    scheduled = false;
    if (closed || queue.length === 0) return;
    const batch = queue.splice(0, batchLimit);
    const outcomes = runBatch(batch);
    batch.forEach((waiting, index) => {
      waiting.settle(outcomes[index] ?? {});
    });
    if (queue.length > 0) schedule();
    else checkpointWhenIdle();
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // A macrotask, so that everything that arrived in this turn shares the transaction.
    setImmediate(drain);
  }

  function runBatch(batch: readonly Waiting[]): readonly Outcome[] {
    const outcomes: Outcome[] = [];
    try {
      begin.run();
      for (const waiting of batch) outcomes.push(runOne(waiting));
      commit.run();
      return outcomes;
    } catch (error) {
      if (db.inTransaction) rollback.run();
      // A full disk may undo the whole transaction; alone, the operations that fit still succeed.
      if (batch.length > 1 && (error instanceof TransactionLost || sqliteCode(error) === "SQLITE_FULL")) {
        return batch.map((waiting) => runBatch([waiting])[0] ?? {});
      }
      const fault = toStoreFault(error instanceof TransactionLost ? error.cause : error);
      return batch.map(() => ({ fault }));
    }
  }

  function runOne(waiting: Waiting): Outcome {
    savepoint.run();
    try {
      const value = waiting.run();
      release.run();
      return { value };
    } catch (error) {
      if (!db.inTransaction) throw new TransactionLost(error);
      undo.run();
      release.run();
      return { fault: toStoreFault(error) };
    }
  }

  function checkpointWhenIdle(): void {
    cancelCheckpoint?.();
    cancelCheckpoint = later(idleMs, () => {
      cancelCheckpoint = undefined;
      checkpoint("PASSIVE");
    });
  }

  function checkpoint(mode: "PASSIVE" | "TRUNCATE"): void {
    try {
      db.pragma(`wal_checkpoint(${mode})`);
    } catch {
      // Nothing is lost (a full disk, a lock): the log still holds it all, and the next checkpoint tries again.
    }
  }

  return {
    enqueue(run, settle) {
      if (closed) {
        settle({ fault: closedStore("an operation came after close") });
        return;
      }
      queue.push({ run, settle });
      schedule();
    },
    close() {
      while (queue.length > 0) drain();
      closed = true;
      queue = [];
      cancelCheckpoint?.();
      checkpoint("TRUNCATE");
    },
  };
}

/** SQLite rolled the whole transaction back, not just the operation that failed. */
class TransactionLost extends Error {
  constructor(cause: unknown) {
    super("transaction lost", { cause });
  }
}
