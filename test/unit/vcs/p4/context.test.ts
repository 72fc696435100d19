// Context, attribution, polling and ancestry on the fake server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reasonOf } from "../git/support.ts";
import { CHANGES, change, depot, file } from "./sample-depot.ts";
import { type Fixture, openFixture } from "./support.ts";

let fixture: Fixture;
beforeAll(() => {
  fixture = openFixture();
});
afterAll(() => {
  expect(fixture.commands().filter((line) => line.startsWith("VIOLATION"))).toEqual([]);
  fixture.remove();
});

const context = (path: string, revision = "12", lines?: { start: number; end: number }) =>
  fixture.vcs.fetchExtraContext({ revision, path, ...(lines && { lines }) });
const blame = (path: string, revision = "12", lines?: { start: number; end: number }) =>
  fixture.vcs.fetchAttribution({ revision, path, ...(lines && { lines }) });

describe("fetchExtraContext", () => {
  it("gives lines as of exactly the asked change, of files that it did not touch too", async () => {
    expect(await context("src/a b.c")).toEqual({
      path: "src/a b.c",
      text: "one\n2\nthree\n++ four\n",
      firstLine: 1,
      totalLines: 4,
      truncated: false,
    });
    expect((await context("./src//a b.c", "5", { start: 2, end: 3 })).text).toBe("two\nthree\n");
    expect((await context("src/a b.c", "20")).text).toBe("one\n2\nthree\n++ four\n");
    expect((await context("src/del.c", "5")).text).toBe("bye\n");
    expect((await context("//depot/game/src/a b.c", "5")).path).toBe("src/a b.c");
    expect((await context("docs/日本.txt")).text).toBe("さようなら\n");
    expect((await context("u16.txt")).text).toBe("alpha\ngamma\n");
    expect((await context("latin.txt")).text).toBe("caf\u{fffd}\n");
  });

  it("18: shows a link's target and never follows it", async () => {
    expect((await context("link")).text).toBe("/etc/passwd");
  });

  it("reads names of any characters literally", async () => {
    expect((await context("src/we@ird#*%.c")).text).toBe("odder\n");
  });

  it("reads a shelf, and around it the depot", async () => {
    expect((await context("src/shelved.c", "=13")).text).toBe("n\n");
    expect((await context("src/a b.c", "=13")).text).toContain("shelved");
    expect((await context("script.sh", "=13")).text).toBe("echo\n");
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
    "src",
  ])("17 (p4): refuses the path %j", async (path) => expect(await reasonOf(context(path))).toBe("bad_path"));

  it("17 (p4): takes %2e%2e for a name like any other", async () => {
    expect(await reasonOf(context("%2e%2e/%2e%2e/etc/passwd"))).toBe("path_not_found");
  });

  it.each([
    "//other/x.c",
    "//depot/other/x.c",
    "//depot/game/../other/x.c",
    "//depot/gamey/x.c",
    "...",
    "src/...",
    "src/....c",
    "*",
    "src/*.c",
    "src/a b.c@5",
    "src/a b.c@=13",
    "src/a b.c#1",
    "src/a b.c@label",
    "@=13",
    "//depot/game/...",
    "//depot/game/src/a b.c@label",
  ])("19 (p4): refuses %j, for it leaves the depot path or is no path", async (path) => {
    const fault = await context(path).then(
      () => null,
      (error: unknown) => error,
    );
    expect(fault).toMatchObject({
      code: "bad_request",
      reason: "bad_path",
      remedy: expect.stringContaining("Do not retry"),
    });
    expect(await reasonOf(blame(path))).toBe("bad_path");
  });

  it("says what is not there, is hidden or is no text", async () => {
    expect(await reasonOf(context("nosuch.c"))).toBe("path_not_found");
    expect(await reasonOf(context("src/del.c"))).toBe("path_not_found");
    expect(await reasonOf(context("src/new.c", "5"))).toBe("path_not_found");
    expect(await reasonOf(context("secret.c"))).toBe("vcs_forbidden");
    expect(await reasonOf(context("bin/tool"))).toBe("not_text");
  });

  it("E7: takes changelist numbers only as revisions", async () => {
    for (const at of ["--x", "@12", "now", "label", "12,13", "#1", "@=13", "=x", ""]) {
      expect(await reasonOf(context("src/a b.c", at))).toBe("bad_revision");
    }
  });
});

describe("fetchAttribution", () => {
  it("names change and author of each line, and no source text", async () => {
    const result = await blame("src/a b.c");
    expect(result).toEqual({
      path: "src/a b.c",
      status: "ok",
      entries: [
        { line: 1, revision: "5", author: "ann", time: 1_700_000_300_000 },
        { line: 2, revision: "12", author: "bob", time: 1_700_000_720_000 },
        { line: 3, revision: "5", author: "ann", time: 1_700_000_300_000 },
        { line: 4, revision: "12", author: "bob", time: 1_700_000_720_000 },
      ],
    });
    expect(JSON.stringify(result)).not.toMatch(/three|four/);
  });

  it("says partial for a range that was clipped, and not_found where there is nothing", async () => {
    expect(await blame("src/a b.c", "12", { start: 2, end: 3 })).toMatchObject({
      status: "ok",
      entries: [{ line: 2 }, { line: 3 }],
    });
    expect(await blame("src/a b.c", "12", { start: 4, end: 9 })).toMatchObject({
      status: "partial",
      entries: [{ line: 4 }],
    });
    for (const result of [
      await blame("src/a b.c", "12", { start: 9, end: 9 }),
      await blame("nosuch"),
      await blame("bin/tool"),
      await blame("secret.c"),
      await blame("src/shelved.c", "=13"),
    ]) {
      expect(result).toMatchObject({ status: "not_found", entries: [] });
    }
    expect(await reasonOf(blame("src"))).toBe("bad_path");
    for (const lines of [
      { start: 3, end: 1 },
      { start: 0, end: 1 },
      { start: 1.5, end: 2 },
    ]) {
      expect(await reasonOf(blame("src/a b.c", "12", lines))).toBe("bad_range");
    }
  });
});

describe("poll and isAncestor", () => {
  it("hands out submitted changes of the depot path once, in order, and waits at almost no cost", async () => {
    const own = openFixture();
    try {
      const first = await own.vcs.poll(null, 10);
      expect(first).toMatchObject({ events: [], gap: false });
      own.forget();
      expect(await own.vcs.poll(first.next, 10)).toEqual({ events: [], next: first.next, gap: false });
      expect(own.commands()).toEqual(["-ztag\t-Mj\tcounter\tmaxCommitChange"]);

      const more = [
        ...CHANGES,
        change(22, "elsewhere", [{ ...file("x", 1, "add", "x\n"), path: "//depot/other/y.c" }]),
        change(23, "a", [file("a.c", 1, "add", "1\n")]),
        change(24, "pending", [file("b.c", 1, "add", "1\n")], { status: "pending" }),
        change(26, "b", [file("a.c", 2, "edit", "2\n")]),
      ];
      own.serve(depot({}, more));
      const second = await own.vcs.poll(first.next, 1);
      expect(second.events).toEqual([{ ref: "p4", before: "21", head: "23", forced: false }]);
      const third = await own.open().poll(second.next, 10);
      expect(third.events).toEqual([{ ref: "p4", before: "23", head: "26", forced: false }]);

      // Its number was given out before 26, but it is committed later.
      own.serve(
        depot({}, [
          ...more,
          change(25, "late", [file("c.c", 1, "add", "1\n")]),
          change(27, "c", [file("d.c", 1, "add", "1\n")]),
        ]),
      );
      const fourth = await own.vcs.poll(third.next, 10);
      expect(fourth.events.map(({ head }) => head)).toEqual(["25", "27"]);
      expect((await own.vcs.poll(fourth.next, 10)).events).toEqual([]);

      // A server that was set back has lost what the cursor stood on.
      own.serve(depot({}, CHANGES));
      expect(await own.vcs.poll(fourth.next, 10)).toMatchObject({ events: [], gap: true });
    } finally {
      own.remove();
    }
  });

  it("knows ancestors by their numbers, and none of a shelf", async () => {
    const { vcs } = fixture;
    expect(await vcs.isAncestor("5", "12")).toBe(true);
    expect(await vcs.isAncestor("12", "12")).toBe(true);
    expect(await vcs.isAncestor("12", "5")).toBe(false);
    expect(await vcs.isAncestor("12", "=13")).toBe(false);
    expect(await vcs.isAncestor("=13", "=13")).toBe(true);
    expect(await reasonOf(vcs.isAncestor("--x", "5"))).toBe("bad_revision");
  });
});
