// An independent client, the MCP Inspector's command line, lists and calls every tool.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readState, stateFileName } from "../../src/report-tools/state-file.ts";
import { outputServer } from "./stdio-session.ts";

const require = createRequire(import.meta.url);
const inspector = join(dirname(require.resolve("@modelcontextprotocol/inspector-cli/package.json")), "build/cli.js");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aicr-inspector-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function inspect(...args: readonly string[]): Promise<unknown> {
  const state = join(folder, stateFileName);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [inspector, "--cli", "-e", `AICR_OUTPUT_STATE_PATH=${state}`, process.execPath, outputServer, "--method", ...args],
    { cwd: folder },
  );
  return JSON.parse(stdout);
}

const call = (name: string, input: Readonly<Record<string, string>>) =>
  inspect(
    "tools/call",
    "--tool-name",
    name,
    ...Object.entries(input).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]),
  );

it("lists five tools", async () => {
  expect(await inspect("tools/list")).toMatchObject({
    tools: [
      { name: "aicr.report_problem" },
      { name: "aicr.publish_summary" },
      { name: "aicr.skip" },
      { name: "aicr.fetch_more_context" },
      { name: "aicr.try_blame" },
    ],
  });
});

it("calls each of them, every call on a server of its own, into one state", { timeout: 120_000 }, async () => {
  const problem = {
    file: "src/a.ts",
    line: "42",
    severity: "high",
    category: "correctness",
    message: "It drops the job.",
  };
  expect(await call("aicr.report_problem", problem)).toMatchObject({ structuredContent: { problemCount: 1 } });
  expect(await call("aicr.report_problem", problem)).toMatchObject({ structuredContent: { duplicate: true } });
  expect(await call("aicr.publish_summary", { markdown: "One problem." })).toMatchObject({
    structuredContent: { summaryCount: 1 },
  });
  expect(await call("aicr.skip", { reason: "lgtm" })).toMatchObject({ structuredContent: { reason: "lgtm" } });
  expect(await call("aicr.fetch_more_context", { path: "b.ts", reason: "calls it" })).toMatchObject({
    structuredContent: { pending: true },
  });
  expect(await call("aicr.try_blame", { path: "b.ts", reason: "who" })).toMatchObject({
    structuredContent: { pending: true },
  });
  expect(readState(join(folder, stateFileName), "local")).toMatchObject({
    kind: "ok",
    state: {
      problems: [{ file: "src/a.ts", line: 42 }],
      summaries: [{ markdown: "One problem." }],
      skipReason: "lgtm",
      contextRequests: [{ path: "b.ts" }],
      attributionRequests: [{ path: "b.ts" }],
    },
  });
});
