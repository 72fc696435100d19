// Paths are folded to one spelling, and what leaves the repository is refused with a reason.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldRepositoryPath } from "../../../src/report-tools/repository-path.ts";

describe("foldRepositoryPath", () => {
  it.each([
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    ["src\\deep\\a.ts", "src/deep/a.ts"],
    ["src/./a.ts/", "src/a.ts"],
    ["-rf", "-rf"],
    ["路径/文件 名.ts", "路径/文件 名.ts"],
    ["a..b/...", "a..b/..."],
  ])("folds %j to %j", (given, path) => {
    expect(foldRepositoryPath(given)).toEqual({ ok: true, path });
  });

  it.each([
    ["/etc/passwd", "absolute"],
    ["\\\\server\\share", "absolute"],
    ["C:\\x", "drive"],
    ["c:x", "drive"],
    ["../x", "`..`"],
    ["a/../../x", "`..`"],
    ["a\\..\\x", "`..`"],
    ["a\0b", "NUL"],
    ["a\nb", "control"],
    ["a\u007f", "control"],
    ["\ud800", "Unicode"],
    ["", "blank"],
    ["  ", "blank"],
    ["./.", "file"],
    ["é".repeat(513), "1024 bytes"],
  ])("refuses %j and says why", (given, reason) => {
    expect(foldRepositoryPath(given)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it("gives only paths that stay inside and fold to themselves", () => {
    const part = fc.oneof(fc.string({ unit: "grapheme", maxLength: 8 }), fc.constantFrom("..", ".", "", "a", "C:"));
    const separator = fc.constantFrom("/", "\\", "//");
    fc.assert(
      fc.property(fc.array(fc.tuple(part, separator), { maxLength: 8 }), (parts) => {
        const folded = foldRepositoryPath(parts.flat().join(""));
        if (!folded.ok) return;
        expect(folded.path).not.toMatch(/^\/|\\|\/\/|\/$/);
        expect(folded.path.split("/")).not.toContain("..");
        expect(foldRepositoryPath(folded.path)).toEqual(folded);
      }),
    );
  });
});
