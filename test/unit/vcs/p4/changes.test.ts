// Resolving, listing, diffing and materialising changelists of the fake server.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change } from "../../../../src/core/change.ts";
import { hunkLines, lineText } from "../../../../src/core/diff.ts";
import type { ChangeDiff } from "../../../../src/ports/vcs.ts";
import { temporaryDirectory } from "../../../fakes/git-repository.ts";
import { readDepot } from "../../../fakes/p4/depot.ts";
import { reasonOf } from "../git/support.ts";
import { type Fixture, openFixture } from "./support.ts";

let fixture: Fixture;
const cleanups: (() => void)[] = [];
beforeAll(() => {
  fixture = openFixture();
});
afterAll(() => {
  expect(fixture.commands().filter((line) => line.startsWith("VIOLATION"))).toEqual([]);
  fixture.remove();
  for (const clean of cleanups) clean();
});

const resolve = (spec: string, more: { ref?: string; since?: string } = {}) => fixture.vcs.resolve({ spec, ...more });

/** `-old`, `+new` lines of one file. */
function lines({ diff }: ChangeDiff, path: string): readonly string[] {
  const found = diff.files.find((file) => (file.newPath ?? file.oldPath) === Buffer.from(path).toString("latin1"));
  if (found === undefined) throw new Error(`no diff of ${path}`);
  return found.hunks.flatMap((hunk) =>
    [...hunkLines(diff, hunk)].map(
      (line) => `${{ added: "+", deleted: "-", context: " " }[line.kind]}${lineText(diff, line)}`,
    ),
  );
}

describe("resolve", () => {
  it.each(["12", "@12", " 12 "])("takes %j for a submitted change and its own delta", async (spec) => {
    expect(await resolve(spec)).toMatchObject({
      repository: "game",
      vcs: "p4",
      head: { canonical: "12", display: "12", author: "bob", time: 1_700_000_720_000, flags: [] },
      base: { canonical: "5" },
      baseReason: "own_delta",
      ref: "p4",
      isDefaultBranch: true,
      spec,
    });
  });

  it("keeps a description that looks like fields", async () => {
    const { head } = await resolve("12");
    expect(head.message).toBe("fix: two\n\n... depotFile9 //not/real\nlast line");
  });

  it("takes nothing for the newest change of the depot path, and knows the first one", async () => {
    expect(await resolve("")).toMatchObject({
      head: { canonical: "21", flags: ["restricted"] },
      base: { canonical: "20" },
    });
    expect(await resolve("5")).toMatchObject({ base: "empty", baseReason: "own_delta" });
  });

  it("finds a change by the number that it had before it was submitted", async () => {
    expect(await resolve("17")).toMatchObject({ head: { canonical: "20" } });
  });

  it("takes @=13 for a shelf, and nothing else pending", async () => {
    expect(await resolve("@=13")).toMatchObject({
      head: { canonical: "=13", display: "@=13", flags: ["pending"] },
      base: { canonical: "21" },
      ref: "p4@=13",
    });
    expect(await reasonOf(resolve("13"))).toBe("pending_changelist");
    expect(await reasonOf(resolve("@=14"))).toBe("unknown_revision");
    expect(await reasonOf(resolve("@=12"))).toBe("unknown_revision");
  });

  it("does not know what is not there, or lies outside of the depot path", async () => {
    expect(await reasonOf(resolve("999"))).toBe("unknown_revision");
    expect(await reasonOf(resolve("6"))).toBe("unknown_revision");
  });

  it.each([
    "@label",
    "-s",
    "--x",
    "12;id",
    "@2024/01/01",
    "#3",
    "12,13",
    "0",
    "@@12",
    "99999999999",
    "@=",
    "x".repeat(4096),
  ])("15: refuses %j before p4 sees it", async (spec) => {
    const before = fixture.commands().length;
    expect(await reasonOf(resolve(spec))).toBe("bad_revision");
    expect(fixture.commands().length - before).toBeLessThanOrEqual(0);
  });

  it("covers everything since the last reviewed change for a feed", async () => {
    const change = await resolve("21", { ref: "p4", since: "5" });
    expect(change).toMatchObject({ head: { canonical: "21" }, base: { canonical: "5" }, baseReason: "last_reviewed" });
    const { files } = await fixture.vcs.listChanges(change);
    expect(files.length).toBe(23);
    expect(files.find(({ path }) => path === "src/a b.c")).toMatchObject({ kind: "modify" });
    const diff = await fixture.vcs.diff(
      change,
      files.filter(({ path }) => path === "src/a b.c"),
    );
    expect(lines(diff, "src/a b.c")).toEqual(["-one", "-two", "+ONE", "+2", " three", "+++ four"]);
  });
});

describe("listChanges", () => {
  let change: Change;
  beforeAll(async () => {
    change = await resolve("12");
  });

  it("E12: names are decoded, with spaces and in any script, and relative to the depot path", async () => {
    const { files, truncated } = await fixture.vcs.listChanges(change);
    expect(truncated).toBe(false);
    expect(files.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "modify src/a b.c",
      "rename src/new.c",
      "modify src/we@ird#*%.c",
      "modify docs/日本.txt",
      "delete src/del.c",
      "add src/added file.c",
      "add src/ghost.c",
      "modify bin/tool",
      "mode script.sh",
      "modify u16.txt",
    ]);
    expect(files[1]).toMatchObject({ oldPath: "src/old.c", oldRawPath: "src/old.c", size: 4 });
    expect(files[7]).toMatchObject({ isBinary: true, size: 6 });
    expect(files[8]).toMatchObject({ oldMode: "100644", newMode: "100755" });
    expect(files[3]?.rawPath).toBe(Buffer.from("docs/日本.txt").toString("latin1"));
  });

  it("reads twelve files in the order of their numbers", async () => {
    const { files } = await fixture.vcs.listChanges(await resolve("20"));
    expect(files.map(({ path }) => path)).toEqual(Array.from({ length: 12 }, (_, index) => `many/f${index}.txt`));
  });

  it("lists a shelf with its only move", async () => {
    const { files } = await fixture.vcs.listChanges(await resolve("@=13"));
    expect(files.map(({ kind, path, oldPath }) => [kind, path, oldPath])).toEqual([
      ["modify", "src/a b.c", undefined],
      ["add", "src/shelved.c", undefined],
      ["rename", "src/moved.c", "src/new.c"],
    ]);
  });

  it("says that a list was cut", async () => {
    const vcs = fixture.open({ limits: { maxFiles: 3 } });
    const { files, truncated } = await vcs.listChanges(change);
    // The third entry is the other half of the second, which is a rename.
    expect([files.map(({ kind }) => kind), truncated]).toEqual([["modify", "rename"], true]);
  });
});

describe("diff", () => {
  it("E12: an added line that begins with ++, new files, odd names, moves and UTF-16 are diffed by us", async () => {
    const change = await resolve("12");
    const { files } = await fixture.vcs.listChanges(change);
    const diff = await fixture.vcs.diff(change, files);
    expect([diff.truncated, diff.omitted]).toEqual([false, []]);
    expect(lines(diff, "src/a b.c")).toEqual([" one", "-two", "+2", " three", "+++ four"]);
    expect(lines(diff, "src/added file.c")).toEqual(["+++ first", "+second"]);
    expect(lines(diff, "src/we@ird#*%.c")).toEqual(["-odd", "+odder"]);
    expect(lines(diff, "docs/日本.txt")).toEqual(["-こんにちは", "+さようなら"]);
    expect(lines(diff, "src/del.c")).toEqual(["-bye"]);
    expect(lines(diff, "u16.txt")).toEqual([" alpha", "-βeta", "+gamma"]);
    // The previous revision was obliterated: all there is is new.
    expect(lines(diff, "src/ghost.c")).toEqual(["+is"]);
    expect(lines(diff, "src/new.c")).toEqual([" x", "+y"]);
    expect(lines(diff, "script.sh")).toEqual([]);
    expect(diff.diff.files.map(({ kind, newPath }) => [kind, newPath]).slice(0, 2)).toEqual([
      ["modify", "src/a b.c"],
      ["rename", "src/new.c"],
    ]);
    expect(diff.diff.files.find(({ newPath }) => newPath === "bin/tool")).toMatchObject({ isBinary: true, hunks: [] });
  });

  it("diffs a shelf against the revisions that were opened", async () => {
    const change = await resolve("@=13");
    const { files } = await fixture.vcs.listChanges(change);
    const diff = await fixture.vcs.diff(change, files);
    expect(lines(diff, "src/a b.c").filter((line) => !line.startsWith(" "))).toEqual(["+shelved"]);
    expect(lines(diff, "src/moved.c")).toEqual([" x", "-y", "+z"]);
    expect(lines(diff, "src/shelved.c")).toEqual(["+n"]);
  });

  it("leaves out what is too large or may not be read, and says so", async () => {
    const vcs = fixture.open({ limits: { maxDiffedFileBytes: 8 } });
    const change = await vcs.resolve({ spec: "5" });
    const { files } = await vcs.listChanges(change);
    const diff = await vcs.diff(change, files);
    expect(diff.truncated).toBe(true);
    expect(diff.omitted).toEqual(["src/a b.c", "docs/日本.txt", "link", "secret.c", "u16.txt"]);
    expect(lines(diff, "src/old.c")).toEqual(["+x"]);
  });

  it("is empty of no files, and keeps whole files within its bytes", async () => {
    const change = await resolve("20");
    expect(await fixture.vcs.diff(change, [])).toMatchObject({ bytes: 0, truncated: false, omitted: [] });
    const { files } = await fixture.vcs.listChanges(change);
    const cut = await fixture.vcs.diff(change, files, { maxBytes: 700 });
    expect(cut.truncated).toBe(true);
    expect(cut.diff.files.length + cut.omitted.length).toBe(12);
    expect(cut.bytes).toBeLessThanOrEqual(700);
  });
});

describe("materialise", () => {
  function directory(): string {
    const made = temporaryDirectory();
    cleanups.push(made.remove);
    return made.path;
  }

  it("18: writes both sides, a link as its target's text", async () => {
    const change = await resolve("12");
    const { files } = await fixture.vcs.listChanges(change);
    const [fresh, old] = [directory(), directory()];
    const limits = { maxFileBytes: 1000, maxTotalBytes: 10_000 };
    const written = await fixture.vcs.materialise(change, { side: "new", directory: fresh, files, ...limits });
    expect(written.skipped).toEqual([]);
    expect(written.written.length).toBe(9);
    expect(readFileSync(join(fresh, "src/we@ird#*%.c"), "utf8")).toBe("odder\n");
    expect(readFileSync(join(fresh, "u16.txt"), "utf8")).toBe("alpha\ngamma\n");
    expect([...readFileSync(join(fresh, "bin/tool"))]).toEqual([1, 0, 2, 255, 254, 11]);
    await fixture.vcs.materialise(change, { side: "old", directory: old, files, ...limits });
    expect(readFileSync(join(old, "src/old.c"), "utf8")).toBe("x\n");
    expect(readFileSync(join(old, "src/del.c"), "utf8")).toBe("bye\n");

    const first = await resolve("5");
    const target = directory();
    const listed = await fixture.vcs.listChanges(first);
    const result = await fixture.vcs.materialise(first, {
      side: "new",
      directory: target,
      files: listed.files,
      maxFileBytes: 14,
      maxTotalBytes: 60,
    });
    expect(readFileSync(join(target, "link"), "utf8")).toBe("/etc/passwd");
    expect(result.skipped).toContainEqual({ path: "docs/日本.txt", reason: "too_large" });
    expect(result.skipped).toContainEqual({ path: "secret.c", reason: "missing" });
    expect(result.written.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(60);
  });
});

describe("the sample depot", () => {
  it("is read like any other: a shelf, a move whose source is unknown, attributed lines", async () => {
    const sample = readFileSync(new URL("../../../fixtures/p4/depot.sample.json", import.meta.url), "utf8");
    const own = openFixture(readDepot(sample), { depotPath: "//depot/m/..." });
    try {
      const change = await own.vcs.resolve({ spec: "12" });
      const { files } = await own.vcs.listChanges(change);
      expect(files.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
        "modify a b.txt",
        "add we@ird#.c",
        "delete two",
      ]);
      const diff = await own.vcs.diff(change, files);
      expect(lines(diff, "a b.txt")).toEqual([" a", "-b", "+B"]);
      expect(lines(diff, "two")).toEqual(["-one", "-two"]);
      const { entries } = await own.vcs.fetchAttribution({ revision: "12", path: "a b.txt" });
      expect(entries.map(({ revision }) => revision)).toEqual(["5", "12"]);
      const shelf = await own.vcs.resolve({ spec: "@=13" });
      const shelved = await own.vcs.listChanges(shelf);
      expect(lines(await own.vcs.diff(shelf, shelved.files), "a b.txt")).toEqual([" a", " B", "+C"]);
    } finally {
      own.remove();
    }
  });
});
