// How a channel's settings name a secret: by the environment variable that holds it, never by itself.
import * as z from "zod";

/** Name of an environment variable that holds a secret: capitals, digits and underscores, at most 128. */
export const secretEnv = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,127}$/, "must be the name of an environment variable, such as SLACK_BOT_TOKEN");
