// What the templates are told about one problem.
import type { Revision } from "../core/change.ts";
import type { AssessedProblem, CodeExcerpt } from "../core/problem.ts";
import type { Say } from "./change-view.ts";
import type { LinkBuilder } from "./links.ts";

export interface ProblemView {
  /** The severity in the reader's language. */
  readonly severity: string;
  /** `file:line` or `file:start-end`. */
  readonly place: string;
  /** Null where the problem is on no line of the change, or the repository has no web page. */
  readonly url: string | null;
  readonly anchored: boolean;
  readonly category: string;
  /** Untrusted Markdown. */
  readonly message: string;
  /** Untrusted Markdown; empty where there is none. */
  readonly suggestion: string;
  /** Numbered lines of code; empty where there are none. */
  readonly excerpt: string;
  readonly language: string;
}

export function problemView(
  assessed: AssessedProblem,
  head: Revision | undefined,
  links: LinkBuilder,
  say: Say,
): ProblemView {
  const { problem, anchored, excerpt } = assessed;
  return {
    severity: say(`severity.${problem.severity}`),
    place: placeOf(assessed),
    url: head !== undefined && anchored ? links.file(problem.file, head, problem.line, problem.endLine) : null,
    anchored,
    category: problem.category,
    message: problem.message,
    suggestion: problem.suggestion ?? "",
    excerpt: excerpt === undefined ? "" : numbered(excerpt),
    language: excerpt?.language ?? "",
  };
}

export function placeOf({ problem }: AssessedProblem): string {
  const { file, line, endLine } = problem;
  return endLine !== undefined && endLine > line ? `${file}:${line}-${endLine}` : `${file}:${line}`;
}

function numbered({ firstLine, lines }: CodeExcerpt): string {
  const width = String(firstLine + lines.length - 1).length;
  return lines.map((line, index) => `${String(firstLine + index).padStart(width)}  ${line}`.trimEnd()).join("\n");
}
