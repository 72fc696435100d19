// What the tools say of themselves: the texts that teach an agent when to use which.
import type { ToolAnnotations } from "../ports/tool.ts";
import { listedName, type NameForm, type ToolName } from "./names.ts";

export interface ToolText {
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
}

/** Everything an agent needs to know before its first call. */
export function instructions(form: NameForm): string {
  const name = (tool: ToolName) => listedName(tool, form);
  return [
    "These tools are the only way to report on the change under review; text you write elsewhere is not read.",
    `Read the changed code first. Then call ${name("aicr.report_problem")} once for each actionable problem, ` +
      `anchored to a changed line, and ${name("aicr.publish_summary")} once at the end.`,
    `If there is nothing to report, call ${name("aicr.skip")} with the reason lgtm, and report nothing else.`,
    `If the diff does not show enough, call ${name("aicr.fetch_more_context")} before you judge.`,
    "A call that is refused says what would be right: correct it and call again. Calls may be repeated safely.",
  ].join("\n");
}

const reports: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const reads: ToolAnnotations = { ...reports, readOnlyHint: true };

export const toolTexts: Readonly<Record<ToolName, ToolText>> = {
  "aicr.report_problem": {
    title: "Report a problem",
    description: [
      "Report one actionable problem of the change, anchored to a changed line. One problem a call: call again for the next one.",
      "Read the code around the line before you report, and be sure that the problem is real and comes from this change.",
      "file and line name the new version of the file; line must be an added line or a context line that the diff shows. " +
        "A wrong anchor is refused with the nearest lines that can be used.",
      "Deleted files, pure renames and binary files have no lines to anchor to: put what concerns them in the summary.",
      "message says what is wrong, what triggers it and what it leads to; suggestion holds the smallest fix. " +
        "The same problem reported twice counts once.",
    ].join(" "),
    annotations: reports,
  },
  "aicr.publish_summary": {
    title: "Publish the summary",
    description: [
      "Publish the review's summary as structured Markdown. Call it once, after the problems were reported.",
      "Say what the change does, what you looked at, and how grave what you found is; do not repeat each problem in full.",
      "Only speak of problems that you reported through the problem tool.",
    ].join(" "),
    // Each call adds a summary.
    annotations: { ...reports, idempotentHint: false },
  },
  "aicr.skip": {
    title: "Skip the review",
    description: [
      "Mark the review as skipped on purpose, so that nobody is disturbed. Use it when you read the change and nothing is worth " +
        "reporting (reason lgtm), or when it holds no code to review (reason no_reviewable_code).",
      "Do not use it beside reported problems: problems win. Do not use it because source is missing: fetch that first.",
    ].join(" "),
    annotations: reports,
  },
  "aicr.fetch_more_context": {
    title: "Read more source",
    description: [
      "Read a file at the reviewed revision: a changed file whose diff is missing or too narrow, or a file outside the change " +
        "that a changed line cannot be judged without (an API it calls, a schema, a generated interface, a configuration).",
      "Give a range for long files; an answer has at most 256 KiB. A refusal means that the path does not exist there: do not retry it.",
      "If the answer says pending, go on; it comes in a later pass.",
    ].join(" "),
    annotations: reads,
  },
  "aicr.try_blame": {
    title: "See who changed lines",
    description: [
      "Ask the version control system who last changed some lines, and in which revision. Best effort, never source text.",
      "Use it only when authorship or age of the lines matters to the problem; never guess an author yourself.",
      "status is ok, partial (part of the history is not available) or not_found. If the answer says pending, go on.",
    ].join(" "),
    annotations: reads,
  },
};
