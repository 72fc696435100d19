// The state file is untrusted: every entry is validated again, and nothing but a regular file of the right pass is read.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readState, stateFileName } from "../../../src/report-tools/state-file.ts";

const run = "rv_1-1.1";
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aicr-state-"));
  path = join(folder, stateFileName);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const empty = {
  schemaVersion: 1,
  runId: run,
  problems: [],
  summaries: [],
  contextRequests: [],
  attributionRequests: [],
};
const problem = { file: "a.ts", line: 1, end_line: 2, severity: "low", category: "c", message: "m" };

describe("readState", () => {
  it("E19: a state file of another pass is refused", async () => {
    await writeFile(path, JSON.stringify({ ...empty, problems: [problem] }));
    expect(readState(path, "rv_1-1.2")).toEqual({ kind: "foreign", runId: run });
    expect(readState(path, "rv_2-1.1")).toEqual({ kind: "foreign", runId: run });
  });

  it("says when there is none", () => {
    expect(readState(path, run)).toEqual({ kind: "missing" });
  });

  it.each([
    "",
    "nonsense",
    "null",
    "{}",
    JSON.stringify({ ...empty, problems: {} }),
    JSON.stringify({ ...empty, schemaVersion: 2 }),
  ])("calls %j corrupt", async (text) => {
    await writeFile(path, text);
    expect(readState(path, run)).toMatchObject({ kind: "corrupt", reason: expect.any(String) });
  });

  it("follows no link, opens no folder and waits at no pipe", async () => {
    const target = join(folder, "elsewhere.json");
    await writeFile(target, JSON.stringify(empty));
    await symlink(target, path);
    expect(readState(path, run)).toMatchObject({ kind: "corrupt" });
    await rm(path);
    await mkdir(path);
    expect(readState(path, run)).toMatchObject({ kind: "corrupt" });
    await rm(path, { recursive: true });
    execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
    expect(readState(path, run)).toMatchObject({ kind: "corrupt" });
  });

  it("leaves out bad entries, tells which, and keeps those beside them", async () => {
    const document = {
      ...empty,
      problems: [
        problem,
        { ...problem, file: "../../etc/passwd" },
        7,
        { ...problem, line: 5, end_line: undefined, extra: 1 },
      ],
      summaries: [{ markdown: "" }, { title: "T", markdown: "M" }],
      contextRequests: [
        { path: "b.ts", reason: "r", range: { start_line: 2 } },
        { path: "c.ts", reason: "r", outcome: "answered" },
      ],
      attributionRequests: [{ path: "/abs", reason: "r", outcome: "pending" }],
      skipReason: 5,
    };
    await writeFile(path, JSON.stringify(document));
    expect(readState(path, run)).toEqual({
      kind: "ok",
      state: {
        runId: run,
        problems: [
          { file: "a.ts", line: 1, endLine: 2, severity: "low", category: "c", message: "m" },
          { file: "a.ts", line: 5, severity: "low", category: "c", message: "m" },
        ],
        summaries: [{ title: "T", markdown: "M" }],
        contextRequests: [
          { path: "b.ts", range: { startLine: 2 }, reason: "r", outcome: "pending" },
          { path: "c.ts", reason: "r", outcome: "answered" },
        ],
        attributionRequests: [],
        rejected: [
          { section: "skipReason", index: 0, reason: expect.stringContaining("reason") },
          { section: "problems", index: 1, reason: expect.stringContaining("file") },
          { section: "problems", index: 2, reason: expect.stringContaining("object") },
          { section: "summaries", index: 0, reason: expect.stringContaining("markdown") },
          { section: "attributionRequests", index: 0, reason: expect.stringContaining("path") },
        ],
      },
    });
  });

  it("takes no more than the cap", async () => {
    const problems = Array.from({ length: 502 }, (_, index) => ({ ...problem, line: index + 1, end_line: undefined }));
    await writeFile(path, JSON.stringify({ ...empty, problems }));
    const read = readState(path, run);
    expect(read.kind === "ok" && [read.state.problems.length, read.state.rejected.length]).toEqual([500, 2]);
  });
});
