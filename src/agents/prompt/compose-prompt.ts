// Composes what a model is told of a change: one task, and one message for each part of the diff that it can read at once.
import type { Problem } from "../../core/problem.ts";
import type { ReviewBrief } from "../../ports/brief.ts";
import type { Redactor } from "../../ports/redactor.ts";
import type { ToolName } from "../../report-tools/names.ts";
import { countTokens } from "./count-tokens.ts";
import { createFence } from "./fence.ts";
import { planParts } from "./plan-parts.ts";
import { renderFile } from "./render-diff.ts";
import { isShown, sectionsOf } from "./sections.ts";
import { taskText } from "./task-text.ts";

export interface PromptOptions {
  readonly brief: ReviewBrief;
  readonly redactor: Redactor;
  /** How the agent's client calls a tool. */
  readonly tool: (name: ToolName) => string;
  /** An unguessable word of letters and digits, fresh for every pass. */
  readonly nonce: string;
  /** BCP 47: the language of what is reported. */
  readonly locale: string;
  /** Tokens that one part may cost, everything in it included. */
  readonly partTokens: number;
  /** Most parts; 1 for agents that have one conversation. */
  readonly maxParts: number;
  /** Answers to what was asked for in an earlier pass: source and blame, written by others. */
  readonly answers?: string;
  /** What the orchestrator says of an earlier pass, in its own words. */
  readonly note?: string;
  /** Further sentences of the task, by the adapter. */
  readonly more?: readonly string[];
  /** Reported already in this review, by other means. */
  readonly found?: readonly Problem[];
}

export interface PromptPart {
  readonly text: string;
  readonly tokens: number;
  /** The files whose diff it shows. */
  readonly files: readonly string[];
}

export interface Prompt {
  readonly system: string;
  /** At least one. */
  readonly parts: readonly PromptPart[];
  /** Changed files that no part shows whole: they have to be named in the report. */
  readonly leftOut: readonly string[];
}

/** What the marks, the sentences about parts and rounding cost beside the sections, tokens. */
const MARGIN = 300;
/** A diff gets at least this, however small the window: less shows nothing. */
const LEAST_DIFF = 1_000;

export function composePrompt(options: PromptOptions): Prompt {
  const { brief, redactor, locale, tool, found = [] } = options;
  const fence = createFence(options.nonce);
  const system = taskText({ fence, tool, locale, ...(options.more === undefined ? {} : { more: options.more }) });
  const sections = sectionsOf({ brief, fence, redactor, found });
  const said = [
    ...(options.answers === undefined ? [] : [fence.wrap("answers", redactor.redact(options.answers))]),
    ...(options.note === undefined ? [] : [options.note]),
  ];
  const fixed = countTokens([system, ...sections, ...said].join("\n\n"));
  const diffFiles = new Map(brief.diff.diff.files.map((file) => [file.newPath ?? file.oldPath ?? "", file]));
  const shown = brief.files
    .filter((file) => isShown(file) && !brief.diff.omitted.includes(file.path))
    .map((file) => renderFile(brief, file, diffFiles.get(file.rawPath), redactor));
  const partTokens = Math.max(LEAST_DIFF, options.partTokens - fixed - MARGIN);
  const plan = planParts(shown, { partTokens, maxParts: options.maxParts });
  const groups = plan.parts.length === 0 ? [[]] : plan.parts;
  const parts = groups.map((pieces, index) => {
    const diff = pieces.map((piece) => fence.wrap("diff", piece.text));
    const text = [
      ...sections,
      partText(index, groups.length, plan.leftOut.length),
      ...diff,
      ...said,
      closingText(index, groups.length, tool),
    ].join("\n\n");
    return {
      text,
      tokens: countTokens(system) + countTokens(text),
      files: [...new Set(pieces.map(({ path }) => path))],
    };
  });
  const omitted = brief.diff.omitted.filter((path) => brief.files.some((file) => file.path === path && isShown(file)));
  return { system, parts, leftOut: [...new Set([...plan.leftOut, ...omitted])] };
}

/** A prompt as one text, for agents that take no task beside it. */
export function asOneText({ system, parts }: Prompt): string {
  return [system, parts[0]?.text ?? ""].join("\n\n");
}

function partText(index: number, count: number, leftOut: number): string {
  const rest = leftOut === 0 ? "" : ` ${leftOut} of the files above are too large to be shown whole.`;
  if (count === 1) return `The diff of the change follows.${rest}`;
  return `The change is large and is reviewed in ${count} parts; this is part ${index + 1}. The diff of this part follows.${rest} Files of other parts are looked at there: report only what concerns the lines shown here.`;
}

function closingText(index: number, count: number, tool: (name: ToolName) => string): string {
  if (count === 1) return "Review the change now.";
  const skip = tool("aicr.skip");
  return `Review part ${index + 1} of ${count} now. Instead of a summary of the whole, publish one of this part in two sentences; with nothing to report in this part call ${skip}.`;
}
