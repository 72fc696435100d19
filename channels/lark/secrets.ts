// Secrets by the names of their environment variables: one that is missing stops the start, and says which.
import { AppError } from "../../src/core/errors.ts";

/**
 * Throws AppError `config` when the variable is not set.
 * @param name as the settings give it; undefined when they miss it.
 */
export function requiredSecret(name: string | undefined, secret: (name: string) => string | undefined): string {
  const value = name === undefined ? undefined : secret(name);
  if (value !== undefined && value !== "") return value;
  const what = name === undefined ? "A secret of the Lark channel is not named." : `The variable ${name} is not set.`;
  throw new AppError("config", what, { remedy: "Set it in the environment or in .env; see channels/lark/README.md." });
}
