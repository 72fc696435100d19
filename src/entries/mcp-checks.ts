// The process behind `node dist/mcp-checks.mjs`: the aicr-checks tool server, over stdio or HTTP.
import packageJson from "../../package.json" with { type: "json" };
import { toAppError } from "../core/errors.ts";
import { runMcpChecks } from "../mcp/checks.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

try {
  await runMcpChecks(process.argv.slice(2), process.env, {
    version: packageJson.version,
    stop: stop.signal,
    announce: (text) => process.stderr.write(text),
  });
  // A stdio server whose client has gone is an orphan: nothing it may still wait for keeps it alive.
  process.exit(0);
} catch (thrown) {
  const fault = toAppError(thrown);
  process.stderr.write(`${fault.message} ${fault.remedy}\n`);
  process.exit(2);
}
