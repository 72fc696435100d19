// Checks a problem's anchor against change.json, and tells an agent that missed where it may anchor instead.
import { checkAnchor, type LineSpan, spanText } from "../core/anchor.ts";
import type { ChangeFacts, ChangeFactsFile } from "./change-file.ts";
import type { ReportProblemInput } from "./tool-inputs.ts";

/** How many files, or added ranges, a refusal offers. */
const offered = 5;

/** Null when the anchor holds, or cannot be judged because the change is known in part only; else a text for the agent. */
export function checkProblemAnchor(
  facts: ChangeFacts,
  problem: Pick<ReportProblemInput, "file" | "line" | "end_line">,
): string | null {
  const file = facts.files.find((candidate) => candidate.path === problem.file);
  if (file === undefined) return unknownFile(facts, problem.file);
  if (facts.omitted.includes(file.path)) return null;
  const check = checkAnchor(file, problem.line, problem.end_line);
  if (check.ok) return null;
  if (check.why === "none") return `${noLines(file)} Put what concerns it in the summary.`;
  const hunk = file.hunks.find(({ start, end }) => start <= problem.line && problem.line <= end);
  if (hunk === undefined) {
    return `line ${problem.line} of ${file.path} is not in the diff. Nearest lines that can be used: ${show(file, check.nearest)}.`;
  }
  return (
    `end_line ${problem.end_line} of ${file.path} is not in the hunk of line ${problem.line}. ` +
    `That hunk has the lines ${spanText(hunk)}: end there at the latest, or leave end_line out.`
  );
}

function unknownFile(facts: ChangeFacts, path: string): string | null {
  const renamed = facts.files.find((file) => file.oldPath === path && file.kind === "rename");
  if (renamed !== undefined) return `file ${path} was renamed in this change: use ${renamed.path}.`;
  if (facts.truncated) return null;
  const sameName = facts.files.filter((file) => baseName(file.path) === baseName(path) && file.hunks.length > 0);
  const candidates = (sameName.length > 0 ? sameName : facts.files.filter((file) => file.hunks.length > 0)).slice(
    0,
    offered,
  );
  if (candidates.length === 0)
    return `file ${path} is not part of this change, and no file of it has lines to anchor to.`;
  const names = candidates.map((file) => file.path).join(", ");
  return `file ${path} is not part of this change. ${sameName.length > 0 ? "Did you mean" : "Changed files are"}: ${names}?`;
}

function noLines(file: ChangeFactsFile): string {
  if (file.kind === "delete") return `file ${file.path} is deleted by this change, so it has no lines to anchor to.`;
  if (file.isBinary) return `file ${file.path} is binary, so it has no lines to anchor to.`;
  if (file.isSubmodule) return `file ${file.path} is a submodule, so it has no lines to anchor to.`;
  if (file.kind === "rename") return `file ${file.path} is only renamed, so it has no lines to anchor to.`;
  return `file ${file.path} has no changed lines to anchor to.`;
}

/** The spans in the file's order, and the added lines of the nearest one, which is the first given. */
function show(file: ChangeFactsFile, nearest: readonly LineSpan[]): string {
  const closest = nearest[0];
  const spans = [...nearest].sort((a, b) => a.start - b.start).map(spanText);
  const added = file.added
    .filter((span) => closest !== undefined && span.start >= closest.start && span.end <= closest.end)
    .slice(0, offered)
    .map(spanText);
  return added.length === 0 ? spans.join(", ") : `${spans.join(", ")} (added: ${added.join(", ")})`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
