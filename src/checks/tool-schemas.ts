// Shapes of the diagnostics tools' inputs and answers.
import { z } from "zod";
import type { JsonSchema } from "../ports/tool.ts";
import { engineNames, maxEntries } from "./limits.ts";

const entries = (what: string) =>
  z
    .array(z.string())
    .min(1)
    .max(maxEntries)
    .describe(`${what}, relative to the project's directory; at most ${maxEntries} entries.`);

export const inputs = {
  ping: z.strictObject({}),
  check_project: z.strictObject({ paths: entries('Files and directories to check; `["."]` by default').optional() }),
  check_files: z.strictObject({ files: entries("Files to check") }),
  get_issue_detail: z
    .strictObject({
      clusterId: z.string().min(1).optional().describe("A cluster of the newest check, such as `c1`."),
      issueId: z.string().min(1).optional().describe("An issue of the newest check."),
    })
    .refine((input) => (input.clusterId === undefined) !== (input.issueId === undefined), {
      message: "give exactly one of clusterId and issueId",
    }),
  get_loop_status: z.strictObject({}),
};

const engineStatus = z.union([
  z.strictObject({ status: z.literal("ok") }),
  z.strictObject({ status: z.literal("disabled") }),
  z.strictObject({ status: z.literal("error"), message: z.string() }),
]);

const issue = z.strictObject({
  issueId: z.string(),
  file: z.string(),
  line: z.number().int(),
  col: z.number().int(),
  engine: z.enum(engineNames),
  rule: z.string(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  fixable: z.boolean(),
  clusterId: z.string().optional(),
});

const response = z.strictObject({
  schemaVersion: z.literal("1.1"),
  status: z.enum(["clean", "issues_found", "error"]),
  engines: z.record(z.string(), engineStatus),
  totalIssues: z.number().int(),
  clusters: z.array(
    z.strictObject({
      clusterId: z.string(),
      rootCauseSummary: z.string(),
      ruleIds: z.array(z.string()),
      issueCount: z.number().int(),
      fileCount: z.number().int(),
      priority: z.number().int().min(1).max(5),
      suggestedAction: z.string(),
      sampleIssueIds: z.array(z.string()),
    }),
  ),
  truncated: z.boolean(),
  loopWarning: z.string().nullable(),
  missing: z
    .array(z.strictObject({ path: z.string(), code: z.literal("path_not_found"), message: z.string() }))
    .optional()
    .describe("Named paths that are gone; everything else has been checked."),
});

export const outputs = {
  ping: z.strictObject({ ok: z.literal(true), server: z.string(), version: z.string() }),
  check_project: response,
  check_files: response,
  get_issue_detail: z.strictObject({
    issues: z.array(issue).optional(),
    status: z.literal("stale").optional(),
    message: z.string().optional(),
  }),
  get_loop_status: z.strictObject({
    looping: z.boolean(),
    signatures: z.array(z.strictObject({ signature: z.string(), occurrences: z.number().int(), hint: z.string() })),
  }),
};

export type ToolName = keyof typeof inputs;

export function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema) as JsonSchema;
}
