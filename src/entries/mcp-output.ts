// The process behind `node dist/mcp-output.mjs`: the aicr-output tool server, over stdio or HTTP.
import { runMcpOutput } from "../mcp/output.ts";
import { serveProcess } from "../mcp/serve-process.ts";

await serveProcess(runMcpOutput);
