// A program that speaks MCP and reviews nothing: reports one fixed problem through the server that its configuration names.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const { mcpServers } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { command, args, env } = mcpServers["aicr-output"];
const client = new Client({ name: "program", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
const { tools } = await client.listTools();
const name = tools.find((tool) => tool.name.endsWith("report_problem"))?.name ?? "";
const problem = {
  file: "src/session.ts",
  line: 3,
  severity: "high",
  category: "correctness",
  message: "It ends twice.",
};
const result = await client.callTool({ name, arguments: problem });
if (result.isError === true) throw new Error(JSON.stringify(result.content));
await client.close();
