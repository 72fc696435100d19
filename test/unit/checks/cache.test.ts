// The cache never lies: what each result was made from, told with engines that count their runs.
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cacheDirectory, openCache } from "../../../src/checks/cache.ts";
import { type Bench, createBench, createProject, type Project } from "./project.ts";

const config = { "tsconfig.json": JSON.stringify({ files: ["a.ts", "b.ts"] }) };
let project: Project;
let bench: Bench;
beforeEach(() => {
  project = createProject({ ...config, "a.ts": "LINT", "b.ts": "ok" });
  bench = createBench(project);
});
afterEach(() => project.remove());

it("D cache: runs no engine for unchanged input, in this server and in the next", async () => {
  const first = await bench.check();
  expect(bench.engines.taken()).toEqual(["oxlint a.ts b.ts", "tsc"]);
  expect(await bench.check()).toEqual(first);
  expect(bench.engines.taken()).toEqual([]);
  const next = bench.restart();
  expect(await next.check()).toEqual(first);
  expect(next.engines.taken()).toEqual([]);
});

it("D cache: gives per-file engines only the files that changed, and runs tsc for TypeScript alone", async () => {
  project.put("c.js", "ok");
  await bench.check();
  bench.engines.taken();
  project.put("c.js", "LINT");
  expect((await bench.check()).totalIssues).toBe(2);
  expect(bench.engines.taken()).toEqual(["oxlint c.js"]);
  project.put("b.ts", "TYPE");
  expect((await bench.check()).totalIssues).toBe(3);
  expect(bench.engines.taken()).toEqual(["oxlint b.ts", "tsc"]);
});

it("D cache: A→B→A returns A's result without a run", async () => {
  project.put("b.ts", "TYPE:first");
  const a = await bench.check();
  project.put("b.ts", "TYPE:second LINT");
  expect(await bench.check()).not.toEqual(a);
  bench.engines.taken();
  project.put("b.ts", "TYPE:first");
  expect(await bench.check()).toEqual(a);
  expect(bench.engines.taken()).toEqual([]);
});

it("D cache: sees a change that keeps the size, within one tick of the clock", async () => {
  project.put("a.ts", "LINT:aa");
  await bench.check();
  const ids: (string | undefined)[] = [];
  for (const rule of ["bb", "cc", "dd"]) {
    project.put("a.ts", `LINT:${rule}`);
    ids.push((await bench.check()).clusters[0]?.ruleIds[0]);
  }
  expect(ids).toEqual(["bb", "cc", "dd"]);
});

it("D cache: sees a change that keeps size and modification time", async () => {
  await bench.check();
  const { atime, mtime } = statSync(join(project.root, "a.ts"));
  project.put("a.ts", "okay");
  utimesSync(join(project.root, "a.ts"), atime, mtime);
  expect((await bench.check()).totalIssues).toBe(0);
});

it("D cache: trusts no result across paths: the same bytes elsewhere run anew", async () => {
  await bench.check();
  bench.engines.taken();
  project.put("sub/a.ts", "LINT");
  await bench.check();
  expect(bench.engines.taken()).toContain("oxlint sub/a.ts");
});

it("D cache: forgets a file that was deleted or renamed", async () => {
  await bench.check();
  project.put("tsconfig.json", JSON.stringify({ files: ["b.ts"] }));
  project.move("a.ts", "z.ts");
  const renamed = await bench.checks.check();
  expect(renamed).toMatchObject({ issues: [{ file: "z.ts" }] });
  project.drop("z.ts");
  expect((await bench.check()).status).toBe("clean");
});

it("D cache: a file that appears can change what an import means: tsc runs", async () => {
  await bench.check();
  bench.engines.taken();
  project.put("b.d.ts", "ok");
  await bench.check();
  expect(bench.engines.taken()).toContain("tsc");
});

it("D cache: believes no result of tsc while a linked directory may bring new files", async () => {
  await bench.check();
  bench.engines.taken();
  symlinkSync(project.cacheDir, join(project.root, "node_modules"));
  await bench.check();
  await bench.check();
  expect(bench.engines.taken()).toEqual(["tsc"]);
  symlinkSync(project.cacheDir, join(project.root, "linked"));
  await bench.check();
  await bench.check();
  expect(bench.engines.taken()).toEqual(["tsc", "tsc"]);
});

it("D cache: a package that is installed, or whose manifest changes, runs tsc", async () => {
  project.put("package.json", JSON.stringify({ dependencies: { dep: "1" } }));
  await bench.check();
  bench.engines.taken();
  project.put("node_modules/dep/package.json", "{}");
  await bench.check();
  expect(bench.engines.taken()).toEqual(["tsc"]);
  project.put("node_modules/dep/package.json", '{"types":"x.d.ts"}');
  await bench.check();
  expect(bench.engines.taken()).toEqual(["tsc"]);
  project.put("node_modules/@scope/one/package.json", "{}");
  await bench.check();
  expect(bench.engines.taken()).toEqual(["tsc"]);
  project.put("node_modules/@scope/two/package.json", "{}");
  await bench.check();
  expect(bench.engines.taken()).toEqual(["tsc"]);
});

it("D cache: a file that tsc pulls in from a dependency runs it when it changes, and only it", async () => {
  project.put("node_modules/dep/index.d.ts", "ok");
  project.put("tsconfig.json", JSON.stringify({ files: ["a.ts", "node_modules/dep/index.d.ts"] }));
  await bench.check();
  bench.engines.taken();
  project.put("node_modules/dep/index.d.ts", "changed");
  await bench.check();
  expect(bench.engines.taken()).toEqual(["tsc"]);
});

it("D cache: a changed extended configuration runs the engine that it speaks to", async () => {
  project.put("base.json", "{}");
  project.put("shared/ox.json", "{}");
  project.put("shared/biome.json", "{}");
  project.put("tsconfig.json", JSON.stringify({ extends: "./base", files: ["a.ts"] }));
  project.put(".oxlintrc.json", JSON.stringify({ extends: ["./shared/ox.json"] }));
  project.put("biome.json", JSON.stringify({ extends: ["./shared/biome.json"] }));
  await bench.check(["a.ts"]);
  bench.engines.taken();
  for (const [file, engine] of [
    ["base.json", "tsc"],
    ["shared/ox.json", "oxlint a.ts"],
    ["shared/biome.json", "biome a.ts"],
  ] as const) {
    project.put(file, '{"changed": 1}');
    await bench.check(["a.ts"]);
    expect(bench.engines.taken()).toEqual([engine]);
  }
});

it("D cache: a nested configuration that appears runs oxlint on everything again", async () => {
  await bench.check();
  bench.engines.taken();
  project.put("sub/.oxlintrc.json", "{}");
  await bench.check();
  expect(bench.engines.taken()).toContain("oxlint a.ts b.ts");
});

it("D cache: an ignore file that appears is a setting of biome's", async () => {
  project.put("biome.json", '{"vcs":{"enabled":true}}');
  await bench.check(["a.ts"]);
  bench.engines.taken();
  project.put(".gitignore", "other");
  await bench.check(["a.ts"]);
  expect(bench.engines.taken()).toEqual(["biome a.ts"]);
});

it("D cache: a new engine version runs that engine anew", async () => {
  await bench.check();
  bench.engines.taken();
  bench.engines.version.oxlint = "1.0.1";
  await bench.check();
  expect(bench.engines.taken()).toEqual(["oxlint a.ts b.ts"]);
  bench.engines.version.tsc = "5.0.1";
  await bench.check();
  expect(bench.engines.taken()).toEqual(["tsc"]);
});

it("D cache: rules that look at other files make every change count", async () => {
  project.put(".oxlintrc.json", JSON.stringify({ plugins: ["import"] }));
  await bench.check();
  bench.engines.taken();
  project.put("b.ts", "ok too");
  await bench.check();
  expect(bench.engines.taken()).toContain("oxlint a.ts b.ts");
});

it.each([
  ["a rule of biome's types domain, named alone", "2.6.0", { style: { useConsistentEnumValueType: "error" } }],
  ["a biome whose rules are not known yet", "2.7.0", {}],
])("D cache: %s makes every change count", async (_, version, rules) => {
  project.put("biome.json", JSON.stringify({ linter: { rules } }));
  bench.engines.version.biome = version;
  await bench.check(["a.ts"]);
  bench.engines.taken();
  project.put("b.ts", "ok too");
  await bench.check(["a.ts"]);
  expect(bench.engines.taken()).toContain("biome a.ts");
});

it("D cache: keeps nothing of settings that are code", async () => {
  project.put(".oxlintrc.json", JSON.stringify({ jsPlugins: ["./plugin.js"] }));
  await bench.check(["a.ts"]);
  await bench.check(["a.ts"]);
  expect(bench.engines.taken().filter((run) => run === "oxlint a.ts")).toHaveLength(2);
});

it("D cache: keeps no result of a file that changed while the engine ran", async () => {
  const slow = createBench(project, {
    async run(request) {
      const result = await bench.engines.run(request);
      project.put("a.ts", "TYPE");
      return result;
    },
  });
  await slow.check();
  expect((await bench.check()).clusters.map((found) => found.ruleIds[0])).toEqual(["TS2322"]);
});

it("D cache: keeps no result of an engine that failed", async () => {
  bench.engines.instead.tsc = { reason: "timeout", stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  expect((await bench.check()).engines["tsc"]).toMatchObject({ status: "error" });
  delete bench.engines.instead.tsc;
  expect((await bench.check()).engines["tsc"]).toEqual({ status: "ok" });
});

it("D cache: two servers on one project keep each other's results", async () => {
  const other = bench.restart();
  project.put("tsconfig.json", JSON.stringify({ files: [] }));
  await Promise.all([bench.check(["a.ts"]), other.check(["b.ts"])]);
  project.put("c.ts", "ok");
  await Promise.all([bench.check(["c.ts"]), other.check(["c.ts"])]);
  const third = bench.restart();
  await third.check(["a.ts", "b.ts"]);
  expect(third.engines.taken().filter((run) => run.startsWith("oxlint"))).toEqual([]);
});

it("D cache: a corrupt cache file is rebuilt, and said once", async () => {
  await bench.check();
  for (const text of [
    "{",
    "null",
    '{"schemaVersion":1}',
    readFileSync(join(project.cacheDir, "cache.json"), "utf8").slice(0, -9),
  ]) {
    writeFileSync(join(project.cacheDir, "cache.json"), text);
    const notices: string[] = [];
    const next = bench.restart({ onNotice: (notice) => notices.push(notice) });
    expect((await next.check()).totalIssues).toBe(1);
    expect((await next.check()).totalIssues).toBe(1);
    expect(notices).toEqual(["The diagnostics cache was unreadable and has been rebuilt."]);
    const after = bench.restart({ onNotice: (notice) => notices.push(notice) });
    await after.check();
    expect(after.engines.taken()).toEqual([]);
    expect(notices).toHaveLength(1);
  }
});

it("D cache: leaves no temporary file, and survives a cache that cannot be written", async () => {
  await bench.check();
  expect(readdirSync(project.cacheDir).sort()).toEqual(["cache.json", "loops.jsonl"]);
  const blocked = join(project.cacheDir, "cache.json", "below-a-file");
  const next = bench.restart({ cacheDir: blocked });
  expect((await next.check()).totalIssues).toBe(1);
  expect(existsSync(blocked)).toBe(false);
});

it("D cache: lies where XDG says, by the project's real path; a relative XDG_CACHE_HOME does not count", () => {
  expect(cacheDirectory("/p", { XDG_CACHE_HOME: "/x" })).toMatch(/^\/x\/aicr-checks\/[0-9a-f]{24}$/);
  expect(cacheDirectory("/p", { XDG_CACHE_HOME: "x", HOME: "/h" })).toMatch(
    /^\/h\/\.cache\/aicr-checks\/[0-9a-f]{24}$/,
  );
  expect(cacheDirectory("/p", { HOME: "/h" })).not.toBe(cacheDirectory("/q", { HOME: "/h" }));
});

it("D cache: keeps a bounded number of results", () => {
  const cache = openCache(join(project.cacheDir, "bounded"));
  for (let i = 0; i < 40; i++) {
    cache.keepLint("key", "a.ts", `hash${i}`, []);
    cache.keepLint(`key${i}`, "a.ts", "hash", []);
    cache.keepProgram({ project: "tsconfig.json", key: `${i}`, inputs: {}, diagnostics: [] });
  }
  cache.keepLint("key", "a.ts", "hash39", []);
  cache.save([]);
  expect(cache.programs("tsconfig.json").map((record) => record.key)).toEqual(
    Array.from({ length: 12 }, (_, i) => `${39 - i}`),
  );
  expect(cache.lint("key", "a.ts", "hash39")).toEqual([]);
  expect(cache.lint("key", "a.ts", "hash0")).toBeNull();
  expect(cache.lint("key0", "a.ts", "hash")).toBeNull();
});
