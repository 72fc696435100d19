// Where a problem may be anchored: added and context lines of the new side, hunk by hunk, as plain data for change.json.
import { type Diff, type DiffFile, hunkLines } from "./diff.ts";

/** New-side lines, 1-based, both ends inclusive. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** The commentable lines of one file; serialises to JSON as it is. */
export interface CommentableFile {
  /** Repository-relative path of the new side, for display and for comparison with what agents say. */
  readonly path: string;
  /** New-side lines of each hunk, in order, without overlap; both ends of a range must lie in one of them. */
  readonly hunks: readonly LineSpan[];
  /** Added lines among them, as ranges in order. */
  readonly added: readonly LineSpan[];
}

export type AnchorCheck =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** `outside`: a line of no hunk; `split`: the two ends lie in different hunks; `none`: the file has no anchors. */
      readonly why: "outside" | "split" | "none";
      /** The nearest commentable lines, the nearest range first, at most three. */
      readonly nearest: readonly LineSpan[];
    };

const mostSuggestions = 3;

/**
 * The commentable lines of a file of a diff; no hunks for deleted files, pure renames and binaries.
 * @param path the path to be known by; the diff's own (latin1 decoded as UTF-8) when absent.
 */
export function commentableLines(diff: Pick<Diff, "bytes">, file: DiffFile, path?: string): CommentableFile {
  const hunks: LineSpan[] = [];
  const added: LineSpan[] = [];
  if (file.newPath !== null) {
    for (const hunk of file.hunks) {
      if (hunk.newLines > 0) hunks.push({ start: hunk.newStart, end: hunk.newStart + hunk.newLines - 1 });
      let start = 0;
      let end = 0;
      for (const line of hunkLines(diff, hunk)) {
        if (line.kind !== "added" || line.newLine === undefined) continue;
        if (end === 0 || line.newLine !== end + 1) {
          if (end > 0) added.push({ start, end });
          start = line.newLine;
        }
        end = line.newLine;
      }
      if (end > 0) added.push({ start, end });
    }
  }
  return { path: path ?? displayPath(file), hunks, added };
}

/** Checks that a problem's line, or both ends of its range, stand in one hunk of the new side. */
export function checkAnchor(file: Pick<CommentableFile, "hunks">, line: number, endLine: number = line): AnchorCheck {
  const home = file.hunks.find((hunk) => contains(hunk, line));
  if (home !== undefined && endLine >= line && contains(home, endLine)) return { ok: true };
  if (file.hunks.length === 0) return { ok: false, why: "none", nearest: [] };
  const crosses = home !== undefined && file.hunks.some((hunk) => hunk !== home && contains(hunk, endLine));
  return { ok: false, why: crosses ? "split" : "outside", nearest: nearestSpans(file.hunks, line, endLine) };
}

/** `12-20`, or `12` for a single line. */
export function spanText(span: LineSpan): string {
  return span.start === span.end ? `${span.start}` : `${span.start}-${span.end}`;
}

function contains(span: LineSpan, line: number): boolean {
  return span.start <= line && line <= span.end;
}

function nearestSpans(hunks: readonly LineSpan[], line: number, endLine: number): LineSpan[] {
  const distance = (span: LineSpan): number =>
    span.start > endLine ? span.start - endLine : line > span.end ? line - span.end : 0;
  return [...hunks].sort((a, b) => distance(a) - distance(b) || a.start - b.start).slice(0, mostSuggestions);
}

function displayPath(file: DiffFile): string {
  return Buffer.from(file.newPath ?? file.oldPath ?? "", "latin1").toString("utf8");
}
