// Finds out who the bot is, which proves its credentials too: with patience while the platform cannot be reached.
import type { ChannelHealth } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { messageOf } from "./background.ts";

export interface Identity {
  /** Asks until there is an answer, then calls back once. */
  find(found: (openId: string) => void): void;
  /** The platform refused the credentials: it is asked again until it takes them. */
  doubt(detail: string): void;
  stop(): void;
  /** `up` while the bot is known and its credentials are taken. */
  health(): ChannelHealth;
}

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 2 * 60_000;
/** Credentials are changed by people: nothing is gained by asking at once, ms. */
const DOUBT_MS = 30_000;

/** @param ask rejects when the platform does not answer, or refuses the app; asks anew every time. */
export function createIdentity(ask: () => Promise<string>, clock: Clock, logger: Logger): Identity {
  let health: ChannelHealth = { state: "starting" };
  let isStopped = false;
  let isAsking = false;
  let cancel = (): void => undefined;

  function attempt(wait: number, found: (openId: string) => void): void {
    isAsking = true;
    ask()
      .then((openId) => {
        isAsking = false;
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
        isAsking = true;
        cancel = clock.after(wait, () => attempt(Math.min(wait * 2, MAX_WAIT_MS), found));
      });
  }

  return {
    find: (found) => attempt(FIRST_WAIT_MS, found),
    doubt(detail) {
      if (isStopped) return;
      health = { state: "down", detail };
      if (isAsking) return;
      isAsking = true;
      cancel = clock.after(DOUBT_MS, () => attempt(DOUBT_MS, () => undefined));
    },
    stop() {
      isStopped = true;
      cancel();
    },
    health: () => health,
  };
}
