// JSON columns as zod schemas: a database file is an edge like any other, so its documents are checked when read.
import * as z from "zod";
import type { Change } from "../../core/change.ts";
import type { DeliveryFacts } from "../../core/delivery.ts";
import { type AssessedProblem, severities } from "../../core/problem.ts";
import { type ReportNote, reportNoteKinds, type Summary } from "../../core/report.ts";
import type { ReviewFailure, ReviewTimings } from "../../core/review.ts";
import {
  type Filters,
  noProblemsPolicies,
  type SubscriptionTerms,
  subscriptionModes,
} from "../../core/subscription.ts";
import { corruptStore } from "./faults.ts";

const text = z.string();
const whole = z.number().int();
const texts = z.array(text).readonly();

const vcs = z.enum(["git", "p4", "svn"]);

const revision = z.strictObject({
  vcs,
  canonical: text,
  display: text,
  author: text,
  authorEmail: text.exactOptional(),
  time: z.number(),
  message: text,
  parents: texts,
  flags: z.array(z.enum(["merge", "root", "pending", "restricted", "forced", "shallow"])).readonly(),
});

export const changeDocument: z.ZodType<Change> = z.strictObject({
  repository: text,
  vcs,
  head: revision,
  base: z.union([revision, z.literal("empty")]),
  baseReason: z.enum(["first_parent", "empty_tree", "merge_base", "range", "own_delta", "last_reviewed"]),
  ref: text,
  isDefaultBranch: z.boolean(),
  spec: text,
  files: z
    .array(
      z.strictObject({
        kind: z.enum(["add", "modify", "delete", "rename", "copy", "type", "mode"]),
        path: text,
        oldPath: text.exactOptional(),
      }),
    )
    .exactOptional(),
  fileCount: whole.exactOptional(),
});

export const problemDocument: z.ZodType<AssessedProblem> = z.strictObject({
  problem: z.strictObject({
    file: text,
    line: whole,
    endLine: whole.exactOptional(),
    severity: z.enum(severities),
    category: text,
    message: text,
    suggestion: text.exactOptional(),
    fingerprint: text.exactOptional(),
  }),
  anchored: z.boolean(),
  fingerprint: text,
  keys: texts,
  anchorDigest: text,
  excerpt: z.strictObject({ firstLine: whole, lines: texts, language: text.exactOptional() }).exactOptional(),
});

export const pathsDocument: z.ZodType<readonly string[]> = texts;

export const keysDocument: z.ZodType<readonly string[]> = texts;

const summaries = z.array(z.strictObject({ title: text.exactOptional(), markdown: text })).readonly();

const note: z.ZodType<ReportNote> = z.strictObject({
  kind: z.enum(reportNoteKinds),
  params: z.record(text, z.union([text, z.number()])).readonly(),
});

/** What a report says beside its problems. */
export interface ReportTexts {
  readonly summaries: readonly Summary[];
  readonly notes?: readonly ReportNote[];
}

/** A report without notes is stored as the list of its summaries alone, as all were before there were notes. */
export const reportTextsDocument: z.ZodType<ReportTexts> = z.union([
  summaries.transform((list) => ({ summaries: list })),
  z.strictObject({ summaries, notes: z.array(note).readonly() }),
]);

export const failureDocument: z.ZodType<ReviewFailure> = z.strictObject({
  code: text,
  message: text,
  remedy: text,
  reason: text.exactOptional(),
  params: z
    .record(text, z.union([text, z.number()]))
    .readonly()
    .exactOptional(),
});

export const timingsDocument: z.ZodType<ReviewTimings> = z.strictObject({
  queuedMs: z.number(),
  resolveMs: z.number(),
  materialiseMs: z.number(),
  agentMs: z.number(),
  totalMs: z.number(),
  usage: z
    .strictObject({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cachedInputTokens: z.number().exactOptional(),
      reasoningTokens: z.number().exactOptional(),
      requests: z.number().exactOptional(),
      money: z.number().exactOptional(),
    })
    .exactOptional(),
});

export const factsDocument: z.ZodType<DeliveryFacts> = z.strictObject({
  fresh: texts.exactOptional(),
  stillOpen: texts.exactOptional(),
  resolved: texts.exactOptional(),
  belowFloor: whole.exactOptional(),
  editOnly: z.boolean().exactOptional(),
  mentionAuthor: z.boolean().exactOptional(),
  notice: z.strictObject({ key: text, params: z.record(text, z.union([text, z.number()])).readonly() }).exactOptional(),
  digest: z.strictObject({ repository: text, from: whole, to: whole, timeZone: text }).exactOptional(),
});

export const filtersDocument: z.ZodType<Filters> = z.strictObject({
  branches: texts,
  notBranches: texts,
  paths: texts,
  notPaths: texts,
  authors: texts,
  notAuthors: texts,
});

export const termsDocument: z.ZodType<SubscriptionTerms> = z.strictObject({
  mode: z.enum(subscriptionModes),
  severity: z.enum(severities),
  noProblems: z.enum(noProblemsPolicies).exactOptional(),
  mention: z.literal("author").exactOptional(),
  digest: text.exactOptional(),
  timeZone: text.exactOptional(),
  quiet: z.strictObject({ from: whole, to: whole }).exactOptional(),
});

/** @throws AppError `corrupt` naming the column, when the JSON is not what this program writes. */
export function readDocument<T>(schema: z.ZodType<T>, column: string, json: string): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw corruptStore(`${column} is no JSON`, error);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw corruptStore(`${column}: ${z.prettifyError(parsed.error)}`, parsed.error);
  return parsed.data;
}
