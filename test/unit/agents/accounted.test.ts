// Programs that ask a model by themselves, under the budgets of their review and of the day; and the checks before an agent.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAccountedAgent } from "../../../src/agents/accounted.ts";
import { createBudget } from "../../../src/agents/model/budget.ts";
import type { DailyBudget } from "../../../src/agents/model/settings.ts";
import { createAgentWithChecks } from "../../../src/agents/with-checks.ts";
import type { Usage } from "../../../src/core/report.ts";
import type { Agent, AgentPass, RunPaths } from "../../../src/ports/agent.ts";
import { executeTool } from "../../../src/report-tools/execute-tool.ts";
import { createReportTools } from "../../../src/report-tools/registry.ts";
import { createReportState } from "../../../src/report-tools/report-state.ts";
import { readState } from "../../../src/report-tools/state-file.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { fileDiff, sampleBrief } from "./prompt/sample-brief.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "aicr-accounted-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function passOf(): AgentPass {
  const change = join(root, "change.json");
  const paths: RunPaths = {
    root,
    change,
    source: root,
    base: root,
    agent: root,
    tmp: root,
    state: join(root, "s.json"),
  };
  const brief = sampleBrief(fileDiff("a.ts", ["x"]));
  return { runId: "rv_1-1.1", kind: "initial", paths, locale: "en", deadlineMs: 60_000, brief: async () => brief };
}

const signal = new AbortController().signal;

describe("an accounted agent", () => {
  const limits = { steps: 10, tokens: 1_000, ms: 5_000, parts: 1 };
  function accounted(daily: DailyBudget, usage: Usage, disclosed?: string) {
    const deadlines: number[] = [];
    const agent: Agent = {
      name: "codex",
      repairable: true,
      async run({ deadlineMs }) {
        deadlines.push(deadlineMs);
        return { exit: "ok", usage };
      },
    };
    const usageSince = async (): Promise<Usage> => ({ inputTokens: 900, outputTokens: 0 });
    const budget = createBudget({ limits, daily, usageSince, clock: createFakeClock() });
    return { deadlines, ...createAccountedAgent(agent, { budget, ...(disclosed === undefined ? {} : { disclosed }) }) };
  }

  it("is not started again once its review's bounds are reached, nor once the day's are", async () => {
    const own = accounted({}, { inputTokens: 900, outputTokens: 100 });
    const pass = passOf();
    expect(await own.run(pass, signal)).toMatchObject({ exit: "ok" });
    expect(await own.run(pass, signal)).toMatchObject({ exit: "failed", fault: { reason: "agent_limit" } });
    expect(own.deadlines).toEqual([5_000]);
    const day = accounted({ tokens: 900 }, { inputTokens: 1, outputTokens: 1 });
    expect(await day.run(passOf(), signal)).toMatchObject({
      fault: { reason: "model_budget", params: { agent: "codex", repository: "demo" } },
    });
    expect(day.deadlines).toEqual([]);
  });

  it("says which model has read the code, once it has answered", async () => {
    const said = accounted({}, { inputTokens: 9, outputTokens: 1 }, "m-1");
    expect((await said.run(passOf(), signal)).notes).toEqual([{ kind: "model", params: { models: "m-1" } }]);
    const silent = accounted({}, { inputTokens: 0, outputTokens: 0 }, "m-1");
    expect((await silent.run(passOf(), signal)).notes).toBeUndefined();
  });
});

describe("checks before an agent", () => {
  const found = { file: "a.ts", line: 4, end_line: 5, severity: "low", category: "types", message: "Not a number." };
  const own = { file: "a.ts", line: 1, severity: "high", category: "correctness", message: "Wrong." };

  function reporting(name: string, calls: readonly (readonly [string, unknown])[], passes: AgentPass[] = []): Agent {
    return {
      name,
      repairable: true,
      async run(pass) {
        passes.push(pass);
        const tools = createReportTools({ state: createReportState(pass.paths.state, pass.runId), version: "1" });
        for (const [tool, input] of calls) await executeTool(tools, tool, input);
        return { exit: "ok" };
      },
    };
  }
  const checks = reporting("checks", [["aicr.report_problem", found]]);
  const stateOf = (pass: AgentPass) => readState(pass.paths.state, pass.runId);

  it("are told to it, and join what it reported", async () => {
    const passes: AgentPass[] = [];
    const pass = passOf();
    await createAgentWithChecks(reporting("deep", [["aicr.report_problem", own]], passes), checks).run(pass, signal);
    expect(passes[0]?.found).toMatchObject([{ line: 4, endLine: 5, category: "types" }]);
    expect(stateOf(pass)).toMatchObject({ state: { problems: [{ line: 1 }, { line: 4, endLine: 5 }] } });
  });

  it("outweigh its skip", async () => {
    const pass = passOf();
    await createAgentWithChecks(reporting("deep", [["aicr.skip", { reason: "lgtm" }]]), checks).run(pass, signal);
    expect(stateOf(pass)).toMatchObject({ state: { problems: [{ line: 4 }], skipReason: "lgtm" } });
  });

  it("are no report where it gave none, and are not run again for its next pass", async () => {
    const runs: AgentPass[] = [];
    const counted = reporting("checks", [["aicr.report_problem", found]], runs);
    const agent = createAgentWithChecks(reporting("deep", []), counted);
    const pass = passOf();
    await agent.run(pass, signal);
    await agent.run({ ...pass, kind: "repair" }, signal);
    expect(stateOf(pass).kind).toBe("missing");
    expect(runs).toHaveLength(1);
  });
});
