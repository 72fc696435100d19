// The checks agent as it runs in production: its bundle, the output server's bundle, a run directory, the state file.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createChecksAgent } from "../../src/agents/checks/agent.ts";
import { processes } from "../../src/process/spawn.ts";
import { readState } from "../../src/report-tools/state-file.ts";
import { createNativeSandbox } from "../../src/sandbox/native.ts";
import { parsePlanted } from "../unit/agents/checks/planted.ts";
import { createRunDirectory, type RunDirectory, testRunId } from "../unit/agents/checks/run-directory.ts";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const agent = createChecksAgent({
  sandbox: createNativeSandbox({ processes }),
  entry: join(dist, "agent-checks.mjs"),
  toolServer: join(dist, "mcp-output.mjs"),
});

let run: RunDirectory | null = null;
afterEach(() => {
  if (run !== null) rmSync(run.root, { recursive: true, force: true });
  run = null;
});

async function review(
  diffs: string,
  locale = "en",
): Promise<{ readonly notes: string[]; readonly state: ReturnType<typeof readState> }> {
  run = createRunDirectory(parsePlanted(diffs), locale);
  const notes: string[] = [];
  const result = await agent.run(
    { ...run.pass, onProgress: (note) => void notes.push(note) },
    new AbortController().signal,
  );
  expect(result).toEqual({ exit: "ok" });
  return { notes, state: readState(run.pass.paths.state, testRunId) };
}

const wrong = `=== src/price.ts
 export function price(cents: number): string {
+  const label: number = "EUR";
+  return \`\${label} \${cents}\`;
 }
`;

describe("the checks agent as a process", () => {
  it("reports a problem and a summary through the tools, and progress on its output", async () => {
    const { notes, state } = await review(wrong);
    expect(state).toMatchObject({
      kind: "ok",
      state: {
        problems: [{ file: "src/price.ts", line: 2, severity: "high", category: "types" }],
        summaries: [{ title: "Automatic checks", markdown: expect.stringContaining("oxlint") }],
      },
    });
    expect(notes).toEqual(expect.arrayContaining(["engines", "secrets"]));
  });

  it("skips with lgtm when the change is clean", async () => {
    const { state } = await review("=== src/ok.ts\n+export const answer = 42;\n");
    expect(state).toMatchObject({ kind: "ok", state: { problems: [], skipReason: "lgtm" } });
  });

  it("speaks the reader's language in its own words", async () => {
    const { state } = await review("=== notes.md\n+<<<<<<< a\n+x\n+=======\n+y\n+>>>>>>> b\n", "zh-CN");
    expect(state).toMatchObject({
      kind: "ok",
      state: { problems: [{ line: 1, endLine: 5, message: expect.stringContaining("合并冲突") }] },
    });
  });

  it("executes nothing of a hostile repository", async () => {
    const target = join(mkdtempSync(join(tmpdir(), "aicr-canary-")), "ran");
    const script = `require("node:fs").writeFileSync(${JSON.stringify(target)}, "ran");`;
    const module = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(target)}, "ran"); export default { meta: { name: "evil" }, rules: {} };`;
    const hostile: Readonly<Record<string, string>> = {
      ".oxlintrc.json": JSON.stringify({
        jsPlugins: ["./evil.mjs"],
        rules: { "evil/x": "error" },
        ignorePatterns: ["**"],
      }),
      "src/.oxlintrc.json": JSON.stringify({ jsPlugins: ["../evil.mjs"], ignorePatterns: ["**"] }),
      "oxlint.config.ts": module,
      "evil.mjs": module,
      ".secretlintrc.js": script,
      ".secretlintrc.cjs": script,
      "biome.json": JSON.stringify({ linter: { enabled: false }, plugins: ["./evil.grit"] }),
      "evil.grit": "`$x`",
      "tsconfig.json": JSON.stringify({
        extends: "./evil.json",
        compilerOptions: { plugins: [{ name: "./evil.mjs" }], noCheck: true },
      }),
      "evil.json": "{}",
      "ruff.toml": 'extend = "/etc/passwd"',
      "package.json": JSON.stringify({
        type: "module",
        scripts: { preinstall: `touch ${target}`, prepare: `touch ${target}` },
      }),
      "node_modules/typescript/bin/tsc": script,
      "node_modules/.bin/oxlint": `touch ${target}`,
    };
    const diffs = Object.entries(hostile).map(([path, text]) => `=== ${path}\n+${text}\n`);
    const { state } = await review(`${diffs.join("")}${wrong}`);
    expect(existsSync(target)).toBe(false);
    // What the repository says about checks, on or off, is not obeyed either.
    expect(state).toMatchObject({ state: { problems: [{ file: "src/price.ts", line: 2, category: "types" }] } });
  });

  it("fails with a reason when the run directory is unusable", async () => {
    run = createRunDirectory([]);
    rmSync(run.pass.paths.change);
    const result = await agent.run(run.pass, new AbortController().signal);
    expect(result).toMatchObject({ exit: "failed", diagnostics: expect.stringContaining("no such file") });
  });
});
