// What the package offers as `aicr-bot/mcp-checks`: the diagnostics module, its tools and the servers that carry them.

export { type CheckAnswer, type Checks, type ChecksOptions, createChecks, type LoopStatus } from "../checks/checks.ts";
export type { Cluster, NormalizedIssue } from "../checks/cluster.ts";
export { type CheckEnginesOptions, createCheckEngines } from "../checks/engines.ts";
export type { CheckResponse, MissingPath } from "../checks/response.ts";
export { type CheckToolsOptions, createCheckTools } from "../checks/tools.ts";
export { type HttpOptions, type HttpServer, serveHttp } from "../mcp/http.ts";
export { createMcpServer } from "../mcp/server.ts";
export { type StdioOptions, serveStdio } from "../mcp/stdio.ts";
