// Context, attribution and polling on real repositories.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastLine } from "../../../../src/ports/vcs.ts";
import { selectLines } from "../../../../src/vcs/git/context.ts";
import { createRepository, type GitRepository } from "../../../fakes/git-repository.ts";
import { type Fixture, openVcs, reasonOf } from "./support.ts";

let repo: GitRepository;
let fixture: Fixture;
let ids: readonly string[];
const many = Array.from({ length: 50_000 }, (_, line) => `line ${line + 1}\n`).join("");

beforeAll(() => {
  repo = createRepository();
  ids = repo.commit(
    { files: { "src/a.ts": "one\ntwo\nthree\n", "many.txt": many }, author: "Ada", message: "begin" },
    { files: { "src/a.ts": "one\n2\nthree\nfour\n" }, author: "Bob", message: "second\n\nbody with one" },
    {
      files: {
        "bin.dat": Buffer.from([1, 0, 2]),
        "latin.txt": Buffer.from("caf\xe9\n", "latin1"),
        link: { mode: "120000", target: "/etc/passwd" },
        sub: { mode: "160000", commit: "1".repeat(40) },
        "odd name [1]*.txt": "odd\n",
      },
    },
  );
  fixture = openVcs(repo.path);
});
afterAll(() => {
  fixture.remove();
  repo.remove();
});

const revision = (): string => ids[2] ?? "";
const context = (path: string, lines?: { start: number; end: number }, at = revision()) =>
  fixture.vcs.fetchExtraContext({ revision: at, path, ...(lines && { lines }) });
const blame = (path: string, lines?: { start: number; end: number }) =>
  fixture.vcs.fetchAttribution({ revision: revision(), path, ...(lines && { lines }) });

describe("fetchExtraContext", () => {
  it("gives lines at exactly the asked revision", async () => {
    expect(await context("src/a.ts")).toEqual({
      path: "src/a.ts",
      text: "one\n2\nthree\nfour\n",
      firstLine: 1,
      totalLines: 4,
      truncated: false,
    });
    expect(await context("./src//a.ts", { start: 2, end: 3 }, ids[0])).toMatchObject({
      text: "two\nthree\n",
      firstLine: 2,
    });
    expect(await context("src/a.ts", { start: 4, end: 99 })).toMatchObject({ text: "four\n", totalLines: 4 });
    expect(await context("src/a.ts", { start: 40, end: 99 })).toMatchObject({ text: "", totalLines: 4 });
    expect((await context("odd name [1]*.txt")).text).toBe("odd\n");
  });

  it("cuts at 256 KiB on a line boundary, and reads on by ranges", async () => {
    const first = await context("many.txt");
    expect(first).toMatchObject({ truncated: true, totalLines: 50_000 });
    expect(first.text.length).toBeLessThanOrEqual(256 << 10);
    const lines = first.text.split("\n").length - 1;
    const next = await context("many.txt", { start: lines + 1, end: lines + 1 });
    expect(next.text).toBe(`line ${lines + 1}\n`);
  });

  it("18: shows a link's target and never follows it", async () => {
    expect((await context("link")).text).toBe("/etc/passwd");
    expect(await reasonOf(context("link/passwd"))).toBe("path_not_found");
  });

  it("replaces invalid UTF-8", async () => {
    expect((await context("latin.txt")).text).toBe("caf\u{fffd}\n");
  });

  it.each([
    ["nosuch.ts", "not_found", "path_not_found"],
    ["src", "bad_request", "bad_path"],
    ["bin.dat", "unsupported", "not_text"],
    ["sub", "unsupported", "not_text"],
    ["sub/x.c", "not_found", "path_not_found"],
    ["SRC/a.ts", "not_found", "path_not_found"],
  ])("says that %s is %s", async (path, code, reason) => {
    await expect(context(path)).rejects.toMatchObject({
      code,
      reason,
      retryable: false,
      remedy: expect.stringContaining("Do not retry"),
    });
  });

  it.each([
    "../../etc/passwd",
    "/etc/passwd",
    "a/../../b",
    "a\0b",
    "C:\\x",
    "..\\..\\x",
    "",
    "./",
    "x".repeat(2000),
    "a\nb",
  ])("17: refuses the path %j", async (path) => expect(await reasonOf(context(path))).toBe("bad_path"));

  it("17: takes %2e%2e for a name like any other", async () => {
    expect(await reasonOf(context("%2e%2e/%2e%2e/etc/passwd"))).toBe("path_not_found");
  });

  it("E7: takes full ids only as revisions", async () => {
    for (const at of ["--output=x", "main", "HEAD", revision().slice(0, 10), `${revision()}~1`]) {
      expect(await reasonOf(context("src/a.ts", undefined, at))).toBe("bad_revision");
    }
    expect(await reasonOf(context("src/a.ts", undefined, "9".repeat(40)))).toBe("unknown_revision");
  });

  it("selects whole lines of any text within any budget", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", "日", "\n", "😀") }),
        fc.nat(30),
        fc.nat(12),
        fc.nat(12),
        (text, max, a, b) => {
          const { text: got, truncated } = selectLines(Buffer.from(text), { start: a + 1, end: a + b + 1 }, max);
          expect(Buffer.byteLength(got)).toBeLessThanOrEqual(max);
          expect(got).not.toContain("\u{fffd}");
          const whole = text
            .split(/(?<=\n)/)
            .slice(a, a + b + 1)
            .join("");
          expect(whole.startsWith(got)).toBe(true);
          expect(truncated).toBe(got !== whole);
        },
      ),
    );
  });
});

describe("fetchAttribution", () => {
  it("names commit and author of each line, and no source text", async () => {
    const result = await blame("src/a.ts");
    expect(result).toMatchObject({ path: "src/a.ts", status: "ok" });
    expect(result.entries.map((entry) => [entry.line, entry.author, entry.revision])).toEqual([
      [1, "Ada", ids[0]],
      [2, "Bob", ids[1]],
      [3, "Ada", ids[0]],
      [4, "Bob", ids[1]],
    ]);
    expect(result.entries[1]).toMatchObject({
      authorEmail: "bob@example.com",
      time: 1_700_000_060_000,
      summary: "second",
    });
    expect(JSON.stringify(result)).not.toMatch(/three|four/);
  });

  it("says ok for a range that goes on to the end, wherever that is", async () => {
    expect(await blame("src/a.ts", { start: 3, end: lastLine })).toMatchObject({
      status: "ok",
      entries: [{ line: 3 }, { line: 4 }],
    });
  });

  it("says partial for a range that was clipped", async () => {
    expect(await blame("src/a.ts", { start: 2, end: 3 })).toMatchObject({
      status: "ok",
      entries: [{ line: 2 }, { line: 3 }],
    });
    expect(await blame("src/a.ts", { start: 4, end: 9 })).toMatchObject({ status: "partial", entries: [{ line: 4 }] });
    const long = await blame("many.txt");
    expect([long.status, long.entries.length]).toEqual(["partial", 2000]);
  });

  it("does not find what is not there", async () => {
    for (const result of [
      await blame("nosuch"),
      await blame("bin.dat"),
      await blame("src/a.ts", { start: 9, end: 9 }),
    ]) {
      expect(result).toMatchObject({ status: "not_found", entries: [] });
    }
    expect(await reasonOf(blame("src"))).toBe("bad_path");
    for (const lines of [
      { start: 3, end: 1 },
      { start: 0, end: 1 },
      { start: 1.5, end: 2 },
      { start: Number.NaN, end: 1 },
    ]) {
      expect(await reasonOf(blame("src/a.ts", lines))).toBe("bad_range");
    }
  });
});

describe("poll and isAncestor", () => {
  it("hands out each movement once, in order, and marks force pushes", async () => {
    const { vcs } = fixture;
    const first = await vcs.poll(null, 10);
    expect(first).toMatchObject({ events: [], gap: false });
    expect(await vcs.poll(first.next, 10)).toEqual({ events: [], next: first.next, gap: false });

    repo.git("update-ref", "refs/heads/x/main", ids[0] ?? "");
    repo.git("update-ref", "refs/heads/-evil\u202e", ids[1] ?? "");
    const second = await vcs.poll(first.next, 1);
    expect(second.events).toEqual([{ ref: "refs/heads/-evil\u202e", head: ids[1], forced: false }]);
    const third = await vcs.poll(second.next, 10);
    expect(third.events).toEqual([{ ref: "refs/heads/x/main", head: ids[0], forced: false }]);

    repo.git("update-ref", "refs/heads/x/main", ids[1] ?? "");
    repo.git("update-ref", "refs/heads/-evil\u202e", ids[0] ?? "");
    const fourth = await vcs.poll(third.next, 10);
    expect(fourth.events).toEqual([
      { ref: "refs/heads/-evil\u202e", before: ids[1], head: ids[0], forced: true },
      { ref: "refs/heads/x/main", before: ids[0], head: ids[1], forced: false },
    ]);
    repo.git("update-ref", "-d", "refs/heads/x/main");
    expect((await vcs.poll(fourth.next, 10)).events).toEqual([
      { ref: "refs/heads/x/main", before: ids[1], forced: false },
    ]);
  });

  it("16: reviews a branch whatever its name", async () => {
    repo.git("update-ref", "refs/heads/-x", ids[2] ?? "");
    const change = await fixture.vcs.resolve({ spec: ids[2] ?? "", ref: "refs/heads/-x" });
    expect(change).toMatchObject({ ref: "refs/heads/-x", head: { canonical: ids[2] } });
  });

  it.each(["", "{}", "null", '{"v":1,"refs":{"refs/heads/main":"--x"}}', '{"v":9,"refs":{}}'])(
    "reports a gap for the lost cursor %j",
    async (cursor) => expect(await fixture.vcs.poll(cursor, 10)).toMatchObject({ events: [], gap: true }),
  );

  it("knows ancestors, and takes what is gone for none", async () => {
    const { vcs } = fixture;
    const [a = "", b = ""] = ids;
    expect(await vcs.isAncestor(a, b)).toBe(true);
    expect(await vcs.isAncestor(b, b)).toBe(true);
    expect(await vcs.isAncestor(b, a)).toBe(false);
    expect(await vcs.isAncestor("9".repeat(40), b)).toBe(false);
    expect(await reasonOf(vcs.isAncestor("--x", b))).toBe("bad_revision");
  });
});

describe("budgets", () => {
  it("fails with timeout and cancelled, leaving no process", async () => {
    await expect(fixture.vcs.resolve({ spec: "" }, { deadlineMs: 0 })).rejects.toMatchObject({
      code: "timeout",
      retryable: true,
    });
    await expect(fixture.vcs.resolve({ spec: "" }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
  });
});
