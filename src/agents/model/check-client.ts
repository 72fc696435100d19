// The tools of aicr-checks as a model gets them: two of the five, whose answers help to judge a change that is read anyway.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { jsonSchema, type ToolSet, tool } from "ai";
import { readResult, shownResult } from "./tool-result.ts";

const offered: ReadonlySet<string> = new Set(["check_files", "get_issue_detail"]);
/** Calls of one run: each starts the engines. */
const MAX_CALLS = 20;
const START_MS = 20_000;

export interface CheckClient {
  readonly tools: ToolSet;
  close(): Promise<void>;
}

/** @param argv the server's program and arguments; @param env its whole environment. Throws an Error when it cannot be reached. */
export async function connectCheckTools(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<CheckClient> {
  const client = await createMCPClient({
    transport: new Experimental_StdioMCPTransport({
      command: process.execPath,
      args: [...argv],
      env: { ...env },
      stderr: "inherit",
    }),
    clientName: "aicr-model-agent",
    initializationOptions: { timeout: START_MS, signal },
    onUncaughtError: (error) => void process.stderr.write(`aicr-checks: ${String(error)}\n`),
  });
  const listed = await client.listTools();
  const served = await client.tools();
  let calls = 0;
  const tools: ToolSet = {};
  for (const { name, description, inputSchema } of listed.tools) {
    const run = served[name]?.execute;
    if (!offered.has(name) || run === undefined) continue;
    tools[name] = tool({
      description: description ?? "",
      inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
      execute: async (input: unknown) => {
        calls++;
        if (calls > MAX_CALLS) return "Refused: there have been too many checks.";
        const options = { toolCallId: name, messages: [], abortSignal: signal };
        return shownResult(readResult(await run(input as Record<string, unknown>, options)));
      },
    });
  }
  return { tools, close: () => client.close() };
}
