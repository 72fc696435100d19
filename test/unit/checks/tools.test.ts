// The five tools: inputs refused by name, answers in the contract's shapes, and what they say in three languages.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Checks } from "../../../src/checks/checks.ts";
import { outputs, type ToolName } from "../../../src/checks/tool-schemas.ts";
import { createCheckTools, engineLimitError } from "../../../src/checks/tools.ts";
import type { Locale } from "../../../src/ports/texts.ts";
import type { ToolResult, ToolSet } from "../../../src/ports/tool.ts";
import { type Bench, createBench, createProject, type Project } from "./project.ts";

let project: Project;
let bench: Bench;
let tools: ToolSet;
beforeEach(() => {
  project = createProject({ "a.ts": "LINT", "b.ts": "ok", "tsconfig.json": '{"files":["a.ts","b.ts"]}' });
  bench = createBench(project, { locale: "vi" });
  tools = createCheckTools({ checks: bench.checks, version: "1.2.3", locale: "vi" });
});
afterEach(() => project.remove());

async function call(
  name: string,
  input?: unknown,
  on: ToolSet = tools,
): Promise<ToolResult & { json: Record<string, unknown> }> {
  const tool = on.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(name);
  const result = await tool.call(input, new AbortController().signal);
  if (result.structured !== undefined) outputs[name as ToolName]().parse(result.structured);
  return { ...result, json: JSON.parse(result.text) as Record<string, unknown> };
}

it("D inputs: offers five tools with object schemas and the four hints", () => {
  expect(tools.name).toBe("aicr-checks");
  expect(tools.tools.map((tool) => tool.name)).toEqual([
    "ping",
    "check_project",
    "check_files",
    "get_issue_detail",
    "get_loop_status",
  ]);
  for (const tool of tools.tools) {
    expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(tool.outputSchema).toMatchObject({ type: "object" });
    expect(Object.values(tool.annotations)).toEqual([true, false, true, false]);
  }
  expect(tools.resolveName("ping")).toBe("ping");
  expect(tools.resolveName("pong")).toBeNull();
});

it("D inputs: ping answers", async () => {
  expect((await call("ping", {})).json).toEqual({ ok: true, server: "aicr-checks", version: "1.2.3" });
  expect((await call("ping")).isError).toBe(false);
});

it("D answer: check_project answers with the fields of schema 1.1, in their order, and no other", async () => {
  const { text, json, structured, isError } = await call("check_project", { paths: ["."] });
  expect(Object.keys(json)).toEqual([
    "schemaVersion",
    "status",
    "engines",
    "totalIssues",
    "clusters",
    "truncated",
    "loopWarning",
  ]);
  expect(json).toMatchObject({
    schemaVersion: "1.1",
    status: "issues_found",
    engines: { oxlint: { status: "ok" }, tsc: { status: "ok" }, biome: { status: "disabled" } },
    totalIssues: 1,
    truncated: false,
    loopWarning: null,
  });
  expect(Object.keys((json["clusters"] as object[])[0] ?? {})).toEqual([
    "clusterId",
    "rootCauseSummary",
    "ruleIds",
    "issueCount",
    "fileCount",
    "priority",
    "suggestedAction",
    "sampleIssueIds",
  ]);
  expect(JSON.parse(text)).toEqual(structured);
  expect(isError).toBe(false);
});

describe("get_issue_detail", () => {
  it("D inputs: expands a cluster and an issue: the text is the array, the structure has it under issues", async () => {
    await call("check_project", {});
    const { text, structured } = await call("get_issue_detail", { clusterId: "c1" });
    const issues = JSON.parse(text) as { issueId: string }[];
    expect(Object.keys(issues[0] ?? {})).toEqual([
      "issueId",
      "file",
      "line",
      "col",
      "engine",
      "rule",
      "severity",
      "message",
      "fixable",
      "clusterId",
    ]);
    expect(structured).toEqual({ issues });
    expect((await call("get_issue_detail", { issueId: issues[0]?.issueId })).structured).toEqual({ issues });
  });

  it("D inputs: says stale for a reference of no check, of an older one, and never as an error", async () => {
    const stale = { status: "stale", message: "Cluster/issue này không còn tồn tại; hãy chạy lại check_project." };
    expect(await call("get_issue_detail", { clusterId: "c1" })).toMatchObject({ json: stale, isError: false });
    await call("check_project", {});
    const before = (await call("get_issue_detail", { clusterId: "c1" })).structured?.["issues"] as {
      issueId: string;
    }[];
    project.put("a.ts", "ok");
    await call("check_project", {});
    expect((await call("get_issue_detail", { issueId: before[0]?.issueId })).json).toEqual(stale);
  });

  it("D inputs: keeps the newest check that did not fail", async () => {
    await call("check_project", {});
    const timeout = { reason: "timeout" as const, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    Object.assign(bench.engines.instead, { oxlint: timeout, tsc: timeout });
    project.put("a.ts", "LINT again");
    expect((await call("check_project", {})).json).toMatchObject({ status: "error" });
    expect((await call("get_issue_detail", { clusterId: "c1" })).isError).toBe(false);
    expect((await call("get_issue_detail", { clusterId: "c1" })).structured).toHaveProperty("issues");
  });
});

describe("inputs that are refused", () => {
  it.each<[string, string, unknown]>([
    ["ping", "x", { x: 1 }],
    ["check_project", "paths", { paths: "." }],
    ["check_project", "paths", { paths: [] }],
    ["check_project", "path", { path: ["."] }],
    ["check_project", "512", { paths: Array.from({ length: 513 }, () => ".") }],
    ["check_files", "files", {}],
    ["check_files", "files.0", { files: [1] }],
    ["check_files", "512", { files: Array.from({ length: 513 }, () => "a.ts") }],
    ["get_issue_detail", "exactly one", {}],
    ["get_issue_detail", "exactly one of", { clusterId: "c1", issueId: "x" }],
    ["get_issue_detail", "clusterId", { clusterId: "" }],
    ["get_loop_status", "all", { all: true }],
    ["check_files", "files", null],
    ["check_files", "object", "a.ts"],
  ])("D inputs: %s: names %s", async (name, named, input) => {
    const { json, isError, structured } = await call(name, input);
    expect(json).toMatchObject({ status: "error", code: "invalid_arguments" });
    expect(json["message"]).toContain(named);
    expect([isError, structured]).toEqual([true, undefined]);
    expect(bench.engines.taken()).toEqual([]);
  });

  it("D inputs: 512 entries are taken", async () => {
    expect((await call("check_files", { files: Array.from({ length: 512 }, () => "a.ts") })).isError).toBe(false);
  });

  it.each([
    ["../x", "path_outside_project"],
    ["-x", "invalid_path"],
    ["none.ts", "path_not_found"],
  ])("D paths: path %s: %s", async (path, code) => {
    expect(await call("check_files", { files: [path] })).toMatchObject({
      isError: true,
      json: { status: "error", code, path },
    });
  });
});

it("D paths: a file that is gone is reported for itself, and the rest is checked", async () => {
  await call("check_project", {});
  project.drop("b.ts");
  project.put("tsconfig.json", '{"files":["a.ts"]}');
  const missing = [{ path: "b.ts", code: "path_not_found", message: '"b.ts" không tồn tại trong dự án.' }];
  expect((await call("check_files", { files: ["b.ts", "a.ts"] })).json).toMatchObject({ totalIssues: 1, missing });
  expect(await call("check_files", { files: ["b.ts"] })).toMatchObject({
    isError: false,
    json: { status: "clean", missing },
  });
});

it("a check whose client has given up is finished, for the call that comes next", async () => {
  const { run } = bench.engines;
  const obedient = createBench(project, {
    run: (request) =>
      request.signal?.aborted === true
        ? Promise.resolve({ reason: "cancelled", stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) })
        : run(request),
  });
  const set = createCheckTools({ checks: obedient.checks, version: "1" });
  await set.tools.find(({ name }) => name === "check_project")?.call({}, AbortSignal.abort());
  bench.engines.taken();
  expect((await call("check_project", {}, set)).json).toMatchObject({ totalIssues: 1 });
  expect(bench.engines.taken()).toEqual([]);
});

describe("limits that reach the handler", () => {
  const failing = (thrown: unknown, locale: Locale) =>
    createCheckTools({ version: "1", locale, checks: { check: () => Promise.reject(thrown) } as unknown as Checks });

  it("D limits: timeout", async () => {
    const error = engineLimitError("tsc", { kind: "timeout", seconds: 120 });
    expect(await call("check_project", {}, failing(error, "vi"))).toMatchObject({
      isError: true,
      json: { status: "timeout", engine: "tsc", message: "tsc không hoàn thành trong vòng 120s" },
    });
  });

  it("D limits: output exceeded", async () => {
    const error = engineLimitError("oxlint", { kind: "output_exceeded", mebibytes: 10 });
    expect(await call("check_files", { files: ["a.ts"] }, failing(error, "vi"))).toMatchObject({
      isError: true,
      json: {
        status: "error",
        code: "engine_output_exceeded",
        engine: "oxlint",
        message: "đầu ra của oxlint vượt quá giới hạn 10 MiB",
      },
    });
  });
});

it.each([
  ["en", "oxlint did not finish within 30s"],
  ["zh-CN", "oxlint 未能在 30 秒内完成"],
  ["vi", "oxlint không hoàn thành trong vòng 30s"],
] as const)("D texts: speaks %s", async (locale, message) => {
  const local = createBench(project, { locale, cacheDir: null });
  local.engines.instead.oxlint = { reason: "timeout", stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  expect((await local.check()).engines["oxlint"]).toEqual({ status: "error", message });
});

it("answers forty issues of four rules over ten files in at most 14 % of the engine's own bytes", async () => {
  for (let file = 0; file < 10; file++) {
    project.put(
      `f${file}.js`,
      Array.from({ length: 4 }, (_, rule) => `LINT:rule-${rule} Variable is declared but never used.`).join("\n"),
    );
  }
  let raw = 0;
  const measured = createBench(project, {
    cacheDir: null,
    async run(request) {
      const result = await bench.engines.run(request);
      if (request.argv[0] === "oxlint") raw += result.stdout.length;
      return result;
    },
  });
  const set = createCheckTools({ checks: measured.checks, version: "1" });
  const files = Array.from({ length: 10 }, (_, file) => `f${file}.js`);
  const { text, json } = await call("check_files", { files }, set);
  expect(json).toMatchObject({ totalIssues: 40, truncated: false });
  expect(json["clusters"]).toHaveLength(4);
  // This engine prints less than half of what oxlint does; the bench measures the real one.
  expect(Buffer.byteLength(text) / raw).toBeLessThan(0.28);
});
