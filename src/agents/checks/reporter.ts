// Reports through the aicr.* tools as an MCP client of the output server, like any other agent.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

export interface Reporter {
  /** Throws an Error with the server's own words when the call is refused. */
  call(
    tool: "aicr.report_problem" | "aicr.publish_summary" | "aicr.skip",
    input: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Absolute path of the server's bundle (`dist/mcp-output.mjs`). */
  readonly server: string;
  /** The server's whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the output server and connects to it. Throws when the server cannot be started. */
export async function connectReporter(options: ConnectOptions): Promise<Reporter> {
  const client = new Client({ name: "aicr-checks-agent", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [options.server],
      env: { ...options.env },
      stderr: "inherit",
    }),
  );
  return {
    async call(tool, input) {
      const result = await client.callTool({ name: tool, arguments: { ...input } });
      if (result.isError === true) throw new Error(`${tool}: ${textOf(result.content)}`);
    },
    close: () => client.close(),
  };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (typeof part === "object" && part !== null && "text" in part ? String(part.text) : ""))
    .join(" ");
}
