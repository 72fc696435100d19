// The floor that the output server is measured against: an echo on the SDK's low-level server, bundled as ours is.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(CallToolRequestSchema, (request) => ({
  content: [{ type: "text", text: JSON.stringify(request.params.arguments) }],
}));
await server.connect(new StdioServerTransport());
