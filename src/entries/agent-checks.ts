// Bundle of the checks agent: `agent-checks.mjs <path of mcp-output.mjs>`, told the rest by its environment.
import { reviewRun } from "../agents/checks/review-run.ts";
import { createCheckEngines } from "../checks/engines.ts";

const names = [
  "PATH",
  "HOME",
  "LANG",
  "TMPDIR",
  "AICR_CHANGE_PATH",
  "AICR_RUN_ID",
  "AICR_RESOLVER",
  "AICR_OUTPUT_STATE_PATH",
];
const env = Object.fromEntries(
  names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

const toolServer = process.argv[2];
const changePath = env["AICR_CHANGE_PATH"];
if (toolServer === undefined || changePath === undefined) {
  process.stderr.write("usage: AICR_CHANGE_PATH=<change.json> agent-checks <mcp-output.mjs>\n");
  process.exit(2);
}

const abort = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => abort.abort());

try {
  await reviewRun(
    {
      engines: createCheckEngines({ trust: "foreign" }),
      changePath,
      toolServer,
      env,
      onProgress: (note) => void process.stdout.write(`${JSON.stringify({ progress: note })}\n`),
    },
    abort.signal,
  );
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
