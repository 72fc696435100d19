// The worker's side of the writer thread: opens the file, runs what the main thread asks for, answers after the commit.
import type { MessagePort } from "node:worker_threads";
import { toStoreFault, toWire } from "./faults.ts";
import { createGroupCommit, type Later } from "./group-commit.ts";
import { openWriter } from "./open.ts";
import { createOperations } from "./operations.ts";
import { callOperation, type FromWriter, type ToWriter, type WireAnswer, type WriterData } from "./writer.ts";

export function serveWriter(port: MessagePort, data: WriterData): void {
  const send = (message: FromWriter): void => port.postMessage(message);
  try {
    const { db, migrated } = openWriter(data);
    const operations = createOperations(db);
    const group = createGroupCommit(db, later);
    const answer = createAnswers(send);
    port.on("message", (message: ToWriter) => {
      if (message.kind === "close") {
        group.close();
        answer.flush();
        db.close();
        port.close();
        return;
      }
      for (const [id, name, args] of message.calls) {
        group.enqueue(
          () => callOperation(operations, name, args),
          ({ value, fault }) => answer.add(fault === undefined ? [id, value] : [id, undefined, toWire(fault)]),
        );
      }
    });
    send({ kind: "ready", migrated });
  } catch (error) {
    send({ kind: "refused", fault: toWire(toStoreFault(error)) });
    port.close();
  }
}

/** The answers of one batch travel in one message. */
function createAnswers(send: (message: FromWriter) => void) {
  let answers: WireAnswer[] = [];
  function flush(): void {
    if (answers.length === 0) return;
    send({ kind: "answers", answers });
    answers = [];
  }
  return {
    add(answer: WireAnswer): void {
      if (answers.push(answer) === 1) queueMicrotask(flush);
    },
    flush,
  };
}

const later: Later = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
