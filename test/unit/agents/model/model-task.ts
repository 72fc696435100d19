// What tests of the model's process have in common: a task for a scripted server, and tools that need no process.
import { jsonSchema, type ToolSet, tool } from "ai";
import type { ReportClient } from "../../../../src/agents/model/report-client.ts";
import type { ReportGate } from "../../../../src/agents/model/report-gate.ts";
import { runTask } from "../../../../src/agents/model/run-task.ts";
import type { ModelKind } from "../../../../src/agents/model/settings.ts";
import type { ModelTask, TaskEnd, TaskEndpoint, TaskEvent } from "../../../../src/agents/model/task.ts";
import type { Clock } from "../../../../src/ports/clock.ts";
import { createSystemClock } from "../../../../src/process/system-clock.ts";

export function endpoint(origin: string, kind: ModelKind = "openai-compatible", name = "main"): TaskEndpoint {
  const version = kind === "google" ? "/v1beta" : "/v1";
  return {
    name,
    kind,
    model: `${name}-model`,
    baseUrl: `${origin}${version}`,
    contextTokens: 32_000,
    maxOutputTokens: 2_000,
  };
}

export function modelTask(models: readonly TaskEndpoint[], overrides: Partial<ModelTask> = {}): ModelTask {
  return {
    system: "You review.",
    parts: ["Review the change now."],
    models: [...models],
    limits: { steps: 20, tokens: 100_000, ms: 20_000, idleMs: 5_000 },
    toolServer: "/nowhere",
    ...overrides,
  };
}

export interface Recorded {
  readonly calls: [string, unknown][];
  readonly events: TaskEvent[];
  readonly end: TaskEnd;
}

export interface RunOptions {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: TaskEvent) => void;
  /** The text that a look-up brings. */
  readonly context?: string;
}

/** Runs a task whose tools only note what they are told. */
export async function run(task: ModelTask, options: RunOptions = {}): Promise<Recorded> {
  const calls: [string, unknown][] = [];
  const events: TaskEvent[] = [];
  const end = await runTask(
    task,
    {
      env: {},
      clock: options.clock ?? createSystemClock(),
      onEvent(event) {
        events.push(event);
        options.onEvent?.(event);
      },
      connect: async ({ gate }) => notingClient(gate, calls, options.context ?? "line"),
    },
    options.signal ?? new AbortController().signal,
  );
  return { calls, events, end };
}

function notingClient(gate: ReportGate, calls: [string, unknown][], context: string): ReportClient {
  let problems = 0;
  const schema = jsonSchema({ type: "object", properties: {}, additionalProperties: true });
  const make = (name: string, answer: (input: unknown) => string) =>
    tool({
      description: name,
      inputSchema: schema,
      execute: (input: unknown) => {
        calls.push([name, input]);
        return answer(input);
      },
    });
  const held = (name: "skip" | "publish_summary") =>
    tool({
      description: name,
      inputSchema: schema,
      execute: (input: unknown) => {
        const answer = gate.hold(name, input);
        if (answer === null) calls.push([`aicr_${name}`, input]);
        return answer ?? '{"accepted":true}';
      },
    });
  const tools: ToolSet = {
    aicr_report_problem: make("aicr_report_problem", () => {
      problems++;
      gate.noteProblem();
      return JSON.stringify({ accepted: true, problemCount: problems });
    }),
    aicr_fetch_more_context: make("aicr_fetch_more_context", () => context),
    aicr_skip: held("skip"),
    aicr_publish_summary: held("publish_summary"),
  };
  return {
    tools,
    problems: () => problems,
    isFlooded: () => calls.length > 700,
    async call(name, input) {
      calls.push([name, input]);
    },
    close: async () => {},
  };
}

export const problem = { file: "src/a.ts", line: 1, severity: "high", category: "correctness", message: "Wrong." };
