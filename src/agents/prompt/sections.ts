// The sections of a prompt that are not the diff: the change, its files, the repository's instructions, and known findings.
import type { ChangedFile, Revision } from "../../core/change.ts";
import type { StoredFinding } from "../../core/finding.ts";
import type { Problem } from "../../core/problem.ts";
import { classifyFile } from "../../core/reviewable.ts";
import type { ReviewBrief } from "../../ports/brief.ts";
import type { Redactor } from "../../ports/redactor.ts";
import { countTokens } from "./count-tokens.ts";
import { type Fence, shownPath } from "./fence.ts";

/** Most tokens of each section; what is over is cut, and the section says so. */
const most = { message: 2_000, files: 3_000, instructions: 8_000, findings: 2_500 } as const;

export interface SectionOptions {
  readonly brief: ReviewBrief;
  readonly fence: Fence;
  readonly redactor: Redactor;
  /** Reported already in this review, by other means. */
  readonly found: readonly Problem[];
}

/** In the order in which they are to be read; sections with nothing to say are absent. */
export function sectionsOf(options: SectionOptions): readonly string[] {
  const { brief, fence, redactor } = options;
  const { instructions, dismissed, open } = brief;
  return [
    fence.wrap("change", changeText(brief, redactor)),
    fence.wrap("files", filesText(brief, redactor)),
    ...(instructions.length === 0 ? [] : [fence.wrap("instructions", instructionsText(brief, redactor))]),
    ...(dismissed.length === 0 ? [] : [fence.wrap("dismissed", findingsText(dismissed, redactor))]),
    ...(open.length === 0 ? [] : [fence.wrap("open", findingsText(open, redactor))]),
    ...(options.found.length === 0 ? [] : [fence.wrap("found", foundText(options.found, redactor))]),
  ];
}

function changeText({ change }: ReviewBrief, redactor: Redactor): string {
  const { head, base } = change;
  return [
    `head: ${revisionText(head, redactor)}`,
    `base: ${base === "empty" ? "nothing: everything is new" : base.display}`,
    `branch: ${shownPath(redactor.redact(change.ref))}`,
    "message:",
    within(redactor.redact(head.message), most.message),
  ].join("\n");
}

function revisionText({ display, author }: Revision, redactor: Redactor): string {
  return `${display} by ${shownPath(redactor.redact(author))}`;
}

/** Every changed file, those too that are not to be read: lock files, generated ones, binaries. */
function filesText({ files, isTruncated, diff }: ReviewBrief, redactor: Redactor): string {
  const omitted = new Set(diff.omitted);
  const lines = files.map((file) => {
    const kind = classifyFile(file);
    const aside = kind !== "source" ? `, ${kind}: not shown` : omitted.has(file.path) ? ", too large: not shown" : "";
    return `${shownPath(redactor.redact(file.path))} (${file.kind}${aside})`;
  });
  const more = isTruncated ? ["(more files changed than are listed)"] : [];
  return [within(lines.join("\n"), most.files), ...more].join("\n");
}

function instructionsText({ instructions }: ReviewBrief, redactor: Redactor): string {
  let left: number = most.instructions;
  const parts: string[] = [];
  for (const { path, text, isCut } of instructions) {
    const title = `file: ${shownPath(path)}${isCut ? " (its beginning)" : ""}`;
    if (left < 100) {
      parts.push(`${title} is left out here.`);
      continue;
    }
    const shown = within(redactor.redact(text.trim()), left);
    left -= countTokens(shown);
    parts.push(`${title}\n${shown}`);
  }
  return parts.join("\n\n");
}

function findingsText(findings: readonly StoredFinding[], redactor: Redactor): string {
  const lines = findings.map(({ file, line, category, title, dismissed }) => {
    const place = `${shownPath(redactor.redact(file))}${line === undefined ? "" : `:${line}`}`;
    const why = dismissed === null ? "" : ` (dismissed: ${redactor.redact(oneLine(dismissed.reason))})`;
    return `${place} [${oneLine(category)}] ${redactor.redact(oneLine(title))}${why}`;
  });
  return within(lines.join("\n"), most.findings);
}

function foundText(found: readonly Problem[], redactor: Redactor): string {
  const lines = found.map(
    ({ file, line, category, message }) =>
      `${shownPath(redactor.redact(file))}:${line} [${oneLine(category)}] ${redactor.redact(oneLine(message.split("\n", 1)[0] ?? ""))}`,
  );
  return within(lines.join("\n"), most.findings);
}

/** Source that is shown in parts; the other files are named in the list. */
export function isShown(file: ChangedFile): boolean {
  return classifyFile(file) === "source";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}

/** The text, or as many of its lines as cost no more, with a sentence about the rest. */
export function within(text: string, tokens: number): string {
  if (countTokens(text) <= tokens) return text;
  const lines = text.split("\n");
  const kept: string[] = [];
  let left = tokens - 20;
  for (const line of lines) {
    const cost = countTokens(`${line}\n`);
    if (cost > left) break;
    kept.push(line);
    left -= cost;
  }
  const rest = lines.length - kept.length;
  return [...kept, `(${rest} more ${rest === 1 ? "line is" : "lines are"} left out)`].join("\n");
}
