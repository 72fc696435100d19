// Calls of the platform's API: a token on each, once more with a new one when it is refused, and faults the sender understands.

import { ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { hasCode, isTokenRefusal, QUOTA_CODE, QUOTA_PAUSE_MS, toChannelError, unsentAsYet } from "./faults.ts";
import type { SdkCall, SdkClient } from "./sdk.ts";
import type { TokenSource } from "./tokens.ts";

export interface LarkApi {
  /** The `data` of the answer, or the whole answer where the platform puts none. Throws ChannelError. */
  call(call: SdkCall): Promise<Readonly<Record<string, unknown>>>;
  /** Until when nothing is sent because the tenant's monthly quota is used up, ms since the epoch; null otherwise. */
  pausedUntil(): number | null;
}

export interface LarkApiOptions {
  readonly sdk: SdkClient;
  readonly tokens: TokenSource;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createLarkApi({ sdk, tokens, clock, logger }: LarkApiOptions): LarkApi {
  let pause: number | null = null;

  async function once(call: SdkCall, token: string): Promise<Readonly<Record<string, unknown>>> {
    const answer = (await sdk.call(call, token)) as Readonly<Record<string, unknown>>;
    const data = answer["data"];
    return typeof data === "object" && data !== null ? (data as Readonly<Record<string, unknown>>) : answer;
  }

  async function withToken(call: SdkCall): Promise<Readonly<Record<string, unknown>>> {
    const token = await tokens.get().catch(unsentAsYet);
    try {
      return await once(call, token);
    } catch (thrown) {
      if (!isTokenRefusal(thrown)) throw thrown;
      logger.info("lark.token_refused", { path: call.path });
      tokens.drop(token);
      return once(call, await tokens.get().catch(unsentAsYet));
    }
  }

  return {
    async call(call) {
      if (pause !== null && clock.now() < pause) {
        const message = "The tenant's monthly quota of calls is used up.";
        throw new ChannelError("rate_limited", message, { retryAfterMs: pause - clock.now() });
      }
      pause = null;
      try {
        return await withToken(call);
      } catch (thrown) {
        if (hasCode(thrown, QUOTA_CODE)) {
          pause = clock.now() + QUOTA_PAUSE_MS;
          logger.error("lark.quota_used_up", { until: new Date(pause).toISOString() });
        }
        throw toChannelError(thrown);
      }
    },
    pausedUntil: () => (pause !== null && clock.now() < pause ? pause : null),
  };
}
