// Counts what models use, and stops a review that has used enough: before a request, and while its answer still comes.
import type { Clock } from "../../ports/clock.ts";
import type { ModelPrices } from "./settings.ts";
import type { LimitName, TaskLimits, TaskUsage } from "./task.ts";

/** Of one request. */
export interface StepUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
}

export interface Meter {
  /** The bound that a further request of so many tokens would break; null when it may go out. */
  before(inputTokens: number, prices: ModelPrices | undefined): LimitName | null;
  /** The bound that an answer breaks while it comes, by estimated tokens. */
  during(inputTokens: number, outputTokens: number, prices: ModelPrices | undefined): LimitName | null;
  /** A request went out: it counts, whatever comes of it. */
  requested(): void;
  add(step: StepUsage, prices: ModelPrices | undefined): void;
  /** Tokens that may still be written when so many are read. */
  outputLeft(inputTokens: number): number;
  timeLeft(): number;
  usage(): TaskUsage;
}

/** An answer of fewer tokens says nothing: then the request is not worth what it reads. */
const LEAST_OUTPUT = 64;

export function createMeter(limits: TaskLimits, clock: Clock): Meter {
  const started = clock.monotonic();
  let used = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  let requests = 0;
  let money = 0;
  let isPriced = false;

  const timeLeft = (): number => limits.ms - (clock.monotonic() - started);
  const tokensWith = (input: number, output: number): number => used.inputTokens + used.outputTokens + input + output;

  function during(input: number, output: number, prices: ModelPrices | undefined): LimitName | null {
    if (timeLeft() <= 0) return "time";
    if (tokensWith(input, output) > limits.tokens) return "tokens";
    const cost = costOf({ inputTokens: input, outputTokens: output, cachedInputTokens: 0 }, prices);
    return limits.money !== undefined && money + cost > limits.money ? "money" : null;
  }

  return {
    before(inputTokens, prices) {
      if (requests >= limits.steps) return "steps";
      return during(inputTokens, LEAST_OUTPUT, prices);
    },
    during,
    requested: () => void requests++,
    add(step, prices) {
      used = {
        inputTokens: used.inputTokens + step.inputTokens,
        outputTokens: used.outputTokens + step.outputTokens,
        cachedInputTokens: used.cachedInputTokens + step.cachedInputTokens,
        reasoningTokens: used.reasoningTokens + step.reasoningTokens,
      };
      if (prices !== undefined) isPriced = true;
      money += costOf(step, prices);
    },
    outputLeft: (inputTokens) => Math.max(1, limits.tokens - tokensWith(inputTokens, 0)),
    timeLeft,
    usage: () => ({ ...used, requests, ...(isPriced ? { money } : {}) }),
  };
}

export function costOf(
  usage: Pick<StepUsage, "inputTokens" | "outputTokens" | "cachedInputTokens">,
  prices: ModelPrices | undefined,
): number {
  if (prices === undefined) return 0;
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const fresh = usage.inputTokens - cached;
  return (fresh * prices.input + cached * prices.cachedInput + usage.outputTokens * prices.output) / 1_000_000;
}
