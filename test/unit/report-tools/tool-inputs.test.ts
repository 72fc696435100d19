// Inputs are folded, capped to the byte, and refused with a text that names the field and what would be right.
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  fetchMoreContextInput,
  parseInput,
  publishSummaryInput,
  reportProblemInput,
  skipInput,
} from "../../../src/report-tools/tool-inputs.ts";

const problem = { file: "a.ts", line: 3, severity: "high", category: "correctness", message: "It breaks." };

function refusal(schema: z.ZodType, input: unknown): string {
  const parsed = parseInput(schema, input);
  return parsed.ok ? "accepted" : parsed.reason;
}

describe("tool inputs", () => {
  it("keeps the fields of the specification and drops all others", () => {
    const parsed = parseInput(reportProblemInput, { ...problem, author: "mallory", blame: { line: 1 } });
    expect(parsed).toEqual({ ok: true, value: problem });
  });

  it.each([
    [{ ...problem, line: 0 }, "line must be ≥ 1"],
    [{ ...problem, line: -3 }, "line must be ≥ 1"],
    [{ ...problem, line: 1.5 }, "line must be an integer ≥ 1"],
    [{ ...problem, line: "3" }, 'line must be an integer ≥ 1; got "3"'],
    [{ ...problem, line: null }, "line must be an integer ≥ 1; got null"],
    [{ ...problem, end_line: 2 }, "end_line must be ≥ line (3), got 2"],
    [{ ...problem, severity: "urgent" }, 'severity must be one of info, low, medium, high, critical; got "urgent"'],
    [{ ...problem, message: " \n" }, "message must not be blank"],
    [{ ...problem, suggestion: "" }, "suggestion must not be blank"],
    [{ ...problem, category: "x".repeat(65) }, "category has 65 characters; the cap is 64"],
    [{ ...problem, fingerprint: "x".repeat(201) }, "fingerprint has 201 characters; the cap is 200"],
    [{ ...problem, message: "é".repeat(4_097) }, "message has 8194 bytes; the cap is 8192 bytes (8 KiB)"],
    [{ ...problem, file: "/etc/passwd" }, "file must be relative"],
    [{ ...problem, file: ["a.ts"] }, "file must be a repository-relative path such as src/service.ts; got an array"],
    [{}, "message must be a text; got nothing"],
    [null, "The input must be an object"],
    ["text", "The input must be an object"],
    [[], "The input must be an object"],
  ])("refuses %j", (input, reason) => {
    expect(refusal(reportProblemInput, input)).toContain(reason);
  });

  it("names every wrong field at once", () => {
    const lines = refusal(reportProblemInput, { line: 0 }).split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["file", "line", "severity", "category", "message"]);
  });

  it("accepts what is exactly at a cap", () => {
    const full = {
      ...problem,
      file: "é".repeat(512),
      category: "🙂".repeat(64),
      message: "é".repeat(4_096),
      suggestion: "x".repeat(8_192),
      fingerprint: "🙂".repeat(200),
    };
    expect(parseInput(reportProblemInput, full)).toEqual({ ok: true, value: full });
    expect(parseInput(publishSummaryInput, { title: "t".repeat(200), markdown: "m".repeat(65_536) }).ok).toBe(true);
    expect(parseInput(skipInput, { reason: "r".repeat(1_024) }).ok).toBe(true);
  });

  it.each([
    [skipInput, { reason: "r".repeat(1_025) }, "1 KiB"],
    [publishSummaryInput, { markdown: "m".repeat(65_537) }, "64 KiB"],
    [publishSummaryInput, { title: " ", markdown: "m" }, "title must not be blank"],
    [
      fetchMoreContextInput,
      { path: "a", reason: "r", range: { start_line: 5, end_line: 4 } },
      "range.end_line must be ≥",
    ],
    [
      fetchMoreContextInput,
      { path: "a", reason: "r", range: [] },
      "range must be an object with start_line and end_line",
    ],
    [
      fetchMoreContextInput,
      { path: "a", reason: "r", range: { start_line: "1" } },
      "range.start_line must be an integer",
    ],
  ])("refuses over-long and crooked look-ups, summaries and reasons (%#)", (schema, input, reason) => {
    expect(refusal(schema, input)).toContain(reason);
  });

  it.each([{}, { start_line: 3 }, { end_line: 3 }, { start_line: 3, end_line: 3 }])("takes the range %j", (range) => {
    expect(parseInput(fetchMoreContextInput, { path: "a", reason: "r", range })).toMatchObject({ ok: true });
  });

  it("lists a JSON Schema that accepts whatever the check accepts", () => {
    const ajv = new AjvJsonSchemaValidator();
    const validate = ajv.getValidator(z.toJSONSchema(reportProblemInput, { io: "input" }) as object);
    const text = fc.string({ unit: "grapheme", maxLength: 70 });
    const input = fc.record(
      {
        file: text,
        line: fc.oneof(fc.integer({ min: -1, max: 9 }), fc.double()),
        end_line: fc.integer({ min: 0, max: 9 }),
        severity: fc.constantFrom("info", "high", "urgent"),
        category: text,
        message: text,
        fingerprint: text,
      },
      { requiredKeys: ["file", "line", "severity", "category", "message"] },
    );
    fc.assert(
      fc.property(input, (given) => {
        if (parseInput(reportProblemInput, given).ok) expect(validate(given)).toMatchObject({ valid: true });
      }),
    );
  });
});
