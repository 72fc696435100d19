// The main thread's side of the writer thread: sends calls, several at once, and settles their promises.
import { Worker } from "node:worker_threads";
import { closedStore, fromWire, toStoreFault, toWire } from "./faults.ts";
import type { OpenOptions } from "./open.ts";
import type { OperationName, Operations } from "./operations.ts";
import type { FromWriter, ToWriter, WireAnswer, WireCall, Writer } from "./writer.ts";

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts the thread and waits until it has opened the file.
 * @param entry the bundled worker, `store-writer.mjs`.
 * @throws AppError as `openWriter` does, or `internal` when the thread cannot start.
 */
export async function createThreadedWriter(entry: string | URL, options: OpenOptions): Promise<Writer> {
  const worker = new Worker(entry, { workerData: options, name: "store-writer" });
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const migrated = await opened(worker, exited);

  const waiting = new Map<number, Waiting>();
  let nextId = 0;
  let outgoing: WireCall[] = [];
  let lost: string | undefined;
  // A store that is merely open keeps no process alive; an operation under way does.
  worker.unref();

  const post = (message: ToWriter): void => worker.postMessage(message);

  function flush(): void {
    const calls = outgoing;
    outgoing = [];
    if (calls.length === 0) return;
    try {
      post({ kind: "calls", calls });
    } catch (error) {
      // Something that is no plain data cannot cross; that is the callers' fault, not the process's end.
      const fault = toWire(toStoreFault(error));
      for (const [id] of calls) settle([id, undefined, fault]);
    }
  }

  function settle([id, value, fault]: WireAnswer): void {
    const call = waiting.get(id);
    if (call === undefined) return;
    waiting.delete(id);
    if (fault === undefined) call.resolve(value as never);
    else call.reject(fromWire(fault));
  }

  function fail(reason: string): void {
    lost ??= reason;
    for (const call of waiting.values()) call.reject(closedStore(reason));
    waiting.clear();
  }

  worker.on("message", (message: FromWriter) => {
    if (message.kind !== "answers") return;
    message.answers.forEach(settle);
    if (waiting.size === 0) worker.unref();
  });
  worker.on("error", (error) => fail(`the writer thread failed: ${String(error)}`));
  worker.on("exit", () => fail("the writer thread ended"));

  return {
    migrated,
    write<N extends OperationName>(name: N, ...args: Parameters<Operations[N]>) {
      return new Promise<ReturnType<Operations[N]>>((resolve, reject) => {
        if (lost !== undefined) {
          reject(closedStore(lost));
          return;
        }
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        if (waiting.size === 1) worker.ref();
        if (outgoing.push([id, name, args]) === 1) queueMicrotask(flush);
      });
    },
    async close() {
      if (lost !== undefined) return exited;
      lost = "closed";
      worker.ref();
      flush();
      post({ kind: "close" });
      await exited;
    },
    lost: () => lost,
  };
}

async function opened(worker: Worker, exited: Promise<void>): Promise<Writer["migrated"]> {
  const first = await new Promise<FromWriter>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", (error) => reject(toStoreFault(error)));
    worker.once("exit", () => reject(closedStore("the writer thread ended before it was ready")));
  });
  worker.removeAllListeners("error");
  if (first.kind === "ready") return first.migrated;
  await exited;
  throw first.kind === "refused" ? fromWire(first.fault) : closedStore("the writer thread spoke out of turn");
}
