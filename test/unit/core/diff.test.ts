// The reader's promises that hold for all input: old − deleted + added = new, faults instead of guesses, bounded memory.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hunkLines, lineText, readDiff, readHunks } from "../../../src/core/diff.ts";
import { AppError } from "../../../src/core/errors.ts";
import { applyHunks, splitLines } from "./diff-apply.ts";
import { makeDiff } from "./diff-make.ts";

/** Lines that parsers trip over: markers, headers, odd separators, bytes that are no UTF-8. */
const awkward = [
  "-- a/x",
  "++ b/x",
  "@@ -1 +1 @@",
  "diff --git a/x b/x",
  "\\ No newline at end of file",
  "",
  "\r",
  "a\rb",
  "-",
  "+",
];
const line = fc.oneof(
  fc.constantFrom(...awkward.map((text) => Buffer.from(text))),
  fc.constantFrom(Buffer.from("u\u2028v"), Buffer.from("w\u0085x"), Buffer.of(0xff, 0xfe), Buffer.from("\x0b\x0c")),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes.map((byte) => (byte === 10 ? 11 : byte)))),
);
const content = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
  .map(([lines, eol]) =>
    Buffer.concat(lines.flatMap((text, i) => (i < lines.length - 1 || eol ? [text, Buffer.of(10)] : [text]))),
  );
/** Two contents that share most lines. */
const pair = fc
  .tuple(content, fc.array(fc.tuple(fc.nat(30), fc.option(line)), { maxLength: 6 }), fc.boolean())
  .map(([old, edits, cut]) => {
    const lines = splitLines(old, false);
    for (const [place, text] of edits) {
      const at = place % (lines.length + 1);
      if (text === null) lines.splice(at, 1);
      else lines.splice(at, place % 2, Buffer.concat([text, Buffer.of(10)]));
    }
    // Only the last line may lack its break.
    const whole = lines.map((text, i) =>
      i < lines.length - 1 && text.at(-1) !== 10 ? Buffer.concat([text, Buffer.of(10)]) : text,
    );
    const joined = Buffer.concat(whole);
    return { old, fresh: cut && joined.at(-1) === 10 ? joined.subarray(0, -1) : joined };
  });

describe("old − deleted + added = new", () => {
  test("for any content and any width of context", () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 0, max: 4 }), ({ old, fresh }, context) => {
        fc.pre(!old.equals(fresh));
        const diff = readDiff(makeDiff(old, fresh, { context, numbering: "git" }));
        expect(diff.files).toHaveLength(1);
        expect(applyHunks(diff, diff.files[0]?.hunks ?? [], old).equals(fresh)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test("for Perforce's bare hunks, whose numbers come out as git's", () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 0, max: 2 }), ({ old, fresh }, context) => {
        fc.pre(!old.equals(fresh));
        const bytes = makeDiff(old, fresh, { context, numbering: "p4" });
        const hunks = readHunks(bytes);
        expect(applyHunks({ bytes }, hunks, old).equals(fresh)).toBe(true);
        const git = readDiff(makeDiff(old, fresh, { context, numbering: "git" })).files[0]?.hunks ?? [];
        const numbers = (list: typeof hunks): unknown =>
          list.map((h) => [h.oldStart, h.oldLines, h.newStart, h.newLines]);
        expect(numbers(hunks)).toEqual(numbers(git));
      }),
      { numRuns: 200 },
    );
  });

  test("a diff that is cut anywhere is read as fewer whole files or refused, never misread", () => {
    fc.assert(
      fc.property(pair, fc.double({ min: 0, max: 1, noNaN: true }), ({ old, fresh }, part) => {
        fc.pre(!old.equals(fresh));
        const whole = makeDiff(old, fresh, { context: 3, numbering: "git" });
        const cut = whole.subarray(0, Math.floor(part * whole.length));
        try {
          const diff = readDiff(cut);
          if (cut.length < whole.length)
            for (const file of diff.files) expect(file.hunks.length).toBeLessThanOrEqual(5);
          for (const file of diff.files)
            for (const hunk of file.hunks) expect([...hunkLines(diff, hunk)].length).toBeGreaterThan(0);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(AppError);
        }
      }),
    );
  });
});

test("any bytes give a diff or an AppError, never another fault", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "diff --git a/x b/x\n",
      "index 1..2 100644\n",
      "--- a/x\n",
      "+++ b/x\n",
      "@@ -1 +1 @@\n",
      "-a\n",
      "+b\n",
      " c\n",
    ),
    fc.constantFrom(
      "Index: x\n",
      `${"=".repeat(67)}\n`,
      "==== //d/x#2 (text) ====\n",
      "GIT binary patch\n",
      "literal 1\n",
      "\\ No\n",
    ),
    fc.constantFrom(
      "Property changes on: x\n",
      "-- \n",
      "rename from x\n",
      'diff --git "a/\\9" b/x\n',
      "Binary files a and b differ\n",
      "\n",
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      try {
        readDiff(Buffer.from(pieces.join("")));
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(AppError);
      }
    }),
    { numRuns: 2000 },
  );
});

describe("malformed input is refused with its place", () => {
  const head = "diff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n";
  test.each<[string, string, number]>([
    ["a hunk that ends early", `${head}@@ -1,2 +1,2 @@\n a\n-b\n`, 8],
    ["a line cut in two", `${head}@@ -1 +1 @@\n-a\n+b`, 7],
    ["more lines than counted", `${head}@@ -1 +1 @@\n-a\n+b\n+c\n`, 8],
    ["too many deleted lines", `${head}@@ -1 +1,2 @@\n-a\n-b\n+c\n`, 7],
    ["a line without a marker", `${head}@@ -1,2 +1,2 @@\n a\nb\n+c\n`, 7],
    ["a hunk header without counts", `${head}@@ -x +1 @@\n-a\n`, 5],
    ["a hunk of no lines", `${head}@@ -0,0 +0,0 @@\n`, 5],
    ["line 0 with lines", `${head}@@ -0 +1 @@\n-a\n+b\n`, 5],
    ["hunks out of order", `${head}@@ -5 +5 @@\n-a\n+b\n@@ -2 +2 @@\n-a\n+b\n`, 8],
    ["a misplaced end-of-file marker", `${head}@@ -1,2 +1,2 @@\n a\n\\ No newline at end of file\n-b\n+c\n`, 7],
    ["two end-of-file markers", `${head}@@ -1 +1 @@\n-a\n+b\n\\ No newline\n\\ No newline\n`, 9],
    ["missing hunks", head, 1],
    ["changed content without a hunk", "diff --git a/x b/x\nindex 1234567..89abcde 100644\n", 1],
    ["--- without +++", "diff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n-a\n+b\n", 2],
    ["a hunk before its file", "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n", 2],
    ["labels that name another file", "diff --git a/x b/x\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", 1],
    ["a rename that lacks its target", "diff --git a/x b/y\nsimilarity index 100%\nrename from x\n", 1],
    ["broken quoting", 'diff --git "a/\\9" "b/\\9"\n', 1],
    ["an unknown header", "diff --git a/x b/x\nnonsense here\n", 2],
    ["a mode that is none", "diff --git a/x b/x\nnew file mode 9\n", 2],
    [
      "binary and hunks at once",
      "diff --git a/x b/x\nBinary files a/x and b/x differ\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
      1,
    ],
    ["a binary patch without data", "diff --git a/x b/x\nGIT binary patch\nliteral 3\n\n", 4],
    ["bare hunks without a file", "@@ -1 +1 @@\n-a\n+b\n", 1],
    ["an error page", "\n<html>fatal: bad object</html>\n", 2],
  ])("%s", (_, text, line) => {
    let thrown: unknown;
    try {
      readDiff(Buffer.from(text));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "corrupt", retryable: false });
    expect((thrown as AppError).message).toContain(`line ${line},`);
    expect((thrown as AppError).remedy).not.toBe("");
  });

  test("bare hunks with anything between them", () => {
    expect(() => readHunks(Buffer.from("@@ -1,1 +1,1 @@\n-a\n+b\nnoise\n"))).toThrow(/line 4/);
  });
});

test("an empty diff is no file", () => {
  expect(readDiff(Buffer.from("")).files).toEqual([]);
  expect(readDiff(Buffer.from("\n\n")).files).toEqual([]);
});

test("p4 describe: several files, a binary, an added file, a notice, and names with %40", () => {
  const text = [
    "Change 12 by ann@ann-ws on 2023/11/14 22:13:20\n\n\tfix: two\n\t==== //not/a/file#1 (text) ====\n",
    "Affected files ...\n\n... //depot/m/a b.txt#3 edit\n\nDifferences ...\n",
    "==== //depot/m/a b.txt#3 (text) ====\n\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
    "==== //depot/m/we%40ird%23.c#2 (text+x) ====\n\n@@ -1,0 +1,1 @@\n+x\n",
    "==== //depot/m/bin#2 (binary) ====\n\n(... files differ ...)\n",
    "==== //depot/m/typed#4 (text/ubinary) ====\n",
    "==== //depot/m/new.c#1 (text) ====\n\n@@ -1,0 +1,1 @@\n+n\n",
  ].join("\n");
  const diff = readDiff(Buffer.from(text));
  expect(
    diff.files.map(({ kind, oldPath, newPath, isBinary, hunks }) => [kind, oldPath, newPath, isBinary, hunks.length]),
  ).toEqual([
    ["modify", "//depot/m/a b.txt", "//depot/m/a b.txt", false, 1],
    ["modify", "//depot/m/we@ird#.c", "//depot/m/we@ird#.c", false, 1],
    ["modify", "//depot/m/bin", "//depot/m/bin", true, 0],
    ["modify", "//depot/m/typed", "//depot/m/typed", true, 0],
    ["add", null, "//depot/m/new.c", false, 1],
  ]);
  expect(diff.files[1]?.hunks[0]).toMatchObject({ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 });
});

test("a plain diff -ru of several files", () => {
  const text =
    "diff -ru one/a two/a\n--- one/a\t2024-01-01 00:00:00\n+++ two/a\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n";
  const diff = readDiff(Buffer.from(text));
  expect(diff.files.map(({ oldPath, newPath }) => [oldPath, newPath])).toEqual([
    ["one/a", "two/a"],
    ["c", "c"],
  ]);
});

test("lines are cut on demand, as UTF-8 or byte for byte", () => {
  const diff = readDiff(
    Buffer.from("--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@ f()\n é\r\n-\xff\n+ü\n\\ No newline at end of file\n", "utf8"),
  );
  const hunk = diff.files[0]?.hunks[0];
  if (hunk === undefined) throw new Error("no hunk");
  const lines = [...hunkLines(diff, hunk)];
  expect(lines.map((l) => [l.kind, lineText(diff, l), l.oldLine, l.newLine, l.noEol])).toEqual([
    ["context", "é\r", 3, 3, false],
    ["deleted", "ÿ", 4, undefined, false],
    ["added", "ü", undefined, 4, true],
  ]);
  expect(lineText(diff, lines[2] as (typeof lines)[number], "latin1")).toBe("Ã¼");
});

describe("50 MB", () => {
  const size = 50 * 1024 * 1024;

  test("in one line is read without a copy", () => {
    const head = Buffer.from("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+");
    const bytes = Buffer.alloc(size, "x");
    head.copy(bytes);
    bytes[size - 1] = 10;
    const before = memory();
    const diff = readDiff(bytes);
    expect(memory() - before).toBeLessThan(8 * 1024 * 1024);
    const [only] = [...hunkLines(diff, diff.files[0]?.hunks[0] ?? never())];
    expect(only).toMatchObject({ start: head.length, end: size - 1, newLine: 1 });
  });

  test("in a million lines costs memory for its hunks only", () => {
    const file = Buffer.from(`--- a/x\n+++ b/x\n@@ -1,500 +1,500 @@\n${` ${"y".repeat(49)}\n`.repeat(500)}`);
    const count = Math.floor(size / file.length);
    const bytes = Buffer.concat(Array.from({ length: count }, () => file));
    const before = memory();
    const diff = readDiff(bytes);
    expect(diff.files).toHaveLength(count);
    expect(memory() - before).toBeLessThan(32 * 1024 * 1024);
  });

  test("of header that never ends is refused", () => {
    const bytes = Buffer.alloc(size, " ");
    bytes.write("diff --git ");
    expect(() => readDiff(bytes)).toThrow(expect.objectContaining({ code: "corrupt" }));
  });
});

function memory(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function never(): never {
  throw new Error("missing");
}
