// `aicr-bot check`: exit codes, the three formats, colours and the progress line.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CheckAnswer } from "../../../src/checks/checks.ts";
import { formatGithub, formatText } from "../../../src/cli/check-format.ts";
import { run } from "../../../src/cli/commands/check.ts";
import type { CommandIo } from "../../../src/cli/io.ts";
import { createProject, type Project } from "../checks/project.ts";

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(() => project.remove());

function terminal(
  over: Partial<CommandIo> = {},
): CommandIo & { readonly out: () => string; readonly err: () => string } {
  let out = "";
  let err = "";
  return {
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    env: { PATH: process.env["PATH"], HOME: project.root, XDG_CACHE_HOME: project.cacheDir },
    cwd: project.root,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: 80,
    signal: new AbortController().signal,
    out: () => out,
    err: () => err,
    ...over,
  };
}

/** An installed oxlint that says what the test wants. */
function installOxlint(script: string): void {
  project.put("node_modules/oxlint/package.json", '{"version":"9.9.9","bin":{"oxlint":"bin.cjs"}}');
  project.put("node_modules/oxlint/bin.cjs", script);
}

const finding = `console.log(JSON.stringify({ diagnostics: [{ message: "50% wrong", code: "eslint(no-debugger)", filename: "a.js", severity: "error", fixes: [], labels: [{ span: { line: 2, column: 3 } }] }] }));`;

describe("aicr-bot check", () => {
  it("clean: exit 0", async () => {
    project.put("a.js", "export {};\n");
    installOxlint("console.log('{\"diagnostics\":[]}');");
    const io = terminal();
    expect(await run([], io)).toBe(0);
    expect(io.out()).toBe("No issues found.  oxlint ok · tsc disabled · biome disabled\n");
    expect(io.err()).toBe("");
  });

  it("issues: exit 1, as text, JSON and annotations", async () => {
    project.put("a.js", "x\n  y\n");
    installOxlint(finding);
    const text = terminal();
    expect(await run(["a.js"], text)).toBe(1);
    expect(text.out()).toBe(
      "✗ a.js:2:3  50% wrong  no-debugger\n\n1 error, 0 warnings in 1 file  oxlint ok · tsc disabled · biome disabled\n",
    );
    const json = terminal();
    expect(await run(["--format", "json"], json)).toBe(1);
    expect(JSON.parse(json.out())).toMatchObject({
      schemaVersion: "1.1",
      status: "issues_found",
      issues: [{ file: "a.js" }],
    });
    const github = terminal();
    expect(await run(["--format=github"], github)).toBe(1);
    expect(github.out()).toBe("::error file=a.js,line=2,col=3,title=oxlint no-debugger::50%25 wrong\n");
    const vietnamese = terminal();
    await run(["--locale", "vi"], vietnamese);
    expect(vietnamese.out()).toContain("1 lỗi, 0 cảnh báo trên 1 file");
  });

  it("error: exit 2 for a failed engine and for a refused path", async () => {
    project.put("a.js", "x\n");
    installOxlint("process.exit(3);");
    const io = terminal();
    expect(await run([], io)).toBe(2);
    expect(io.out()).toContain("oxlint failed (exit 3)");
    const refused = terminal();
    expect(await run(["../x"], refused)).toBe(2);
    expect(refused.err()).toContain("leads out of the project");
    await expect(run(["--format", "xml"], terminal())).rejects.toThrow("--format cannot be");
    await expect(run(["--nope"], terminal())).rejects.toThrow("--nope");
  });

  it("shows a line while it takes long, on a terminal, and wipes it", async () => {
    project.put("a.js", "x\n");
    installOxlint(`setTimeout(() => { console.log('{"diagnostics":[]}'); }, 1300);`);
    const io = terminal({ stderrIsTerminal: true });
    expect(await run([], io)).toBe(0);
    expect(io.err()).toContain("Checking… 1 s");
    expect(io.err().endsWith("\r\u001b[2K")).toBe(true);
  });

  it("explains itself", async () => {
    const io = terminal();
    expect(await run(["--help"], io)).toBe(0);
    expect(io.out()).toContain("Exit code: 0 clean, 1 issues found, 2 error.");
  });
});

describe("formats", () => {
  const issue = (index: number, more: object = {}) => ({
    issueId: `i${index}`,
    file: `f${index},:.ts`,
    line: index,
    col: 1,
    engine: "tsc" as const,
    rule: "TS1",
    severity: "error" as const,
    message: "bad\u001b[31m\nthing",
    fixable: false,
    clusterId: "c1",
    ...more,
  });
  const answer: Extract<CheckAnswer, { kind: "checked" }> = {
    kind: "checked",
    issues: [1, 2, 3, 4, 5, 6, 7].map((index) => issue(index)),
    response: {
      schemaVersion: "1.1",
      status: "issues_found",
      totalIssues: 7,
      truncated: true,
      loopWarning: "again",
      engines: { tsc: { status: "ok" }, oxlint: { status: "error", message: "oxlint failed" } },
      clusters: [
        {
          clusterId: "c1",
          rootCauseSummary: "7 TS1 issues in 7 files",
          ruleIds: ["TS1"],
          issueCount: 7,
          fileCount: 7,
          priority: 1,
          suggestedAction: "Look",
          sampleIssueIds: [],
        },
      ],
      missing: [{ path: "x", code: "path_not_found", message: "x is gone" }],
    },
  };

  it("text shows five of a cluster, counts the rest, and lets nothing steer the terminal", () => {
    const text = formatText(answer, "en", { colour: false });
    expect(text.split("\n").slice(0, 2)).toEqual(["✗ 7 TS1 issues in 7 files", "    f1,:.ts:1:1  bad�[31m�thing"]);
    expect(text).toContain("… and 2 more");
    for (const part of ["x is gone", "oxlint failed", "again", "7 errors, 0 warnings in 7 files"])
      expect(text).toContain(part);
    expect(text).not.toContain("\u001b");
  });

  it.each([
    ["en", "tsc ok · oxlint error"],
    ["zh-CN", "tsc ok · oxlint 出错"],
    ["vi", "tsc ok · oxlint gặp lỗi"],
  ] as const)("text names the state of each engine in %s", (locale, states) => {
    expect(formatText(answer, locale, { colour: false })).toContain(states);
  });

  it("text is coloured on request", () => {
    expect(formatText(answer, "en", { colour: true })).toContain("\u001b[31m✗\u001b[39m");
  });

  it("annotations escape what GitHub reads as syntax", () => {
    const [first, ...rest] = formatGithub(answer, "en").split("\n");
    expect(first).toBe("::error file=f1%2C%3A.ts,line=1,col=1,title=tsc TS1::bad\u001b[31m%0Athing");
    expect(rest).toContain("::error title=oxlint::oxlint failed");
    expect(rest).toContain("::warning ::x is gone");
  });
});
