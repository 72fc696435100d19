// What the gateway's close codes and refusals mean: whether the process can go on, and what an operator must do.
import { AppError } from "../../src/core/errors.ts";

export interface FaultFacts {
  readonly applicationId: string;
  /** Name of the variable that holds the token. */
  readonly tokenEnv: string;
}

/** Null for codes after which the session is resumed or begun anew. */
export function fatalClose(code: number, facts: FaultFacts): AppError | null {
  switch (code) {
    case 4004:
      return tokenRefused(facts);
    case 4010:
      return new AppError("config", "Discord refused the bot's shard (4010).", {
        remedy: "Start the bot once more; if it stays, report it with the log.",
      });
    case 4012:
      return new AppError("unsupported", "Discord no longer speaks this version of its gateway (4012).", {
        remedy: "Update the bot.",
      });
    case 4013:
      return new AppError(
        "config",
        "Discord refused the gateway intents (4013), of which the bot asks for Guilds alone.",
        {
          remedy: "Update the bot; it needs no intent but Guilds.",
        },
      );
    case 4014:
      return new AppError("config", "Discord disallowed the gateway intent Guilds (4014).", {
        remedy: `Look at the Bot page of application ${facts.applicationId}: no privileged intent need be on, and the bot must not be disabled.`,
      });
    default:
      return null;
  }
}

/** The count of shards no longer fits: the session must be begun with a fresh one. */
export const SHARDING_REQUIRED = 4011;

export function tokenRefused({ applicationId, tokenEnv }: FaultFacts): AppError {
  return new AppError("config", "Discord refuses the bot's token.", {
    remedy: `Reset the token on the Bot page of application ${applicationId}, and put the new one into ${tokenEnv}.`,
  });
}
