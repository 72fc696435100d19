// The faults of a model agent, as people are told of them.
import { AppError } from "../../core/errors.ts";
import type { LimitName, TroubleKind } from "./task.ts";

/** @param detail redacted words of the endpoint, for the log. */
export function troubleFault(agent: string, trouble: TroubleKind, detail: string): AppError {
  const about = { params: { agent }, detail };
  switch (trouble) {
    case "unreachable":
      return new AppError("unavailable", `No model of the agent ${agent} answers.`, {
        ...about,
        remedy: "Try again in a few minutes; if it stays, check the endpoints of its models.",
        reason: "model_unreachable",
      });
    case "auth":
      return new AppError("auth", `The model endpoint of the agent ${agent} refused the bot's key.`, {
        ...about,
        remedy: "Check the key (api_key_env) and the account of its models.",
        reason: "model_auth",
      });
    case "refused":
      return new AppError("unsupported", `The model of the agent ${agent} refused the request.`, {
        ...about,
        remedy: "Check its models in the configuration: id, base_url, context_tokens.",
        reason: "model_refused",
      });
  }
}

export function limitFault(agent: string, limit: LimitName): AppError {
  return new AppError("too_large", `The agent ${agent} reached its limit (${limit}) before it reported anything.`, {
    remedy: "Narrow the change with path:, or raise the limits of the agent.",
    reason: "agent_limit",
    params: { agent, limit },
  });
}

export function budgetFault(agent: string, repository: string): AppError {
  return new AppError("unavailable", `Today's budget of the agent ${agent} for ${repository} is used up.`, {
    remedy: "Wait until midnight (UTC), name another agent, or raise its daily budget.",
    reason: "model_budget",
    params: { agent, repository },
    retryable: false,
  });
}
