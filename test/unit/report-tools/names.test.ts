// Every spelling that a client was seen to make of a tool's name leads back to it, and nothing else does.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listedName, normalizeToolName, toolNames } from "../../../src/report-tools/names.ts";

describe("normalizeToolName", () => {
  it.each([
    ["Claude Code", "mcp__aicr-output__aicr_report_problem"],
    ["Codex, namespaced", "aicr_report_problem"],
    ["Codex, in its stream", "aicr.report_problem"],
    ["Kilo and OpenCode", "aicr-output_aicr_report_problem"],
    ["Gemini", "mcp_aicr-output_aicr.report_problem"],
    ["Qwen", "mcp__aicr-output__aicr.report_problem"],
    ["Copilot", "aicr-output-aicr-report_problem"],
    ["Goose", "node__aicr.report_problem"],
  ])("understands %s", (_client, spelling) => {
    expect(normalizeToolName(spelling)).toBe("aicr.report_problem");
  });

  it("understands every prefix, separator and letter case", () => {
    const prefix = fc.constantFrom(
      "",
      "aicr-output_",
      "aicr-output-",
      "aicr_output.",
      "mcp__aicr-output__",
      "node__",
      "x.y-",
    );
    const separator = fc.constantFrom(".", "_", "-");
    fc.assert(
      fc.property(
        fc.constantFrom(...toolNames),
        prefix,
        fc.array(separator, { minLength: 4, maxLength: 4 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
        (name, before, separators, upper) => {
          const words = name.split(/[._]/);
          const joined = words
            .map((word, index) => word + (index < words.length - 1 ? separators[index] : ""))
            .join("");
          const spelling = [...(before + joined)]
            .map((letter, index) => (upper[index % upper.length] ? letter.toUpperCase() : letter))
            .join("");
          expect(normalizeToolName(spelling)).toBe(name);
        },
      ),
    );
  });

  it.each([
    "",
    "report_problem",
    "aicr",
    "aicr.report",
    "aicr.report_problems",
    "xaicr.skip",
    "aicr..skip",
    "aicr.skip " + "x",
  ])("refuses %j", (name) => {
    expect(normalizeToolName(name)).toBeNull();
  });

  it("does not spend time on a name of absurd length", () => {
    expect(normalizeToolName(`${"_".repeat(1_000_000)}aicr.skip`)).toBeNull();
  });

  it("lists underscore names that lead back", () => {
    for (const name of toolNames) {
      const listed = listedName(name, "underscore");
      expect(listed).not.toContain(".");
      expect(normalizeToolName(listed)).toBe(name);
    }
  });
});
