// What is left to a review: its own bounds over all passes, and the day's of its repository.
import { describe, expect, it } from "vitest";
import { createBudget } from "../../../../src/agents/model/budget.ts";
import type { DailyBudget, ModelLimits } from "../../../../src/agents/model/settings.ts";
import type { Usage } from "../../../../src/core/report.ts";
import type { RunPaths } from "../../../../src/ports/agent.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

const limits: ModelLimits = { steps: 10, tokens: 1_000, money: 2, ms: 5_000, parts: 4 };
const attempt = (root: string): RunPaths => ({ root, change: "", source: "", base: "", agent: "", tmp: "", state: "" });

function budget(daily: DailyBudget = {}, today: Usage = { inputTokens: 0, outputTokens: 0 }) {
  const asked: [string, number][] = [];
  const clock = createFakeClock(Date.UTC(2026, 0, 2, 15));
  const usageSince = async (repository: string, since: number): Promise<Usage> => {
    asked.push([repository, since]);
    return today;
  };
  return { clock, asked, ...createBudget({ limits, daily, usageSince, clock }) };
}

describe("the budget of a review", () => {
  it("shrinks with every pass of its attempt, and is whole for the next", async () => {
    const { left, add, clock } = budget();
    const first = attempt("1");
    expect(await left(first, "game")).toMatchObject({ allowance: { steps: 10, tokens: 1_000, money: 2, ms: 5_000 } });
    add(first, { inputTokens: 600, outputTokens: 100, requests: 4, money: 0.5 });
    clock.advance(1_000);
    expect(await left(first, "game")).toMatchObject({ allowance: { steps: 6, tokens: 300, money: 1.5, ms: 4_000 } });
    expect(await left(attempt("2"), "game")).toMatchObject({ allowance: { steps: 10, tokens: 1_000 } });
  });

  it.each<[string, Usage, number]>([
    ["steps", { inputTokens: 1, outputTokens: 1, requests: 10 }, 0],
    ["tokens", { inputTokens: 900, outputTokens: 100 }, 0],
    ["money", { inputTokens: 1, outputTokens: 1, money: 2 }, 0],
    ["time", { inputTokens: 1, outputTokens: 1 }, 5_000],
  ])("is used up in %s", async (limit, used, ms) => {
    const { left, add, clock } = budget();
    const paths = attempt("1");
    await left(paths, "game");
    add(paths, used);
    clock.advance(ms);
    expect(await left(paths, "game")).toEqual({ kind: "used_up", limit });
  });
});

describe("the budget of a day", () => {
  it("is that of the repository since midnight UTC, what is under way included", async () => {
    const { left, add, asked } = budget({ tokens: 1_500 }, { inputTokens: 700, outputTokens: 100 });
    const paths = attempt("1");
    expect(await left(paths, "game")).toMatchObject({ allowance: { tokens: 700, isBoundByDay: true } });
    expect(asked).toEqual([["game", Date.UTC(2026, 0, 2)]]);
    add(paths, { inputTokens: 690, outputTokens: 10 });
    expect(await left(paths, "game")).toEqual({ kind: "day_used_up" });
  });

  it("holds in money too, and is not asked for where there is none", async () => {
    const rich = budget({ money: 10 }, { inputTokens: 0, outputTokens: 0, money: 9.5 });
    expect(await rich.left(attempt("1"), "game")).toMatchObject({ allowance: { money: 0.5, isBoundByDay: true } });
    const poor = budget({ money: 10 }, { inputTokens: 0, outputTokens: 0, money: 10 });
    expect(await poor.left(attempt("1"), "game")).toEqual({ kind: "day_used_up" });
    const free = budget();
    await free.left(attempt("1"), "game");
    expect(free.asked).toEqual([]);
  });
});
