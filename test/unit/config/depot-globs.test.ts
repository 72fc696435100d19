// Perforce's and Subversion's own path patterns as globs relative to the repository.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { globOfSvn, globsOfDepot } from "../../../src/config/depot-globs.ts";
import { matchesGlob } from "../../../src/core/glob.ts";

const depot = "//depot/game/...";

describe("patterns of a depot", () => {
  test.each<[string, readonly string[] | null]>([
    ["//depot/game/...", ["**"]],
    ["//depot/...", ["**"]],
    ["//...", ["**"]],
    ["//depot/game/src/...", ["src/**"]],
    ["//depot/game/src/*.cpp", ["src/*.cpp"]],
    ["//depot/game/....h", ["**/*.h"]],
    ["//depot/game/.../main.cpp", ["**/main.cpp"]],
    ["//depot/game/gen...", ["gen*", "gen*/**/*"]],
    ["//depot/other/...", null],
    ["//depot/game2/...", null],
    ["//depot/.../x.cpp", null],
    ["src/**", ["src/**"]],
    ["src/...", ["src/**"]],
  ])("%s", (pattern, globs) => {
    expect(globsOfDepot(pattern, depot)).toEqual(globs);
  });

  test("match whatever Perforce's own wildcards match, and beside it only what lies where a folder may be left out", () => {
    const part = fc.constantFrom("a", "b", ".", "/", "...", "*");
    const text = fc.array(fc.constantFrom("a", "b", "a/", "b.")).map((parts) => parts.join(""));
    const isPath = (path: string): boolean => path !== "" && path.split("/").every((one) => /^[ab][ab.]*$/u.test(one));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), text, (parts, path) => {
        const pattern = parts.join("");
        fc.pre(isPath(path) && !pattern.includes("....") && !/^\/|\/\/|\/$/u.test(pattern) && pattern !== "");
        fc.pre(!pattern.includes("**") && !pattern.replaceAll("...", "").includes(".."));
        const source = pattern
          .split(/(\.\.\.|\*)/u)
          .map((one) => (one === "..." ? ".*" : one === "*" ? "[^/]*" : one.replaceAll(".", "\\.")))
          .join("");
        const globs = globsOfDepot(`//depot/game/${pattern}`, depot) ?? [];
        const isWanted = new RegExp(`^${source}$`, "u").test(path);
        const mayBeWider = pattern.includes("...");
        const matches = globs.some((glob) => matchesGlob(glob, path));
        expect(matches || !isWanted).toBe(true);
        expect(isWanted || !matches || mayBeWider).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ["/src/**", "src/**"],
  ["^/src/**", "src/**"],
  ["src/**", "src/**"],
])("Subversion's %s", (pattern, glob) => {
  expect(globOfSvn(pattern)).toBe(glob);
});
