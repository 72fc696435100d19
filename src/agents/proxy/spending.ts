// Counts what a proxy's requests have used, and tells when its budget is used up.
import type { ModelPrices } from "../model/settings.ts";
import { noTokens, type TokenCounts } from "./read-usage.ts";

export interface ProxyBudget {
  readonly requests?: number;
  /** Read and written together. */
  readonly tokens?: number;
  /** In the currency of the prices. */
  readonly money?: number;
}

export interface ProxyUsage extends TokenCounts {
  /** Requests that reached a provider. */
  readonly requests: number;
  /** Requests that the proxy answered itself, with an error. */
  readonly refused: number;
  readonly cost: number;
  /** Whether a provider did not tell its figures, so that some are estimates. */
  readonly isEstimated: boolean;
}

/** One request that is under way. */
export interface Reservation {
  /** What it is believed to cost so far, output included. */
  update(counts: TokenCounts): void;
  /** Its figures at the end. */
  settle(counts: TokenCounts, isEstimated: boolean): void;
}

export interface Spending {
  /** Takes a request of about so much input, or says why not. */
  reserve(inputTokens: number, prices: ModelPrices | undefined): Reservation | string;
  /** Why what is under way must stop now; null while the budget lasts. */
  exceeded(): string | null;
  refused(): void;
  usage(): ProxyUsage;
}

export function createSpending(budget: ProxyBudget): Spending {
  const open = new Map<object, { counts: TokenCounts; prices: ModelPrices | undefined }>();
  let total = noTokens;
  let cost = 0;
  let requests = 0;
  let refused = 0;
  let isEstimated = false;

  function over(extraTokens: number, extraCost: number, isStart: boolean): string | null {
    const { tokens, money } = budget;
    let allTokens = total.inputTokens + total.outputTokens + extraTokens;
    let allCost = cost + extraCost;
    for (const { counts, prices } of open.values()) {
      allTokens += counts.inputTokens + counts.outputTokens;
      allCost += costOf(counts, prices);
    }
    // A request starts only if something is left for its answer.
    const isOver = (used: number, most: number): boolean => (isStart ? used >= most : used > most);
    if (tokens !== undefined && isOver(allTokens, tokens)) return `The budget of ${tokens} tokens is used up.`;
    if (money !== undefined && isOver(allCost, money)) return `The budget of ${money} for this review is used up.`;
    return null;
  }

  return {
    reserve(inputTokens, prices) {
      if (budget.requests !== undefined && requests >= budget.requests) {
        return `The budget of ${budget.requests} requests is used up.`;
      }
      const counts = { ...noTokens, inputTokens };
      const reason = over(inputTokens, costOf(counts, prices), true);
      if (reason !== null) return reason;
      requests++;
      const key = {};
      open.set(key, { counts, prices });
      return {
        update(now) {
          if (open.has(key)) open.set(key, { counts: now, prices });
        },
        settle(final, estimated) {
          if (!open.delete(key)) return;
          total = sum(total, final);
          cost += costOf(final, prices);
          isEstimated ||= estimated;
        },
      };
    },
    exceeded: () => over(0, 0, false),
    refused: () => void refused++,
    usage: () => ({ ...total, requests, refused, cost, isEstimated }),
  };
}

function costOf(counts: TokenCounts, prices: ModelPrices | undefined): number {
  if (prices === undefined) return 0;
  const cached = Math.min(counts.cachedInputTokens, counts.inputTokens);
  const fresh = counts.inputTokens - cached;
  return (fresh * prices.input + cached * prices.cachedInput + counts.outputTokens * prices.output) / 1_000_000;
}

function sum(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}
