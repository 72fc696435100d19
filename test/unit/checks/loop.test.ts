// Loops: oscillation counted, hinted, restored after a restart, expired once the code stays clean.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { signatureOf } from "../../../src/checks/loop.ts";
import { parseLine } from "../../../src/checks/loop-log.ts";
import { type Bench, createBench, createProject, type Project } from "./project.ts";

let project: Project;
let bench: Bench;
beforeEach(() => {
  project = createProject({ "a.ts": "ok", "b.ts": "ok" });
  bench = createBench(project, { locale: "vi" });
});
afterEach(() => project.remove());

const bad = "LINT:no-unused-vars 'thing' is unused";

async function turn(on: Bench, ...texts: readonly string[]): Promise<string | null> {
  let warning: string | null = null;
  for (const text of texts) {
    project.put("a.ts", text);
    warning = (await on.check(["a.ts"])).loopWarning;
  }
  return warning;
}

it("D loops: counts returns from the second on, and hints in the specification's words", async () => {
  expect(await turn(bench, bad, "ok", bad)).toBeNull();
  expect(bench.checks.loopStatus()).toEqual({ looping: false, signatures: [] });
  expect(await turn(bench, "ok", bad)).toBe("Có 1 lỗi lặp đi lặp lại sau khi được sửa; xem get_loop_status");
  await turn(bench, "ok", bad);
  expect(bench.checks.loopStatus()).toEqual({
    looping: true,
    signatures: [
      {
        signature: "no-unused-vars:<identifier> is unused",
        occurrences: 3,
        hint: "Lỗi này đã được sửa và xuất hiện lại 3 lần — nên xem xét phương pháp khác",
      },
    ],
  });
});

it("D loops: sees the same mistake under another name as the same", async () => {
  await turn(bench, bad, "ok", "LINT:no-unused-vars 'other2' is unused", "ok", bad);
  expect(bench.checks.loopStatus().signatures).toMatchObject([{ occurrences: 2 }]);
});

it("D loops: survives a restart, and is shared by two servers", async () => {
  await turn(bench, bad, "ok", bad);
  const other = bench.restart();
  await turn(other, "ok");
  await turn(bench, bad);
  expect(other.checks.loopStatus()).toMatchObject({ looping: true, signatures: [{ occurrences: 2 }] });
  expect(bench.restart().checks.loopStatus()).toEqual(bench.checks.loopStatus());
});

it("D loops: expires after ten clean checks, not after nine", async () => {
  await turn(bench, bad, "ok", bad, "ok", bad);
  await turn(bench, ...Array.from({ length: 9 }, () => "ok"));
  expect(bench.checks.loopStatus().looping).toBe(true);
  await turn(bench, "ok");
  expect(bench.checks.loopStatus().looping).toBe(false);
  await turn(bench, bad);
  expect(bench.restart().checks.loopStatus().looping).toBe(false);
});

it("D loops: does not take an unchecked file, or a failed engine, for a fixed one", async () => {
  project.put("a.ts", bad);
  for (let i = 0; i < 3; i++) {
    await bench.check(["a.ts"]);
    await bench.check(["b.ts"]);
    bench.engines.instead.oxlint = { reason: "timeout", stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    project.put("a.ts", `${bad}${" ".repeat(i + 1)}`);
    await bench.check(["a.ts"]);
    delete bench.engines.instead.oxlint;
  }
  expect(bench.checks.loopStatus().looping).toBe(false);
});

it("D loops: a deleted file has no issues any more", async () => {
  for (let i = 0; i < 3; i++) {
    project.put("c.ts", bad);
    await bench.check();
    project.drop("c.ts");
    await bench.check();
  }
  expect(bench.checks.loopStatus()).toMatchObject({ looping: true, signatures: [{ occurrences: 2 }] });
});

it("D loops: skips a torn last line and writes on from a new one", async () => {
  await turn(bench, bad, "ok", bad, "ok");
  const log = join(project.cacheDir, "loops.jsonl");
  appendFileSync(log, '{"on":[["oxlint","no-unu');
  const next = bench.restart();
  await turn(next, bad);
  expect(next.checks.loopStatus()).toMatchObject({ looping: true, signatures: [{ occurrences: 2 }] });
  expect(bench.restart().checks.loopStatus().looping).toBe(true);
});

it("D loops: replaces a log that has grown by its summary", async () => {
  await turn(bench, bad, "ok", bad, "ok", bad);
  const log = join(project.cacheDir, "loops.jsonl");
  writeFileSync(log, `${readFileSync(log, "utf8")}${`${JSON.stringify({ on: [], off: [] })}\n`.repeat(60_000)}`);
  const next = bench.restart();
  await turn(next, "ok");
  expect(readFileSync(log, "utf8").length).toBeLessThan(1_000);
  expect(next.checks.loopStatus()).toMatchObject({ signatures: [{ occurrences: 2 }] });
  expect(bench.checks.loopStatus()).toEqual(next.checks.loopStatus());
});

it("D loops: normalises names, quotes and numbers, and leaves words", () => {
  const sign = (message: string) => signatureOf({ rule: "r", message });
  expect(sign("Variable 'fooBar' is declared but never used.")).toBe(
    "r:Variable <identifier> is declared but never used.",
  );
  expect(sign("Expected 2 arguments, but got 13.")).toBe("r:Expected <number> arguments, but got <number>.");
  expect(sign("Can't assign fooBar because it's a constant")).toBe(
    sign("Can't assign bar_baz because it's a constant"),
  );
  expect(sign("Property 'foo' doesn't exist, use 'bar'")).toBe(
    "r:Property <identifier> doesn't exist, use <identifier>",
  );
  expect(sign('This is `x` and "y"')).toBe("r:This is <identifier> and <identifier>");
});

it("D loops: reads no line that is not a whole step", () => {
  for (const line of ["", "{", "null", "[]", '{"on":1,"off":[]}', '{"on":[["a","b"]],"off":[]}', '{"engine":"x"}']) {
    expect(parseLine(line)).toBeNull();
  }
  expect(parseLine('{"on":[["a","b","c"]],"off":[]}')).toEqual({ on: [["a", "b", "c"]], off: [] });
});
