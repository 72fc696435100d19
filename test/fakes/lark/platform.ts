// The whole platform on one loopback address, and the product's channel connected to it by the real SDK.
import { larkChannelConfig } from "../../../channels/lark/config.ts";
import { createLarkChannel } from "../../../channels/lark/index.ts";
import type { AppError } from "../../../src/core/errors.ts";
import type { Channel } from "../../../src/ports/channel.ts";
import type { ChannelStore } from "../../../src/ports/channel-store.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import type { Texts } from "../../../src/ports/texts.ts";
import { createSystemClock } from "../../../src/process/system-clock.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { createFixedIds } from "../fixed-ids.ts";
import { createMemoryChannelStore } from "../memory-channel-store.ts";
import { createFakeLarkApi, type FakeLarkApi } from "./api.ts";
import { appId, verificationToken } from "./events.ts";
import { type ClientConfig, createFakeLongConnection, type FakeLongConnection } from "./long-connection.ts";
import { listenLark } from "./server.ts";
import { encryptKey } from "./webhook.ts";

export const appSecret = "app-secret-7c41d0";

export interface FakePlatform {
  readonly origin: string;
  readonly api: FakeLarkApi;
  readonly socket: FakeLongConnection;
  /** Time of the platform's patience: three seconds for an ack, and the times of pushing again. */
  readonly patience: FakeClock;
  close(): Promise<void>;
}

/** @param clock tells the API's fake the time of tokens, limits and idempotency. */
export async function openPlatform(clock: Clock, config: Partial<ClientConfig> = {}): Promise<FakePlatform> {
  const patience = createFakeClock();
  const api = createFakeLarkApi({ appId, appSecret, clock });
  const socket = createFakeLongConnection({ appId, appSecret, clock: patience, config });
  const server = await listenLark([socket, api]);
  return {
    ...{ origin: server.origin, api, socket, patience },
    async close() {
      socket.close();
      await server.close();
    },
  };
}

/** The machine's clock, set to a fixed beginning, that a test can put forward. */
export interface MovableClock extends Clock {
  skip(ms: number): void;
}

export function createMovableClock(start = Date.UTC(2026, 0, 5, 9)): MovableClock {
  const system = createSystemClock();
  const begun = system.now();
  let skipped = 0;
  return {
    now: () => start + system.now() - begun + skipped,
    monotonic: () => system.monotonic() + skipped,
    after: (ms, run) => system.after(ms, run),
    skip(ms) {
      skipped += ms;
    },
  };
}

export interface WaitingLogger extends Logger {
  readonly lines: readonly { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[];
  /** Resolves when an event was logged so many times. */
  logged(event: string, count?: number): Promise<void>;
}

export function createWaitingLogger(): WaitingLogger {
  const lines: { event: string; fields: Readonly<Record<string, unknown>> }[] = [];
  let waiting: { readonly event: string; readonly count: number; readonly met: () => void }[] = [];
  const count = (event: string): number => lines.filter((line) => line.event === event).length;
  function log(event: string, fields: Record<string, unknown> = {}): void {
    lines.push({ event, fields });
    const met = waiting.filter((one) => count(one.event) >= one.count);
    waiting = waiting.filter((one) => !met.includes(one));
    for (const one of met) one.met();
  }
  const logger: WaitingLogger = {
    ...{ debug: log, info: log, warn: log, error: log, child: () => logger, lines },
    logged: (event, times = 1) =>
      count(event) >= times ? Promise.resolve() : new Promise((met) => void waiting.push({ event, count: times, met })),
  };
  return logger;
}

export interface ChannelFacts {
  readonly origin: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store?: ChannelStore;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly secret?: string;
  readonly fatal?: (error: AppError) => void;
}

let texts: Texts | undefined;

export function connectChannel(facts: ChannelFacts): Channel {
  const { origin, clock, logger, store = createMemoryChannelStore(), settings = {}, fatal } = facts;
  const secrets: Readonly<Record<string, string>> = {
    LARK_APP_SECRET: facts.secret ?? appSecret,
    LARK_ENCRYPT_KEY: encryptKey,
    LARK_VERIFICATION_TOKEN: verificationToken,
  };
  const named = { encrypt_key_env: "LARK_ENCRYPT_KEY", verification_token_env: "LARK_VERIFICATION_TOKEN" };
  return createLarkChannel({
    config: larkChannelConfig.parse({
      app_id: appId,
      app_secret_env: "LARK_APP_SECRET",
      domain: origin,
      ...(settings["transport"] === "webhook" ? named : {}),
      ...settings,
    }),
    secret: (name) => secrets[name],
    store,
    clock,
    ids: createFixedIds(),
    logger,
    commandName: "review",
    async texts() {
      texts ??= createTexts();
      return texts;
    },
    fatal:
      fatal ??
      ((error) => {
        throw error;
      }),
  });
}
