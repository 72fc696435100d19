// Faults, notes, usage and takeovers over the passes of a review.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runPasses } from "../../../src/app/run-passes.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Usage } from "../../../src/core/report.ts";
import type { Review } from "../../../src/core/review.ts";
import type { Agent, PassKind, PassResult, RunPaths } from "../../../src/ports/agent.ts";
import type { ReviewBrief } from "../../../src/ports/brief.ts";
import { removeIfThere } from "../../../src/report-tools/atomic-file.ts";
import { executeTool } from "../../../src/report-tools/execute-tool.ts";
import { createReportTools } from "../../../src/report-tools/registry.ts";
import { createReportState } from "../../../src/report-tools/report-state.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const review: Review = {
  id: "rv_1",
  repository: "demo",
  spec: "HEAD",
  agent: "deep",
  paths: [],
  locale: "en",
  requester: { kind: "feed", feed: "test" },
  status: "running",
  attempt: 1,
  createdAt: 0,
};
const problem = { file: "a.ts", line: 1, severity: "high", category: "correctness", message: "Wrong." };
const fault = new AppError("unavailable", "No model answers.", { remedy: "Wait.", reason: "model_unreachable" });
const limit = { kind: "limit", params: { limit: "steps" } } as const;

let root: string;
let paths: RunPaths;
let passes: [string, PassKind][];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "aicr-faults-"));
  const change = join(root, "change.json");
  paths = { root, change, source: root, base: root, agent: root, tmp: root, state: join(root, "state.json") };
  passes = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Step = { readonly reports?: boolean } & Partial<PassResult>;

function agent(name: string, repairable: boolean, steps: readonly Step[], onPass?: (brief: unknown) => void): Agent {
  const queue = [...steps];
  return {
    name,
    repairable,
    async run(pass) {
      passes.push([name, pass.kind]);
      onPass?.(await pass.brief?.());
      const { reports, ...result } = queue.shift() ?? {};
      const tools = createReportTools({ state: createReportState(paths.state, pass.runId), version: "1" });
      if (reports === true) await executeTool(tools, "aicr.report_problem", problem);
      return { exit: "ok", ...result };
    },
  };
}

const totals: Usage[] = [];
const run = (first: Agent, directModel?: Agent, brief?: () => Promise<ReviewBrief>) => {
  totals.length = 0;
  return runPasses({
    agent: first,
    ...(directModel === undefined ? {} : { directModel }),
    ...(brief === undefined ? {} : { brief }),
    review,
    attempt: 1,
    paths,
    answers: { context: async () => ({ kind: "unreachable" }), attribution: async () => ({ kind: "unreachable" }) },
    preparePass: async () => removeIfThere(paths.state),
    onUsage: (total) => void totals.push(total),
    budgetMs: 60_000,
    clock: createFakeClock(),
    logger: silentLogger,
    signal: new AbortController().signal,
  });
};

describe("a fault of the agent", () => {
  it("is the review's failure, without another pass", async () => {
    await expect(run(agent("deep", true, [{ exit: "failed", fault }]))).rejects.toBe(fault);
    expect(passes).toEqual([["deep", "initial"]]);
  });

  it("is none where something was reported all the same", async () => {
    const result = await run(agent("deep", true, [{ exit: "failed", fault, reports: true, notes: [limit] }]));
    expect(result.problems).toHaveLength(1);
    expect(result.notes).toEqual([limit]);
    expect(result.by.name).toBe("deep");
  });

  it("lets another agent take over, which is said; one that is no model is run as ever", async () => {
    const checks = agent("checks", false, [{ reports: true }]);
    const result = await run(agent("deep", true, [{ exit: "failed", fault }]), checks);
    expect(passes).toEqual([
      ["deep", "initial"],
      ["checks", "initial"],
    ]);
    expect(result.by.name).toBe("checks");
    expect(result.notes).toEqual([{ kind: "taken_over", params: { agent: "deep", by: "checks" } }]);
  });

  it("stays the reason where the other agent gives nothing either", async () => {
    const other = agent("other", true, [{}]);
    await expect(run(agent("deep", true, [{ exit: "failed", fault }]), other)).rejects.toBe(fault);
    expect(passes).toEqual([
      ["deep", "initial"],
      ["other", "repair"],
    ]);
  });
});

describe("usage and notes", () => {
  it("are those of all passes, told after each, and known when the review fails", async () => {
    const one = { inputTokens: 10, outputTokens: 1, money: 0.5, requests: 1 };
    const two = { inputTokens: 5, outputTokens: 2, cachedInputTokens: 4, money: 0.25, requests: 2 };
    const first = agent("deep", true, [
      { usage: one, notes: [limit] },
      { usage: two, exit: "failed" },
    ]);
    await expect(run(first)).rejects.toMatchObject({ reason: "agent_failed" });
    expect(totals).toEqual([one, { inputTokens: 15, outputTokens: 3, cachedInputTokens: 4, money: 0.75, requests: 3 }]);
  });

  it("of a kind are the newest", async () => {
    const tokens = { kind: "limit", params: { limit: "tokens" } } as const;
    const result = await run(agent("deep", true, [{ notes: [limit] }, { notes: [tokens], reports: true }]));
    expect(result.notes).toEqual([tokens]);
    expect(result.usage).toBeUndefined();
  });
});

it("hands the brief to every pass", async () => {
  const seen: unknown[] = [];
  const brief = { instructions: [] } as unknown as ReviewBrief;
  await run(
    agent("deep", true, [{}, { reports: true }], (given) => seen.push(given)),
    undefined,
    async () => brief,
  );
  expect(seen).toEqual([brief, brief]);
});
