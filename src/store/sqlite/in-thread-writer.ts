// The writing connection in this thread: nothing to start, but each commit blocks; for short runs.
import { closedStore } from "./faults.ts";
import { createGroupCommit, type Later } from "./group-commit.ts";
import { type OpenOptions, openWriter } from "./open.ts";
import { createOperations, type OperationName, type Operations } from "./operations.ts";
import { callOperation, type Writer } from "./writer.ts";

/** @throws AppError as `openWriter` does. */
export function createInThreadWriter(options: OpenOptions, later: Later): Writer {
  const { db, migrated } = openWriter(options);
  const operations = createOperations(db);
  const group = createGroupCommit(db, later);
  let closed = false;
  return {
    migrated,
    write<N extends OperationName>(name: N, ...args: Parameters<Operations[N]>) {
      return new Promise<ReturnType<Operations[N]>>((resolve, reject) => {
        if (closed) {
          reject(closedStore(`${name} came after close`));
          return;
        }
        group.enqueue(
          () => callOperation(operations, name, args),
          ({ value, fault }) => {
            if (fault === undefined) resolve(value as ReturnType<Operations[N]>);
            else reject(fault);
          },
        );
      });
    },
    async close() {
      if (closed) return;
      closed = true;
      group.close();
      db.close();
    },
    lost: () => (closed ? "closed" : undefined),
  };
}
