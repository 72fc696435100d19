// Runs one call against a ToolSet: the one place where names are resolved and faults become answers, for every transport.
import type { Tool, ToolResult, ToolSet } from "../ports/tool.ts";

/**
 * Executes one tool call. Never throws: an unknown name is one refused call, and a fault inside a tool is an answer with
 * `isError`, so that neither costs the calls beside it.
 *
 * @param name the tool's name in any spelling that the set understands.
 */
export async function executeTool(
  toolSet: ToolSet,
  name: string,
  input: unknown,
  signal: AbortSignal = neverAborted,
): Promise<ToolResult> {
  const tool = findTool(toolSet, name);
  if (tool === undefined) {
    const known = toolSet.tools.map((candidate) => candidate.name).join(", ");
    return { text: `Unknown tool ${JSON.stringify(shorten(name))}. The tools are: ${known}.`, isError: true };
  }
  try {
    return await tool.call(input, signal);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { text: `The tool ${tool.name} failed: ${reason}`, isError: true };
  }
}

function findTool(toolSet: ToolSet, name: string): Tool | undefined {
  const canonical = toolSet.resolveName(name);
  if (canonical === null) return undefined;
  // A set may list its tools under names of another form (`--names underscore`): both sides are resolved.
  return toolSet.tools.find((tool) => tool.name === canonical || toolSet.resolveName(tool.name) === canonical);
}

function shorten(name: string): string {
  return name.length > 120 ? `${name.slice(0, 120)}…` : name;
}

const neverAborted = new AbortController().signal;
