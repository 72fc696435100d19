// What engines print, read into diagnostics: every shape of a report, and what is no report.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createColumns } from "../../../src/checks/columns.ts";
import { chunkArguments, failed } from "../../../src/checks/engine-run.ts";
import { biomeReporter, parseBiome } from "../../../src/checks/engines/biome.ts";
import { oxlintFlags, parseFixableRules, parseOxlint, takesOurSettings } from "../../../src/checks/engines/oxlint.ts";
import { parseTsc } from "../../../src/checks/engines/tsc.ts";
import { onlyCertain } from "../../../src/checks/engines/tsc-partial.ts";
import { parseJsonc } from "../../../src/checks/jsonc.ts";
import { closure, readTsProject } from "../../../src/checks/tsconfig.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;
beforeEach(() => {
  project = createProject({ "a.ts": "const é = '🎉'; x\n" });
});
afterEach(() => project.remove());

const columns = () => createColumns(project.root);

describe("tsc", () => {
  it("reads places, complaints without one, and the list of files; elaborations belong to the line above", () => {
    const output = parseTsc(
      [
        "src/(a)/b.ts(3,7): error TS2322: Type 'x' is not assignable to type 'y'.\r",
        "  Type 'p(1,2): error' is not assignable.",
        "error TS5023: Unknown compiler option 'x'.",
        "/repo/src/a b.ts",
        "C:/repo/c.d.mts",
        "Found 2 errors.",
      ].join("\n"),
    );
    expect(output.diagnostics).toMatchObject([
      { rule: "TS2322", file: "src/(a)/b.ts", line: 3, col: 7, severity: "error", fixable: false },
    ]);
    expect(output.globals).toEqual([{ rule: "TS5023", message: "Unknown compiler option 'x'." }]);
    expect(output.inputs).toEqual(["/repo/src/a b.ts", "C:/repo/c.d.mts"]);
  });

  it("keeps of a partial program what the file itself proves", () => {
    const of = (code: number, message: string) => ({
      engine: "tsc",
      rule: `TS${code}`,
      file: "a.ts",
      line: 1,
      col: 1,
      severity: "error" as const,
      message,
      fixable: false,
    });
    const kept = (code: number, message = "") => onlyCertain([of(code, message)]).length === 1;
    expect([1005, 1117, 2300, 2393, 2588, 17009].filter((code) => !kept(code))).toEqual([]);
    expect(
      [2304, 2307, 2339, 2353, 2554, 2580, 2591, 2688, 2739, 2741, 2769, 2792, 7006, 7016, 7026, 1192, 18046].filter(
        (code) => kept(code),
      ),
    ).toEqual([]);
    expect(kept(2322, "Type 'string' is not assignable to type 'number'.")).toBe(true);
    expect(kept(2322, `Type '"it\\'s"' is not assignable to type '"a" | "b"'.`)).toBe(true);
    expect(kept(2322, "Type 'string | number | symbol' is not assignable to type 'string'.")).toBe(false);
    expect(kept(2322, "Type 'Missing' is not assignable to type 'string'.")).toBe(false);
    expect(kept(2345, "Argument of type '1' is not assignable to parameter of type 'string'.")).toBe(true);
  });
});

describe("oxlint", () => {
  it("reads reports without a code, a label or an end of prose", () => {
    const stdout = `{ "diagnostics": [
      {"message": "bad\\n thing","severity": "error","filename": "sub\\\\a.ts","labels": []},
      {"message": "m","code": "typescript-eslint(no-this-alias)","severity": "warning","filename": "a.ts","labels": [{"span": {"line": 1, "column": 20}}]}
    ]}\nNo files found to lint.`;
    expect(parseOxlint(stdout, columns(), new Set(["typescript/no-this-alias"]))).toMatchObject([
      { rule: "syntax", file: "sub/a.ts", line: 1, col: 1, severity: "error", message: "bad thing", fixable: false },
      { rule: "typescript/no-this-alias", col: 17, severity: "warning", fixable: true },
    ]);
    for (const none of ["", "Failed to parse", "{", "{}", '{"diagnostics": 1}'])
      expect(parseOxlint(none, columns(), new Set())).toBeNull();
  });

  it("D trust own: asks a version of the project only for what it knows, and takes its defaults for ours", () => {
    expect(oxlintFlags("1.94.0")).toEqual(["--format", "json", "--no-error-on-unmatched-pattern"]);
    for (const older of ["1.59.0", "1.0.0", "0.15.15"]) expect(oxlintFlags(older)).toEqual(["--format", "json"]);
    expect(["1.94.0", "1.100.0", "2.0.0", "1.93.9", "0.99.0"].map(takesOurSettings)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it("reads the array that versions before 1.0 print, with places in bytes; an empty one is a report", () => {
    const stdout = JSON.stringify([
      {
        message: "m",
        code: "eslint(no-debugger)",
        severity: "warning",
        filename: "a.ts",
        labels: [{ span: { offset: 19 } }],
      },
    ]);
    expect(parseOxlint(stdout, columns(), new Set())).toMatchObject([{ rule: "no-debugger", line: 1, col: 17 }]);
    expect(parseOxlint("[]\n", columns(), new Set())).toEqual([]);
    expect(parseOxlint("[", columns(), new Set())).toBeNull();
  });

  it("takes only rules that promise a fix with every report", () => {
    const list = [
      { scope: "eslint", value: "no-debugger", fix: "fixable_suggestion" },
      { scope: "jsx_a11y", value: "b", fix: "fixable_fix" },
      { scope: "eslint", value: "c", fix: "conditional_fix" },
      { scope: "eslint", value: "d", fix: "none" },
    ];
    expect([...parseFixableRules(JSON.stringify(list))]).toEqual(["no-debugger", "jsx_a11y/b"]);
    for (const none of ["", "{}", "usage: oxlint"]) expect(parseFixableRules(none).size).toBe(0);
  });
});

describe("biome", () => {
  it("asks each version for a report that it has", () => {
    expect(["1.9.4", "2.3.9", "2.4.0", "2.6.8", "3.0.0"].map(biomeReporter)).toEqual([
      "json",
      "json",
      "rdjson",
      "rdjson",
      "rdjson",
    ]);
  });

  it("reads RDJSON, and the older JSON with byte spans", () => {
    const rd = {
      diagnostics: [
        {
          code: { value: "lint/x" },
          location: { path: "./a.ts", range: { start: { line: 1, column: 16 }, end: { line: 2, column: 1 } } },
          message: "m",
          severity: "WARNING",
          suggestions: [{}],
        },
        { location: {}, message: "no place", severity: "ERROR" },
        { location: { path: "a.ts" }, message: "advice", severity: "INFO" },
      ],
    };
    expect(parseBiome(JSON.stringify(rd), columns())).toEqual([
      {
        engine: "biome",
        rule: "lint/x",
        file: "a.ts",
        line: 1,
        col: 17,
        endLine: 2,
        severity: "warning",
        message: "m",
        fixable: true,
      },
    ]);
    const old = {
      diagnostics: [
        {
          category: "lint/y",
          severity: "error",
          description: "d",
          message: [{ content: "d" }],
          location: { path: { file: "a.ts" }, span: [19, 20], sourceCode: "const é = '🎉'; x\n" },
          tags: ["fixable"],
        },
      ],
    };
    expect(parseBiome(JSON.stringify(old), columns())).toMatchObject([
      { rule: "lint/y", line: 1, col: 17, message: "d", fixable: true },
    ]);
    for (const none of ["", "×", "{}"]) expect(parseBiome(none, columns())).toBeNull();
  });
});

describe("jsonc", () => {
  it("reads what JSON says, whatever comments and trailing commas stand between", () => {
    const noise = fc.constantFrom("", " ", "/* , ] } */", '// "x\n', "\n");
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(noise), (value, stream) => {
        const text = JSON.stringify(value).replace(/"(?:\\.|[^"\\])*"|[[\]{},:]/g, (token) => {
          const filler = stream.next().value;
          if (token === "]" || token === "}") return `${filler}${token}${filler}`;
          return token.startsWith('"') ? token : `${token}${filler}`;
        });
        expect(parseJsonc(`\uFEFF${text}`)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(parseJsonc('{"a": [1, 2,], /* c */ "b": "x, }" , }')).toEqual({ a: [1, 2], b: "x, }" });
    expect(() => parseJsonc("{")).toThrow(SyntaxError);
  });
});

describe("tsconfig", () => {
  it("follows chains by path and by package, in circles too, and what is absent belongs to it", () => {
    project.put("node_modules/@tsconfig/base/package.json", "{}");
    project.put("node_modules/@tsconfig/base/tsconfig.json", '{"compilerOptions":{"incremental":true}}');
    project.put(
      "tsconfig.json",
      '{"extends":["./x","@tsconfig/base","./gone.json"],"references":[{"path":"./b"},{"path":"./b/tsconfig.json"},{}]}',
    );
    project.put("x.json", '{"extends":"./tsconfig.json","compilerOptions":{"composite":true}}');
    project.put("b/tsconfig.json", '{"references":[{"path":".."}]}');
    const root = (file: string) => join(project.root, file);
    expect(readTsProject(root("tsconfig.json"))).toMatchObject({
      chain: [
        root("tsconfig.json"),
        root("x.json"),
        root("node_modules/@tsconfig/base/tsconfig.json"),
        root("gone.json"),
      ],
      isSolution: false,
      isIncremental: true,
      isComposite: true,
    });
    expect(closure([root("tsconfig.json")]).map((found) => found.path)).toEqual([
      root("b/tsconfig.json"),
      root("tsconfig.json"),
    ]);
    writeFileSync(root("broken.json"), "{");
    expect(readTsProject(root("broken.json"))).toMatchObject({ references: [], isIncremental: false });
  });
});

it("splits long command lines and loses no argument", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 40 })),
      fc.integer({ min: 1, max: 100 }),
      (args, max) => {
        const chunks = chunkArguments(args, max);
        expect(chunks.flat()).toEqual(args);
        for (const chunk of chunks) {
          const bytes = chunk.reduce((sum, arg) => sum + Buffer.byteLength(arg) + 1, 0);
          expect(chunk.length === 1 || bytes <= max).toBe(true);
        }
      },
    ),
  );
});

it("D engines: of what a failed engine said, the error itself is told", () => {
  const crash =
    "node:internal/modules:1\n  throw err;\n\nError: Cannot find module 'x'\n    at a (b:1)\n{\n}\n\nNode.js v20.1.0\n";
  const detail = (said: string) => failed(1, said).fault;
  expect(detail(crash)).toEqual({ kind: "failed", code: 1, detail: "Error: Cannot find module 'x'" });
  expect(detail("Failed to parse\n\n  × Unexpected token\n")).toMatchObject({ detail: "Unexpected token" });
  expect(detail("one\ntwo\n")).toMatchObject({ detail: "two" });
});
