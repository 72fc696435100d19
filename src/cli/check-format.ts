// Diagnostics as a person, a script or GitHub Actions reads them.
import type { CheckAnswer } from "../checks/checks.ts";
import type { NormalizedIssue } from "../checks/cluster.ts";
import type { Locale } from "../ports/texts.ts";
import { checkTexts } from "./check-texts.ts";

type Checked = Extract<CheckAnswer, { kind: "checked" }>;

/** Issues shown of one cluster. */
const shownIssues = 5;

/** The response of the contract, and every issue. */
export function formatJson({ response, issues }: Checked): string {
  return `${JSON.stringify({ ...response, issues }, null, 2)}\n`;
}

/** One annotation a line; engines that failed are errors without a place. */
export function formatGithub({ response, issues }: Checked, locale: Locale): string {
  const lines = issues.map(
    (issue) =>
      `::${issue.severity} file=${property(issue.file)},line=${issue.line},col=${issue.col},title=${property(`${issue.engine} ${issue.rule}`)}::${data(issue.message)}`,
  );
  for (const [engine, state] of Object.entries(response.engines)) {
    if (state.status === "error") lines.push(`::error title=${property(engine)}::${data(state.message)}`);
  }
  for (const missing of response.missing ?? []) lines.push(`::warning ::${data(missing.message)}`);
  if (lines.length === 0) lines.push(checkTexts(locale).clean());
  return lines.map((line) => `${line}\n`).join("");
}

export function formatText({ response, issues }: Checked, locale: Locale, style: { readonly colour: boolean }): string {
  const texts = checkTexts(locale);
  const paint = style.colour ? painted : plain;
  const lines: string[] = [];
  for (const cluster of response.clusters) {
    const members = issues.filter((issue) => issue.clusterId === cluster.clusterId);
    const [first] = members;
    if (first === undefined) continue;
    const sign = cluster.priority === 1 || cluster.priority === 3 ? paint.red("✗") : paint.yellow("!");
    if (members.length === 1) {
      lines.push(`${sign} ${place(first)}  ${terminal(first.message)}  ${paint.dim(first.rule)}`);
      continue;
    }
    lines.push(`${sign} ${paint.bold(terminal(cluster.rootCauseSummary))}`);
    for (const issue of members.slice(0, shownIssues)) {
      lines.push(`    ${place(issue)}  ${terminal(issue.message)}`);
    }
    if (members.length > shownIssues) lines.push(`    ${paint.dim(texts.more(members.length - shownIssues))}`);
    lines.push(`    ${paint.dim(`→ ${terminal(cluster.suggestedAction)}`)}`);
  }
  if (response.truncated) {
    const all = new Set(issues.map((issue) => issue.clusterId)).size;
    lines.push(texts.moreClusters(all - response.clusters.length));
  }
  if (lines.length > 0) lines.push("");
  for (const missing of response.missing ?? []) lines.push(paint.yellow(missing.message));
  for (const state of Object.values(response.engines)) {
    if (state.status === "error") lines.push(paint.red(terminal(state.message)));
  }
  if (response.loopWarning !== null) lines.push(paint.yellow(response.loopWarning));
  const words = { ok: "ok", disabled: texts.disabled(), error: texts.failed() };
  const states = Object.entries(response.engines).map(([engine, { status }]) => `${engine} ${words[status]}`);
  lines.push(`${total(issues, response.status === "clean", locale)}  ${paint.dim(states.join(" · "))}`);
  return lines.map((line) => `${line}\n`).join("");
}

function total(issues: readonly NormalizedIssue[], isClean: boolean, locale: Locale): string {
  const texts = checkTexts(locale);
  if (isClean) return texts.clean();
  const errors = issues.filter((issue) => issue.severity === "error").length;
  return texts.total(errors, issues.length - errors, new Set(issues.map((issue) => issue.file)).size);
}

function place(issue: NormalizedIssue): string {
  return `${terminal(issue.file)}:${issue.line}:${issue.col}`;
}

/** Text of strangers never steers the terminal. */
function terminal(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "�");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

interface Paint {
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

const same = (text: string): string => text;
const plain: Paint = { red: same, yellow: same, bold: same, dim: same };
const wrap =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${open}m${text}\u001b[${close}m`;
const painted: Paint = { red: wrap(31, 39), yellow: wrap(33, 39), bold: wrap(1, 22), dim: wrap(2, 22) };
