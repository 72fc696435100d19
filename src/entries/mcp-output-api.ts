// What the package offers as `aicr-bot/mcp-output`: the registry of the five tools and the servers that carry it.

export { type HttpOptions, type HttpServer, serveHttp } from "../mcp/http.ts";
export { createMcpServer } from "../mcp/server.ts";
export { type StdioOptions, serveStdio } from "../mcp/stdio.ts";
export type { JsonSchema, Tool, ToolAnnotations, ToolResult, ToolSet } from "../ports/tool.ts";
export { type ChangeFacts, readChangeFile, writeChangeFile } from "../report-tools/change-file.ts";
export { type ChangeWatch, createChangeWatch } from "../report-tools/change-watch.ts";
export { executeTool } from "../report-tools/execute-tool.ts";
export { type NameForm, normalizeToolName, type ToolName, toolNames } from "../report-tools/names.ts";
export { createReportTools, type ReportToolsOptions } from "../report-tools/registry.ts";
export { createReportState, type ReportState } from "../report-tools/report-state.ts";
export { createResolverClient } from "../report-tools/resolver-client.ts";
export type { ContextResolver } from "../report-tools/resolver-protocol.ts";
export { type RecordedState, readState, type StateRead, stateFileName } from "../report-tools/state-file.ts";
