// Engines on strangers' code: findings that hold, nothing of the repository obeyed, and every failure in its own status.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCheckEngines } from "../../../src/checks/engines.ts";
import { engineLimits } from "../../../src/checks/limits.ts";
import { type ProcessResult, runProcess } from "../../../src/process/spawn.ts";

let base: string;
let root: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "foreign-engines-"));
  root = join(base, "repo");
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

const foreign = createCheckEngines({ trust: "foreign" });
/** oxlint alone, where what matters happens before any engine. */
const withOxlint: Parameters<typeof createCheckEngines>[0] = {
  trust: "foreign",
  run: (request) =>
    request.argv.includes("--disable-nested-config")
      ? runProcess(request)
      : Promise.resolve({
          reason: "exited",
          code: 0,
          stdout: Buffer.from('{"diagnostics":[]}'),
          stderr: Buffer.alloc(0),
        }),
};

describe("diagnose, trust foreign", () => {
  it("reports what each engine sees, with relative paths and UTF-16 columns", async () => {
    put("src/a.ts", 'const é = "🎉é"; debugger;\nexport const n: number = "s" + é;\nexport const m: number = "s";\n');
    put("data.json", '{"a": 1, "a": 2}');
    const { engines, diagnostics } = await foreign.diagnose({ root, files: ["src/a.ts", "data.json"] });
    expect(engines).toEqual({ oxlint: { status: "ok" }, tsc: { status: "ok" }, biome: { status: "ok" } });
    expect(
      diagnostics.map(({ engine, rule, file, line, col, severity }) => [engine, rule, file, line, col, severity]),
    ).toEqual([
      ["oxlint", "no-debugger", "src/a.ts", 1, 18, "error"],
      ["tsc", "TS2322", "src/a.ts", 2, 14, "error"],
      ["tsc", "TS2322", "src/a.ts", 3, 14, "error"],
      ["biome", "lint/suspicious/noDuplicateObjectKeys", "data.json", 1, 2, "error"],
    ]);
  });

  it("D trust foreign: is silent about everything that follows from absent imports, packages, globals and settings", async () => {
    put(
      "a.tsx",
      [
        'import React, { Missing, call } from "absent";',
        'import { other } from "./not-given";',
        'import fs = require("fs");',
        "class A extends Missing { m() { return this.q.r; } override z() {} }",
        "export const a = new A(1, 2);",
        "interface I extends Missing { a: string }",
        'export const i: I = { a: "", b: 2 };',
        "interface T { t: string }",
        "export const t: T = new A();",
        "export const k: string = null as unknown as keyof Missing;",
        "call((x) => x + 1);",
        "process.exit(other);",
        "setTimeout(() => fs).unref();",
        "export const e: NodeJS.Timeout = setTimeout(() => 1);",
        "(window as Window).custom = 1;",
        'export const view = <div className="x">{React.version}</div>;',
        'describe("x", () => { it("y", async () => { expect(1).toBe(await call()); }); });',
        'declare module "absent" { interface X { y: 1 } }',
      ].join("\n"),
    );
    expect((await foreign.diagnose({ root, files: ["a.tsx"] })).diagnostics).toEqual([]);
  });

  it("checks the other files although one does not parse, and says a syntax error once", async () => {
    put("broken.ts", "foo(\n");
    put("sound.ts", 'export const n: number = "s";\n');
    const { diagnostics } = await foreign.diagnose({ root, files: ["broken.ts", "sound.ts"] });
    expect(diagnostics.map((found) => `${found.engine} ${found.rule} ${found.file}`)).toEqual([
      "tsc TS1005 broken.ts",
      "tsc TS2322 sound.ts",
    ]);
  });

  it("D trust foreign: obeys no settings of the repository and executes none of its code", async () => {
    const canary = join(base, "executed");
    const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(canary)}, "x"); export default { meta: { name: "p" }, rules: {} };`;
    put("plugin.js", code);
    put("src/plugin.js", code);
    put("oxlint.config.ts", code);
    for (const folder of ["", "src/"]) {
      put(
        `${folder}.oxlintrc.json`,
        JSON.stringify({ jsPlugins: ["./plugin.js"], rules: { "no-debugger": "off" }, ignorePatterns: ["**"] }),
      );
      put(
        `${folder}biome.json`,
        JSON.stringify({ root: folder === "", linter: { enabled: false }, plugins: ["./x.grit"] }),
      );
      put(
        `${folder}tsconfig.json`,
        JSON.stringify({ compilerOptions: { noCheck: true, plugins: [{ name: "../plugin.js" }] } }),
      );
      put(`${folder}.gitignore`, "*\n");
    }
    put("src/a.ts", 'debugger;\nexport const n: number = "s";\n');
    put("src/b.json", '{"a":1,"a":2}');
    const files = [
      "src/a.ts",
      "src/b.json",
      "src/.oxlintrc.json",
      "src/biome.json",
      "src/tsconfig.json",
      "src/plugin.js",
      "plugin.js",
      ".oxlintrc.json",
      "biome.json",
      "tsconfig.json",
      "oxlint.config.ts",
      ".gitignore",
      "src/.gitignore",
    ];
    const { engines, diagnostics } = await foreign.diagnose({ root, files });
    expect(Object.values(engines)).toEqual([{ status: "ok" }, { status: "ok" }, { status: "ok" }]);
    expect(diagnostics.map((found) => `${found.rule} ${found.file}`)).toEqual([
      "no-debugger src/a.ts",
      "TS2322 src/a.ts",
      "lint/suspicious/noDuplicateObjectKeys src/b.json",
    ]);
    expect(existsSync(canary)).toBe(false);
  });

  it("D trust foreign: follows no link, inside or out, and no path that leaves the root", async () => {
    writeFileSync(join(base, "secret.ts"), "debugger;\n");
    mkdirSync(join(base, "outside"));
    writeFileSync(join(base, "outside", "x.ts"), "debugger;\n");
    symlinkSync(join(base, "secret.ts"), join(root, "link.ts"));
    symlinkSync(join(base, "outside"), join(root, "dir"));
    put("ok.ts", "export {};\n");
    const files = ["link.ts", "dir/x.ts", "../secret.ts", join(base, "secret.ts"), "gone.ts", "ok.ts", "a\0b.ts"];
    expect(await createCheckEngines(withOxlint).diagnose({ root, files })).toMatchObject({
      engines: { oxlint: { status: "ok" } },
      diagnostics: [],
    });
  });

  it("D trust foreign: passes a name that looks like an option as a file", async () => {
    put("--fix.ts", "debugger;\n");
    const { diagnostics } = await createCheckEngines(withOxlint).diagnose({ root, files: ["--fix.ts"] });
    expect(diagnostics).toMatchObject([{ rule: "no-debugger", file: "--fix.ts" }]);
  });

  it("removes its copy whatever happens", async () => {
    const scratchDir = join(base, "scratch");
    mkdirSync(scratchDir);
    put("a.ts", "debugger;\n");
    await createCheckEngines({ ...withOxlint, scratchDir }).diagnose({ root, files: ["a.ts"] });
    const rejecting = createCheckEngines({ trust: "foreign", scratchDir, run: () => Promise.reject(new Error("x")) });
    await expect(rejecting.diagnose({ root, files: ["a.ts"] })).rejects.toThrow("x");
    expect(readdirSync(scratchDir)).toEqual([]);
  });
});

describe("engines that fail, trust foreign", () => {
  const empty = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const cases: readonly (readonly [string, ProcessResult, string])[] = [
    ["hang", { reason: "timeout", ...empty }, "biome did not finish within 30s"],
    ["flood", { reason: "output_exceeded", ...empty }, "biome output exceeded the 10 MiB limit"],
    [
      "be missing",
      { reason: "spawn_failed", message: "ENOENT", ...empty },
      "biome is not installed and could not be started",
    ],
    [
      "crash",
      { reason: "exited", code: 134, ...empty, stderr: Buffer.from("thread panicked\n") },
      "biome failed (exit 134): thread panicked",
    ],
  ];
  it.each(cases)("D engines: may %s without hiding the others' diagnostics", async (_, result, message) => {
    put("a.ts", 'debugger;\nexport const n: number = "s";\n');
    const complaint = "a.ts(2,14): error TS2322: Type 'string' is not assignable to type 'number'.\n";
    const engines = createCheckEngines({
      trust: "foreign",
      run(request) {
        if (request.argv.includes("lint")) return Promise.resolve(result);
        if (!request.argv.includes("--pretty")) return runProcess(request);
        return Promise.resolve({ reason: "exited", code: 2, ...empty, stdout: Buffer.from(complaint) });
      },
    });
    const diagnosis = await engines.diagnose({ root, files: ["a.ts"] });
    expect(diagnosis.engines).toEqual({
      oxlint: { status: "ok" },
      tsc: { status: "ok" },
      biome: { status: "error", message },
    });
    expect(diagnosis.diagnostics.map((found) => found.rule)).toEqual(["no-debugger", "TS2322"]);
  });

  it("D limits: gives tsc 120 s, the others 30 s, and each 10 MiB", async () => {
    put("a.ts", "export {};\n");
    const limits: Record<string, number> = {};
    const engines = createCheckEngines({
      trust: "foreign",
      findEngine: (engine) => ({ engine, version: "9.9.9", origin: "bundled", directory: "/", command: [engine] }),
      run: (request) => {
        limits[request.argv[0]] = Math.round(request.deadlineMs / 1000);
        expect(request.maxStdoutBytes).toBe(engineLimits.maxOutputBytes);
        expect(Object.keys(request.env).filter((name) => /KEY|TOKEN|SECRET|PASS/.test(name))).toEqual([]);
        return Promise.resolve({ reason: "timeout", ...empty });
      },
    });
    await engines.diagnose({ root, files: ["a.ts"] });
    expect(limits).toEqual({ oxlint: 30, tsc: 120, biome: 30 });
    expect(engineLimits.maxOutputBytes).toBe(10 * 1024 * 1024);
  });
});
