// A check as a whole: which engines speak, how each failure shows, and whose engines and settings count.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChecks } from "../../../src/checks/checks.ts";
import { bundledEngine, projectEngine } from "../../../src/checks/engine-package.ts";
import { statusOf } from "../../../src/checks/response.ts";
import { type ProcessResult, runProcess } from "../../../src/process/spawn.ts";
import { type Bench, createBench, createProject, type Project } from "./project.ts";

let project: Project;
let bench: Bench;
beforeEach(() => {
  project = createProject({ "a.ts": "ok", "tsconfig.json": '{"files":["a.ts"]}', "biome.json": "{}" });
  bench = createBench(project);
});
afterEach(() => project.remove());

const empty = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
const timeout: ProcessResult = { reason: "timeout", ...empty };

describe("status", () => {
  it("D engines: is clean only if every enabled engine finished", async () => {
    expect((await bench.check()).status).toBe("clean");
    bench.engines.instead.biome = timeout;
    project.put("a.ts", "ok too");
    expect(await bench.check()).toMatchObject({ status: "error", engines: { oxlint: { status: "ok" } } });
    project.put("a.ts", "LINT");
    expect(await bench.check()).toMatchObject({ status: "issues_found", engines: { biome: { status: "error" } } });
  });

  it.each([
    [{ a: "ok", b: "disabled" }, 0, "clean"],
    [{ a: "ok" }, 1, "issues_found"],
    [{ a: "error" }, 0, "error"],
    [{ a: "error", b: "disabled" }, 3, "error"],
    [{ a: "ok", b: "error" }, 0, "error"],
    [{ a: "disabled" }, 0, "clean"],
  ] as const)("D engines: of %j with %i issues is %s", (engines, issues, status) => {
    const states = Object.entries(engines).map(([name, state]) => [
      name,
      state === "error" ? { status: state, message: "" } : { status: state },
    ]);
    expect(statusOf(Object.fromEntries(states), issues)).toBe(status);
  });
});

describe("engines", () => {
  it("biome is disabled without settings of its own, tsc without TypeScript, oxlint never", async () => {
    project.drop("biome.json");
    project.drop("tsconfig.json");
    project.drop("a.ts");
    project.put("a.js", "ok");
    expect((await bench.check()).engines).toEqual({
      oxlint: { status: "ok" },
      tsc: { status: "disabled" },
      biome: { status: "disabled" },
    });
  });

  it.each([
    ["hang", timeout, "tsc did not finish within 120s"],
    ["flood", { reason: "output_exceeded", ...empty }, "tsc output exceeded the 10 MiB limit"],
    [
      "be missing",
      { reason: "spawn_failed", message: "ENOENT", ...empty },
      "tsc is not installed and could not be started",
    ],
    [
      "crash",
      { reason: "exited", code: 1, ...empty, stderr: Buffer.from("Error: out of memory\n    at x\n") },
      "tsc failed (exit 1): Error: out of memory",
    ],
    ["be killed", { reason: "exited", code: null, ...empty }, "tsc failed (signal)"],
    [
      "refuse its settings",
      {
        reason: "exited",
        code: 1,
        ...empty,
        stdout: Buffer.from("error TS5058: The specified path does not exist.\n"),
      },
      "tsc failed (exit 1): TS5058 The specified path does not exist.",
    ],
  ] as const)("D engines: may %s while the others' diagnostics stand", async (_, result, message) => {
    bench.engines.instead.tsc = result;
    project.put("a.ts", "LINT STYLE");
    const response = await bench.check();
    expect(response.engines).toEqual({
      oxlint: { status: "ok" },
      tsc: { status: "error", message },
      biome: { status: "ok" },
    });
    expect(response).toMatchObject({ status: "issues_found", totalIssues: 2 });
  });

  it("D engines: an engine that is nowhere is an error of its own", async () => {
    const { engines } = bench;
    const lacking = createBench(project, {
      findEngine: (engine) => (engine === "oxlint" ? null : engines.find(engine)),
    });
    expect((await lacking.check()).engines).toMatchObject({ oxlint: { status: "error" }, tsc: { status: "ok" } });
  });

  it("a configuration that only others extend is no error", async () => {
    const stdout = Buffer.from("error TS18003: No inputs were found in config file 'tsconfig.json'.\n");
    bench.engines.instead.tsc = { reason: "exited", code: 2, ...empty, stdout };
    expect((await bench.check()).engines["tsc"]).toEqual({ status: "ok" });
  });

  it("a syntax error elsewhere is shown, because it hides what is wrong with the asked file", async () => {
    const stdout = Buffer.from(`z.ts(1,1): error TS1005: ';' expected.\n`);
    bench.engines.instead.tsc = { reason: "exited", code: 2, ...empty, stdout };
    expect(await bench.check(["a.ts"])).toMatchObject({ status: "issues_found", clusters: [{ ruleIds: ["TS1005"] }] });
  });

  it("a wrong option in the settings is shown for the same reason", async () => {
    const stdout = Buffer.from(`tsconfig.json(1,1): error TS5023: Unknown compiler option 'x'.\n`);
    bench.engines.instead.tsc = { reason: "exited", code: 2, ...empty, stdout };
    expect(await bench.check(["a.ts"])).toMatchObject({ status: "issues_found", clusters: [{ ruleIds: ["TS5023"] }] });
  });
});

describe("whose engine", () => {
  it("D trust own: is the project's own if installed there or above, with the version that is installed", () => {
    project.put("package.json", '{"devDependencies":{"oxlint":"^9.0.0"}}');
    expect(projectEngine("oxlint", project.root)).toBeNull();
    project.put("node_modules/oxlint/package.json", '{"version":"1.2.3","bin":{"oxlint":"bin/x.js"}}');
    const directory = join(project.root, "node_modules/oxlint");
    const expected = {
      engine: "oxlint",
      version: "1.2.3",
      origin: "project",
      directory,
      command: [process.execPath, join(directory, "bin/x.js")],
    };
    expect(projectEngine("oxlint", project.root)).toEqual(expected);
    expect(projectEngine("oxlint", join(project.root, "packages/one"))).toEqual(expected);
  });

  it("D trust own: is ours otherwise", () => {
    for (const engine of ["oxlint", "tsc", "biome"] as const) {
      expect(bundledEngine(engine)).toMatchObject({
        engine,
        origin: "bundled",
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
    }
  });

  it("D trust own: a broken installation in the project is not silently replaced", () => {
    project.put("node_modules/typescript/package.json", "{");
    expect(projectEngine("tsc", project.root)).toBeNull();
  });
});

it("leaves out what git ignores, but checks it when it is named", async () => {
  project.put(".gitignore", "dist/\n*.gen.ts\n!keep.gen.ts\n");
  for (const file of ["dist/x.ts", "b.gen.ts", "keep.gen.ts", "node_modules/dep/index.ts"]) project.put(file, "LINT");
  expect((await bench.check()).totalIssues).toBe(1);
  expect((await bench.check(["dist/x.ts", "b.gen.ts"])).totalIssues).toBe(2);
});

it("D trust foreign: of a stranger's project, nothing is obeyed and nothing kept", async () => {
  for (const file of [".oxlintrc.json", "biome.json"])
    project.put(file, '{"ignorePatterns":["**"],"rules":{"no-debugger":"off"}}');
  project.put(".gitignore", "*");
  project.put("x.js", "debugger;\n");
  const none: ProcessResult = { reason: "exited", code: 0, ...empty, stdout: Buffer.from('{"diagnostics":[]}') };
  const foreign = createChecks({
    trust: "foreign",
    root: project.root,
    env: { XDG_CACHE_HOME: project.cacheDir },
    run: (request) => (request.argv.includes("--disable-nested-config") ? runProcess(request) : Promise.resolve(none)),
  });
  expect(await foreign.check(["x.js", "."])).toMatchObject({ issues: [{ rule: "no-debugger", file: "x.js" }] });
  expect(existsSync(project.cacheDir)).toBe(false);
});

it("D cache: one check at a time: the second sees what the first has learnt", async () => {
  await Promise.all([bench.check(), bench.check()]);
  expect(bench.engines.taken()).toHaveLength(3);
});

it("D inputs: two sessions share results, not the newest check", async () => {
  project.put("a.ts", "LINT");
  const other = bench.checks.session();
  await bench.check();
  expect(bench.checks.detail({ clusterId: "c1" })).toHaveLength(1);
  expect(other.detail({ clusterId: "c1" })).toBeNull();
  bench.engines.taken();
  await other.check();
  expect(bench.engines.taken()).toEqual([]);
});

it("refuses a project that is no directory", () => {
  expect(() => createChecks({ trust: "own", root: join(project.root, "a.ts") })).toThrow("There is no directory");
});
