// What the command lines of both tool servers have in common: their options, and refusals that say where the help is.
import { AppError } from "../core/errors.ts";

/** Options of both servers, for `parseArgs`. */
export const commonOptions = {
  transport: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  "allow-origin": { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

export interface OptionRules {
  /** The fault of a command line that cannot be taken. */
  bad(message: string, cause?: unknown): AppError;
  /** The value, if it is one of those allowed. Throws AppError `bad_request`. */
  oneOf<const T extends string>(flag: string, value: string, allowed: readonly T[]): T;
  /** What `read` gives; what it throws becomes an AppError `bad_request`. */
  orRefuse<T>(read: () => T): T;
}

/** @param command the server's command, whose help the refusals point to: `mcp output`. */
export function optionRules(command: string): OptionRules {
  const bad = (message: string, cause?: unknown): AppError =>
    new AppError("bad_request", message, { remedy: `See \`aicr-bot ${command} --help\`.`, cause });
  return {
    bad,
    oneOf(flag, value, allowed) {
      const found = allowed.find((candidate) => candidate === value);
      if (found === undefined) throw bad(`${flag} wants ${allowed.join(" or ")}, not ${JSON.stringify(value)}.`);
      return found;
    },
    orRefuse(read) {
      try {
        return read();
      } catch (cause) {
        throw bad(cause instanceof Error ? cause.message : String(cause), cause);
      }
    },
  };
}
