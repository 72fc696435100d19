// Anchors: only lines that a reader of the diff can see on the new side, and a range within one hunk.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CommentableFile, checkAnchor, commentableLines, spanText } from "../../../src/core/anchor.ts";
import { readDiff } from "../../../src/core/diff.ts";

const diff = readDiff(
  Buffer.from(
    [
      "--- a/dir/ü.ts",
      "+++ b/dir/ü.ts",
      "@@ -1,4 +1,5 @@",
      " one",
      "-two",
      "+TWO",
      "+and a half",
      " three",
      " four",
      "@@ -20,3 +21,2 @@",
      " twenty",
      "-gone",
      " after",
      "@@ -40,2 +40,3 @@",
      " forty",
      "+x",
      " end",
      "",
    ].join("\n"),
  ),
);
const file = commentableLines(diff, diff.files[0] ?? never());

test("hunks and added lines of the new side, ready for JSON", () => {
  expect(file).toEqual({
    path: "dir/ü.ts",
    hunks: [
      { start: 1, end: 5 },
      { start: 21, end: 22 },
      { start: 40, end: 42 },
    ],
    added: [
      { start: 2, end: 3 },
      { start: 41, end: 41 },
    ],
  });
  expect(JSON.parse(JSON.stringify(file))).toEqual(file);
});

describe("checkAnchor", () => {
  test.each([
    [1, undefined],
    [3, 5],
    [21, 22],
    [41, 41],
  ])("accepts %s-%s", (line, endLine) => expect(checkAnchor(file, line, endLine)).toEqual({ ok: true }));

  test("gives the nearest lines first", () => {
    expect(checkAnchor(file, 25)).toEqual({
      ok: false,
      why: "outside",
      nearest: [
        { start: 21, end: 22 },
        { start: 40, end: 42 },
        { start: 1, end: 5 },
      ],
    });
    expect(checkAnchor(file, 6)).toMatchObject({ nearest: [{ start: 1, end: 5 }, { start: 21 }, { start: 40 }] });
  });

  test("refuses a range over two hunks, one that leaves its hunk, and one that is reversed", () => {
    expect(checkAnchor(file, 4, 21)).toMatchObject({ ok: false, why: "split" });
    expect(checkAnchor(file, 4, 9)).toMatchObject({
      ok: false,
      why: "outside",
      nearest: [{ start: 1, end: 5 }, {}, {}],
    });
    expect(checkAnchor(file, 5, 4)).toMatchObject({ ok: false });
  });

  test("agrees with the plain definition for every line", () => {
    const span = fc.tuple(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 0, max: 10 }));
    fc.assert(
      fc.property(
        fc.array(span, { maxLength: 6 }),
        fc.integer({ min: 1, max: 200 }),
        fc.nat(12),
        (gaps, line, more) => {
          let at = 0;
          const hunks = gaps.map(([gap, length]) => {
            const start = at + gap;
            at = start + length;
            return { start, end: at };
          });
          const expected = hunks.some((h) => h.start <= line && line + more <= h.end);
          const check = checkAnchor({ hunks }, line, line + more);
          expect(check.ok).toBe(expected);
          if (!check.ok)
            for (const near of check.nearest) expect(checkAnchor({ hunks }, near.start, near.end).ok).toBe(true);
        },
      ),
    );
  });
});

test("deleted files, pure renames, binaries and deletions have no anchors", () => {
  const none: readonly string[] = [
    "diff --git a/x b/x\ndeleted file mode 100644\nindex 1234567..0000000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
    "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
    "diff --git a/x b/x\nindex 1234567..89abcde 100644\nBinary files a/x and b/x differ\n",
    "--- a/x\n+++ b/x\n@@ -3 +2,0 @@\n-a\n",
  ];
  for (const text of none) {
    const read = readDiff(Buffer.from(text));
    const lines = commentableLines(read, read.files[0] ?? never());
    expect(lines).toMatchObject({ hunks: [], added: [] });
    expect(checkAnchor(lines, 1)).toEqual({ ok: false, why: "none", nearest: [] });
  }
});

test("a span reads as one number or two", () => {
  expect([spanText({ start: 3, end: 3 }), spanText({ start: 3, end: 5 })]).toEqual(["3", "3-5"]);
});

test("the caller's path wins, since listings know names that headers mangle", () => {
  const named: CommentableFile = commentableLines(diff, diff.files[0] ?? never(), "other.ts");
  expect(named.path).toBe("other.ts");
});

test("a file that is all new, and an addition on its first line, begin at line 1", () => {
  for (const [text, end] of [
    ["--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n", 2],
    ["--- a/new.ts\n+++ b/new.ts\n@@ -1 +1,2 @@\n+one\n two\n", 1],
  ] as const) {
    const read = readDiff(Buffer.from(text));
    expect(commentableLines(read, read.files[0] ?? never()).added).toEqual([{ start: 1, end }]);
  }
});

function never(): never {
  throw new Error("missing");
}
