// What an agent reported, checked again: anchors, identities, excerpts, and no secret in any of it.
import { describe, expect, it } from "vitest";
import { assessReport } from "../../../src/app/assess-report.ts";
import type { PreparedChange } from "../../../src/app/prepare-run.ts";
import type { Change, Revision } from "../../../src/core/change.ts";
import type { Problem } from "../../../src/core/problem.ts";
import { createRedactor } from "../../../src/telemetry/redact.ts";

const revision: Revision = {
  vcs: "git",
  canonical: "a".repeat(40),
  display: "aaaaaaaaaa",
  author: "Ann",
  time: 0,
  message: "Change",
  parents: [],
  flags: [],
};
const change: Change = {
  repository: "demo",
  vcs: "git",
  head: revision,
  base: "empty",
  baseReason: "empty_tree",
  ref: "refs/heads/main",
  isDefaultBranch: true,
  spec: "HEAD",
};
const prepared: PreparedChange = {
  change,
  files: [],
  diff: { diff: { bytes: new Uint8Array(), files: [] }, bytes: 0, truncated: false, omitted: [] },
  commentable: new Map([["a.ts", { path: "a.ts", hunks: [{ start: 1, end: 8 }], added: [{ start: 1, end: 8 }] }]]),
  truncated: false,
};
const problem = (overrides: Partial<Problem> = {}): Problem => ({
  file: "a.ts",
  line: 3,
  severity: "high",
  category: "correctness",
  message: "Wrong.",
  ...overrides,
});
const assess = (problems: readonly Problem[], lines: readonly string[], more = {}) =>
  assessReport({ problems, summaries: [], ...more }, prepared, async () => lines, createRedactor([]));
const lines = ["one", "two", "three", "four", "five", "six", "seven", "eight", ""];

describe("assessReport", () => {
  it("cuts out the code around an anchored problem, with its first line's number", async () => {
    const report = await assess([problem({ endLine: 4 })], lines);
    expect(report).toMatchObject({
      outcome: "reported",
      problems: [
        {
          anchored: true,
          excerpt: { firstLine: 1, lines: ["one", "two", "three", "four", "five", "six"], language: "typescript" },
        },
      ],
    });
  });

  it("keeps a problem whose anchor fails, without a line link", async () => {
    const report = await assess([problem({ line: 99 }), problem({ file: "unknown.ts" })], lines);
    expect(report).toMatchObject({ problems: [{ anchored: false }, { anchored: false }] });
    expect(report.outcome === "reported" && report.problems.every((one) => one.fingerprint.length === 32)).toBe(true);
  });

  it("E18: shows problems by severity, not in report order", async () => {
    const report = await assess(
      [problem({ severity: "low" }), problem({ severity: "critical" }), problem({ severity: "medium", line: 5 })],
      lines,
    );
    const severities = report.outcome === "reported" ? report.problems.map((one) => one.problem.severity) : [];
    expect(severities).toEqual(["critical", "medium", "low"]);
  });

  it("masks secrets in messages, suggestions, summaries and the code that is shown, and keeps the line numbers right", async () => {
    const key = ["AKIA", "Q7DEMO5XWY2KPL3M"].join("");
    const report = await assess(
      [problem({ message: `The key ${key} leaks.`, suggestion: `Remove ${key}.` })],
      ["one", "two", `const id = "${key}";`, "four", "five", ""],
      { summaries: [{ title: key, markdown: `See ${key}.` }] },
    );
    expect(JSON.stringify(report)).not.toContain(key);
    expect(report).toMatchObject({ problems: [{ excerpt: { firstLine: 1 } }] });
    expect(report.outcome === "reported" && report.problems[0]?.excerpt?.lines).toHaveLength(5);
  });

  it("masks a private key line by line, also where the excerpt begins in its middle", async () => {
    const body = ["MIIEowIBAAKCAQEA75abcdefg", "hijklmnopqrstuvwxyzABCDEF"];
    const pem = [
      "const k = `",
      "-----BEGIN RSA PRIVATE KEY-----",
      ...body,
      ...body,
      "-----END RSA PRIVATE KEY-----",
      "`;",
    ];
    const report = await assess([problem({ line: 6 }), problem({ line: 2, message: "Begin." })], [...pem, ""]);
    for (const line of body) expect(JSON.stringify(report)).not.toContain(line);
    const excerpts = report.outcome === "reported" ? report.problems.map((one) => one.excerpt) : [];
    expect(excerpts.map((one) => one?.lines.length)).toEqual([4, 5]);
  });

  it("lets problems win over a skip, and knows clean from skipped", async () => {
    expect(await assess([problem()], lines, { skipReason: "lgtm" })).toMatchObject({ outcome: "reported" });
    expect(await assess([], lines, { skipReason: "lgtm" })).toMatchObject({ outcome: "skipped", reason: "lgtm" });
    expect(await assess([], lines, { summaries: [{ markdown: "Fine." }] })).toMatchObject({ outcome: "clean" });
  });
});
