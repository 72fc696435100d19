// The alternative to the gateway: Discord posts to us, and what is left to watch is the token.
import type { AppError } from "../../src/core/errors.ts";
import type { ChannelHealth } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Gateway } from "./gateway.ts";
import { type FaultFacts, tokenRefused } from "./gateway-faults.ts";
import type { DiscordRest } from "./rest.ts";
import { isTokenLost } from "./token-watch.ts";

export interface HttpTransportPorts {
  readonly rest: DiscordRest;
  readonly facts: FaultFacts;
  readonly clock: Pick<Clock, "after">;
  readonly fatal: (error: AppError) => void;
}

const WATCH_MS = 60_000;

export function createHttpTransport({ rest, facts, clock, fatal }: HttpTransportPorts): Gateway {
  let health: ChannelHealth = { state: "starting" };
  let cancel = (): void => {};
  let isStopped = false;

  async function look(): Promise<void> {
    const asked = await rest.call({ method: "GET", path: "/users/@me" });
    const isLost = !asked.ok && asked.refusal.status === 401 && (await isTokenLost(rest));
    if (isStopped) return;
    if (isLost) {
      const error = tokenRefused(facts);
      health = { state: "down", detail: `${error.message} ${error.remedy}` };
      fatal(error);
      return;
    }
    health = asked.ok
      ? { state: "up" }
      : { state: "down", detail: `Discord cannot be reached: ${asked.refusal.message}` };
    cancel = clock.after(WATCH_MS, () => void look());
  }

  return {
    start: look,
    async stop() {
      isStopped = true;
      cancel();
      health = { state: "down", detail: "stopped" };
    },
    health: () => health,
  };
}
