// Turns the file's agents and models into what the agents are made of: keys read, endpoints whole, fallbacks in order.
import type { DailyBudget, ModelEndpoint, ModelKind, ModelLimits } from "../agents/model/settings.ts";
import type { AgentFile, AgentKind, ModelFile } from "./agents-schema.ts";

export interface AgentConfig {
  readonly name: string;
  readonly kind: AgentKind;
  /** In the order in which they are asked. */
  readonly models: readonly ModelEndpoint[];
  readonly limits: ModelLimits;
  readonly daily: DailyBudget;
  /** Whether the automatic checks run first. */
  readonly withChecks: boolean;
  /** Name of the agent that takes over when this one gives nothing. */
  readonly fallback?: string;
  readonly discloseModel: boolean;
  readonly program?: string;
  readonly arguments: readonly string[];
  /** Absolute paths that the program runs from. */
  readonly reads: readonly string[];
  readonly promptBy: AgentFile["prompt_by"];
  /** Names of variables that the program gets. */
  readonly env: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where a provider answers if nothing else is said. */
const ownAddresses: Readonly<Record<ModelKind, string>> = {
  "openai-compatible": "",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** @param parsed checked by the schema and by `checkAgents`. */
export function resolveAgents(
  parsed: { readonly agents: readonly AgentFile[]; readonly models: readonly ModelFile[] },
  env: Env,
): readonly AgentConfig[] {
  const endpoints = new Map(parsed.models.map((one) => [one.name, endpointOf(one, env)]));
  return parsed.agents.map((one) => {
    const { limits, daily } = one;
    return {
      name: one.name,
      kind: one.kind,
      models: one.models.flatMap((name) => endpoints.get(name) ?? []),
      limits: {
        steps: limits.steps,
        tokens: limits.tokens,
        ...(limits.money === undefined ? {} : { money: limits.money }),
        ms: limits.seconds * 1000,
        parts: limits.parts,
      },
      daily: {
        ...(daily.tokens === undefined ? {} : { tokens: daily.tokens }),
        ...(daily.money === undefined ? {} : { money: daily.money }),
      },
      withChecks: one.with_checks,
      ...(one.fallback === undefined ? {} : { fallback: one.fallback }),
      discloseModel: one.disclose_model,
      ...(one.program === undefined ? {} : { program: one.program }),
      arguments: one.arguments,
      reads: one.reads,
      promptBy: one.prompt_by,
      env: one.env,
    };
  });
}

/** The keys among the agents' models, for the redactor. */
export function secretsOfAgents(agents: readonly AgentConfig[]): readonly string[] {
  return [...new Set(agents.flatMap(({ models }) => models.flatMap(({ apiKey }) => apiKey ?? [])))];
}

function endpointOf(one: ModelFile, env: Env): ModelEndpoint {
  const apiKey = one.api_key_env === undefined ? undefined : env[one.api_key_env];
  const { prices } = one;
  return {
    name: one.name,
    kind: one.kind,
    model: one.model,
    baseUrl: (one.base_url ?? ownAddresses[one.kind]).replace(/\/+$/, ""),
    ...(apiKey === undefined || apiKey === "" ? {} : { apiKey }),
    contextTokens: one.context_tokens,
    maxOutputTokens: one.max_output_tokens,
    ...(prices === undefined
      ? {}
      : { prices: { input: prices.input, output: prices.output, cachedInput: prices.cached_input ?? prices.input } }),
  };
}
