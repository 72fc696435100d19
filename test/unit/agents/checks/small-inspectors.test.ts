// The inspectors that need no engine: conflict markers, hidden characters, data formats, texts.
import { describe, expect, it } from "vitest";
import { findConflicts } from "../../../../src/agents/checks/inspectors/conflict-markers.ts";
import { findJsonMistakes } from "../../../../src/agents/checks/inspectors/data-syntax.ts";
import { findHiddenCharacters } from "../../../../src/agents/checks/inspectors/hidden-characters.ts";
import { exclusion, isSpecimen, sourceKind } from "../../../../src/agents/checks/source-kinds.ts";
import { en } from "../../../../src/agents/checks/texts/en.ts";
import { vi as vietnamese } from "../../../../src/agents/checks/texts/vi.ts";
import { zhCN } from "../../../../src/agents/checks/texts/zh-cn.ts";
import { text } from "../../../../src/agents/checks/texts.ts";

const mark = (character: string): string => character.repeat(7);

describe("findConflicts", () => {
  it("needs all three markers in their order", () => {
    const whole = `a\n${mark("<")} HEAD\nb\n${mark("=")}\nc\n${mark(">")} other\n`;
    expect(findConflicts("a", whole)).toMatchObject([{ line: 2, endLine: 6 }]);
    expect(findConflicts("a", whole.replace(`${mark("=")}\n`, ""))).toEqual([]);
    expect(findConflicts("a", `${mark(">")} x\n${mark("=")}\n${mark("<")} y\n`)).toEqual([]);
  });

  it("is not fooled by underlines", () => {
    expect(findConflicts("a.md", `Title\n${mark("=")}\n\n> ${mark("<")}\n`)).toEqual([]);
  });
});

describe("findHiddenCharacters", () => {
  it.each([
    ["if (x) { // \u202E }", "unicode/bidi-control"],
    ['const a = "ad\u200Bmin";', "unicode/invisible"],
    ["const p\u0430ssword = 1;", "unicode/look-alike"],
  ])("finds %j", (line, rule) =>
    expect(findHiddenCharacters("src/a.ts", `x\n${line}\n`)).toMatchObject([{ rule, line: 2 }]),
  );

  it.each(['const s = "👩‍👩‍👧";', "const имя = 1;", 'const s = "привет world";', "// naïve — “text”"])(
    "accepts %j",
    (line) => expect(findHiddenCharacters("src/a.ts", line)).toEqual([]),
  );
});

describe("findJsonMistakes", () => {
  it("tells the line and never quotes the text", () => {
    const found = findJsonMistakes("a.json", '{\n  "a": "s3cr3t",\n}\n');
    expect(found).toMatchObject([{ line: 3, category: "syntax" }]);
    expect(JSON.stringify(found)).not.toContain("s3cr3t");
  });

  it("finds keys given twice at any depth, not equal keys of different objects", () => {
    expect(findJsonMistakes("a.json", '{"a":{"k":1,\n"k":2},"b":{"k":3}}')).toMatchObject([
      { line: 2, rule: "json/duplicate-key" },
    ]);
    expect(findJsonMistakes("a.json", '{"a":{"k":1},"b":[{"k":2},{"k":3}],"c":"\\"k\\": {"}')).toEqual([]);
  });

  it("leaves JSON with comments to those who read it", () => {
    for (const path of ["tsconfig.base.json", ".vscode/launch.json", "x/.eslintrc.json"])
      expect(findJsonMistakes(path, "{ // c\n}")).toEqual([]);
  });
});

describe("kinds of files", () => {
  it.each([
    ["go.sum", "lock"],
    ["vendor/a.go", "vendored"],
    ["app.min.js", "minified"],
    ["api.pb.go", "generated"],
    ["src/app.ts", null],
  ])("%s: %s", (path, why) => expect(exclusion(path)).toBe(why));
  it("knows tests and documents by their path", () => {
    expect(["src/a.test.ts", "tests/x.py", "docs/a.md", "a_test.go", "env.sample"].every(isSpecimen)).toBe(true);
    expect(["src/contest.ts", "latest/a.py", "src/testing.go"].some(isSpecimen)).toBe(false);
  });
  it("knows languages by their ending", () =>
    expect([".clang-format", "Makefile", "a.CPP"].map(sourceKind)).toEqual(["other", "other", "cpp"]));
});

describe("texts", () => {
  const holes = (template: string): readonly string[] => [...template.matchAll(/\{\w+\}/g)].map(String).toSorted();
  it.each([
    ["vi", vietnamese],
    ["zh-CN", zhCN],
  ] as const)("%s has every text with the same placeholders", (_, catalogue) => {
    for (const [key, template] of Object.entries(en))
      expect([key, ...holes(catalogue[key as keyof typeof en])]).toEqual([key, ...holes(template)]);
  });
  it("falls back to English", () => expect(text("summary.title", "fr")).toBe("Automatic checks"));
});
