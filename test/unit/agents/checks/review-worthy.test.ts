// Which complaints of the engines become findings, and how grave they are.
import { describe, expect, it } from "vitest";
import { assess, bareRule } from "../../../../src/agents/checks/review-worthy.ts";
import type { Diagnostic } from "../../../../src/ports/check-engine.ts";

const diagnostic = (
  engine: string,
  rule: string,
  message = "wrong",
  severity: Diagnostic["severity"] = "error",
): Diagnostic => ({
  engine,
  rule,
  file: "src/a.ts",
  line: 1,
  col: 1,
  severity,
  message,
  fixable: false,
});

describe("assess", () => {
  it.each([
    ["oxlint", "no-dupe-keys", "medium", "correctness"],
    ["oxlint", "oxc/bad-min-max-func", "high", "correctness"],
    ["oxlint", "eslint(no-eval)", "high", "security"],
    ["oxlint", "syntax", "high", "syntax"],
    ["biome", "lint/suspicious/noDuplicateObjectKeys", "medium", "correctness"],
    ["tsc", "TS1005", "high", "syntax"],
    ["tsc", "TS2588", "high", "types"],
    ["tsc", "TS2845", "medium", "correctness"],
  ])("%s %s is %s %s", (engine, rule, severity, category) =>
    expect(assess(diagnostic(engine, rule), "")).toMatchObject({ severity, category }),
  );

  it.each([
    ["oxlint", "no-unused-vars"],
    ["oxlint", "require-yield"],
    ["oxlint", "no-empty"],
    ["biome", "lint/style/useConst"],
    ["biome", "parse"],
    ["tsc", "TS7028"],
    ["tsc", "TS1185"],
  ])("%s %s is left to taste or to others", (engine, rule) => expect(assess(diagnostic(engine, rule), "")).toBeNull());

  it("gives both linters' name for one defect one identity", () => {
    expect(assess(diagnostic("biome", "lint/suspicious/noDuplicateObjectKeys"), "")?.rule).toBe(
      assess(diagnostic("oxlint", "no-dupe-keys"), "")?.rule,
    );
  });

  it("takes `x !== x` for the question whether x is NaN, and `a < a` for a mistake", () => {
    expect(assess(diagnostic("oxlint", "no-self-compare"), "return x !== x;")).toBeNull();
    expect(assess(diagnostic("oxlint", "no-self-compare"), "return a.b < a.b;")).not.toBeNull();
  });

  it.each([
    ["Type 'string' is not assignable to type 'number'.", 'const a: number = "x";', true],
    ["Type 'number' is not assignable to type 'bigint'.", "amount: other.amount,", false],
    ["Operator '+' cannot be applied to types 'number' and 'bigint'.", "a.b + 1_000n", false],
    ["Type '\"auto\"' is not comparable to type '\"on\"'.", 'case "auto":', true],
  ])("%s on %j: %s", (message, line, kept) =>
    expect(
      assess(
        diagnostic(
          "tsc",
          message.includes("Operator") ? "TS2365" : message.includes("comparable") ? "TS2678" : "TS2322",
          message,
        ),
        line,
      ) !== null,
    ).toBe(kept),
  );
});

describe("bareRule", () => {
  it.each([
    ["eslint(no-dupe-keys)", "no-dupe-keys"],
    ["lint/suspicious/noDebugger", "noDebugger"],
    ["typescript/no-misused-new", "no-misused-new"],
    ["x", "x"],
  ])("%s → %s", (rule, bare) => expect(bareRule(rule)).toBe(bare));
});
