// Finds out who the bot is, which proves its credentials too: with patience while the platform cannot be reached.
import type { ChannelHealth } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { messageOf } from "./background.ts";

export interface Identity {
  /** Asks until there is an answer, then calls back once. */
  find(found: (openId: string) => void): void;
  stop(): void;
  /** `up` once the bot is known. */
  health(): ChannelHealth;
}

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 2 * 60_000;

/** @param ask rejects when the platform does not answer, or refuses the app. */
export function createIdentity(ask: () => Promise<string>, clock: Clock, logger: Logger): Identity {
  let health: ChannelHealth = { state: "starting" };
  let isStopped = false;
  let cancel = (): void => undefined;

  function attempt(found: (openId: string) => void, wait: number): void {
    ask()
      .then((openId) => {
        if (isStopped) return;
        health = { state: "up" };
        logger.info("lark.bot_known", { openId });
        found(openId);
      })
      .catch((thrown: unknown) => {
        if (isStopped) return;
        const error = messageOf(thrown);
        health = { state: "down", detail: `The bot cannot be looked up: ${error}` };
        logger.warn("lark.bot_unknown", { error, ms: wait });
        cancel = clock.after(wait, () => attempt(found, Math.min(wait * 2, MAX_WAIT_MS)));
      });
  }

  return {
    find: (found) => attempt(found, FIRST_WAIT_MS),
    stop() {
      isStopped = true;
      cancel();
    },
    health: () => health,
  };
}
