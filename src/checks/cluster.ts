// Issues gathered by their likely common cause, gravest first.
import { createHash } from "node:crypto";
import type { Diagnostic } from "../ports/check-engine.ts";
import { type EngineName, maxClusters, maxMessageLength } from "./limits.ts";
import type { CheckMessages } from "./messages.ts";

export interface NormalizedIssue {
  readonly issueId: string;
  readonly file: string;
  readonly line: number;
  readonly col: number;
  readonly engine: EngineName;
  readonly rule: string;
  readonly severity: "error" | "warning";
  /** One line of at most 120 characters (whole grapheme clusters). */
  readonly message: string;
  readonly fixable: boolean;
  readonly clusterId?: string;
}

export interface Cluster {
  readonly clusterId: string;
  readonly rootCauseSummary: string;
  readonly ruleIds: readonly string[];
  readonly issueCount: number;
  readonly fileCount: number;
  /** 1 error, 2 warning; 3 and 4 the same, single and with a fix; 5 several, all with a fix. */
  readonly priority: 1 | 2 | 3 | 4 | 5;
  readonly suggestedAction: string;
  readonly sampleIssueIds: readonly string[];
}

export interface Clustering {
  /** At most ten. */
  readonly clusters: readonly Cluster[];
  readonly truncated: boolean;
  /** Every issue, with the id of its cluster, shown or not; in the order of the clusters. */
  readonly issues: readonly NormalizedIssue[];
}

/** More issues than this, in one file or over more than `systemicFiles`, have one cause. */
const systemicIssues = 3;
const systemicFiles = 2;

export function cluster(diagnostics: readonly Diagnostic[], messages: CheckMessages): Clustering {
  const groups = group(normalize(diagnostics))
    .map((issues) => ({ issues, priority: priorityOf(issues) }))
    .sort(
      (a, b) => a.priority - b.priority || b.issues.length - a.issues.length || compareIssues(a.issues[0], b.issues[0]),
    );
  const issues: NormalizedIssue[] = [];
  const clusters: Cluster[] = [];
  for (const [index, found] of groups.entries()) {
    const clusterId = `c${index + 1}`;
    for (const issue of found.issues) issues.push({ ...issue, clusterId });
    if (index < maxClusters) clusters.push(describe(clusterId, found.issues, found.priority, messages));
  }
  return { clusters, truncated: groups.length > maxClusters, issues };
}

/** Ids do not depend on the order in which engines report; equal reports on one place get ordinals. */
function normalize(diagnostics: readonly Diagnostic[]): NormalizedIssue[] {
  const ordinals = new Map<string, number>();
  return [...diagnostics].sort(compareDiagnostics).map((found) => {
    const key = [found.engine, found.rule, found.file, found.line, found.col, found.message].join("\0");
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return {
      issueId: createHash("sha256").update(`${key}\0${ordinal}`).digest("hex").slice(0, 12),
      file: found.file,
      line: found.line,
      col: found.col,
      engine: found.engine as EngineName,
      rule: found.rule,
      severity: found.severity,
      message: shorten(found.message),
      fixable: found.fixable,
    };
  });
}

function group(issues: readonly NormalizedIssue[]): (readonly NormalizedIssue[])[] {
  const groups: (readonly NormalizedIssue[])[] = [];
  for (const ofRule of gather(issues, (issue) => `${issue.engine}\0${issue.rule}`)) {
    const byFile = gather(ofRule, (issue) => issue.file);
    if (ofRule.length > systemicIssues && byFile.length > systemicFiles) groups.push(ofRule);
    else {
      for (const inFile of byFile) {
        if (inFile.length > systemicIssues) groups.push(inFile);
        else groups.push(...inFile.map((issue) => [issue]));
      }
    }
  }
  return groups;
}

function gather<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [item]);
    else members.push(item);
  }
  return [...groups.values()];
}

function priorityOf(issues: readonly NormalizedIssue[]): Cluster["priority"] {
  const isError = issues.some((issue) => issue.severity === "error");
  if (!issues.every((issue) => issue.fixable)) return isError ? 1 : 2;
  if (issues.length > 1) return 5;
  return isError ? 3 : 4;
}

function describe(
  clusterId: string,
  issues: readonly NormalizedIssue[],
  priority: Cluster["priority"],
  messages: CheckMessages,
): Cluster {
  const [first] = issues as readonly [NormalizedIssue, ...NormalizedIssue[]];
  const files = new Set(issues.map((issue) => issue.file)).size;
  return {
    clusterId,
    rootCauseSummary: summaryOf(first, issues.length, files, messages),
    ruleIds: [first.rule],
    issueCount: issues.length,
    fileCount: files,
    priority,
    suggestedAction: actionOf(first, issues.length, files, messages, priority >= 3),
    sampleIssueIds: issues.slice(0, 2).map((issue) => issue.issueId),
  };
}

function summaryOf(first: NormalizedIssue, count: number, files: number, messages: CheckMessages): string {
  const { rule, file, line, message } = first;
  if (count === 1) return `${message} (${file}:${line})`;
  return files > 1 ? messages.clusterOverFiles(rule, count, files) : messages.clusterInFile(rule, count, file);
}

function actionOf(
  { rule, file }: NormalizedIssue,
  count: number,
  files: number,
  messages: CheckMessages,
  fixable: boolean,
): string {
  if (fixable) return messages.actionFix(rule);
  if (count === 1) return messages.actionSingle(rule);
  return files > 1 ? messages.actionOverFiles(rule, files) : messages.actionInFile(rule, file);
}

function compareIssues(a: NormalizedIssue | undefined, b: NormalizedIssue | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return compareText(a.rule, b.rule) || compareText(a.file, b.file) || a.line - b.line || a.col - b.col;
}

function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.rule, b.rule) ||
    compareText(a.file, b.file) ||
    a.line - b.line ||
    a.col - b.col ||
    compareText(a.engine, b.engine) ||
    compareText(a.message, b.message)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One line of at most 120 UTF-16 units; an ellipsis takes the last place of a message that is too long. */
export function shorten(message: string): string {
  const line = message.replace(/\s+/gu, " ").trim();
  if (line.length <= maxMessageLength) return line;
  let kept = "";
  // Made here: few messages are that long, and a server that starts should not pay for it.
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(line)) {
    if (kept.length + segment.length > maxMessageLength - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
