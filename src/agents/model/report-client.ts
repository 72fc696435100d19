// The aicr.* tools as a model gets them: named without dots, their results short, and no more look-ups than a review needs.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { jsonSchema, type ToolSet, tool } from "ai";
import { normalizeToolName, type ToolName, toolNames } from "../../report-tools/names.ts";
import type { ReportGate } from "./report-gate.ts";
import { readResult, shownResult, type ToolAnswer } from "./tool-result.ts";

/** Look-ups of one run; a model that asks for more has lost its way. */
const MAX_LOOK_UPS = 100;
/** Look-ups that are answered at once: each may start a program of the VCS. */
const LOOK_UPS_AT_ONCE = 4;
/** Calls of one run, of all kinds: more than every problem that may be reported and every look-up. */
const MAX_CALLS = 700;
const START_MS = 20_000;

export interface ReportClient {
  readonly tools: ToolSet;
  /** Calls a tool that the gate held back. Throws an Error with the server's words when it refuses. */
  call(name: ToolName, input: Readonly<Record<string, unknown>>): Promise<void>;
  /** Problems that the server accepted in this run. */
  problems(): number;
  /** Whether there were more calls than any review needs: then it is at its end. */
  isFlooded(): boolean;
  close(): Promise<void>;
}

export interface ReportClientOptions {
  /** Absolute path of the server's bundle. */
  readonly server: string;
  /** The server's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly gate: ReportGate;
  readonly signal: AbortSignal;
}

/** Throws an Error when the server cannot be reached, or lacks one of the five tools. */
export async function connectReportTools({ server, env, gate, signal }: ReportClientOptions): Promise<ReportClient> {
  const client = await createMCPClient({
    transport: new Experimental_StdioMCPTransport({
      command: process.execPath,
      args: [server, "--names", "underscore"],
      env: { ...env },
      stderr: "inherit",
    }),
    clientName: "aicr-model-agent",
    initializationOptions: { timeout: START_MS, signal },
    onUncaughtError: (error) => void process.stderr.write(`aicr-output: ${String(error)}\n`),
  });
  const listed = await client.listTools();
  const served = await client.tools();
  let problems = 0;
  let lookUps = 0;
  let calls = 0;
  const inTurn = createTurns(LOOK_UPS_AT_ONCE);

  async function execute(listedName: string, canonical: ToolName, input: unknown): Promise<string> {
    calls++;
    if (calls > MAX_CALLS) return "Refused: there have been too many calls.";
    if (canonical === "aicr.fetch_more_context" || canonical === "aicr.try_blame") {
      lookUps++;
      if (lookUps > MAX_LOOK_UPS) return "Refused: there have been too many look-ups. Report what you know now.";
      return inTurn(() => callServer(listedName, input)).then(shownResult);
    }
    if (canonical === "aicr.skip" || canonical === "aicr.publish_summary") {
      const held = gate.hold(canonical === "aicr.skip" ? "skip" : "publish_summary", input);
      if (held !== null) return held;
    }
    const result = await callServer(listedName, input);
    if (canonical === "aicr.report_problem" && !result.isError) {
      problems++;
      gate.noteProblem();
    }
    return shownResult(result);
  }

  async function callServer(name: string, input: unknown): Promise<ToolAnswer> {
    const run = served[name]?.execute;
    if (run === undefined) throw new Error(`The output server has no tool ${name}.`);
    const result = await run(input as Record<string, unknown>, { toolCallId: name, messages: [], abortSignal: signal });
    return readResult(result);
  }

  const tools: ToolSet = {};
  const known = new Set<ToolName>();
  for (const { name, description, inputSchema } of listed.tools) {
    const canonical = normalizeToolName(name);
    if (canonical === null) continue;
    known.add(canonical);
    tools[name] = tool({
      description: description ?? "",
      inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
      execute: (input: unknown) => execute(name, canonical, input),
    });
  }
  const missing = toolNames.filter((name) => !known.has(name));
  if (missing.length > 0) {
    await client.close();
    throw new Error(`The output server lacks ${missing.join(", ")}.`);
  }

  return {
    tools,
    async call(name, input) {
      const { isError, text } = await callServer(name.replace(".", "_"), input);
      if (isError) throw new Error(`${name}: ${text}`);
    },
    problems: () => problems,
    isFlooded: () => calls > MAX_CALLS,
    close: () => client.close(),
  };
}

/** Runs so many at once; the others wait in the order in which they came. */
function createTurns(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  const lanes = Array.from({ length: most }, () => Promise.resolve<unknown>(undefined));
  let next = 0;
  return (run) => {
    const lane = next++ % most;
    const turn = (lanes[lane] ?? Promise.resolve()).then(run, run);
    lanes[lane] = turn;
    return turn;
  };
}
