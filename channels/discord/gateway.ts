// Owns the gateway: who may connect, when again, what an operator is told, and when it is over for good.
import type { AppError } from "../../src/core/errors.ts";
import type { ChannelHealth } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { type ConnectionPorts, type Ending, runConnection } from "./gateway-connection.ts";
import type { FaultFacts } from "./gateway-faults.ts";
import { createIdentifyBudget } from "./identify-budget.ts";
import { pause } from "./pause.ts";
import { createSessionOwner } from "./session-owner.ts";
import { createSessionStore } from "./session-store.ts";

export interface Gateway {
  /** Settles when it is known how it stands: connected, waiting, or refused; at the latest after ten seconds. */
  start(): Promise<void>;
  /** Closes the session and gives it back. */
  stop(): Promise<void>;
  health(): ChannelHealth;
}

export interface GatewayOptions extends Pick<ConnectionPorts, "token" | "apiUrl" | "isTokenLost" | "dispatch"> {
  readonly facts: FaultFacts;
  readonly store: Pick<ChannelStore, "note" | "saveNote" | "acquireLease" | "releaseLease">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names this process among those with the same token; unguessable. */
  readonly owner: string;
  /** The process cannot go on with this channel. */
  readonly fatal: (error: AppError) => void;
}

const START_MS = 10_000;
/** Between two tries to become the owner, ms. */
export const OWNER_MS = 2_000;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

export function createGateway(options: GatewayOptions): Gateway {
  const { store, clock, logger, facts } = options;
  const { applicationId } = facts;
  const sessions = createSessionStore({ store, clock, logger, applicationId });
  const budget = createIdentifyBudget({ store, clock, applicationId });
  const name = `discord/gateway/${applicationId}`;
  const owner = createSessionOwner({ store, clock, logger, name, owner: options.owner });
  const stopping = new AbortController();
  let health: ChannelHealth = { state: "starting" };
  let running: Promise<void> | undefined;
  let tellStarted = (): void => {};

  function set(state: ChannelHealth["state"], detail?: string): void {
    health = { state, ...(detail === undefined ? {} : { detail }) };
    if (state !== "starting" || detail !== undefined) tellStarted();
  }

  async function run(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      if (!(await owner.acquire())) {
        set("starting", "another process holds the session; this one takes over when that one ends");
        await pause(clock, OWNER_MS, signal);
        continue;
      }
      const holding = new AbortController();
      const letGo = (): void => holding.abort();
      signal.addEventListener("abort", letGo, { once: true });
      const stopRenewing = owner.renew(() => {
        logger.warn("discord.session_taken", { lease: name });
        set("starting", "another process has taken the session");
        letGo();
      });
      const error = await connectWhile(holding.signal);
      stopRenewing();
      signal.removeEventListener("abort", letGo);
      await owner.release();
      if (error === null) continue;
      set("down", `${error.message} ${error.remedy}`);
      logger.error("discord.gateway_refused", { error: error.message, remedy: error.remedy });
      options.fatal(error);
      return;
    }
  }

  /** Connects again and again while the session is ours; gives what makes going on impossible, or null. */
  async function connectWhile(signal: AbortSignal): Promise<AppError | null> {
    let failures = 0;
    while (!signal.aborted) {
      const ending = await runConnection({ ...options, budget, sessions, up, lost }, signal).catch(unforeseen);
      if (ending.kind === "fatal") return ending.error;
      if (ending.kind === "stopped") return null;
      failures = ending.wasUp ? 0 : failures + 1;
      const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
      const waitMs = Math.max(ending.waitMs, backoff);
      logger.warn("discord.gateway_ended", { detail: ending.detail, waitMs });
      set("down", `${ending.detail}; next try in ${Math.ceil(waitMs / 1_000)} s`);
      await pause(clock, waitMs, signal);
    }
    return null;
  }

  function up(): void {
    if (health.state !== "up") logger.info("discord.gateway_up");
    set("up");
  }

  function lost(detail: string): void {
    set("starting", detail);
  }

  return {
    async start() {
      const started = new Promise<void>((resolve) => {
        tellStarted = resolve;
      });
      running = run();
      const patience = new AbortController();
      await Promise.race([started, pause(clock, START_MS, patience.signal)]);
      patience.abort();
    },
    async stop() {
      stopping.abort();
      await running;
      if (health.state !== "down") set("down", "stopped");
    },
    health: () => health,
  };
}

function unforeseen(thrown: unknown): Ending {
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return { kind: "again", detail, waitMs: 0, wasUp: false };
}
