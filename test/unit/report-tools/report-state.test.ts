// What is acknowledged is on disk, whole, continued by a second server of the pass, and never mixed with another pass.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createReportState } from "../../../src/report-tools/report-state.ts";
import type { Addition } from "../../../src/report-tools/state-document.ts";
import { type RecordedState, readState, stateFileName } from "../../../src/report-tools/state-file.ts";

const run = "rv_1-1.1";
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aicr-state-"));
  path = join(folder, stateFileName);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function problem(line: number, message = "It breaks.", extra: object = {}): Addition {
  return { section: "problems", entry: { file: "a.ts", line, severity: "low", category: "c", message, ...extra } };
}

function stored(runId = run): RecordedState {
  const read = readState(path, runId);
  if (read.kind !== "ok") throw new Error(JSON.stringify(read));
  expect(read.state.rejected).toEqual([]);
  return read.state;
}

describe("report state", () => {
  it("writes nothing before the first call, and a whole document after each", async () => {
    const state = createReportState(path, run);
    expect(await readdir(folder)).toEqual([]);
    expect(await state.record(problem(1))).toEqual({ kind: "recorded", count: 1, duplicate: false });
    expect(stored().problems).toHaveLength(1);
    await state.record({ section: "summaries", entry: { markdown: "# All" } });
    await state.record({ section: "skipReason", entry: "lgtm" });
    expect(stored()).toMatchObject({ summaries: [{ markdown: "# All" }], skipReason: "lgtm" });
    expect(await readdir(folder)).toEqual([stateFileName]);
  });

  it("counts the same problem once, however its message is spaced and cased", async () => {
    const state = createReportState(path, run);
    await state.record(problem(1, "It  breaks.\n"));
    expect(await state.record(problem(1, "it breaks."))).toEqual({ kind: "recorded", count: 1, duplicate: true });
    expect(await state.record(problem(1, "It leaks."))).toMatchObject({ count: 2, duplicate: false });
    expect(await state.record(problem(2))).toMatchObject({ count: 3, duplicate: false });
  });

  it("goes by the agent's own fingerprint where there is one", async () => {
    const state = createReportState(path, run);
    await state.record(problem(1, "It breaks.", { fingerprint: "k" }));
    expect(await state.record(problem(9, "It breaks.", { fingerprint: "k" }))).toMatchObject({ duplicate: true });
    expect(await state.record(problem(1, "It breaks.", { fingerprint: "other" }))).toMatchObject({ duplicate: false });
  });

  it("is continued by a second server of the same pass, back and forth", async () => {
    const [first, second] = [createReportState(path, run), createReportState(path, run)];
    await first.record(problem(1));
    expect(await second.record(problem(2))).toMatchObject({ count: 2 });
    expect(await first.record(problem(3))).toMatchObject({ count: 3 });
    expect(await second.record(problem(1))).toMatchObject({ count: 3, duplicate: true });
    expect(stored().problems.map(({ line }) => line)).toEqual([1, 2, 3]);
  });

  it("loses nothing when two servers write at once", async () => {
    const states = [createReportState(path, run), createReportState(path, run)];
    await Promise.all(Array.from({ length: 100 }, (_, index) => states[index % 2]?.record(problem(index + 1))));
    expect(stored().problems).toHaveLength(100);
  });

  it("replaces what another pass left, and never continues it", async () => {
    await createReportState(path, "rv_1-1.1").record(problem(1));
    expect(await createReportState(path, "rv_1-1.2").record(problem(2))).toMatchObject({ count: 1 });
    expect(stored("rv_1-1.2").problems).toHaveLength(1);
  });

  it.each(["", "{", "[]", '{"schemaVersion":9}'])("starts anew over the broken document %j", async (broken) => {
    await writeFile(path, broken);
    expect(await createReportState(path, run).record(problem(1))).toMatchObject({ count: 1 });
    expect(stored().problems).toHaveLength(1);
  });

  it("puts back a state file that was deleted, even for a duplicate", async () => {
    const state = createReportState(path, run);
    await state.record(problem(1));
    await rm(path);
    expect(await state.record(problem(1))).toMatchObject({ duplicate: true });
    expect(stored().problems).toHaveLength(1);
  });

  it("accepts 500 problems and says the cap on the next", async () => {
    const state = createReportState(path, run);
    for (let line = 1; line <= 500; line++) await state.record(problem(line));
    const refused = await state.record(problem(501));
    expect(refused).toMatchObject({ kind: "refused", reason: expect.stringContaining("The cap is 500 problems") });
    expect(stored().problems).toHaveLength(500);
    expect(await state.record(problem(7))).toMatchObject({ kind: "recorded", duplicate: true });
  });

  it("keeps the whole file within what its reader takes", async () => {
    // NUL is written as six bytes, so that few entries fill the file: 85 of these fit, 86 do not.
    const entry = { markdown: "\0".repeat(65_536) };
    const empty = { problems: [], contextRequests: [], attributionRequests: [] };
    const left = { schemaVersion: 1, runId: run, ...empty, summaries: Array.from({ length: 84 }, () => entry) };
    await writeFile(path, JSON.stringify(left));
    const state = createReportState(path, run);
    expect(await state.record({ section: "summaries", entry })).toMatchObject({ kind: "recorded", count: 85 });
    const last = await state.record({ section: "summaries", entry });
    expect(last).toMatchObject({ kind: "refused", reason: expect.stringContaining("32 MiB") });
    expect(stored().summaries).toHaveLength(85);
    expect(await state.record(problem(1))).toMatchObject({ kind: "recorded" });
  });

  it("accepts nothing when the directory is gone, and says so", async () => {
    const state = createReportState(path, run);
    await state.record(problem(1));
    await rm(folder, { recursive: true });
    const refused = await state.record(problem(2));
    expect(refused).toMatchObject({
      kind: "refused",
      reason: expect.stringMatching(/could not be written \(ENOENT\)/),
    });
    await mkdir(folder);
    expect(await state.record(problem(3))).toMatchObject({ kind: "recorded", count: 2 });
    expect(stored().problems.map(({ line }) => line)).toEqual([1, 3]);
  });

  it("accepts nothing in a directory it may not write, and leaves nothing there", async () => {
    await chmod(folder, 0o555);
    // Root ignores modes.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const refused = await createReportState(path, run).record(problem(1));
      expect(refused).toMatchObject({
        kind: "refused",
        reason: expect.stringMatching(/could not be written \(EACCES\)/),
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("asks for leave while it holds the lock, and writes nothing without", async () => {
    const refused = await createReportState(path, run).record(problem(1), () => "This pass is over.");
    expect(refused).toEqual({ kind: "refused", reason: "This pass is over." });
    expect(await readdir(folder)).toEqual([]);
  });

  it("gets over the lock of a server that was killed while it held it", async () => {
    const deadPid = 2 ** 22 + 1;
    await writeFile(`${path}.lock`, String(deadPid));
    expect(await createReportState(path, run).record(problem(1))).toMatchObject({ kind: "recorded" });
    expect(await readdir(folder)).toEqual([stateFileName]);
  });

  it("reads back whatever was recorded, in order", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((value) => value.trim() !== "");
    const addition: fc.Arbitrary<Addition> = fc.oneof(
      fc
        .record({ line: fc.integer({ min: 1, max: 5 }), message: text })
        .map(({ line, message }) => problem(line, message)),
      text.map((markdown): Addition => ({ section: "summaries", entry: { markdown } })),
      text.map((reason): Addition => ({ section: "skipReason", entry: reason })),
      text.map(
        (reason): Addition => ({ section: "contextRequests", entry: { path: "b.ts", reason, outcome: "pending" } }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(addition, { minLength: 1, maxLength: 12 }), async (additions) => {
        await rm(path, { force: true });
        const summaries: string[] = [];
        let counted = 0;
        // Every call by a server of its own: each must continue what the one before left.
        for (const one of additions) {
          const recorded = await createReportState(path, run).record(one);
          if (recorded.kind !== "recorded") throw new Error(recorded.reason);
          if (one.section === "summaries") summaries.push(one.entry.markdown);
          if (one.section === "problems" && !recorded.duplicate) counted++;
        }
        const state = stored();
        expect(state.summaries.map(({ markdown }) => markdown)).toEqual(summaries);
        expect(state.problems).toHaveLength(counted);
        const skips = additions.filter(({ section }) => section === "skipReason");
        expect(state.skipReason).toBe(skips.at(-1)?.entry);
      }),
      { numRuns: 40 },
    );
  });

  it("writes JSON that says its schema and its pass", async () => {
    await createReportState(path, run).record(problem(1));
    const document: unknown = JSON.parse(await readFile(path, "utf8"));
    expect(document).toEqual({
      schemaVersion: 1,
      runId: run,
      problems: [{ file: "a.ts", line: 1, severity: "low", category: "c", message: "It breaks." }],
      summaries: [],
      contextRequests: [],
      attributionRequests: [],
    });
  });
});
