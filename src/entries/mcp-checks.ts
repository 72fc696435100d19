// The process behind `node dist/mcp-checks.mjs`: the aicr-checks tool server, over stdio or HTTP.
import { runMcpChecks } from "../mcp/checks.ts";
import { serveProcess } from "../mcp/serve-process.ts";

await serveProcess(runMcpChecks);
