// How the file names a secret: by the environment variable that holds it, never by itself.
import * as z from "zod";

/** Name of an environment variable that holds a secret. */
export const secretName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,127}$/, "must be the name of an environment variable, such as GAME_GIT_TOKEN");

/** Whether a setting names a variable, in the right form, that holds nothing. */
export function isUnset(name: unknown, env: Readonly<Record<string, string | undefined>>): name is string {
  return secretName.safeParse(name).success && (env[String(name)] ?? "") === "";
}

export function unsetText(name: string): string {
  return `The environment variable ${name} is not set. Set it, or put it into .env beside this file.`;
}
