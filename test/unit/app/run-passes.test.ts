// Passes, repair, prose and contradictions, exactly as CONTRACT §A says; the agents here report through the real registry.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Collected } from "../../../src/app/assess-report.ts";
import { runPasses } from "../../../src/app/run-passes.ts";
import type { RunId } from "../../../src/core/ids.ts";
import type { Review } from "../../../src/core/review.ts";
import type { Agent, AgentPass, PassResult, RunPaths } from "../../../src/ports/agent.ts";
import { removeIfThere } from "../../../src/report-tools/atomic-file.ts";
import { writeChangeFile } from "../../../src/report-tools/change-file.ts";
import { executeTool } from "../../../src/report-tools/execute-tool.ts";
import { createReportTools } from "../../../src/report-tools/registry.ts";
import { createReportState } from "../../../src/report-tools/report-state.ts";
import type { ContextResolver } from "../../../src/report-tools/resolver-protocol.ts";
import { changedFile, changeFacts } from "../../fakes/change-facts.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

type Step = { readonly calls?: readonly [string, unknown][] } & Partial<PassResult>;

const review: Review = {
  id: "rv_1",
  repository: "demo",
  spec: "HEAD",
  agent: "fake",
  paths: [],
  locale: "en",
  requester: { kind: "feed", feed: "test" },
  status: "running",
  attempt: 1,
  createdAt: 0,
};
const problem = { file: "a.ts", line: 1, severity: "high", category: "correctness", message: "Wrong." };
const answers: ContextResolver = {
  context: async ({ path }) =>
    path === "gone.ts"
      ? { kind: "refused", reason: "There is no gone.ts. Do not retry this path." }
      : { kind: "answered", context: { path, text: "line one", firstLine: 1, totalLines: 1, truncated: false } },
  attribution: async ({ path }) => ({ kind: "answered", attribution: { path, status: "not_found", entries: [] } }),
};

describe("runPasses", () => {
  let root: string;
  let paths: RunPaths;
  let passes: AgentPass[];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "aicr-passes-"));
    const at = (name: string) => join(root, name);
    paths = {
      root,
      change: at("change.json"),
      source: root,
      base: root,
      agent: root,
      tmp: root,
      state: at("state.json"),
    };
    passes = [];
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function scripted(steps: readonly Step[], repairable = true): Agent {
    const queue = [...steps];
    return {
      name: "fake",
      repairable,
      async run(pass) {
        passes.push(pass);
        const step = queue.shift() ?? {};
        const tools = createReportTools({ state: createReportState(paths.state, pass.runId), version: "1" });
        for (const [name, input] of step.calls ?? []) await executeTool(tools, name, input);
        const { calls: _calls, ...result } = step;
        return { exit: "ok", ...result };
      },
    };
  }

  const run = (agent: Agent, directModel?: Agent): Promise<Collected> =>
    runPasses({
      agent,
      ...(directModel === undefined ? {} : { directModel }),
      review,
      attempt: 1,
      paths,
      answers,
      preparePass: async () => removeIfThere(paths.state),
      budgetMs: 60_000,
      clock: createFakeClock(),
      logger: silentLogger,
      signal: new AbortController().signal,
    });
  const kinds = (): string[] => passes.map((pass) => pass.kind);

  it("takes what one pass reported, under a run id that counts attempts and passes", async () => {
    const result = await run(scripted([{ calls: [["aicr.report_problem", problem]] }]));
    expect(result.problems).toHaveLength(1);
    expect(passes.map((pass) => pass.runId)).toEqual(["rv_1-1.1"] satisfies RunId[]);
  });

  it.each(["failed", "timeout"] as const)("keeps what was reported before a pass ended as %s", async (exit) => {
    const result = await run(scripted([{ calls: [["aicr.report_problem", problem]], exit }]));
    expect(result.problems).toHaveLength(1);
    expect(kinds()).toEqual(["initial"]);
  });

  it("lets problems win over a skip, and a skip over a summary", async () => {
    const both = await run(
      scripted([
        {
          calls: [
            ["aicr.skip", { reason: "lgtm" }],
            ["aicr.report_problem", problem],
          ],
        },
      ]),
    );
    expect(both.skipReason).toBeUndefined();
    const skip = await run(
      scripted([
        {
          calls: [
            ["aicr.publish_summary", { markdown: "Fine." }],
            ["aicr.skip", { reason: "lgtm" }],
          ],
        },
      ]),
    );
    expect(skip).toMatchObject({ skipReason: "lgtm", summaries: [{ markdown: "Fine." }] });
  });

  it("keeps several summaries of a pass in their order", async () => {
    const calls = ["One.", "Two."].map((markdown): [string, unknown] => ["aicr.publish_summary", { markdown }]);
    const result = await run(scripted([{ calls }]));
    expect(result.summaries.map((summary) => summary.markdown)).toEqual(["One.", "Two."]);
  });

  it("answers what stayed open in one follow-up pass, refusals included", async () => {
    const ask = (path: string): [string, unknown] => ["aicr.fetch_more_context", { path, reason: "to see the caller" }];
    const result = await run(
      scripted([{ calls: [ask("b.ts"), ask("gone.ts")] }, { calls: [["aicr.report_problem", problem]] }]),
    );
    expect(result.problems).toHaveLength(1);
    expect(kinds()).toEqual(["initial", "follow_up"]);
    expect(passes[1]?.message).toContain("line one");
    expect(passes[1]?.message).toContain("Do not retry this path");
  });

  it("keeps the first pass's result when the follow-up brings nothing", async () => {
    const calls: [string, unknown][] = [
      ["aicr.report_problem", problem],
      ["aicr.try_blame", { path: "a.ts", reason: "who" }],
    ];
    const result = await run(scripted([{ calls }, { exit: "failed" }]));
    expect(result.problems).toHaveLength(1);
    expect(kinds()).toEqual(["initial", "follow_up"]);
  });

  it("repairs once, then asks the direct model, then fails: four invocations at most", async () => {
    const ask: [string, unknown] = ["aicr.fetch_more_context", { path: "b.ts", reason: "x" }];
    const model = scripted([{ calls: [["aicr.report_problem", problem]] }]);
    const result = await run(scripted([{ calls: [ask] }, {}, {}]), model);
    expect(result.problems).toHaveLength(1);
    expect(kinds()).toEqual(["initial", "follow_up", "repair", "repair"]);
    passes = [];
    await expect(run(scripted([{ calls: [ask] }, {}, {}]), scripted([{}]))).rejects.toMatchObject({
      reason: "agent_failed",
    });
    expect(passes).toHaveLength(4);
  });

  it("sums the usage of all passes, of the direct model too, and tells none where no agent does", async () => {
    const spent = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } });
    const agent = scripted([spent(100, 7), {}]);
    const direct = scripted([{ calls: [["aicr.skip", { reason: "lgtm" }]], ...spent(20, 1) }]);
    expect(await run(agent, direct)).toMatchObject({
      skipReason: "lgtm",
      usage: { inputTokens: 120, outputTokens: 8 },
    });
    expect(await run(scripted([{ calls: [["aicr.skip", { reason: "lgtm" }]] }]))).not.toHaveProperty("usage");
  });

  it("does not repair an agent that is no model", async () => {
    await expect(run(scripted([{}], false))).rejects.toMatchObject({ reason: "agent_failed" });
    expect(kinds()).toEqual(["initial"]);
  });

  it("says of a hung agent that it did not finish", async () => {
    await expect(run(scripted([{ exit: "timeout" }], false))).rejects.toMatchObject({
      code: "timeout",
      retryable: false,
    });
  });

  it("reads prose as a skip only where no tool reported and the agent ended well", async () => {
    expect(await run(scripted([{ finalText: "LGTM, no issues found." }]))).toMatchObject({ skipReason: "lgtm" });
    passes = [];
    const careful = scripted([{ finalText: "No issues with naming. However line 42 dereferences null." }, {}]);
    await expect(run(careful)).rejects.toMatchObject({ reason: "agent_failed" });
    expect(kinds()).toEqual(["initial", "repair"]);
    await expect(run(scripted([{ finalText: "LGTM", exit: "failed" }], false))).rejects.toThrow();
  });

  it("answers a complaint of missing source with a context pass", async () => {
    const steps: Step[] = [
      { finalText: "I cannot review this because the source file was not provided." },
      { calls: [["aicr.skip", { reason: "lgtm" }]] },
    ];
    expect(await run(scripted(steps))).toMatchObject({ skipReason: "lgtm" });
    expect(kinds()).toEqual(["initial", "follow_up"]);
  });

  it("repairs a summary that claims problems while none was reported", async () => {
    const claim: [string, unknown] = ["aicr.publish_summary", { markdown: "Found 2 high-severity issues." }];
    const result = await run(scripted([{ calls: [claim] }, { calls: [["aicr.report_problem", problem], claim] }]));
    expect(kinds()).toEqual(["initial", "repair"]);
    expect(result).toMatchObject({ problems: [{ file: "a.ts" }], summaries: [{}] });
  });

  it("executes tool events of the stream once each when no state file is there, under any spelling", async () => {
    writeChangeFile(
      paths.change,
      changeFacts({ files: [changedFile({ path: "a.ts", hunks: [{ start: 1, end: 3 }] })] }),
    );
    const toolEvents = [
      { id: "1", name: "aicr-output_aicr_report_problem", input: problem },
      { id: "1", name: "aicr-output_aicr_report_problem", input: { ...problem, message: "Same event again." } },
      { id: "2", name: "bash", input: {} },
    ];
    const result = await run(scripted([{ toolEvents }]));
    expect(result.problems).toHaveLength(1);
  });

  it("ignores tool events when there is a state file", async () => {
    const toolEvents = [{ id: "1", name: "aicr_report_problem", input: { ...problem, message: "From the stream." } }];
    const result = await run(scripted([{ calls: [["aicr.report_problem", problem]], toolEvents }]));
    expect(result.problems.map((one) => one.message)).toEqual(["Wrong."]);
  });

  it("E19: a state file of another pass is refused", async () => {
    const foreign = createReportTools({ state: createReportState(paths.state, "rv_other-1.1"), version: "1" });
    const agent: Agent = {
      name: "fake",
      repairable: false,
      async run(pass) {
        passes.push(pass);
        await executeTool(foreign, "aicr.report_problem", problem);
        return { exit: "ok" };
      },
    };
    await expect(run(agent)).rejects.toMatchObject({ reason: "agent_failed" });
  });
});
