// The `model` agent as the orchestrator sees it: composes the prompt, opens the way to the models, and runs the loop in a sandbox.
import { dirname } from "node:path";
import type { Usage } from "../../core/report.ts";
import type { Agent, AgentPass, PassResult } from "../../ports/agent.ts";
import type { ReviewBrief } from "../../ports/brief.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Redactor } from "../../ports/redactor.ts";
import type { Sandbox, SandboxExit, SandboxLimits, SandboxView } from "../../ports/sandbox.ts";
import { readConnection } from "../../report-tools/connection-mark.ts";
import { checkServerArgs, isCheckable } from "../check-server.ts";
import { recordPass } from "../manifest.ts";
import { composePrompt, type Prompt } from "../prompt/compose-prompt.ts";
import { type ModelProxy, startModelProxy } from "../proxy/proxy.ts";
import { type Allowance, createBudget } from "./budget.ts";
import { concludePass } from "./conclude-pass.ts";
import { budgetFault, limitFault } from "./faults.ts";
import { readEvents, type TaskReading } from "./read-events.ts";
import type { DailyBudget, ModelEndpoint, ModelLimits } from "./settings.ts";
import type { ModelTask } from "./task.ts";

export interface ModelAgentParts {
  /** As the configuration names the agent. */
  readonly name: string;
  /** At least one, in the order in which they are asked. */
  readonly models: readonly [ModelEndpoint, ...ModelEndpoint[]];
  readonly limits: ModelLimits;
  readonly daily: DailyBudget;
  /** What was used for a repository since a moment, ms since the epoch. */
  readonly usageSince: (repository: string, since: number) => Promise<Usage>;
  /** Whether readers are told which model has read the code. */
  readonly disclosesModel: boolean;
  readonly sandbox: () => Promise<Sandbox>;
  readonly sandboxLimits: SandboxLimits;
  readonly maxOutputBytes: number;
  /** Absolute path of the bundle `agent-model`. */
  readonly entry: string;
  /** Absolute path of the bundle `mcp-output`. */
  readonly toolServer: string;
  /** Absolute path of the bundle `mcp-checks`. */
  readonly checkServer: string;
  /** What the bundles run from, see `productFiles`. */
  readonly programs: readonly string[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Time without a word of a model after which it counts as hung, ms. Default two minutes. */
  readonly idleMs?: number;
}

/** Share of the smallest window that a prompt takes: the rest is for look-ups and answers. */
const PROMPT_SHARE = 0.5;
/** A longer prompt is read less well than two of its halves, tokens. */
const LONGEST_PROMPT = 48_000;
/** What is left to the process to end by itself before it is ended, ms. */
const END_MS = 3_000;
const IDLE_MS = 120_000;

export function createModelAgent(parts: ModelAgentParts): Agent {
  const { name, models, clock, redactor } = parts;
  const budget = createBudget(parts);
  const seen = new WeakMap<AgentPass["paths"], Set<string>>();

  return {
    name,
    repairable: true,
    async run(pass, signal) {
      if (pass.brief === undefined) throw new Error(`The agent ${name} needs a brief.`);
      const brief = await pass.brief();
      const { repository } = brief.change;
      const left = await budget.left(pass.paths, repository);
      if (left.kind === "used_up") return { exit: "failed", fault: limitFault(name, left.limit) };
      if (left.kind === "day_used_up") {
        parts.logger.warn("model.day_used_up", { agent: name, repository });
        return { exit: "failed", fault: budgetFault(name, repository) };
      }
      return runPass(pass, brief, left.allowance, signal);
    },
  };

  async function runPass(
    pass: AgentPass,
    brief: ReviewBrief,
    allowance: Allowance,
    signal: AbortSignal,
  ): Promise<PassResult> {
    const started = { at: clock.now(), monotonic: clock.monotonic() };
    const prompt = promptOf(pass, brief);
    const sandbox = await parts.sandbox();
    const proxy = await startModelProxy({
      listen: sandbox.capabilities.isIsolated ? "socket" : "loopback",
      endpoints: models,
      redactor,
      budget: { tokens: allowance.tokens, ...(allowance.money === undefined ? {} : { money: allowance.money }) },
      clock,
      logger: parts.logger,
    });
    try {
      const view = sandbox.view({
        paths: pass.paths,
        programs: parts.programs,
        ...(pass.resolver === undefined ? {} : { resolver: pass.resolver }),
        ...(proxy.socketPath === undefined ? {} : { modelSocket: proxy.socketPath }),
      });
      const deadlineMs = pass.deadlineMs - (clock.monotonic() - started.monotonic);
      const origin = proxy.origin ?? view.modelOrigin ?? "";
      const checks = isCheckable(brief.files) ? [...checkServerArgs(parts.checkServer, view.paths.source)] : undefined;
      const task = taskOf(prompt, allowance, origin, deadlineMs, checks);
      const reading = readEvents((note) => pass.onProgress?.(redactor.redact(note)));
      const exit = await sandbox.run(
        {
          argv: [process.execPath, parts.entry],
          cwd: view.paths.agent,
          env: environment(pass, view),
          stdin: JSON.stringify(task),
          deadlineMs,
          maxOutputBytes: parts.maxOutputBytes,
          limits: parts.sandboxLimits,
          view,
          onStdout: (chunk) => reading.add(chunk),
        },
        signal,
      );
      const usage = usageOf(proxy);
      budget.add(pass.paths, usage);
      const result = concludePass({
        agent: name,
        exit,
        end: reading.end(),
        usage,
        unread: unreadFiles(prompt, reading),
        ...(allowance.isBoundByDay ? { dayFault: budgetFault(name, brief.change.repository) } : {}),
        models: parts.disclosesModel ? modelsSeen(pass, reading) : [],
        redactor,
      });
      record(pass, sandbox, started, exit, reading, result);
      return result;
    } finally {
      await proxy.close();
    }
  }

  function promptOf(pass: AgentPass, brief: ReviewBrief): Prompt {
    const room = Math.min(...models.map(({ contextTokens, maxOutputTokens }) => contextTokens - maxOutputTokens));
    const said = pass.message === undefined ? {} : { [pass.kind === "repair" ? "note" : "answers"]: pass.message };
    return composePrompt({
      brief,
      redactor,
      tool: (tool) => tool.replace(".", "_"),
      nonce: parts.ids.token(),
      locale: pass.locale,
      partTokens: Math.min(LONGEST_PROMPT, Math.max(4_000, room * PROMPT_SHARE)),
      maxParts: parts.limits.parts,
      ...said,
      ...(pass.found === undefined ? {} : { found: pass.found }),
    });
  }

  function taskOf(
    prompt: Prompt,
    allowance: Allowance,
    origin: string,
    deadlineMs: number,
    checkServer: string[] | undefined,
  ): ModelTask {
    return {
      system: prompt.system,
      parts: prompt.parts.map(({ text }) => text),
      models: models.map(({ apiKey: _, baseUrl: __, ...one }) => ({ ...one, baseUrl: `${origin}/${one.name}` })),
      limits: {
        steps: allowance.steps,
        tokens: allowance.tokens,
        ...(allowance.money === undefined ? {} : { money: allowance.money }),
        ms: Math.max(1, Math.min(allowance.ms, deadlineMs - END_MS)),
        idleMs: parts.idleMs ?? IDLE_MS,
      },
      toolServer: parts.toolServer,
      ...(checkServer === undefined ? {} : { checkServer }),
    };
  }

  /** The proxy has seen every request; what the process says of itself need not be believed. */
  function usageOf(proxy: ModelProxy): Usage {
    const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, requests, cost } = proxy.usage();
    const isPriced = models.some(({ prices }) => prices !== undefined);
    const tokens = { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, requests };
    return isPriced ? { ...tokens, money: cost } : tokens;
  }

  /** Those of earlier passes of the attempt too. */
  function modelsSeen({ paths }: AgentPass, { models: now }: TaskReading): readonly string[] {
    const known = seen.get(paths) ?? new Set<string>();
    const configured = new Set(models.map(({ model }) => model));
    for (const one of now) if (configured.has(one)) known.add(one);
    seen.set(paths, known);
    return [...known];
  }

  function record(
    pass: AgentPass,
    sandbox: Sandbox,
    started: { readonly at: number; readonly monotonic: number },
    exit: SandboxExit,
    reading: TaskReading,
    result: PassResult,
  ): void {
    const connection = readConnection(pass.paths.state, pass.runId);
    const { backend, isIsolated, enforces } = sandbox.capabilities;
    const unmet = Object.entries(enforces).flatMap(([limit, how]) =>
      how === "none" ? [`${sandbox.name} does not enforce: ${limit}`] : [],
    );
    try {
      recordPass(pass.paths.root, {
        runId: pass.runId,
        kind: pass.kind,
        agent: { name, kind: "model" },
        model: [...reading.models].join(", ") || models[0].model,
        sandbox: { backend, isIsolated, enforces },
        unmet,
        tools: {
          isConnected: connection !== null,
          ...(connection === null ? {} : { client: connection.client }),
          seen: {},
        },
        startedAt: new Date(started.at).toISOString(),
        ms: Math.round(clock.monotonic() - started.monotonic),
        exit: { reason: exit.reason, code: exit.code, verdict: result.exit },
        ...(result.usage === undefined ? {} : { usage: { ...result.usage } }),
      });
    } catch (thrown) {
      parts.logger.warn("manifest.unwritable", { run: pass.runId, error: thrown });
    }
  }
}

/** Files that no part shows whole, and those of parts that were not read to their end, where there is more than one. */
function unreadFiles(prompt: Prompt, reading: TaskReading): readonly string[] {
  const isDivided = prompt.parts.length > 1;
  const unread = isDivided ? prompt.parts.filter((_, index) => !reading.parts.has(index)) : [];
  return [...new Set([...unread.flatMap(({ files }) => files), ...prompt.leftOut])];
}

function environment(pass: AgentPass, view: SandboxView): Readonly<Record<string, string>> {
  return {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: view.home,
    LANG: "C.UTF-8",
    TMPDIR: view.paths.tmp,
    AICR_CHANGE_PATH: view.paths.change,
    AICR_RUN_ID: pass.runId,
    AICR_OUTPUT_STATE_PATH: view.paths.state,
    ...(view.resolver === undefined ? {} : { AICR_RESOLVER: view.resolver }),
  };
}
