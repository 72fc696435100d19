// Shapes of the diagnostics tools' inputs and answers.

// Named one by one: the whole namespace brings sixty languages of error messages that a server would load at its start.
import {
  array,
  boolean,
  enum as choice,
  int,
  literal,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  type ZodType,
} from "zod";
import type { JsonSchema } from "../ports/tool.ts";
import { engineNames, maxEntries } from "./limits.ts";

const entries = (what: string) =>
  array(string())
    .min(1)
    .max(maxEntries)
    .describe(`${what}, relative to the project's directory; at most ${maxEntries} entries.`);

/** Each is made when it is first asked for: a client's first message needs none. */
export const inputs = {
  ping: once(() => strictObject({})),
  check_project: once(() =>
    strictObject({ paths: entries('Files and directories to check; `["."]` by default').optional() }),
  ),
  check_files: once(() => strictObject({ files: entries("Files to check") })),
  get_issue_detail: once(() =>
    strictObject({
      clusterId: string().min(1).optional().describe("A cluster of the newest check, such as `c1`."),
      issueId: string().min(1).optional().describe("An issue of the newest check."),
    }).refine((input) => (input.clusterId === undefined) !== (input.issueId === undefined), {
      message: "give exactly one of clusterId and issueId",
    }),
  ),
  get_loop_status: once(() => strictObject({})),
};

const response = once(() =>
  strictObject({
    schemaVersion: literal("1.1"),
    status: choice(["clean", "issues_found", "error"]),
    engines: record(
      string(),
      union([
        strictObject({ status: literal("ok") }),
        strictObject({ status: literal("disabled") }),
        strictObject({ status: literal("error"), message: string() }),
      ]),
    ),
    totalIssues: int(),
    clusters: array(
      strictObject({
        clusterId: string(),
        rootCauseSummary: string(),
        ruleIds: array(string()),
        issueCount: int(),
        fileCount: int(),
        priority: int().min(1).max(5),
        suggestedAction: string(),
        sampleIssueIds: array(string()),
      }),
    ),
    truncated: boolean(),
    loopWarning: string().nullable(),
    missing: array(strictObject({ path: string(), code: literal("path_not_found"), message: string() }))
      .optional()
      .describe("Named paths that are gone; everything else has been checked."),
  }),
);

const issue = once(() =>
  strictObject({
    issueId: string(),
    file: string(),
    line: int(),
    col: int(),
    engine: choice(engineNames),
    rule: string(),
    severity: choice(["error", "warning"]),
    message: string(),
    fixable: boolean(),
    clusterId: string().optional(),
  }),
);

export const outputs = {
  ping: once(() => strictObject({ ok: literal(true), server: string(), version: string() })),
  check_project: response,
  check_files: response,
  get_issue_detail: once(() =>
    strictObject({
      issues: array(issue()).optional(),
      status: literal("stale").optional(),
      message: string().optional(),
    }),
  ),
  get_loop_status: once(() =>
    strictObject({
      looping: boolean(),
      signatures: array(strictObject({ signature: string(), occurrences: int(), hint: string() })),
    }),
  ),
};

export type ToolName = keyof typeof inputs;

export function jsonSchema(schema: ZodType): JsonSchema {
  return toJSONSchema(schema) as JsonSchema;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
