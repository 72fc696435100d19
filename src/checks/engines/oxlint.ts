// oxlint: its JSON report read into diagnostics.
import type { Diagnostic } from "../../ports/check-engine.ts";
import type { Columns } from "../columns.ts";

/** What oxlint lints; in component formats only the scripts. */
export const oxlintFiles = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/i;

/** Flags of a version: one that it does not know would end the run. */
export function oxlintFlags(version: string): readonly string[] {
  // Before 1.60 a run without a file to lint was no error in the first place.
  const calm = isAtLeast(version, 1, 60) ? ["--no-error-on-unmatched-pattern"] : [];
  return ["--format", "json", ...calm];
}

/** Whether a version takes settings of ours: older ones refuse rules and options that they do not know. */
export function takesOurSettings(version: string): boolean {
  return isAtLeast(version, 1, 94);
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

interface OxlintReport {
  readonly diagnostics: readonly OxlintDiagnostic[];
}

interface OxlintDiagnostic {
  readonly message: string;
  readonly code?: string;
  readonly severity: string;
  readonly filename: string;
  /** Before 1.0 a span had an offset in bytes and nothing else. */
  readonly labels?: readonly {
    readonly span?: { readonly line?: number; readonly column?: number; readonly offset?: number };
  }[];
  /** Newer versions list the fixes of each diagnostic. */
  readonly fixes?: readonly unknown[];
}

/** Rules whose every report carries a fix, by the name that `Diagnostic.rule` uses. */
export type FixableRules = ReadonlySet<string>;

/** Null when `stdout` is no report: oxlint prints prose there when its configuration is broken. */
export function parseOxlint(stdout: string, columns: Columns, fixable: FixableRules): Diagnostic[] | null {
  const report = readReport(stdout);
  if (report === null) return null;
  return report.diagnostics.map((found) => {
    // The first label is where oxlint's own formats put the report; a report on the file as a whole has none.
    const span = found.labels?.[0]?.span;
    const file = found.filename.replaceAll("\\", "/");
    const { line, col } = placeOf(span, file, columns);
    const related = (found.labels ?? []).slice(1).flatMap((label) => label.span?.line ?? []);
    const rule = ruleName(found.code);
    return {
      engine: "oxlint",
      rule,
      file,
      line,
      col,
      severity: found.severity === "error" ? "error" : "warning",
      ...(related.length === 0 ? {} : { related }),
      message: oneLine(found.message),
      fixable: found.fixes === undefined ? fixable.has(rule) : found.fixes.length > 0,
    };
  });
}

/** The rules of `oxlint --rules --format json` that promise a fix with every report; `conditional_…` ones promise none. */
export function parseFixableRules(stdout: string): FixableRules {
  const rules = new Set<string>();
  try {
    const list: unknown = JSON.parse(stdout);
    if (!Array.isArray(list)) return rules;
    for (const entry of list as readonly { scope?: unknown; value?: unknown; fix?: unknown }[]) {
      if (typeof entry.fix !== "string" || !entry.fix.startsWith("fixable_")) continue;
      if (typeof entry.scope === "string" && typeof entry.value === "string") {
        rules.add(scoped(entry.scope, entry.value));
      }
    }
  } catch {
    // Versions without this listing: nothing is known to be fixable.
  }
  return rules;
}

/** `eslint(no-debugger)` → `no-debugger`, `typescript-eslint(no-this-alias)` → `typescript/no-this-alias`; a parse error has no code. */
function ruleName(code: string | undefined): string {
  if (code === undefined || code === "") return "syntax";
  const match = /^([^()]+)\(([^()]+)\)$/.exec(code);
  if (match?.[1] === undefined || match[2] === undefined) return code;
  // Early errors of TypeScript go by their number there.
  if (match[1] === "TS") return `TS${match[2]}`;
  return scoped(match[1], match[2]);
}

function scoped(scope: string, rule: string): string {
  const plain = scope.replace(/^eslint-plugin-/, "").replace(/^typescript-eslint$/, "typescript");
  return plain === "eslint" ? rule : `${plain.replaceAll("-", "_")}/${rule}`;
}

type Span = NonNullable<NonNullable<OxlintDiagnostic["labels"]>[number]["span"]>;

function placeOf(span: Span | undefined, file: string, columns: Columns): { line: number; col: number } {
  if (span?.line === undefined && span?.offset !== undefined) return columns.ofByte(file, span.offset);
  const line = span?.line ?? 1;
  return { line, col: columns.fromBytes(file, line, span?.column ?? 1) };
}

function readReport(stdout: string): OxlintReport | null {
  // Before 1.0 the report was the array itself.
  const isArray = stdout.trimStart().startsWith("[");
  const start = stdout.indexOf(isArray ? "[" : "{");
  if (start < 0) return null;
  // Prose may follow the report ("No files found to lint…").
  const end = stdout.lastIndexOf(isArray ? "]" : "}");
  try {
    const report = JSON.parse(stdout.slice(start, end + 1)) as Partial<OxlintReport> | OxlintReport["diagnostics"];
    if (Array.isArray(report)) return { diagnostics: report };
    return "diagnostics" in report && Array.isArray(report.diagnostics) ? (report as OxlintReport) : null;
  } catch {
    return null;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
