// A model that reviews through whatever names an agent gives the tools: it reads a file, reports one problem, sums up and ends.
import { normalizeToolName, type ToolName } from "../../src/report-tools/names.ts";
import type { Script, SeenRequest, Turn } from "../fakes/model-server/script.ts";

const report: Readonly<Record<"aicr.report_problem" | "aicr.publish_summary", unknown>> = {
  "aicr.report_problem": {
    file: "src/session.ts",
    line: 3,
    severity: "high",
    category: "correctness",
    message: "It ends twice.",
  },
  "aicr.publish_summary": { markdown: "One problem." },
};

/** Tools that read a file, by the names that agents give them, and how the file is named to each. */
const readers: Readonly<Record<string, string>> = {
  Read: "file_path",
  read_file: "file_path",
  read: "filePath",
  view: "path",
};

/** Looks at what was called already, so that a request beside the conversation (a title, a check) disturbs nothing. */
export function scriptedReviewer(): Script {
  return (request) => {
    const names = request.messages.flatMap(({ calls }) => calls.map(({ name }) => name));
    const called = new Set(names.map(normalizeToolName));
    const reader = request.tools.find((name) => name in readers);
    const source = /lie in (\/.+?\/source), as they were/.exec(
      request.messages.map(({ text }) => text).join("\n"),
    )?.[1];
    if (reader !== undefined && source !== undefined && !names.includes(reader)) {
      const input = { [readers[reader] ?? ""]: `${source}/src/session.ts` };
      return { calls: [{ name: reader, input }] };
    }
    for (const tool of ["aicr.report_problem", "aicr.publish_summary"] as const) {
      if (!called.has(tool)) return turnFor(request, tool);
    }
    return { text: "The review is done." };
  };
}

function turnFor(request: SeenRequest, tool: keyof typeof report): Turn {
  const name = nameOf(request, tool);
  if (name !== null) return { calls: [{ name, input: report[tool] }] };
  if (!request.tools.includes("tool_search")) return { text: "A review" };
  const query = "select:mcp__aicr-output__aicr_report_problem,mcp__aicr-output__aicr_publish_summary";
  return { calls: [{ name: "tool_search", input: { query } }] };
}

function nameOf({ tools, form }: SeenRequest, tool: ToolName): string | null {
  const name = tools.find((one) => normalizeToolName(one) === tool);
  if (name === undefined) return null;
  // A tool within a namespace is called by both names.
  const space = form === "openai-responses" ? tools.find((one) => /^mcp__[a-z_]*aicr_output$/.test(one)) : undefined;
  return space === undefined ? name : `${space}::${name}`;
}
