// Globs as filters use them, matched in linear time.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob, passesGlobs } from "../../../src/core/glob.ts";

describe("matchesGlob", () => {
  it.each([
    ["src/**", "src/a.ts", true],
    ["src/**", "src/deep/er/a.ts", true],
    ["src/**", "source/a.ts", false],
    ["**/*.gen.cpp", "x.gen.cpp", true],
    ["**/*.gen.cpp", "a/b/x.gen.cpp", true],
    ["*.ts", "a/b.ts", false],
    ["main", "main", true],
    ["release/*", "release/1.2", true],
    ["release/*", "release/1/2", false],
    ["*[bot]", "dependabot[bot]", true],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["**", "any/thing", true],
    ["a/**/z", "a/z", true],
    ["a/**/z", "a/b/c/z", true],
    ["a**b", "axxb", true],
  ])("%s on %s: %s", (glob, text, expected) => {
    expect(matchesGlob(glob, text)).toBe(expected);
  });

  it("treats everything but *, ** and ? literally", () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-z()+.[\]{}^$|\\/]{0,20}$/), (text) => matchesGlob(text, text)));
  });

  it("takes steps in proportion to the product of both lengths at worst, on the pattern that ruins backtracking", () => {
    const text = "a".repeat(5_000);
    expect(matchesGlob(`${"*a".repeat(200)}b`, text)).toBe(false);
  });
});

describe("passesGlobs", () => {
  it("lets an exclusion beat an inclusion, and an empty list include all", () => {
    expect(passesGlobs("src/a.gen.cpp", ["src/**"], ["**/*.gen.cpp"])).toBe(false);
    expect(passesGlobs("src/a.cpp", [], ["**/*.gen.cpp"])).toBe(true);
    expect(passesGlobs("docs/a.md", ["src/**"], [])).toBe(false);
  });
});
