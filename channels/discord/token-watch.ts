// Whether Discord still takes the bot's token: one refusal may be Discord's own trouble, two say that an operator must act.
import type { DiscordRest } from "./rest.ts";

/** True when the token was refused, and is refused when it is asked for itself. */
export async function isTokenLost(rest: DiscordRest): Promise<boolean> {
  if (!rest.isTokenRefused()) return false;
  const asked = await rest.call({ method: "GET", path: "/users/@me" });
  return !asked.ok && asked.refusal.status === 401;
}
