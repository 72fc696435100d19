// Writes a file's diff with both line numbers before every line, hunk by hunk, each with what it costs.
import { maskLines } from "../../app/mask-lines.ts";
import type { ChangedFile } from "../../core/change.ts";
import type { DiffFile, Hunk } from "../../core/diff.ts";
import { hunkLines, lineText } from "../../core/diff.ts";
import { languageOf } from "../../core/language.ts";
import type { ReviewBrief } from "../../ports/brief.ts";
import type { Redactor } from "../../ports/redactor.ts";
import { countTokens } from "./count-tokens.ts";
import { shownPath } from "./fence.ts";

/** Longest line that is shown, UTF-16 units; a longer one is data. */
const longestLine = 1_000;

export interface HunkText {
  /** Where it stands: `@@ old 10-20, new 10-24 @@`. */
  readonly title: string;
  readonly lines: readonly string[];
  readonly tokens: number;
}

export interface FileText {
  readonly path: string;
  /** Everything that is said of the file before its hunks. */
  readonly header: string;
  readonly hunks: readonly HunkText[];
  readonly tokens: number;
}

/** @param diffFile absent where the diff has nothing of the file. */
export function renderFile(
  brief: Pick<ReviewBrief, "diff" | "commentable">,
  file: ChangedFile,
  diffFile: DiffFile | undefined,
  redactor: Redactor,
): FileText {
  const header = headerOf(brief, file, redactor);
  const hunks = (diffFile?.hunks ?? []).map((hunk) => renderHunk(brief.diff.diff, hunk, redactor));
  const tokens = countTokens(header) + hunks.reduce((sum, hunk) => sum + hunk.tokens, 0);
  return { path: file.path, header, hunks, tokens };
}

function headerOf(brief: Pick<ReviewBrief, "commentable">, file: ChangedFile, redactor: Redactor): string {
  const { path, oldPath, kind } = file;
  const language = languageOf(path);
  const spans = brief.commentable.get(path)?.hunks ?? [];
  const facts = [kind, ...(language === null ? [] : [language])];
  const lines = [`file: ${shownPath(redactor.redact(path))} (${facts.join(", ")})`];
  if (oldPath !== undefined) lines.push(`was: ${shownPath(redactor.redact(oldPath))}`);
  const shown = spans.map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`));
  lines.push(
    shown.length === 0
      ? "commentable lines: none"
      : `commentable lines: ${shown.slice(0, 200).join(", ")}${shown.length > 200 ? ", and those of the hunks below" : ""}`,
  );
  return lines.join("\n");
}

function renderHunk(diff: ReviewBrief["diff"]["diff"], hunk: Hunk, redactor: Redactor): HunkText {
  const numbered = [...hunkLines(diff, hunk)].map((line) => ({ line, text: lineText(diff, line) }));
  const masked = maskLines(
    numbered.map(({ text }) => oneLine(text)),
    redactor,
  );
  const lines = numbered.map(({ line }, index) => {
    const sign = line.kind === "added" ? "+" : line.kind === "deleted" ? "-" : " ";
    return `${column(line.oldLine)} ${column(line.newLine)} ${sign} ${masked[index] ?? ""}`.trimEnd();
  });
  const title = `@@ old ${span(hunk.oldStart, hunk.oldLines)}, new ${span(hunk.newStart, hunk.newLines)} @@`;
  return { title, lines, tokens: countTokens(`${title}\n${lines.join("\n")}\n`) };
}

/** Without what would break the line, or hide what it says: a carriage return, terminal codes, turned text. */
function oneLine(text: string): string {
  const plain = text
    .replace(/\r$/u, "")
    .replace(
      /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
      (sign) => `<U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
    );
  if (plain.length <= longestLine) return plain;
  return `${plain.slice(0, longestLine).replace(/[\uD800-\uDBFF]$/u, "")} …[line cut, ${plain.length} characters]`;
}

function column(line: number | undefined): string {
  return (line === undefined ? "" : String(line)).padStart(5);
}

function span(start: number, lines: number): string {
  if (lines === 0) return "none";
  return lines === 1 ? `${start}` : `${start}-${start + lines - 1}`;
}
