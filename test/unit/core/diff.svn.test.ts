// Diffs as the real svn 1.14 writes them, in its plain and its --git form; recorded, since svn may be missing.
import { describe, expect, test } from "vitest";
import { readDiff } from "../../../src/core/diff.ts";
import { applyHunks } from "./diff-apply.ts";

const rule = "=".repeat(67);
const propertyRule = "_".repeat(67);

function read(...lines: string[]): ReturnType<typeof readDiff> {
  return readDiff(Buffer.from(`${lines.join("\n")}\n`, "latin1"));
}

function facts(diff: ReturnType<typeof readDiff>): unknown[] {
  return diff.files.map(({ kind, oldPath, newPath, isBinary, hunks }) => [
    kind,
    oldPath,
    newPath,
    isBinary,
    hunks.length,
  ]);
}

describe("svn --git", () => {
  test("a binary patch whose last block has no empty line behind it, and one with properties", () => {
    const diff = read(
      "Index: t/b.bin",
      rule,
      "diff --git a/t/b.bin b/t/b.bin",
      "GIT binary patch",
      "literal 2",
      "Jc${Nk0ssI600RI3",
      "",
      "literal 2",
      "Jc${Nk1ONa700IC2",
      "Index: t/gone.bin",
      rule,
      "diff --git a/t/gone.bin b/t/gone.bin",
      "deleted file mode 100644",
      "GIT binary patch",
      "literal 0",
      "Hc$@<O00001",
      "",
      "literal 2",
      "Jc${Nk0ssI600RI3",
      "",
      "Property changes on: t/gone.bin",
      propertyRule,
      "Deleted: svn:mime-type",
      "## -1 +0,0 ##",
      "-application/octet-stream",
      "\\ No newline at end of property",
      "Index: t/e2",
      rule,
      "diff --git a/t/e2 b/t/e2",
      "new file mode 100644",
    );
    expect(facts(diff)).toEqual([
      ["modify", "t/b.bin", "t/b.bin", true, 0],
      ["delete", "t/gone.bin", null, true, 0],
      ["add", null, "t/e2", false, 0],
    ]);
  });

  test("copies and moves of a working copy, whose source names its revision", () => {
    const diff = read(
      "Index: t/cp.txt",
      rule,
      "diff --git a/t/my file.txt b/t/cp.txt",
      "copy from t/my file.txt@1",
      "copy to t/cp.txt",
      "--- a/t/my file.txt\t(revision 1)",
      "+++ b/t/cp.txt\t(working copy)",
      "@@ -1,3 +1,3 @@",
      " a",
      "-b",
      "+B",
      " c",
      "Index: t/at@2x.png.txt",
      rule,
      "diff --git a/t/at@2x.txt b/t/at@2x.png.txt",
      "rename from t/at@2x.txt",
      "rename to t/at@2x.png.txt",
    );
    expect(facts(diff)).toEqual([
      ["copy", "t/my file.txt", "t/cp.txt", false, 1],
      ["rename", "t/at@2x.txt", "t/at@2x.png.txt", false, 0],
    ]);
  });

  test("a replaced file is a delete and an add", () => {
    const diff = read(
      "Index: t/rep.txt",
      rule,
      "diff --git a/t/rep.txt b/t/rep.txt",
      "deleted file mode 100644",
      "--- a/t/rep.txt\t(revision 1)",
      "+++ b/t/rep.txt\t(nonexistent)",
      "@@ -1,2 +0,0 @@",
      "-r1",
      "-r2",
      "Index: t/rep.txt",
      rule,
      "diff --git a/t/rep.txt b/t/rep.txt",
      "new file mode 100644",
      "--- a/t/rep.txt\t(nonexistent)",
      "+++ b/t/rep.txt\t(revision 2)",
      "@@ -0,0 +1 @@",
      "+other",
    );
    expect(facts(diff)).toEqual([
      ["delete", "t/rep.txt", null, false, 1],
      ["add", null, "t/rep.txt", false, 1],
    ]);
  });

  test("a symlink carries its mode; names with quotes are not quoted", () => {
    const diff = read(
      'Index: t/"l"nk',
      rule,
      'diff --git a/t/"l"nk b/t/"l"nk',
      "index 83dbf7bd..e61e85d4 120644",
      '--- a/t/"l"nk\t(revision 1)',
      '+++ b/t/"l"nk\t(revision 2)',
      "@@ -1 +1 @@",
      "-mv.txt",
      "\\ No newline at end of file",
      "+my file.txt",
      "\\ No newline at end of file",
    );
    expect(diff.files[0]).toMatchObject({ newPath: 't/"l"nk', newMode: "120644", kind: "modify" });
  });
});

describe("svn plain", () => {
  test("a lone carriage return breaks lines in svn's counting", () => {
    const diff = read(
      "Index: cr.txt",
      rule,
      "--- cr.txt\t(revision 1)",
      "+++ cr.txt\t(revision 2)",
      "@@ -1,4 +1,4 @@",
      " p\r-q\r+Q\r r\r",
      " crlf\r",
    );
    const applied = applyHunks(diff, diff.files[0]?.hunks ?? [], Buffer.from("p\rq\rr\r\ncrlf\r\n"), true);
    expect(applied.toString()).toBe("p\rQ\rr\r\ncrlf\r\n");
  });

  test("labels with a place between the path and the revision", () => {
    const diff = read(
      "Index: mv.txt",
      rule,
      "--- mv.txt\t(.../mv.txt)\t(revision 1)",
      "+++ mv.txt\t(.../mv2.txt)\t(revision 2)",
      "@@ -1 +1,2 @@",
      " x",
      "+more",
    );
    expect(facts(diff)).toEqual([["modify", "mv.txt", "mv.txt", false, 1]]);
  });

  test("property hunks are not code, whatever they hold", () => {
    const diff = read(
      "Index: trunk",
      rule,
      "--- trunk\t(revision 9)",
      "+++ trunk\t(revision 10)",
      "",
      "Property changes on: trunk",
      propertyRule,
      "Added: svn:mergeinfo",
      "## -0,0 +0,1 ##",
      "   Merged /branches/b1:r8-9",
      "Modified: note",
      "## -1,2 +1,3 ##",
      "--- a/x",
      "+++ b/x",
      "+@@ -1 +1 @@",
      " diff --git a/x b/x",
      "Index: trunk/a.txt",
      rule,
      "--- trunk/a.txt\t(revision 9)",
      "+++ trunk/a.txt\t(revision 10)",
      "@@ -1 +1 @@",
      "-a",
      "+b",
    );
    expect(diff.files.map(({ newPath, propertiesOnly, hunks }) => [newPath, propertiesOnly, hunks.length])).toEqual([
      ["trunk", true, 0],
      ["trunk/a.txt", false, 1],
    ]);
  });

  test("what a section without labels tells", () => {
    const binary = ["Cannot display: file marked as a binary type.", "svn:mime-type = application/octet-stream"];
    const diff = read(
      "Index: empty",
      rule,
      "Index: changed.bin",
      rule,
      ...binary,
      "Index: gone.bin",
      rule,
      ...binary,
      "",
      "Property changes on: gone.bin",
      propertyRule,
      "Deleted: svn:mime-type",
      "## -1 +0,0 ##",
      "-application/octet-stream",
      "\\ No newline at end of property",
    );
    expect(facts(diff)).toEqual([
      ["add", null, "empty", false, 0],
      ["modify", "changed.bin", "changed.bin", true, 0],
      ["delete", "gone.bin", null, true, 0],
    ]);
  });
});
