// Run directories: fresh for each attempt, sealed for the agent, clean for each pass, gone after their time.
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorkspace, type RunWorkspace } from "../../../src/agents/workspace.ts";
import type { RunPaths } from "../../../src/ports/agent.ts";
import { readChangeFile, writeChangeFile } from "../../../src/report-tools/change-file.ts";
import { createChangeWatch } from "../../../src/report-tools/change-watch.ts";
import { executeTool } from "../../../src/report-tools/execute-tool.ts";
import { createReportTools } from "../../../src/report-tools/registry.ts";
import { createReportState } from "../../../src/report-tools/report-state.ts";
import { readState } from "../../../src/report-tools/state-file.ts";
import { changeFacts } from "../../fakes/change-facts.ts";

let data: string;
let workspace: RunWorkspace;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "aicr-data-"));
  workspace = createWorkspace({ runsDir: join(data, "runs") });
});
afterEach(() => rm(data, { recursive: true, force: true }));

async function preparedRun(): Promise<RunPaths> {
  const paths = await workspace.create("rv_1", 1);
  await mkdir(join(paths.source, "src"));
  await writeFile(join(paths.source, "src/service.ts"), "new side");
  await writeFile(join(paths.base, "old.ts"), "old side");
  writeChangeFile(paths.change, changeFacts());
  return paths;
}

const context = (path: string, text = "fetched") => ({ path, text, firstLine: 1, totalLines: 1, truncated: false });

describe("createWorkspace", () => {
  it("makes the folders of an attempt, empty even when a dead one left something", async () => {
    const first = await workspace.create("rv_1", 1);
    await writeFile(join(first.agent, "left"), "over");
    const again = await workspace.create("rv_1", 1);
    expect(again).toEqual(first);
    expect(again.root).toBe(join(data, "runs", "rv_1-1"));
    expect((await readdir(again.root)).sort()).toEqual(["agent", "base", "source", "tmp"]);
    expect(await readdir(again.agent)).toEqual([]);
    expect(statSync(join(data, "runs")).mode & 0o777).toBe(0o700);
  });

  it("prepares a pass: current id, no stale state, sealed sides, a manifest", async () => {
    const paths = await preparedRun();
    for (const name of [".aicr-output-state.json", ".aicr-output-state.json.lock", ".aicr-output-state.json.ab.tmp"]) {
      await writeFile(join(paths.agent, name), "stale");
    }
    await writeFile(join(paths.agent, "notes.md"), "the agent's own");
    await workspace.preparePass(paths, "rv_1-1.2");
    expect(readChangeFile(paths.change)).toMatchObject({ facts: { runId: "rv_1-1.2", reviewId: "rv_1" } });
    expect(await readdir(paths.agent)).toEqual(["notes.md"]);
    expect(statSync(join(paths.source, "src")).mode & 0o777).toBe(0o555);
    expect(statSync(join(paths.source, "src/service.ts")).mode & 0o777).toBe(0o444);
    const manifest: unknown = JSON.parse(readFileSync(join(paths.root, "manifest.json"), "utf8"));
    expect(manifest).toMatchObject({
      runId: "rv_1-1.2",
      source: [{ path: "src/service.ts", bytes: 8 }],
      fetched: [],
      skipped: ["src/new-name.ts", "logo.png", "src/huge.ts"],
      base: [{ path: "old.ts", bytes: 8 }],
    });
  });

  it("E4: an orphan of an earlier pass, and another review of the repository, write nothing into this one", async () => {
    const paths = await preparedRun();
    const server = (run: string, at: RunPaths) =>
      createReportTools({
        state: createReportState(at.state, run),
        change: createChangeWatch(at.change),
        version: "1",
      });
    const problem = { file: "src/service.ts", line: 14, severity: "low", category: "c", message: "m" };
    await workspace.preparePass(paths, "rv_1-1.1");
    const orphan = server("rv_1-1.1", paths);
    await executeTool(orphan, "aicr.report_problem", problem);
    await workspace.preparePass(paths, "rv_1-1.20");
    expect(await executeTool(orphan, "aicr.report_problem", { ...problem, line: 15 })).toMatchObject({ isError: true });
    expect(readState(paths.state, "rv_1-1.20")).toEqual({ kind: "missing" });

    const other = await workspace.create("rv_2", 1);
    writeChangeFile(other.change, changeFacts({ runId: "rv_2-1.1", reviewId: "rv_2" }));
    await Promise.all([
      executeTool(server("rv_1-1.20", paths), "aicr.report_problem", { ...problem, message: "of one" }),
      executeTool(server("rv_2-1.1", other), "aicr.report_problem", { ...problem, message: "of two" }),
    ]);
    const messages = (at: RunPaths, run: string) => {
      const read = readState(at.state, run);
      return read.kind === "ok" ? read.state.problems.map(({ message }) => message) : read;
    };
    expect(messages(paths, "rv_1-1.20")).toEqual(["of one"]);
    expect(messages(other, "rv_2-1.1")).toEqual(["of two"]);
  });

  it("keeps fetched files beside the change, at once or one by one, and lists them", async () => {
    const paths = await preparedRun();
    await workspace.preparePass(paths, "rv_1-1.1");
    await Promise.all([
      workspace.keepFetched(paths, context("lib/deep/a.ts")),
      workspace.keepFetched(paths, context("lib/b.ts")),
    ]);
    expect(await readFile(join(paths.source, "lib/deep/a.ts"), "utf8")).toBe("fetched");
    expect(statSync(join(paths.source, "lib")).mode & 0o777).toBe(0o555);
    await workspace.preparePass(paths, "rv_1-1.2");
    expect(JSON.parse(readFileSync(join(paths.root, "manifest.json"), "utf8"))).toMatchObject({
      fetched: [{ path: "lib/b.ts" }, { path: "lib/deep/a.ts" }],
    });
  });

  it("never replaces a file of the change, nor leaves the run", async () => {
    const paths = await preparedRun();
    await workspace.keepFetched(paths, context("src/service.ts", "other"));
    expect(await readFile(join(paths.source, "src/service.ts"), "utf8")).toBe("new side");
    await expect(workspace.keepFetched(paths, context("../escape.ts"))).rejects.toMatchObject({ code: "forbidden" });
    await mkdir(join(data, "elsewhere"));
    await symlink(join(data, "elsewhere"), join(paths.source, "link"));
    await expect(workspace.keepFetched(paths, context("link/escape.ts"))).rejects.toMatchObject({ code: "forbidden" });
    expect(await readdir(join(data, "elsewhere"))).toEqual([]);
    expect(existsSync(join(paths.root, "escape.ts"))).toBe(false);
  });

  it("says what to do when the folder cannot be made", async () => {
    await writeFile(join(data, "file"), "");
    const blocked = createWorkspace({ runsDir: join(data, "file", "runs") });
    await expect(blocked.create("rv_1", 1)).rejects.toMatchObject({ code: "unavailable", reason: "run_directory" });
  });

  it("purges runs older than a moment, sealed ones too", async () => {
    const paths = await preparedRun();
    await workspace.preparePass(paths, "rv_1-1.1");
    const young = await workspace.create("rv_2", 1);
    await utimes(paths.root, 1_000, 1_000);
    expect(await workspace.purgeRuns(2_000_000)).toBe(1);
    expect([existsSync(paths.root), existsSync(young.root)]).toEqual([false, true]);
    expect(await workspace.purgeRuns(0)).toBe(0);
  });
});
