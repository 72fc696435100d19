// What is packed and installed works: the two programming interfaces by their names, and the command.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../fakes/git-repository.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = temporaryDirectory("aicr-package-");
const installed = join(folder.path, "node_modules/aicr-bot");

beforeAll(() => {
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder.path], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, npm_config_update_notifier: "false", npm_config_offline: "true" },
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder.path, filename), "-C", installed, "--strip-components=1"]);
  symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
});
afterAll(() => folder.remove());

function run(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
}

it.each([
  ["aicr-bot/mcp-output", ["createReportTools", "normalizeToolName", "serveHttp", "serveStdio"]],
  ["aicr-bot/mcp-checks", ["createCheckTools", "createChecks", "serveHttp", "serveStdio"]],
])("%s is imported by its name, here and where it is installed", (name, wanted) => {
  const script = `const all = await import("${name}"); console.log(JSON.stringify(Object.keys(all)));`;
  const here = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root, encoding: "utf8" });
  for (const output of [here, run("--input-type=module", "-e", script)]) {
    expect(JSON.parse(output)).toEqual(expect.arrayContaining([...wanted]));
  }
});

it("the tools of the output server are five, by their canonical names", () => {
  const script = `import { normalizeToolName, toolNames } from "aicr-bot/mcp-output";
    console.log(JSON.stringify([toolNames.length, normalizeToolName("mcp__aicr-output__aicr_report_problem")]));`;
  expect(JSON.parse(run("--input-type=module", "-e", script))).toEqual([5, "aicr.report_problem"]);
});

it("the command finds its templates and bundles", () => {
  const output = run(join(installed, "dist/cli.mjs"), "templates", "check");
  expect(output).toBe("Every template and catalogue reads well.\n");
});
