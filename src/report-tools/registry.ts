// The registry: the five aicr.* tools of one session, the same for the in-process executor, stdio and HTTP.
import * as z from "zod";
import type { JsonSchema, Tool, ToolResult, ToolSet } from "../ports/tool.ts";
import { checkProblemAnchor } from "./anchor-check.ts";
import type { ChangeWatch, Standing } from "./change-watch.ts";
import { fetchMoreContext, tryBlame } from "./look-up.ts";
import { listedName, type NameForm, normalizeToolName, serverName, type ToolName } from "./names.ts";
import type { ReportState } from "./report-state.ts";
import type { ContextResolver } from "./resolver-protocol.ts";
import {
  fetchMoreContextInput,
  parseInput,
  publishSummaryInput,
  reportProblemInput,
  skipInput,
  tryBlameInput,
} from "./tool-inputs.ts";
import {
  fetchMoreContextOutput,
  publishSummaryOutput,
  reportProblemOutput,
  skipOutput,
  tryBlameOutput,
} from "./tool-outputs.ts";
import { accept, refuse } from "./tool-result.ts";
import { instructions, toolTexts } from "./tool-texts.ts";

export interface ReportToolsOptions {
  readonly state: ReportState;
  /** Without it anchors are not checked in the call (the orchestrator checks them again anyway). */
  readonly change?: ChangeWatch;
  /** Without it look-ups are recorded and answered in a follow-up pass. */
  readonly resolver?: ContextResolver;
  /** How the tools are listed; calls are understood in both forms. Default canonical. */
  readonly names?: NameForm;
  /** Version that the server tells its clients. */
  readonly version: string;
}

/** Makes the five tools of one session. Nothing is read or written before the first call. */
export function createReportTools(options: ReportToolsOptions): ToolSet {
  const { state, change } = options;
  const form = options.names ?? "canonical";

  const tools: Tool[] = [
    tool("aicr.report_problem", reportProblemInput, reportProblemOutput, async (input, { facts }) => {
      const wrong = facts === null ? null : checkProblemAnchor(facts, input);
      if (wrong !== null) return refuse(wrong);
      const recorded = await state.record({ section: "problems", entry: input }, mayWrite);
      if (recorded.kind === "refused") return refuse(recorded.reason);
      const duplicate = recorded.duplicate ? { duplicate: true } : {};
      return accept({ accepted: true, problemCount: recorded.count, ...duplicate });
    }),
    tool("aicr.publish_summary", publishSummaryInput, publishSummaryOutput, async (input) => {
      const recorded = await state.record({ section: "summaries", entry: input }, mayWrite);
      if (recorded.kind === "refused") return refuse(recorded.reason);
      return accept({ accepted: true, summaryCount: recorded.count });
    }),
    tool("aicr.skip", skipInput, skipOutput, async ({ reason }) => {
      const recorded = await state.record({ section: "skipReason", entry: reason }, mayWrite);
      if (recorded.kind === "refused") return refuse(recorded.reason);
      return accept({ accepted: true, reason });
    }),
    tool("aicr.fetch_more_context", fetchMoreContextInput, fetchMoreContextOutput, (input, { signal }) =>
      fetchMoreContext({ state, resolver: options.resolver, mayWrite }, input, signal),
    ),
    tool("aicr.try_blame", tryBlameInput, tryBlameOutput, (input, { signal }) =>
      tryBlame({ state, resolver: options.resolver, mayWrite }, input, signal),
    ),
  ];

  return {
    name: serverName,
    version: options.version,
    instructions: instructions(form),
    tools,
    resolveName: normalizeToolName,
  };

  function tool<Input>(
    name: ToolName,
    input: z.ZodType<Input>,
    output: z.ZodType,
    run: (input: Input, call: Call) => Promise<ToolResult>,
  ): Tool {
    return {
      name: listedName(name, form),
      ...toolTexts[name],
      // Made when first listed: a server answers `initialize` sooner without.
      get inputSchema() {
        return toJsonSchema(input);
      },
      get outputSchema() {
        return toJsonSchema(output);
      },
      async call(given, signal) {
        // First of all, so that an orphan of an earlier pass is told to stop, whatever it sends.
        const standing = stand();
        if (standing?.kind === "refused") return refuse(standing.reason);
        const parsed = parseInput(input, given);
        if (!parsed.ok) return refuse(parsed.reason);
        return run(parsed.value, { facts: standing?.facts ?? null, signal });
      },
    };
  }

  function stand(): Standing | null {
    return change?.standing(state.runId) ?? null;
  }

  function mayWrite(): string | null {
    const standing = stand();
    return standing?.kind === "refused" ? standing.reason : null;
  }
}

interface Call {
  /** Null when the server does not know the change. */
  readonly facts: Extract<Standing, { kind: "current" }>["facts"] | null;
  readonly signal: AbortSignal;
}

const made = new WeakMap<z.ZodType, JsonSchema>();

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  made.set(schema, json);
  return json;
}
