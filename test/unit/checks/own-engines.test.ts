// Real engines on a developer's project: projects, references, settings, and what is known to make caches lie.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CheckAnswer, createChecks } from "../../../src/checks/checks.ts";
import { bundledEngine } from "../../../src/checks/engine-package.ts";
import type { EngineName } from "../../../src/checks/limits.ts";
import { engineLimits } from "../../../src/checks/limits.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(() => project.remove());

/** Only the engines of interest: each costs time. */
function checksWith(...engines: readonly EngineName[]) {
  const quiet = {
    engine: "oxlint",
    version: "0",
    origin: "bundled",
    directory: "/",
    command: [process.execPath, "-e", "console.log('{\"diagnostics\":[]}')", "--"],
  } as const;
  return createChecks({
    trust: "own",
    root: project.root,
    cacheDir: project.cacheDir,
    findEngine: (engine) => (engines.includes(engine) ? bundledEngine(engine) : { ...quiet, engine }),
  });
}

function issuesOf(answer: CheckAnswer): string[] {
  if (answer.kind === "refused") throw new Error(answer.message);
  const failed = Object.values(answer.response.engines).filter((engine) => engine.status === "error");
  return [
    ...failed.map((engine) => JSON.stringify(engine)),
    ...answer.issues.map((issue) => `${issue.rule} ${issue.file}:${issue.line}`),
  ].sort();
}

const strict = { strict: true, module: "nodenext", skipLibCheck: true, lib: ["es2022"], types: [] };

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
}

describe("tsc", () => {
  it("D trust own: checks a solution's projects through their sources, and writes nothing", async () => {
    project.put("tsconfig.json", '{"files":[],"references":[{"path":"./a"},{"path":"./b/tsconfig.json"}]}');
    const composite = {
      ...strict,
      composite: true,
      declarationMap: true,
      outDir: "dist",
      rootDir: "src",
      tsBuildInfoFile: "dist/x.tsbuildinfo",
    };
    project.put(
      "a/tsconfig.json",
      JSON.stringify({ compilerOptions: composite, include: ["src"], references: [{ path: "../b" }] }),
    );
    project.put(
      "b/tsconfig.json",
      `{ /* comment */ "compilerOptions": ${JSON.stringify(composite)}, "include": ["src"], }`,
    );
    project.put("a/src/a.ts", 'import { b } from "../../b/src/b.js";\nexport const a: number = b;\n');
    project.put("b/src/b.ts", 'export const b = "s";\nexport const c: number = b;\n');
    const before = filesBelow(project.root);
    expect(issuesOf(await checksWith("tsc").check())).toEqual(["TS2322 a/src/a.ts:2", "TS2322 b/src/b.ts:2"]);
    expect(filesBelow(project.root)).toEqual(before);
  });

  it("D cache: neither believes nor writes an incremental project's build info", async () => {
    project.put(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...strict, incremental: true, tsBuildInfoFile: "./info" }, files: ["a.ts"] }),
    );
    project.put("a.ts", "export const a: number = 1;\n");
    const checks = checksWith("tsc");
    expect(issuesOf(await checks.check())).toEqual([]);
    expect(existsSync(join(project.root, "info"))).toBe(false);
    writeFileSync(join(project.root, "info"), '{"version":"6.0.3","fileNames":[],"fileInfos":[]}');
    project.put("a.ts", 'export const a: number = "s";\n');
    expect(issuesOf(await checks.check())).toEqual(["TS2322 a.ts:1"]);
  });

  it("D cache: notices changed types of a dependency, a changed extended configuration, and a return to what was", async () => {
    project.put("base.json", JSON.stringify({ compilerOptions: strict }));
    project.put("tsconfig.json", '{"extends":"./base.json","files":["a.ts"]}');
    project.put(
      "a.ts",
      'import { dep } from "dep";\nexport const a: number = dep;\nexport function f(x) { return x; }\n',
    );
    const checks = checksWith("tsc");
    const absent = ["TS2307 a.ts:1", "TS7006 a.ts:3"];
    expect(issuesOf(await checks.check())).toEqual(absent);
    project.put("node_modules/dep/package.json", '{"name":"dep","types":"index.d.ts"}');
    project.put("node_modules/dep/index.d.ts", "export const dep: number;\n");
    expect(issuesOf(await checks.check())).toEqual(["TS7006 a.ts:3"]);
    project.put("node_modules/dep/index.d.ts", "export const dep: string;\n");
    expect(issuesOf(await checks.check())).toEqual(["TS2322 a.ts:2", "TS7006 a.ts:3"]);
    project.put("base.json", JSON.stringify({ compilerOptions: { ...strict, noImplicitAny: false } }));
    expect(issuesOf(await checks.check())).toEqual(["TS2322 a.ts:2"]);
    project.put("base.json", JSON.stringify({ compilerOptions: strict }));
    expect(issuesOf(await checks.check())).toEqual(["TS2322 a.ts:2", "TS7006 a.ts:3"]);
  });

  it("checks a project without a configuration, and each package by its own", async () => {
    project.put("a.ts", 'export const a: number = "s";\n');
    expect(issuesOf(await checksWith("tsc").check())).toEqual(["TS2322 a.ts:1"]);
    project.put(
      "packages/one/tsconfig.json",
      JSON.stringify({ compilerOptions: { ...strict, strict: false }, include: ["."] }),
    );
    project.put("packages/one/b.ts", 'export function b(x) { return x; }\nexport const c: number = "s";\n');
    expect(issuesOf(await checksWith("tsc").check())).toEqual(["TS2322 a.ts:1", "TS2322 packages/one/b.ts:2"]);
  });
});

describe("oxlint", () => {
  it("D cache: obeys overrides by path: the same bytes have other results elsewhere", async () => {
    const text = "export const a = 1;\ndebugger;\n";
    project.put(
      ".oxlintrc.json",
      JSON.stringify({
        rules: { "no-debugger": "error" },
        overrides: [{ files: ["scripts/**"], rules: { "no-debugger": "off" } }],
        ignorePatterns: ["old/**"],
      }),
    );
    for (const file of ["src/a.js", "scripts/a.js", "old/a.js"]) project.put(file, text);
    const checks = checksWith("oxlint");
    expect(issuesOf(await checks.check())).toEqual(["no-debugger src/a.js:2"]);
    project.put("src/.oxlintrc.json", '{"rules":{"no-debugger":"off"}}');
    expect(issuesOf(await checks.check())).toEqual([]);
  });

  it("D message: knows what it can fix, and counts columns in UTF-16", async () => {
    project.put("a.js", 'export const é = "🎉é"; debugger;\nexport const x = typeof é === "strin";\n');
    const answer = await checksWith("oxlint").check();
    expect(answer).toMatchObject({
      issues: [
        { rule: "valid-typeof", fixable: false },
        { rule: "no-debugger", fixable: true, col: 25 },
      ],
    });
  });

  it("D engines: says what is wrong with its settings", async () => {
    project.put(".oxlintrc.json", "{");
    project.put("a.js", "export {};\n");
    const answer = await checksWith("oxlint").check();
    expect(answer).toMatchObject({
      response: {
        status: "error",
        engines: { oxlint: { status: "error", message: expect.stringMatching(/^oxlint failed \(exit 1\): .*parse/i) } },
      },
    });
  });
});

describe("biome", () => {
  it("D trust own: obeys the project's settings and its ignored files", async () => {
    const rules = { preset: "none", suspicious: { noDebugger: "error" } };
    project.put("biome.json", JSON.stringify({ root: true, files: { includes: ["**", "!old"] }, linter: { rules } }));
    project.put("a.js", "debugger;\n");
    project.put("old/a.js", "debugger;\n");
    const answer = await checksWith("biome").check();
    expect(answer).toMatchObject({
      issues: [{ rule: "lint/suspicious/noDebugger", file: "a.js", fixable: true, severity: "error" }],
    });
  });

  it("reports all, not the twenty that biome prints by default", async () => {
    project.put("biome.json", '{"root":true,"linter":{"rules":{"preset":"none","suspicious":{"noDebugger":"error"}}}}');
    project.put("a.js", "debugger;\n".repeat(60));
    expect(await checksWith("biome").check()).toMatchObject({ response: { totalIssues: 60 } });
  });

  it("D cache: cycles between files are told anew when the other file changes", async () => {
    project.put(
      "biome.json",
      JSON.stringify({ root: true, linter: { rules: { preset: "none", suspicious: { noImportCycles: "error" } } } }),
    );
    project.put("a.js", 'import { b } from "./b.js";\nexport const a = b;\n');
    project.put("b.js", "export const b = 1;\n");
    const checks = checksWith("biome");
    expect(issuesOf(await checks.check())).toEqual([]);
    project.put("b.js", 'import { a } from "./a.js";\nexport const b = a;\n');
    expect(issuesOf(await checks.check())).toEqual([
      "lint/suspicious/noImportCycles a.js:1",
      "lint/suspicious/noImportCycles b.js:1",
    ]);
  });
});

describe("an engine of the project that misbehaves", () => {
  /** A zombie that nobody has reaped yet is dead. */
  const alive = (pid: number): boolean => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  };

  function install(script: string): void {
    project.put("node_modules/oxlint/package.json", '{"name":"oxlint","version":"9.9.9","bin":{"oxlint":"bin.cjs"}}');
    project.put("node_modules/oxlint/bin.cjs", script);
    project.put("a.js", "export {};\n");
  }

  function misbehaving(deadlineMs: number) {
    const limits = { deadlineMs: { ...engineLimits.deadlineMs, oxlint: deadlineMs }, maxOutputBytes: 64 * 1024 };
    return createChecks({ trust: "own", root: project.root, cacheDir: null, limits });
  }

  it("D limits: that hangs dies with everything that it started", async () => {
    const pids = join(project.root, "pids");
    install(
      `const { spawn } = require("node:child_process"); const fs = require("node:fs");
       const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "inherit" });
       fs.writeFileSync(${JSON.stringify(pids)}, process.pid + " " + child.pid); setInterval(() => {}, 1000);`,
    );
    const answer = await misbehaving(2_000).check();
    expect(answer).toMatchObject({
      response: { status: "error", engines: { oxlint: { message: "oxlint did not finish within 2s" } } },
    });
    expect(readFileSync(pids, "utf8").split(" ").map(Number).filter(alive)).toEqual([]);
  });

  it("D limits: that floods is stopped", async () => {
    install('const line = "x".repeat(1024); for (;;) require("node:fs").writeSync(1, line);');
    expect(await misbehaving(20_000).check()).toMatchObject({
      response: { engines: { oxlint: { status: "error", message: expect.stringContaining("exceeded") } } },
    });
  });

  it("gets no secret of the caller's environment", async () => {
    install(
      'console.log(JSON.stringify({ diagnostics: [{ message: Object.keys(process.env).join(" "), filename: "a.js", severity: "error" }] }));',
    );
    const env = { PATH: process.env["PATH"], HOME: project.root, API_TOKEN: "secret" };
    const answer = await createChecks({ trust: "own", root: project.root, cacheDir: null, env }).check();
    expect(answer).toMatchObject({ issues: [{ message: expect.not.stringContaining("API_TOKEN") }] });
  });
});

it("D paths: a name that is no UTF-8 costs itself alone", async () => {
  project.put("a.js", "debugger;\n");
  writeFileSync(
    Buffer.concat([Buffer.from(`${project.root}/`), Buffer.from([0xff, 0xfe]), Buffer.from(".js")]),
    "debugger;\n",
  );
  expect(issuesOf(await checksWith("oxlint").check())).toEqual(["no-debugger a.js:1"]);
});
