// The writer thread's bundle: started by the store as a worker, it alone writes to the store's file.
import { parentPort, workerData } from "node:worker_threads";
import { serveWriter } from "../store/sqlite/serve-writer.ts";

if (parentPort === null) {
  process.stderr.write("store-writer is started by aicr-bot itself, as a thread.\n");
  process.exitCode = 2;
} else {
  serveWriter(parentPort, workerData);
}
