// The other commands of the built product: doctor, templates check, check, the tool server, and the help of all.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type Ended, runCommand } from "../fakes/product-process.ts";

const folder = temporaryDirectory("aicr-commands-");
afterAll(() => folder.remove());

/** A folder with these files. */
function place(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder.path, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, ".."), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}

const doctor = (cwd: string, ...args: readonly string[]): Promise<Ended> => runCommand(["doctor", ...args], { cwd });
const demo = "repositories:\n  - alias: demo\n    demo: true\n";

describe("E24: doctor exits non-zero when something is wrong", () => {
  it("says ok to the defaults, and exits with 0", async () => {
    const ended = await doctor(place("well", { "README.md": "Well.\n" }));
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/ok +repository:demo +main at [0-9a-f]{10}/u);
    expect(ended.stdout).toContain("Everything that was looked at works.");
  });

  it("a configuration with a mistake, with its line", async () => {
    const ended = await doctor(place("config", { "aicr-bot.yaml": "language: en\nrepositorys: []\n" }));
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/FAIL configuration +aicr-bot\.yaml:2:1 repositorys is not a setting/u);
    expect(ended.stdout).toContain("→ Correct that line and start again.");
    expect(ended.stdout).toContain("1 of 4 checks failed.");
  });

  it("a data directory that is a file", async () => {
    const cwd = place("data", { "aicr-bot.yaml": `data_dir: ./taken\n${demo}`, taken: "" });
    const ended = await doctor(cwd);
    expect(ended.code).toBe(1);
    const path = join(cwd, "taken");
    expect(ended.stdout).toContain(`FAIL data             ${path} is a file, where a folder belongs.`);
    expect(ended.stdout).toContain("→ Move that file away, or configure another data directory.");
    expect(ended.stdout).not.toMatch(/EEXIST|ENOTDIR/u);
  });

  it("a repository that is missing, as JSON for scripts", async () => {
    const config = "repositories:\n  - alias: gone\n    path: ./nowhere\n";
    const ended = await doctor(place("missing", { "aicr-bot.yaml": config }), "--json");
    expect(ended.code).toBe(1);
    const { ok, checks } = JSON.parse(ended.stdout);
    expect(ok).toBe(false);
    const failed = checks.filter(({ state }: { state: string }) => state === "fail");
    expect(failed).toEqual([
      {
        name: "repository:gone",
        state: "fail",
        detail: "There is no git repository where gone is configured.",
        remedy: expect.stringContaining("Check the path or URL"),
        ms: expect.any(Number),
      },
    ]);
  });

  it("one area, with the configuration that says what there is", async () => {
    const cwd = place("well", { "README.md": "Well.\n" });
    const { ok, checks } = JSON.parse((await doctor(cwd, "store", "git", "--json")).stdout);
    expect(ok).toBe(true);
    expect(checks.map(({ name }: { name: string }) => name)).toEqual(["configuration", "git", "store"]);
    const ended = await doctor(cwd, "slack");
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/knows nothing of slack here.\nSay one of: node, git, .*repository/u);
  });

  it("a template with a mistake", async () => {
    const cwd = place("template", {
      "aicr-bot.yaml": "templates:\n  folders: [./texts]\n",
      "texts/report.md": "# {{ title }}\n\n{{ nothing_of_the_kind }}\n",
    });
    const ended = await doctor(cwd);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(`1 mistake, the first in ${join(cwd, "texts/report.md")}:3:`);
  });
});

describe("templates check", () => {
  it("finds nothing in the built-in ones", async () => {
    const ended = await runCommand(["templates", "check"], { cwd: folder.path });
    expect(ended).toEqual({ code: 0, stdout: "Every template and catalogue reads well.\n", stderr: "" });
  });

  it("names file and line of each mistake in an override", async () => {
    const cwd = place("override", {
      "texts/report.md": "# {{ title }}\n\n{% if %}\n{% endif %}\n",
      "texts/locales/en.json": '{ "failure.title": "It failed {" }\n',
    });
    const ended = await runCommand(["templates", "check", "texts"], { cwd });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(`${join(cwd, "texts/report.md")}:3: `);
    expect(ended.stdout).toContain(`${join(cwd, "texts/locales/en.json")}:1: `);
    expect(ended.stdout).not.toMatch(/^\s+at /mu);
  });
});

describe("check", () => {
  it("exits with 1 and says where", async () => {
    const cwd = place("project", {
      "package.json": '{ "name": "project", "type": "module" }\n',
      "a.js": "export function f() {\n  return 1;\n  f();\n}\n",
    });
    const ended = await runCommand(["check", "--no-cache"], { cwd });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("a.js:3");
  });
});

describe("mcp output", () => {
  it("shakes hands and lists the five tools", async () => {
    const ask = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
    const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const ended = await runCommand(["mcp", "output"], {
      cwd: folder.path,
      input: `${ask(1, "initialize", client)}${ask(2, "tools/list", {})}`,
    });
    expect(ended.code).toBe(0);
    const [hello, listed] = ended.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(hello.result.serverInfo.name).toBe("aicr-output");
    expect(listed.result.tools.map(({ name }: { name: string }) => name).sort()).toEqual([
      "aicr.fetch_more_context",
      "aicr.publish_summary",
      "aicr.report_problem",
      "aicr.skip",
      "aicr.try_blame",
    ]);
  });
});

describe("help", () => {
  it.each([
    [["-h"], "Usage: aicr-bot <command>"],
    [["review", "-h"], "Usage: aicr-bot review"],
    [["doctor", "--help"], "Usage: aicr-bot doctor"],
    [["serve", "-h"], "Usage: aicr-bot serve"],
    [["check", "-h"], "Usage: aicr-bot check"],
    [["templates", "check", "-h"], "Usage: aicr-bot templates check"],
  ])("%j exits with 0", async (args, usage) => {
    const ended = await runCommand(args, { cwd: folder.path });
    expect(ended).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(usage) });
  });

  it("of a tool server goes to stderr, since stdout belongs to the protocol", async () => {
    const ended = await runCommand(["mcp", "output", "-h"], { cwd: folder.path });
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toContain("aicr-bot mcp output [options]");
  });

  it("names the way for a command that does not exist", async () => {
    const ended = await runCommand(["reveiw", "demo"], { cwd: folder.path });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toBe(
      "There is no command reveiw.\nDid you mean review? See the commands with: aicr-bot --help\n",
    );
    const group = await runCommand(["mcp"], { cwd: folder.path });
    expect(group.stderr).toContain("Say one of: mcp output, mcp checks.");
  });
});
