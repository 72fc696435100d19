// The registry as a tool set: names in two forms, schemas and results that agree, faults that stay inside a call.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolSet } from "../../../src/ports/tool.ts";
import { executeTool } from "../../../src/report-tools/execute-tool.ts";
import type { NameForm } from "../../../src/report-tools/names.ts";
import { createReportTools } from "../../../src/report-tools/registry.ts";
import { createReportState } from "../../../src/report-tools/report-state.ts";
import type { ContextResolver } from "../../../src/report-tools/resolver-protocol.ts";
import { readState } from "../../../src/report-tools/state-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aicr-registry-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const resolver: ContextResolver = {
  context: ({ path }) =>
    Promise.resolve({
      kind: "answered",
      context: { path, text: "x\n", firstLine: 1, totalLines: 1, truncated: false },
    }),
  attribution: ({ path }) =>
    Promise.resolve({ kind: "answered", attribution: { path, status: "not_found", entries: [] } }),
};

function tools(names: NameForm, answers?: ContextResolver): ToolSet {
  const state = createReportState(join(folder, "state.json"), "local");
  return createReportTools({ state, names, version: "1.0.0", ...(answers === undefined ? {} : { resolver: answers }) });
}

const inputs: Readonly<Record<string, object>> = {
  "aicr.report_problem": { file: "a.ts", line: 1, severity: "low", category: "c", message: "m" },
  "aicr.publish_summary": { markdown: "m" },
  "aicr.skip": { reason: "lgtm" },
  "aicr.fetch_more_context": { path: "a.ts", reason: "r" },
  "aicr.try_blame": { path: "a.ts", reason: "r" },
};

describe("createReportTools", () => {
  it("lists no dot in underscore form, speaks of the listed names, and is called in both forms", async () => {
    const set = tools("underscore");
    expect(set.tools.map(({ name }) => name)).toEqual(Object.keys(inputs).map((name) => name.replace(".", "_")));
    expect(set.instructions).toContain("aicr_report_problem");
    expect(set.instructions).not.toContain("aicr.");
    expect(await executeTool(set, "aicr_skip", { reason: "lgtm" })).toMatchObject({ isError: false });
    expect(await executeTool(set, "aicr.skip", { reason: "lgtm" })).toMatchObject({ isError: false });
  });

  it.each([
    ["answers", resolver],
    ["has nobody to answer", undefined],
  ])("gives results that fit the listed output schema when it %s", async (_when, answers) => {
    const ajv = new AjvJsonSchemaValidator();
    for (const tool of tools("canonical", answers).tools) {
      const result = await tool.call(inputs[tool.name], new AbortController().signal);
      expect(result.isError).toBe(false);
      expect(JSON.parse(result.text)).toEqual(result.structured);
      expect(ajv.getValidator(tool.outputSchema as object)(result.structured)).toMatchObject({ valid: true });
    }
  });

  it("keeps a fault of a port inside the call", async () => {
    const broken: ContextResolver = { ...resolver, context: () => Promise.reject(new Error("the socket melted")) };
    const answer = await executeTool(tools("canonical", broken), "aicr.fetch_more_context", {
      path: "a.ts",
      reason: "r",
    });
    expect(answer).toEqual({ text: expect.stringContaining("the socket melted"), isError: true });
  });

  it("asks once for what is asked twice, and records both outcomes of a path", async () => {
    const set = tools("canonical");
    for (let time = 0; time < 3; time++) {
      expect(await executeTool(set, "aicr.try_blame", { path: "./a.ts", reason: "r" })).toMatchObject({
        isError: false,
      });
    }
    const other = tools("canonical", resolver);
    await executeTool(other, "aicr.try_blame", { path: "a.ts", reason: "r" });
    expect(readState(join(folder, "state.json"), "local")).toMatchObject({
      state: { attributionRequests: [{ outcome: "pending" }, { outcome: "answered" }] },
    });
  });
});
