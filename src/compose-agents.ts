// Makes the configured agents: checks, which is always there, models, programs, and who takes over for whom.

import { createAccountedAgent } from "./agents/accounted.ts";
import type { Adapter } from "./agents/adapter.ts";
import { createAdapterAgent } from "./agents/adapter-agent.ts";
import { checkServers } from "./agents/check-server.ts";
import { createChecksAgent } from "./agents/checks/agent.ts";
import { createCommandAdapter } from "./agents/command.ts";
import { createModelAgent } from "./agents/model/agent.ts";
import { createBudget } from "./agents/model/budget.ts";
import { createPromptSource } from "./agents/prompt/prompt-source.ts";
import { createAgentWithChecks } from "./agents/with-checks.ts";
import { builtInAgent } from "./config/agents-schema.ts";
import { bundlePath } from "./config/paths.ts";
import type { AgentConfig } from "./config/resolve-agents.ts";
import type { SandboxConfig } from "./config/sandbox-schema.ts";
import { AppError } from "./core/errors.ts";
import type { Usage } from "./core/report.ts";
import type { Agent } from "./ports/agent.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Logger } from "./ports/logger.ts";
import type { Redactor } from "./ports/redactor.ts";
import type { Sandbox } from "./ports/sandbox.ts";
import type { Store } from "./ports/store.ts";

export interface AgentsParts {
  readonly configured: readonly AgentConfig[];
  /** Where agents run; asked before each run. Throws AppError `config` when none can be had. */
  readonly sandbox: () => Promise<Sandbox>;
  readonly bounds: Pick<SandboxConfig, "limits" | "idleMs" | "maxOutputBytes">;
  /** What the bundles run from, see `productFiles`. */
  readonly programs: readonly string[];
  readonly store: Pick<Store, "usageSince">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** The bot's own environment, of which programs get what the configuration names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Adapters of known command lines, by the kind of the agent; null where there is none. */
  readonly adapterOf?: (config: AgentConfig) => Adapter | null;
}

export interface ComposedAgents {
  readonly agents: ReadonlyMap<string, Agent>;
  /** By an agent's name: who takes over when it gives nothing. */
  readonly fallbacks: ReadonlyMap<string, Agent>;
}

/** Tokens of the prompt of a program whose model is not known. */
const PROGRAM_PROMPT_TOKENS = 60_000;

/** Throws AppError `config` for an agent of a kind that there is no adapter for. */
export function composeAgents(parts: AgentsParts): ComposedAgents {
  const checks = createChecksAgent({
    sandbox: parts.sandbox,
    entry: bundlePath("agent-checks"),
    toolServer: bundlePath("mcp-output"),
    programs: parts.programs,
  });
  const agents = new Map<string, Agent>([[builtInAgent, checks]]);
  for (const config of parts.configured) {
    if (config.kind === "checks") {
      agents.set(config.name, { ...checks, name: config.name });
      continue;
    }
    const agent = config.kind === "model" ? modelAgent(config, parts) : programAgent(config, parts);
    agents.set(config.name, config.withChecks ? createAgentWithChecks(agent, checks) : agent);
  }
  const fallbacks = new Map<string, Agent>();
  for (const { name, fallback } of parts.configured) {
    const agent = fallback === undefined ? undefined : agents.get(fallback);
    if (agent !== undefined) fallbacks.set(name, agent);
  }
  return { agents, fallbacks };
}

function modelAgent(config: AgentConfig, parts: AgentsParts): Agent {
  const { name, limits, daily, discloseModel } = config;
  const [first, ...others] = config.models;
  if (first === undefined) throw unusable(config, "it has no models");
  const { clock, ids, logger, redactor, bounds } = parts;
  return createModelAgent({
    name,
    models: [first, ...others],
    limits,
    daily,
    usageSince: usageOf(name, parts),
    disclosesModel: discloseModel,
    sandbox: parts.sandbox,
    sandboxLimits: bounds.limits,
    maxOutputBytes: bounds.maxOutputBytes,
    entry: bundlePath("agent-model"),
    toolServer: bundlePath("mcp-output"),
    checkServer: bundlePath("mcp-checks"),
    programs: parts.programs,
    clock,
    ids,
    logger,
    redactor,
  });
}

function programAgent(config: AgentConfig, parts: AgentsParts): Agent {
  const adapter = parts.adapterOf?.(config) ?? commandAdapter(config, parts);
  const { name, limits } = config;
  const { clock, ids, logger, redactor, bounds } = parts;
  const [endpoint] = config.models;
  const room = endpoint === undefined ? undefined : (endpoint.contextTokens - endpoint.maxOutputTokens) / 2;
  const source = createPromptSource({
    redactor,
    ids,
    tool: (tool) => (adapter.capabilities.names === "underscore" ? tool.replace(".", "_") : tool),
    tokens: Math.min(PROGRAM_PROMPT_TOKENS, room ?? PROGRAM_PROMPT_TOKENS),
  });
  const agent = createAdapterAgent({
    name,
    adapter,
    sandbox: parts.sandbox,
    toolServer: bundlePath("mcp-output"),
    programs: parts.programs,
    moreServers: (pass, view) => checkServers(bundlePath("mcp-checks"), pass.paths, view),
    prompt: source.prompt,
    ...(endpoint === undefined ? {} : { endpoint }),
    budget: {
      requests: limits.steps,
      tokens: limits.tokens,
      ...(limits.money === undefined ? {} : { money: limits.money }),
    },
    limits: bounds.limits,
    idleMs: bounds.idleMs,
    maxOutputBytes: bounds.maxOutputBytes,
    turns: limits.steps,
    clock,
    logger,
    redactor,
  });
  return createAccountedAgent(source.noting(agent), {
    budget: createBudget({ limits, daily: config.daily, usageSince: usageOf(name, parts), clock }),
    ...(config.discloseModel && endpoint !== undefined ? { disclosed: endpoint.model } : {}),
  });
}

function usageOf(agent: string, { store }: AgentsParts): (repository: string, since: number) => Promise<Usage> {
  return (repository, since) => store.usageSince({ repository, agent, since });
}

function commandAdapter(config: AgentConfig, parts: AgentsParts): Adapter {
  const { kind, program, promptBy } = config;
  if (kind !== "command") throw unusable(config, `there is no adapter for ${kind}`);
  if (program === undefined) throw unusable(config, "it has no program");
  const given = config.env.flatMap((name) => {
    const value = parts.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return createCommandAdapter({
    argv: [program, ...config.arguments],
    env: Object.fromEntries(given),
    prompt: promptBy,
    // Beside the system's own folders; a bare name is looked for there.
    programs: [...(program.startsWith("/") ? [program] : []), ...config.reads],
    names: "underscore",
  });
}

function unusable({ name }: AgentConfig, why: string): AppError {
  return new AppError("config", `The agent ${name} cannot be made: ${why}.`, {
    remedy: "Correct it under agents in the configuration.",
  });
}
