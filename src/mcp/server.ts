// Speaks MCP for a ToolSet: the protocol side that every transport shares.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool as McpTool,
} from "@modelcontextprotocol/sdk/types.js";
import type { Tool, ToolResult, ToolSet } from "../ports/tool.ts";
import { executeTool } from "../report-tools/execute-tool.ts";

/**
 * Makes an MCP server for one session. The SDK's low-level server is used on purpose: our schemas are JSON Schema already,
 * a wrong input is a normal result (`isError`), and so is an unknown tool, where the high-level server would answer both with
 * protocol errors.
 */
export function createMcpServer(toolSet: ToolSet): Server {
  const server = new Server(
    { name: toolSet.name, version: toolSet.version },
    {
      capabilities: { tools: {} },
      jsonSchemaValidator: noElicitation,
      ...(toolSet.instructions === undefined ? {} : { instructions: toolSet.instructions }),
    },
  );
  const client = (): string => {
    const { name, version } = server.getClientVersion() ?? { name: "", version: "" };
    return `${name} ${version}`.trim();
  };
  server.oninitialized = () => toolSet.onClient?.(client(), "connected");
  server.setRequestHandler(ListToolsRequestSchema, () => {
    toolSet.onClient?.(client(), "listed");
    return { tools: toolSet.tools.map(describe) };
  });
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) =>
    toCallResult(await executeTool(toolSet, request.params.name, request.params.arguments ?? {}, extra.signal)),
  );
  return server;
}

/** The SDK would build an Ajv instance to validate what clients answer to a server's questions; this server asks none. */
const noElicitation = {
  getValidator(): never {
    throw new Error("This server asks its clients nothing.");
  },
};

function describe(tool: Tool): McpTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...tool.inputSchema, type: "object" },
    outputSchema: { ...tool.outputSchema, type: "object" },
    annotations: { title: tool.title, ...tool.annotations },
  };
}

function toCallResult(result: ToolResult): CallToolResult {
  return {
    content: [{ type: "text", text: result.text }],
    ...(result.structured === undefined ? {} : { structuredContent: { ...result.structured } }),
    isError: result.isError,
  };
}
