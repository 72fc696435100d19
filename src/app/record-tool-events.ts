// The fallback for agents whose tool server left no state: tool calls seen in their stream are executed here, each event once.
import type { RunId } from "../core/ids.ts";
import type { RunPaths, ToolEvent } from "../ports/agent.ts";
import { createChangeWatch } from "../report-tools/change-watch.ts";
import { executeTool } from "../report-tools/execute-tool.ts";
import { createReportTools } from "../report-tools/registry.ts";
import { createReportState } from "../report-tools/report-state.ts";
import type { ContextResolver } from "../report-tools/resolver-protocol.ts";

export async function recordToolEvents(
  events: readonly ToolEvent[],
  paths: RunPaths,
  run: RunId,
  resolver: ContextResolver,
): Promise<void> {
  const tools = createReportTools({
    state: createReportState(paths.state, run),
    change: createChangeWatch(paths.change),
    resolver,
    version: "1",
  });
  const seen = new Set<string>();
  for (const event of events) {
    if (seen.has(event.id)) continue;
    seen.add(event.id);
    await executeTool(tools, event.name, event.input);
  }
}
