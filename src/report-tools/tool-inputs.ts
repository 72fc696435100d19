// The inputs of the five tools: zod schemas that fold, cap and name what would be right.
import * as z from "zod";
import { severities } from "../core/problem.ts";
import { caps, showBytes } from "./limits.ts";
import { foldRepositoryPath } from "./repository-path.ts";

/** @param advice follows the reason of a refusal. */
const filePath = (description: string, advice = "") =>
  z
    .string({ error: wanted("a repository-relative path such as src/service.ts") })
    .transform((given, context) => {
      const folded = foldRepositoryPath(given);
      if (folded.ok) return folded.path;
      context.addIssue({ code: "custom", message: folded.reason + advice });
      return z.NEVER;
    })
    .meta({ description, minLength: 1 });

const byteCapped = (maxBytes: number, what: string, description: string) =>
  z
    .string({ error: wanted(what) })
    .superRefine((text, context) => {
      if (text.trim() === "") context.addIssue({ code: "custom", message: "must not be blank" });
      const bytes = Buffer.byteLength(text);
      if (bytes > maxBytes) {
        const message = `has ${bytes} bytes; the cap is ${maxBytes} bytes (${showBytes(maxBytes)})`;
        context.addIssue({ code: "custom", message });
      }
    })
    // A text within the byte cap has at most that many characters, which is all that JSON Schema can say.
    .meta({ description, minLength: 1, maxLength: maxBytes });

const characterCapped = (maxCharacters: number, what: string, description: string) =>
  z
    .string({ error: wanted(what) })
    .superRefine((text, context) => {
      if (text.trim() === "") context.addIssue({ code: "custom", message: "must not be blank" });
      const characters = countCharacters(text);
      if (characters > maxCharacters) {
        const message = `has ${characters} characters; the cap is ${maxCharacters} characters`;
        context.addIssue({ code: "custom", message });
      }
    })
    .meta({ description, minLength: 1, maxLength: maxCharacters });

const lineNumber = (description: string) =>
  z
    .number({ error: wanted("an integer ≥ 1") })
    .int({ error: "must be an integer ≥ 1" })
    .min(1, { error: "must be ≥ 1 (lines are counted from 1)" })
    .max(caps.line, { error: `must be ≤ ${caps.line}` })
    .meta({ description });

const range = z
  .object(
    {
      start_line: lineNumber("First line, counted from 1. Default: the first line of the file.").optional(),
      end_line: lineNumber("Last line, inclusive. Default: the last line of the file.").optional(),
    },
    { error: wanted("an object with start_line and end_line") },
  )
  .superRefine((lines, context) => {
    if (lines.start_line !== undefined && lines.end_line !== undefined && lines.end_line < lines.start_line) {
      const message = `must be ≥ start_line (${lines.start_line}), got ${lines.end_line}`;
      context.addIssue({ code: "custom", path: ["end_line"], message });
    }
  })
  .meta({ description: "Lines to look at; without it, the whole file." });

const inputObject = { error: wanted("an object with the tool's fields") };

export const reportProblemInput = z
  .object(
    {
      file: filePath("Repository-relative path of the affected file, as the change lists it."),
      line: lineNumber("Line in the new version of the file: an added line, or a context line shown in the diff."),
      end_line: lineNumber("Last line, for a problem that spans several lines of one hunk.").optional(),
      severity: z.enum(severities, { error: wanted(`one of ${severities.join(", ")}`) }).meta({
        description:
          "critical: data loss, security breach or outage; high: wrong results in common use; medium: wrong in some cases; low: minor defect; info: worth knowing.",
      }),
      category: characterCapped(
        caps.categoryCharacters,
        "a short problem family such as correctness",
        "Short problem family (correctness, security, api-contract, performance, …). Use the same word for the same kind of problem.",
      ),
      message: byteCapped(
        caps.messageBytes,
        "a text",
        "What is wrong, what triggers it, and what it leads to. Markdown; at most 8 KiB. The fix belongs in suggestion.",
      ),
      suggestion: byteCapped(
        caps.suggestionBytes,
        "a text",
        "The smallest plausible fix; may hold one small fenced diff. At most 8 KiB.",
      ).optional(),
      fingerprint: characterCapped(
        caps.fingerprintCharacters,
        "a stable key",
        "Your own stable key for this problem, if you have one; never a line number or a revision.",
      ).optional(),
    },
    inputObject,
  )
  .superRefine((input, context) => {
    if (input.end_line !== undefined && input.end_line < input.line) {
      const message = `must be ≥ line (${input.line}), got ${input.end_line}`;
      context.addIssue({ code: "custom", path: ["end_line"], message });
    }
  });

export const publishSummaryInput = z.object(
  {
    title: characterCapped(caps.titleCharacters, "a short title", "Short title, at most 200 characters.").optional(),
    markdown: byteCapped(caps.summaryBytes, "Markdown text", "The summary as Markdown, at most 64 KiB."),
  },
  inputObject,
);

export const skipInput = z.object(
  {
    reason: byteCapped(
      caps.reasonBytes,
      "a reason such as lgtm",
      "Why there is nothing to report: lgtm when the change is fine, no_reviewable_code when it has no code to review, or your own words.",
    ),
  },
  inputObject,
);

const lookUp = (pathDescription: string, reasonDescription: string) =>
  z.object(
    {
      // An agent corrects a wrong anchor; a path that cannot be looked up is given up.
      path: filePath(pathDescription, "; do not retry this path"),
      range: range.optional(),
      reason: byteCapped(caps.reasonBytes, "a reason", reasonDescription),
    },
    inputObject,
  );

export const fetchMoreContextInput = lookUp(
  "Repository-relative path of the file to read, at the reviewed revision.",
  "Why this source is needed to judge a changed line.",
);

export const tryBlameInput = lookUp(
  "Repository-relative path of the file to attribute, at the reviewed revision.",
  "Why it matters who changed these lines, or when.",
);

export type ReportProblemInput = z.output<typeof reportProblemInput>;
export type PublishSummaryInput = z.output<typeof publishSummaryInput>;
/** The input of both context tools. */
export type LookUpInput = z.output<typeof fetchMoreContextInput>;

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Validates a tool input; the reason names every wrong field and what would be right, one a line. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): Parsed<T> {
  const result = schema.safeParse(input);
  if (result.success) return { ok: true, value: result.data };
  const lines = result.error.issues.map((issue) =>
    issue.path.length === 0 ? `The input ${issue.message}.` : `${issue.path.join(".")} ${issue.message}.`,
  );
  return { ok: false, reason: lines.join("\n") };
}

/** Code points, the characters that JSON Schema counts too. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function wanted(what: string) {
  return (issue: { readonly input?: unknown }): string => `must be ${what}; got ${show(issue.input)}`;
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}
