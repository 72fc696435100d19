// The diagnostics module against its engines alone and against looking at its inputs, on generated projects and on this one.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { createChecks } from "../../src/checks/checks.ts";
import { bundledEngine } from "../../src/checks/engine-package.ts";
import { engineNames } from "../../src/checks/limits.ts";
import { createCheckTools } from "../../src/checks/tools.ts";
import { processes } from "../../src/process/spawn.ts";
import { openSession } from "../e2e/stdio-session.ts";
import { type Bench, type BenchRow, interleave } from "./bench.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

export const bench: Bench = async () => {
  // Node reads extra certificates at start, which would burden both sides alike and hide the difference.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "aicr-bench-")));
  try {
    const fifty = generate(join(folder, "fifty"), 50);
    const thousand = generate(join(folder, "thousand"), 1_000);
    return [
      await unchanged("1,000 files", thousand, 25),
      await touched(fifty),
      await cold("50 files", fifty),
      await cold("1,000 files", thousand),
      await cold("this repository", copyOfThis(join(folder, "this"))),
      await replySize(join(folder, "reply")),
      await startUp(folder),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Modules of about 35 lines that import their neighbours. */
function generate(root: string, count: number): string {
  mkdirSync(root);
  const settings = {
    compilerOptions: { strict: true, module: "nodenext", skipLibCheck: true, types: [], noEmit: true },
    include: ["src"],
  };
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify(settings));
  writeFileSync(join(root, "biome.json"), JSON.stringify({ root: true, linter: { rules: { preset: "recommended" } } }));
  for (let index = 0; index < count; index++) {
    const path = join(root, "src", `part-${Math.floor(index / 25)}`, `module-${index}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    const before =
      index % 25 === 0 ? "" : `import { type Item${index - 1}, sum${index - 1} } from "./module-${index - 1}.js";\n`;
    const use = index % 25 === 0 ? "0" : `sum${index - 1}([] as Item${index - 1}[])`;
    const functions = Array.from(
      { length: 3 },
      (_, part) =>
        `export function step${index}_${part}(values: readonly Item${index}[]): Map<string, number> {\n  const found = new Map<string, number>();\n  for (const { name, weight } of values) {\n    found.set(name, (found.get(name) ?? ${part}) + weight * ${part + 1});\n  }\n  return found;\n}\n`,
    );
    writeFileSync(
      path,
      `${before}export interface Item${index} {\n  readonly name: string;\n  readonly weight: number;\n}\nexport function sum${index}(items: readonly Item${index}[]): number {\n  return items.reduce((total, item) => total + item.weight, ${use});\n}\n${functions.join("")}`,
    );
  }
  return root;
}

function copyOfThis(root: string): string {
  mkdirSync(root);
  for (const name of ["src", "tsconfig.json", "package.json"])
    cpSync(join(repository, name), join(root, name), { recursive: true });
  // Without version control, which the repository's own settings ask for.
  writeFileSync(join(root, "biome.json"), JSON.stringify({ root: true, linter: { rules: { preset: "recommended" } } }));
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  return root;
}

function filesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith("node_modules"))
    .map((path) => join(root, path))
    .filter((path) => statSync(path).isFile());
}

async function unchanged(name: string, root: string, rounds: number): Promise<BenchRow> {
  let runs = 0;
  const checks = createChecks({
    trust: "own",
    root,
    cacheDir: `${root}-cache`,
    run: (request) => {
      runs++;
      return processes.run(request);
    },
  });
  await checks.check();
  // Young files are read again until their times can be trusted; that is over by the second check from now.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await checks.check();
  runs = 0;
  const inputs = filesOf(root);
  const { ours = 0, stat = 1 } = await interleave(
    {
      ours: () => checks.check(),
      stat: () => {
        for (const path of inputs) statSync(path);
      },
    },
    rounds,
  );
  if (runs > 0) throw new Error(`${runs} engine(s) ran on unchanged input`);
  return {
    name: `unchanged input, ${name}`,
    value: ours / stat,
    comparison: "at most",
    limit: 5,
    note: `${ours.toFixed(1)} ms, a stat of its ${inputs.length} inputs ${stat.toFixed(1)} ms; no engine ran`,
  };
}

async function touched(root: string): Promise<BenchRow> {
  const checks = createChecks({ trust: "own", root, cacheDir: null });
  await checks.check();
  const file = join("src", "part-0", "module-7.ts");
  let round = 0;
  const { ours = 0, ...alone } = await interleave(
    {
      ours: () => {
        writeFileSync(
          join(root, file),
          `export interface Item7 { readonly weight: number }\nexport const sum7 = (_: readonly Item7[]): number => ${round++};\n`,
        );
        return checks.check([file]);
      },
      ...enginesAlone(root, [file]),
    },
    7,
  );
  return against("one touched file of 50", ours, alone, 1.3);
}

async function cold(name: string, root: string): Promise<BenchRow> {
  const { ours = 0, ...alone } = await interleave(
    {
      ours: () => createChecks({ trust: "own", root, cacheDir: null }).check(),
      ...enginesAlone(root, ["."]),
    },
    7,
  );
  return against(`cold check_project, ${name}`, ours, alone, 1.3);
}

/** Each engine as a person would start it. */
function enginesAlone(root: string, files: readonly string[]): Record<string, () => Promise<unknown>> {
  const args = {
    oxlint: ["--format", "json", "--", ...files],
    tsc: ["-p", join(root, "tsconfig.json"), "--noEmit", "--pretty", "false"],
    biome: ["lint", "--reporter=rdjson", "--max-diagnostics=none", "--", ...files],
  };
  return Object.fromEntries(
    engineNames.map((name) => {
      const argv = [...(bundledEngine(name)?.command ?? []), ...args[name]] as [string, ...string[]];
      const limits = { deadlineMs: 120_000, maxStdoutBytes: 1 << 26, maxStderrBytes: 1 << 16 };
      return [
        name,
        () => processes.run({ argv, cwd: root, env: { PATH: process.env["PATH"] ?? "", HOME: root }, ...limits }),
      ];
    }),
  );
}

function against(name: string, ours: number, alone: Readonly<Record<string, number>>, limit: number): BenchRow {
  const slowest = Math.max(...Object.values(alone));
  const each = Object.entries(alone).map(([engine, ms]) => `${engine} ${ms.toFixed(0)} ms`);
  return {
    name,
    value: ours / slowest,
    comparison: "at most",
    limit,
    note: `${ours.toFixed(0)} ms; alone ${each.join(", ")}`,
  };
}

/** Forty issues of four rules over ten files: what the model reads against what the engine printed. */
async function replySize(root: string): Promise<BenchRow> {
  mkdirSync(root);
  const body =
    'debugger;\nif (typeof root === "strin") {}\nfor (let i = 0; i < 1; i--) {}\nexport const x = { a: 1, a: 2 };\n';
  const files = Array.from({ length: 10 }, (_, index) => `module-${index}.js`);
  for (const file of files) writeFileSync(join(root, file), body);
  let raw = 0;
  const checks = createChecks({
    trust: "own",
    root,
    cacheDir: null,
    async run(request) {
      const result = await processes.run(request);
      if (!request.argv.includes("--rules")) raw += result.stdout.length;
      return result;
    },
  });
  const tool = createCheckTools({ checks, version: "1" }).tools.find(({ name }) => name === "check_files");
  const result = await tool?.call({ files }, new AbortController().signal);
  const bytes = Buffer.byteLength(result?.text ?? "");
  const { totalIssues } = (result?.structured ?? {}) as { totalIssues?: number };
  return {
    name: "text reply, % of the engine's bytes",
    value: (bytes / raw) * 100,
    comparison: "at most",
    limit: 14,
    note: `${bytes} bytes for ${totalIssues} issues, ${raw} bytes printed`,
  };
}

async function startUp(folder: string): Promise<BenchRow> {
  const echo = join(folder, "echo.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("peers/echo-server.ts", import.meta.url))],
    outfile: echo,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minifySyntax: true,
    logLevel: "warning",
    banner: { js: 'import { createRequire } from "node:module";const require = createRequire(import.meta.url);' },
  });
  const server = join(repository, "dist", "mcp-checks.mjs");
  const start =
    (...args: readonly string[]) =>
    async () => {
      const session = await openSession({ XDG_CACHE_HOME: folder }, [process.execPath, ...args]);
      // The next round must not compete with this one's exit.
      await session.kill();
    };
  const { ours = 0, echo: floor = 1 } = await interleave(
    { ours: start(server, "--project", join(folder, "fifty")), echo: start(echo) },
    25,
  );
  return {
    name: "spawn to initialize",
    value: ours / floor,
    comparison: "at most",
    limit: 1.3,
    note: `${ours.toFixed(1)} ms, bundled echo server ${floor.toFixed(1)} ms`,
  };
}
