// A model that reviews through whatever names an agent gives the tools: one problem, a summary, closing words.
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

/** Looks at what was called already, so that a request beside the conversation (a title, a check) disturbs nothing. */
export function scriptedReviewer(): Script {
  return (request) => {
    const called = new Set(request.messages.flatMap(({ calls }) => calls.map(({ name }) => normalizeToolName(name))));
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
