// One pass of the model agent, in its own process: reads every part of the change with a model, and reports through the tools.
import type { LanguageModel, ToolSet } from "ai";
import type { Clock } from "../../ports/clock.ts";
import { type Candidate, createModels } from "./ask-models.ts";
import { type CheckClient, connectCheckTools } from "./check-client.ts";
import { createMeter } from "./meter.ts";
import { createModel } from "./providers.ts";
import { readPart } from "./read-part.ts";
import { connectReportTools, type ReportClient } from "./report-client.ts";
import { createReportGate, type Verdicts } from "./report-gate.ts";
import type { ModelTask, TaskEnd, TaskEndpoint, TaskEvent } from "./task.ts";

export interface RunTaskParts {
  /** The environment that the output server gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly onEvent: (event: TaskEvent) => void;
  /** Makes a model; the real one is made of the provider's package. */
  readonly createModel?: (endpoint: TaskEndpoint) => Promise<LanguageModel>;
  readonly connect?: typeof connectReportTools;
}

/** Never rejects: what went wrong is the last event. */
export async function runTask(task: ModelTask, parts: RunTaskParts, signal: AbortSignal): Promise<TaskEnd> {
  const { onEvent } = parts;
  const gate = createReportGate(task.parts.length);
  let client: ReportClient;
  try {
    client = await (parts.connect ?? connectReportTools)({ server: task.toolServer, env: parts.env, gate, signal });
  } catch (thrown) {
    return finish({ kind: "no_tools", message: messageOf(thrown) });
  }
  const checks = await connectChecks(task, parts, signal);
  try {
    return finish(await readAll(task, parts, client, { ...client.tools, ...checks?.tools }, gate, signal));
  } catch (thrown) {
    return finish({ kind: "trouble", trouble: "refused", message: messageOf(thrown) });
  } finally {
    await Promise.allSettled([client.close(), checks?.close()]);
  }

  function finish(end: TaskEnd): TaskEnd {
    onEvent({ end });
    return end;
  }
}

/** They help, but a review can do without them: null when they cannot be had. */
async function connectChecks(task: ModelTask, parts: RunTaskParts, signal: AbortSignal): Promise<CheckClient | null> {
  if (task.checkServer === undefined) return null;
  try {
    return await connectCheckTools(task.checkServer, parts.env, signal);
  } catch (thrown) {
    parts.onEvent({ progress: `aicr-checks: ${messageOf(thrown)}`.slice(0, 200) });
    return null;
  }
}

async function readAll(
  task: ModelTask,
  parts: RunTaskParts,
  client: ReportClient,
  tools: ToolSet,
  gate: ReturnType<typeof createReportGate>,
  outer: AbortSignal,
): Promise<TaskEnd> {
  const { clock, onEvent } = parts;
  const { limits } = task;
  const meter = createMeter(limits, clock);
  const late = new AbortController();
  const cancelTimer = clock.after(limits.ms, () => late.abort());
  const signal = AbortSignal.any([outer, late.signal]);
  const models = createModels(
    task.models.map((endpoint) => candidate(endpoint, parts.createModel ?? createModel)),
    {
      clock,
      signal,
      timeLeft: meter.timeLeft,
      onRetry: (note) => onEvent({ progress: note.slice(0, 200) }),
    },
  );
  const isDivided = task.parts.length > 1;
  const seen = new Set<string>();
  let text = "";
  try {
    for (const [index, part] of task.parts.entries()) {
      if (isDivided) onEvent({ progress: `${index + 1}/${task.parts.length}` });
      gate.beginPart();
      const end = await readPart({
        system: task.system,
        text: part,
        tools,
        isFlooded: client.isFlooded,
        models,
        meter,
        clock,
        idleMs: limits.idleMs,
        signal,
        ...(isDivided ? { mustSpeak: gate.hasSpoken } : {}),
        onStep: (model) => {
          if (!seen.has(model)) onEvent({ model });
          seen.add(model);
          onEvent({ usage: meter.usage() });
        },
      });
      onEvent({ usage: meter.usage() });
      if (end.kind !== "done") return end;
      // A part about which nothing was said is no part that was read.
      if (isDivided && !gate.hasSpoken()) {
        return { kind: "trouble", trouble: "refused", message: `nothing was reported about part ${index + 1}` };
      }
      text = end.text;
      onEvent({ part: index });
    }
    if (isDivided) await conclude(client, gate.verdicts());
    return { kind: "done", text };
  } finally {
    cancelTimer();
  }
}

/** Says what the parts together came to. Throws when the server refuses it. */
async function conclude(client: ReportClient, { skips, summaries }: Verdicts): Promise<void> {
  const [skip] = skips;
  if (client.problems() === 0 && summaries.length === 0) {
    if (skip !== undefined)
      await client.call("aicr.skip", { reason: skips.includes("lgtm") ? "lgtm" : skip.slice(0, 300) });
    return;
  }
  if (summaries.length === 0) return;
  const title = summaries.find((one) => one.title !== undefined)?.title?.slice(0, 100);
  const markdown = summaries.map((one) => one.markdown.trim()).join("\n\n");
  await client.call("aicr.publish_summary", {
    ...(title === undefined || title.trim() === "" ? {} : { title }),
    markdown: markdown.slice(0, 16_000),
  });
}

/** Its package is loaded when it is asked first. */
function candidate(endpoint: TaskEndpoint, create: (endpoint: TaskEndpoint) => Promise<LanguageModel>): Candidate {
  let made: Promise<LanguageModel> | undefined;
  return { endpoint, model: () => (made ??= create(endpoint)) };
}

function messageOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 500);
}
