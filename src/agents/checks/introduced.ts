// Separates what a change introduced from what its base already had, by rule and line text and with counting.
import type { Complaint } from "./complaint.ts";

/** Inclusive 1-based line range of the new side. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** The two sides of one changed file, by which a complaint is judged. */
export interface ChangedText {
  readonly lines: readonly string[];
  /** Null where the file is new. */
  readonly baseLines: readonly string[] | null;
  readonly added: readonly LineRange[];
}

export function isAdded(added: readonly LineRange[], line: number): boolean {
  return added.some((range) => line >= range.start && line <= range.end);
}

/**
 * The nearest added line at or before `line`, else the first after it: where a syntax error that the parser
 * notices late (an unclosed bracket, at the end of the file) most likely began.
 */
export function nearestAdded(added: readonly LineRange[], line: number): number | null {
  let best: number | null = null;
  for (const range of added) {
    if (range.start <= line) best = Math.min(line, range.end);
    else if (best === null) return range.start;
  }
  return best;
}

/** The line's text without differences that no reader would call a change. */
function normalise(line: string | undefined): string {
  return (line ?? "").replace(/\s+/g, " ").trim();
}

function identity(complaint: Complaint, lines: readonly string[]): string {
  return `${complaint.rule}\0${normalise(lines[complaint.line - 1])}`;
}

/** The complaint on the last of its lines that the change added: engines name the innocent first occurrence first. */
export function onAddedLine(complaint: Complaint, added: readonly LineRange[]): Complaint {
  const line = complaint.related?.findLast((other) => isAdded(added, other));
  if (line === undefined) return complaint;
  const { endLine: _, ...rest } = complaint;
  return { ...rest, line };
}

/** Notes by which authors say that a linter's complaint is known and meant; all languages' in one. */
const accepted =
  /\bnoqa\b|\bnolint\b|NOSONAR|type:\s?ignore|pylint:\s?disable|eslint-disable|oxlint-disable|biome-ignore|@ts-(?:ignore|expect-error)|luacheck:\s?ignore|shellcheck\s+disable|cppcheck-suppress/i;

/** Whether the line, or a comment of its own above it, carries such a note. It silences matters of correctness, never of security. */
export function isAccepted(complaint: Complaint, lines: readonly string[]): boolean {
  if (complaint.category !== "correctness" && complaint.category !== "types") return false;
  const above = lines[complaint.line - 2] ?? "";
  return (
    accepted.test(lines[complaint.line - 1] ?? "") || (/^\s*(?:\/[/*]|#|--|\{\/\*)/.test(above) && accepted.test(above))
  );
}

function isSyntax(complaint: Complaint): boolean {
  return complaint.category === "syntax";
}

/**
 * Complaints about one file that its change is to blame for, all on added lines.
 *
 * A parser that stumbled over the base proves nothing about the head: then its syntax complaints fall away. Where the
 * base parsed and the head does not, the change did it, even if the parser noticed on an untouched line.
 *
 * @param before the same inspectors' complaints about the base, empty where the file is new
 */
export function introducedBy(
  text: ChangedText,
  complaints: readonly Complaint[],
  before: readonly Complaint[],
): readonly Complaint[] {
  const brokenBefore = before.some(isSyntax);
  const ambientBefore = new Set(before.flatMap((complaint) => complaint.ambient ?? []));
  const known = new Map<string, number>();
  for (const complaint of before) {
    const key = identity(complaint, text.baseLines ?? []);
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  const placed = complaints.map((complaint) => onAddedLine(complaint, text.added));
  // Untouched occurrences use up the base's count first, so that a copied defect is blamed on the copy.
  for (const [index, complaint] of complaints.entries()) {
    if (isAdded(text.added, placed[index]?.line ?? 0)) continue;
    const key = identity(complaint, text.lines);
    known.set(key, (known.get(key) ?? 0) - 1);
  }
  const introduced: Complaint[] = [];
  for (const [index, complaint] of complaints.entries()) {
    if (complaint.ambient !== undefined && ambientBefore.has(complaint.ambient)) continue;
    if (isSyntax(complaint)) {
      if (brokenBefore) continue;
      const line = nearestAdded(text.added, complaint.line);
      if (line !== null) introduced.push({ ...complaint, line, ...(line === complaint.line ? {} : { endLine: line }) });
      continue;
    }
    const moved = placed[index] ?? complaint;
    if (!isAdded(text.added, moved.line) || isAccepted(moved, text.lines)) continue;
    const key = identity(complaint, text.lines);
    const left = known.get(key) ?? 0;
    if (left > 0) known.set(key, left - 1);
    else introduced.push(moved);
  }
  return introduced;
}
