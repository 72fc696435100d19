// An agent whose program asks a model by itself: not started once a budget is used up, and its readers are told of the model.
import type { ReportNote } from "../core/report.ts";
import type { Agent } from "../ports/agent.ts";
import type { Budget } from "./model/budget.ts";
import { budgetFault, limitFault } from "./model/faults.ts";

export interface AccountParts {
  readonly budget: Budget;
  /** The model that readers are told of once it has answered; absent where they are not to be. */
  readonly disclosed?: string;
}

/** What one pass may use is bounded by its proxy; here stands what all passes and the whole day may. */
export function createAccountedAgent(agent: Agent, { budget, disclosed }: AccountParts): Agent {
  const { name, repairable } = agent;
  return {
    name,
    repairable,
    async run(pass, signal) {
      if (pass.brief === undefined) throw new Error(`The agent ${name} needs a brief.`);
      const { repository } = (await pass.brief()).change;
      const left = await budget.left(pass.paths, repository);
      if (left.kind === "used_up") return { exit: "failed", fault: limitFault(name, left.limit) };
      if (left.kind === "day_used_up") return { exit: "failed", fault: budgetFault(name, repository) };
      const deadlineMs = Math.min(pass.deadlineMs, left.allowance.ms);
      const result = await agent.run({ ...pass, deadlineMs }, signal);
      if (result.usage !== undefined) budget.add(pass.paths, result.usage);
      if (disclosed === undefined || (result.usage?.outputTokens ?? 0) === 0) return result;
      const note: ReportNote = { kind: "model", params: { models: disclosed } };
      return { ...result, notes: [...(result.notes ?? []), note] };
    },
  };
}
