// One connection to the gateway, from the login to its end: discord.js resumes by itself, this watches that it really does.
import { WebSocketManager } from "@discordjs/ws";
import { DiscordAPIError, GatewayIntentBits, REST } from "discord.js";
import type { AppError } from "../../src/core/errors.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { type FaultFacts, fatalClose, SHARDING_REQUIRED, tokenRefused } from "./gateway-faults.ts";
import { createIdentifyTurns, type IdentifyBudget, waitForBudget } from "./identify-budget.ts";
import { pause } from "./pause.ts";
import type { SessionStore } from "./session-store.ts";
import { createGuardedShards } from "./shard-guard.ts";

/** Why a connection ended. */
export type Ending =
  | { readonly kind: "fatal"; readonly error: AppError }
  /** To be tried again, `waitMs` later at least. */
  | { readonly kind: "again"; readonly detail: string; readonly waitMs: number; readonly wasUp: boolean }
  /** The signal ended it. */
  | { readonly kind: "stopped" };

export interface ConnectionPorts {
  readonly token: string;
  readonly apiUrl: string;
  readonly facts: FaultFacts;
  readonly budget: IdentifyBudget;
  readonly sessions: SessionStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether Discord refused the bot's token to the REST client meanwhile. */
  readonly isTokenLost: () => Promise<boolean>;
  /** The connection works, perhaps again. */
  readonly up: () => void;
  /** It does not for now; the library connects again by itself. */
  readonly lost: (detail: string) => void;
  /** Something happened. Must not throw. */
  readonly dispatch: (type: string, data: unknown, shard: ShardPlace) => void;
}

export interface ShardPlace {
  readonly shard: number;
  readonly of: number;
}

/** All that the bot hears of: servers, their channels and threads. Interactions need no intent. */
export const intents: number = GatewayIntentBits.Guilds;

/** How long a login may take, ms; the library alone would try for ever. */
export const LOGIN_MS = 30_000;
/** Time between two looks at the connection, ms. */
export const WATCH_MS = 15_000;
/** Discord acknowledges a heartbeat every 41 s. */
const LONGEST_SILENCE_MS = 150_000;
/** How long the library may try to resume, ms. */
const LONGEST_LOSS_MS = 120_000;
/** Closed so often within a minute, the library's own tries lead nowhere. */
const MOST_CLOSES = 10;
/** How long a good-bye may take, ms; the library never ends that of a login that hangs. */
export const CLOSE_MS = 5_000;
/** Keeps the session for whoever resumes it; 1000 would end it. */
const RESUMABLE = 4200;

export async function runConnection(ports: ConnectionPorts, signal: AbortSignal): Promise<Ending> {
  const { token, apiUrl, facts, budget, sessions, clock, logger } = ports;
  const shards = createGuardedShards();
  const manager = new WebSocketManager({
    token,
    intents,
    rest: new REST({ api: apiUrl, version: "10", retries: 0, timeout: 15_000 }).setToken(token),
    identifyProperties: { os: process.platform, browser: "aicr-bot", device: "aicr-bot" },
    helloTimeout: LOGIN_MS,
    buildStrategy: shards.build,
    async buildIdentifyThrottler(of) {
      const { session_start_limit: limit } = await of.fetchGatewayInformation();
      return createIdentifyTurns({ budget, clock, concurrency: limit.max_concurrency });
    },
    retrieveSessionInfo: (shard) => sessions.retrieve(shard),
    updateSessionInfo: (shard, session) => sessions.update(shard, session),
  });

  const login = await prepareLogin(ports, manager, signal);
  if (typeof login !== "number") return login;

  const up = new Set<number>();
  const closedAt: number[] = [];
  let ackedAt = clock.monotonic();
  let lostAt: number | null = clock.monotonic();
  let wasUp = false;
  let cancelWatch = clock.after(WATCH_MS, watch);
  let settle: (ending: Ending) => void = () => {};
  const ended = new Promise<Ending>((resolve) => {
    settle = resolve;
  });
  const again = (detail: string, waitMs = 0): void => settle({ kind: "again", detail, waitMs, wasUp });
  const cancelLogin = clock.after(LOGIN_MS, () => {
    if (!wasUp) again(`the login took longer than ${LOGIN_MS / 1000} s`);
  });
  const stop = (): void => settle({ kind: "stopped" });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();

  function shardUp({ shardId }: { readonly shardId: number }): void {
    up.add(shardId);
    ackedAt = clock.monotonic();
    if (up.size < Number(login)) return;
    lostAt = null;
    wasUp = true;
    ports.up();
  }

  function shardClosed({ code, shardId }: { readonly code: number; readonly shardId: number }): void {
    logger.warn("discord.gateway_closed", { code, shard: shardId });
    up.delete(shardId);
    lostAt ??= clock.monotonic();
    closedAt.push(clock.monotonic());
    closedAt.splice(0, closedAt.length - MOST_CLOSES);
    const lately = closedAt.filter((at) => at > clock.monotonic() - 60_000).length;
    const error = fatalClose(code, facts);
    if (error !== null) settle({ kind: "fatal", error });
    else if (code === SHARDING_REQUIRED) again("the bot is in so many servers that it needs more shards");
    else if (lately >= MOST_CLOSES) again(`Discord closed it ${lately} times within a minute`);
    else ports.lost(`closed by Discord with ${code}; connecting again`);
  }

  function watch(): void {
    const now = clock.monotonic();
    if (lostAt === null && now - ackedAt > LONGEST_SILENCE_MS) again("no heartbeat was acknowledged for long");
    if (wasUp && lostAt !== null && now - lostAt > LONGEST_LOSS_MS) again("it could not be resumed for long");
    cancelWatch = clock.after(WATCH_MS, watch);
    ports.isTokenLost().then(
      (isLost) => isLost && settle({ kind: "fatal", error: tokenRefused(facts) }),
      () => undefined,
    );
  }

  manager.on("ready", shardUp);
  manager.on("resumed", shardUp);
  manager.on("closed", shardClosed);
  manager.on("heartbeat", () => {
    ackedAt = clock.monotonic();
  });
  manager.on("dispatch", ({ data, shardId }) => {
    ports.dispatch(String(data.t), data.d, { shard: shardId, of: Number(login) });
  });
  manager.on("error", ({ error, shardId }) => {
    logger.warn("discord.gateway_error", { shard: shardId, error: error.message });
  });
  manager.connect().catch((thrown: unknown) => again(thrown instanceof Error ? thrown.message : String(thrown)));

  const ending = await ended;
  cancelLogin();
  cancelWatch();
  signal.removeEventListener("abort", stop);
  await goodBye(ending.kind === "again");
  return ending;

  /** @param isResumed whether the session is to be gone on with. */
  async function goodBye(isResumed: boolean): Promise<void> {
    manager.removeAllListeners("closed");
    sessions.keep(isResumed);
    const closing = Promise.resolve(manager.destroy(isResumed ? { code: RESUMABLE, reason: "beginning anew" } : {}));
    const over = new AbortController();
    await Promise.race([closing.catch(() => undefined), pause(clock, CLOSE_MS, over.signal)]);
    over.abort();
    shards.abandon();
    sessions.keep(false);
    await sessions.flush();
  }
}

/** What must be so before a connection is made; else how it ends. Gives the number of shards. */
async function prepareLogin(
  { facts, budget, sessions, clock }: ConnectionPorts,
  manager: WebSocketManager,
  signal: AbortSignal,
): Promise<number | Ending> {
  try {
    const { shards, session_start_limit: limit } = await manager.fetchGatewayInformation();
    const kept = await Promise.all(Array.from({ length: shards }, (_, shard) => sessions.retrieve(shard)));
    const fresh = kept.filter((session) => session?.shardCount !== shards).length;
    if (fresh > 0) {
      const waitMs = waitForBudget(limit, fresh);
      if (waitMs > 0) {
        const detail = `only ${limit.remaining} of ${limit.total} sessions of the day are left; waiting for new ones`;
        return { kind: "again", detail, waitMs, wasUp: false };
      }
      await pause(clock, await budget.delayMs(), signal);
    }
    return signal.aborted ? { kind: "stopped" } : shards;
  } catch (thrown) {
    if (thrown instanceof DiscordAPIError && thrown.status === 401) {
      return { kind: "fatal", error: tokenRefused(facts) };
    }
    const detail = `Discord cannot be asked for its gateway: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return { kind: "again", detail, waitMs: 0, wasUp: false };
  }
}
