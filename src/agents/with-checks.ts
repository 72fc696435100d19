// An agent before which the automatic checks run: it is told what they found, and their findings join its report.
import type { Problem } from "../core/problem.ts";
import type { Agent, AgentPass, RunPaths } from "../ports/agent.ts";
import { executeTool } from "../report-tools/execute-tool.ts";
import { createReportTools } from "../report-tools/registry.ts";
import { createReportState } from "../report-tools/report-state.ts";
import { readState } from "../report-tools/state-file.ts";

/**
 * The findings of the checks are added to what a pass reported, never to nothing: a review whose agent failed has failed, however
 * much the checks found.
 */
export function createAgentWithChecks(agent: Agent, checks: Agent): Agent {
  const attempts = new WeakMap<RunPaths, readonly Problem[]>();

  return {
    name: agent.name,
    repairable: agent.repairable,
    async run(pass, signal) {
      const found = attempts.get(pass.paths) ?? (await check(pass, signal));
      attempts.set(pass.paths, found);
      const result = await agent.run({ ...pass, ...(found.length === 0 ? {} : { found }) }, signal);
      await add(found, pass);
      return result;
    },
  };

  /** Into a state of its own, removed like any stale one before the next pass. */
  async function check(pass: AgentPass, signal: AbortSignal): Promise<readonly Problem[]> {
    const state = `${pass.paths.state}.checks`;
    await checks.run({ ...pass, kind: "initial", paths: { ...pass.paths, state } }, signal);
    const read = readState(state, pass.runId);
    return read.kind === "ok" ? read.state.problems : [];
  }
}

async function add(found: readonly Problem[], pass: AgentPass): Promise<void> {
  const read = readState(pass.paths.state, pass.runId);
  if (found.length === 0 || read.kind !== "ok") return;
  const { problems, summaries, skipReason } = read.state;
  if (problems.length === 0 && summaries.length === 0 && skipReason === undefined) return;
  const tools = createReportTools({ state: createReportState(pass.paths.state, pass.runId), version: "1" });
  for (const problem of found) await executeTool(tools, "aicr.report_problem", asInput(problem));
}

function asInput({ endLine, ...problem }: Problem): Record<string, unknown> {
  return { ...problem, ...(endLine === undefined ? {} : { end_line: endLine }) };
}
