// Turns what an agent reported into a validated report: anchors checked again, identities computed, code cut out.
import { checkAnchor } from "../core/anchor.ts";
import type { ChangedFile } from "../core/change.ts";
import { identify } from "../core/fingerprint.ts";
import { languageOf } from "../core/language.ts";
import { type AssessedProblem, type CodeExcerpt, compareForReading, type Problem } from "../core/problem.ts";
import type { Report, ReportNote, Summary } from "../core/report.ts";
import type { Redactor } from "../ports/redactor.ts";
import type { PreparedChange } from "./prepare-run.ts";

/** Lines of context above and below a problem in its excerpt. */
const CONTEXT_LINES = 2;
/** Most lines an excerpt shows; a longer range is cut at its end. */
const MAX_EXCERPT_LINES = 16;
/** Longest line of an excerpt, UTF-16 units. */
const MAX_EXCERPT_COLUMNS = 200;

/** What the passes of a review collected. */
export interface Collected {
  readonly problems: readonly Problem[];
  readonly summaries: readonly Summary[];
  readonly skipReason?: string;
  /** How it came about, for readers of the result. */
  readonly notes?: readonly ReportNote[];
}

export type ReadSource = (path: string) => Promise<readonly string[] | null>;

/**
 * Problems win over a skip (CONTRACT §A); without either, summaries alone make a clean report.
 * Everything that leaves here is masked: what an agent writes and the code that is shown may hold secrets.
 */
export async function assessReport(
  collected: Collected,
  prepared: PreparedChange,
  readSource: ReadSource,
  redactor: Redactor,
): Promise<Report> {
  const { problems, skipReason, notes = [] } = collected;
  const noted = notes.length === 0 ? {} : { notes: notes.map((note) => maskedNote(note, redactor)) };
  const summaries = collected.summaries.map(({ title, markdown }) => ({
    ...(title === undefined ? {} : { title: redactor.redact(title) }),
    markdown: redactor.redact(markdown),
  }));
  if (problems.length > 0) {
    const assessed = await assess(problems, prepared, readSource, redactor);
    return { outcome: "reported", problems: assessed.sort(compareForReading), summaries, ...noted };
  }
  if (skipReason !== undefined) {
    return { outcome: "skipped", reason: redactor.redact(skipReason), summaries, ...noted };
  }
  return { outcome: "clean", summaries, ...noted };
}

function maskedNote({ kind, params }: ReportNote, redactor: Redactor): ReportNote {
  const masked = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "string" ? redactor.redact(value) : value,
  ]);
  return { kind, params: Object.fromEntries(masked) };
}

async function assess(
  problems: readonly Problem[],
  prepared: PreparedChange,
  readSource: ReadSource,
  redactor: Redactor,
): Promise<AssessedProblem[]> {
  const byPath = new Map<string, ChangedFile>(prepared.files.map((file) => [file.path, file]));
  const sources = new Map<string, readonly string[] | null>();
  for (const problem of problems) {
    if (!sources.has(problem.file)) sources.set(problem.file, await readSource(problem.file));
  }
  const anchored = problems.map((problem) => {
    const commentable = prepared.commentable.get(problem.file);
    return commentable !== undefined && checkAnchor(commentable, problem.line, problem.endLine).ok;
  });
  const identities = identify(
    prepared.change.repository,
    problems.map((problem, index) => {
      const oldFile = byPath.get(problem.file)?.oldPath;
      return {
        problem,
        lines: anchored[index] ? (sources.get(problem.file) ?? null) : null,
        ...(oldFile === undefined ? {} : { oldFile }),
      };
    }),
  );
  return problems.map((problem, index) => {
    const identity = identities[index];
    if (identity === undefined) throw new Error("every problem has an identity");
    const lines = sources.get(problem.file) ?? null;
    const isAnchored = anchored[index] ?? false;
    const excerpt = isAnchored && lines !== null ? excerptOf(problem, lines, redactor) : null;
    return {
      problem: masked(problem, redactor),
      anchored: isAnchored,
      ...identity,
      ...(excerpt === null ? {} : { excerpt }),
    };
  });
}

function masked(problem: Problem, redactor: Redactor): Problem {
  const { suggestion } = problem;
  return {
    ...problem,
    message: redactor.redact(problem.message),
    ...(suggestion === undefined ? {} : { suggestion: redactor.redact(suggestion) }),
  };
}

function excerptOf(problem: Problem, lines: readonly string[], redactor: Redactor): CodeExcerpt | null {
  const total = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const first = Math.max(1, problem.line - CONTEXT_LINES);
  const last = Math.min(total, (problem.endLine ?? problem.line) + CONTEXT_LINES, first + MAX_EXCERPT_LINES - 1);
  if (last < first) return null;
  const language = languageOf(problem.file);
  const window = lines.slice(first - 1, last).map((line) => line.replace(/\r$/u, ""));
  const shown = redactLines(window, isInsideKey(lines, first), redactor).map(cut);
  return { firstLine: first, lines: shown, ...(language === null ? {} : { language }) };
}

const keyBegins = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/u;
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/u;
/** What both of them hold. */
const keyMark = "PRIVATE KEY";
/** Most lines above an excerpt in which the beginning of a private key is looked for. */
const LOOK_BACK_LINES = 120;

/** Whether a line lies within a private key that begins above it. */
function isInsideKey(lines: readonly string[], line: number): boolean {
  for (let index = line - 2; index >= Math.max(0, line - 2 - LOOK_BACK_LINES); index--) {
    const above = lines[index] ?? "";
    if (!above.includes(keyMark)) continue;
    if (keyEnds.test(above)) return false;
    if (keyBegins.test(above)) return true;
  }
  return false;
}

/** Masks secrets and keeps one line for each line, so that the numbers beside them stay right. */
function redactLines(lines: readonly string[], startsInsideKey: boolean, redactor: Redactor): string[] {
  let inside = startsInsideKey;
  const withoutKeys = lines.map((line) => {
    const begins = keyBegins.test(line);
    const hidden = inside || begins;
    inside = (inside || begins) && !keyEnds.test(line);
    return hidden ? "***" : line;
  });
  const together = redactor.redact(withoutKeys.join("\n")).split("\n");
  return together.length === lines.length ? together : withoutKeys.map((line) => redactor.redact(line));
}

function cut(line: string): string {
  if (line.length <= MAX_EXCERPT_COLUMNS) return line;
  const end = /[\uD800-\uDBFF]$/u.test(line.slice(0, MAX_EXCERPT_COLUMNS))
    ? MAX_EXCERPT_COLUMNS - 1
    : MAX_EXCERPT_COLUMNS;
  return `${line.slice(0, end)}…`;
}
