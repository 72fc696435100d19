// A tool set for tests of the transports: echoes, waits, fails, and leaves the five real tools out of it.
import type { Tool, ToolSet } from "../../src/ports/tool.ts";

const anyObject = { type: "object" } as const;

function tool(name: string, call: Tool["call"]): Tool {
  return {
    name,
    title: name,
    description: name,
    inputSchema: anyObject,
    outputSchema: anyObject,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call,
  };
}

/**
 * @param label what `echo` says of itself, to tell sessions apart.
 * @param hold called when `wait` is; the call lasts as long as its promise.
 */
export function echoTools(label = "echo", hold: () => Promise<void> = () => Promise.resolve()): ToolSet {
  return {
    name: "echo-server",
    version: "1.0.0",
    instructions: "Echo.",
    tools: [
      tool("echo", (input) =>
        Promise.resolve({ text: label, structured: { label, input: input as object }, isError: false }),
      ),
      tool("wait", async () => {
        await hold();
        return { text: "waited", structured: { waited: true }, isError: false };
      }),
      tool("break", () => Promise.reject(new Error("out of order"))),
    ],
    resolveName: (name) => (["echo", "wait", "break"].includes(name) ? name : null),
  };
}
