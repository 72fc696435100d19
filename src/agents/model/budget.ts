// What is left to a review: of its own bounds over all passes, and of what its repository may use on this day.
import { addUsage, type Usage } from "../../core/report.ts";
import type { RunPaths } from "../../ports/agent.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DailyBudget, ModelLimits } from "./settings.ts";
import type { LimitName } from "./task.ts";

export interface BudgetPorts {
  readonly limits: ModelLimits;
  readonly daily: DailyBudget;
  /** What was used for a repository since a moment (ms since the epoch), in reviews that have ended. */
  readonly usageSince: (repository: string, since: number) => Promise<Usage>;
  readonly clock: Clock;
}

/** What a pass may use. */
export interface Allowance {
  readonly steps: number;
  readonly tokens: number;
  readonly money?: number;
  readonly ms: number;
  /** What of it the day leaves is less than what the review's own bounds do. */
  readonly isBoundByDay: boolean;
}

export type Left =
  | { readonly kind: "left"; readonly allowance: Allowance }
  /** A bound of this review. */
  | { readonly kind: "used_up"; readonly limit: LimitName }
  | { readonly kind: "day_used_up" };

export interface Budget {
  /** @param attempt the paths of the run directory, the same object in every pass of an attempt. */
  left(attempt: RunPaths, repository: string): Promise<Left>;
  add(attempt: RunPaths, usage: Usage): void;
}

const DAY_MS = 86_400_000;

export function createBudget({ limits, daily, usageSince, clock }: BudgetPorts): Budget {
  const attempts = new WeakMap<RunPaths, { readonly startedAt: number; used: Usage }>();

  function attemptOf(paths: RunPaths): { readonly startedAt: number; used: Usage } {
    const known = attempts.get(paths) ?? { startedAt: clock.monotonic(), used: { inputTokens: 0, outputTokens: 0 } };
    attempts.set(paths, known);
    return known;
  }

  return {
    async left(paths, repository) {
      const { startedAt, used } = attemptOf(paths);
      const steps = limits.steps - (used.requests ?? 0);
      const tokens = limits.tokens - tokensOf(used);
      const money = limits.money === undefined ? undefined : limits.money - (used.money ?? 0);
      const ms = limits.ms - (clock.monotonic() - startedAt);
      if (steps <= 0) return { kind: "used_up", limit: "steps" };
      if (tokens <= 0) return { kind: "used_up", limit: "tokens" };
      if (money !== undefined && money <= 0) return { kind: "used_up", limit: "money" };
      if (ms <= 0) return { kind: "used_up", limit: "time" };
      if (daily.tokens === undefined && daily.money === undefined) {
        const own = { steps, tokens, ms, ...(money === undefined ? {} : { money }) };
        return { kind: "left", allowance: { ...own, isBoundByDay: false } };
      }
      const now = clock.now();
      const ended = await usageSince(repository, now - (now % DAY_MS));
      // This attempt stands in no store yet.
      const today = addUsage(ended, used) ?? ended;
      const dayTokens = (daily.tokens ?? Number.POSITIVE_INFINITY) - tokensOf(today);
      const dayMoney = (daily.money ?? Number.POSITIVE_INFINITY) - (today.money ?? 0);
      if (dayTokens <= 0 || dayMoney <= 0) return { kind: "day_used_up" };
      const mostMoney = Math.min(money ?? Number.POSITIVE_INFINITY, dayMoney);
      return {
        kind: "left",
        allowance: {
          steps,
          tokens: Math.min(tokens, dayTokens),
          ms,
          isBoundByDay: dayTokens < tokens || dayMoney < (money ?? Number.POSITIVE_INFINITY),
          ...(Number.isFinite(mostMoney) ? { money: mostMoney } : {}),
        },
      };
    },
    add(paths, usage) {
      const attempt = attemptOf(paths);
      attempt.used = addUsage(attempt.used, usage) ?? usage;
    },
  };
}

function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}
