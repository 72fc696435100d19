// Bundle of the model agent: `agent-model.mjs`, told its task on stdin (src/agents/model/task.ts) and the rest by its environment.
import { runTask } from "../agents/model/run-task.ts";
import { modelTask, type TaskEvent } from "../agents/model/task.ts";
import { createSystemClock } from "../process/system-clock.ts";

// Of the environment, what the output server needs.
const names = [
  "PATH",
  "HOME",
  "LANG",
  "TMPDIR",
  "AICR_CHANGE_PATH",
  "AICR_RUN_ID",
  "AICR_RUN_TOKEN",
  "AICR_RESOLVER",
  "AICR_OUTPUT_STATE_PATH",
];
const env = Object.fromEntries(
  names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

const abort = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => abort.abort());

// The SDK's hints are for people who write programs.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

try {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  const task = modelTask.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  const onEvent = (event: TaskEvent): void => void process.stdout.write(`${JSON.stringify(event)}\n`);
  const end = await runTask(task, { env, clock: createSystemClock(), onEvent }, abort.signal);
  process.exitCode = end.kind === "done" ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
// Whatever still holds the process open has nothing more to say.
setImmediate(() => process.exit());
