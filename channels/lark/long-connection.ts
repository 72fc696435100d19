// Keeps one long connection of the app: guarded by a lease, watched, and opened anew with patience when the SDK gives up.

import type { ChannelHealth } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { messageOf } from "./background.ts";
import { type EndpointRefusal, remedyOf } from "./endpoint.ts";

/** One attempt at a connection, with reconnections of its own: the SDK's. */
export interface Socket {
  /** Resolves before the connection stands. */
  start(): Promise<void>;
  close(): void;
  isConnected(): boolean;
}

export interface SocketEvents {
  onReady(): void;
  onReconnecting(): void;
  onReconnected(): void;
  /** The SDK gave up. */
  onError(error: Error): void;
  /** An attempt got no address; the SDK may or may not give up. */
  onRefused(refusal: EndpointRefusal): void;
}

export interface LongConnectionPorts {
  readonly open: (events: SocketEvents) => Socket;
  readonly store: Pick<ChannelStore, "acquireLease" | "releaseLease">;
  readonly appId: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

export interface LongConnection {
  start(): void;
  stop(): Promise<void>;
  health(): ChannelHealth;
}

/** A process that died is followed by another after this, ms. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** A connection that does not stand by then is begun anew: the SDK itself may wait for minutes, ms. */
export const CONNECT_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** The same for what waiting does not mend: every attempt counts towards the platform's limits. */
const CONFIGURATION_WAIT_MS = 30_000;
const MAX_CONFIGURATION_WAIT_MS = 10 * 60_000;

export function createLongConnection(ports: LongConnectionPorts): LongConnection {
  const { store, appId, clock, ids, logger } = ports;
  const lease = { name: `lark/${appId}`, owner: ids.next("lc") } as const;
  let isRunning = false;
  let health: ChannelHealth = { state: "starting" };
  let socket: Socket | undefined;
  /** Grows with every connection that is opened or given up. */
  let attempt = 0;
  let failures = 0;
  let leasedUntil = 0;
  let cancelWait = (): void => undefined;
  let cancelWatch = (): void => undefined;
  let cancelRenewal = (): void => undefined;

  async function hold(): Promise<void> {
    const holder = await acquire();
    if (!isRunning) return holder === "us" ? store.releaseLease(lease.name, lease.owner) : undefined;
    if (holder !== "us") {
      tell(waiting(holder, "Another process holds the one long connection of this app; this one waits."));
      return waitFor(RENEW_MS, hold);
    }
    renewLater();
    connect();
  }

  async function acquire(): Promise<Holder> {
    const now = clock.now();
    try {
      if (!(await store.acquireLease({ ...lease, ttlMs: LEASE_MS, now }))) return "another";
      leasedUntil = now + LEASE_MS;
      return "us";
    } catch (thrown) {
      logger.warn("lark.lease_failed", { error: messageOf(thrown) });
      // What was ours stays so until it runs out.
      return socket !== undefined && clock.now() < leasedUntil ? "us" : "nobody_knows";
    }
  }

  function renewLater(): void {
    cancelRenewal = clock.after(RENEW_MS, () => void renew());
  }

  async function renew(): Promise<void> {
    const holder = await acquire();
    if (!isRunning) return;
    if (holder === "us") return renewLater();
    logger.warn("lark.lease_lost", { name: lease.name, holder });
    disconnect();
    tell(waiting(holder, "Another process took over the one long connection of this app; this one waits."));
    waitFor(RENEW_MS, hold);
  }

  function connect(): void {
    disconnect();
    const mine = attempt;
    /** What an attempt tells that was given up already changes nothing. */
    const current = (run: () => void) => (): void => {
      if (isRunning && attempt === mine) run();
    };
    const failed = (refusal: EndpointRefusal): void => current(() => again(refusal))();
    watch();
    try {
      socket = ports.open({
        onReady: current(() => stands("lark.connected")),
        onReconnected: current(() => stands("lark.reconnected")),
        onReconnecting: current(() => {
          tell({ state: "starting", detail: "The long connection broke off and is being made again." });
          logger.warn("lark.reconnecting");
          watch();
        }),
        onRefused: failed,
        onError: (error) => failed(refusalOf(error)),
      });
      socket.start().catch((thrown: unknown) => failed({ reason: messageOf(thrown) }));
    } catch (thrown) {
      failed({ reason: messageOf(thrown) });
    }
  }

  function stands(event: string): void {
    failures = 0;
    cancelWatch();
    tell({ state: "up" });
    logger.info(event);
  }

  function watch(): void {
    cancelWatch();
    cancelWatch = clock.after(CONNECT_MS, () => again({ reason: "it did not stand within a minute" }));
  }

  function again(refusal: EndpointRefusal): void {
    disconnect();
    const { text, isConfiguration } = remedyOf(refusal);
    const code = refusal.code === undefined ? "" : ` (code ${refusal.code})`;
    tell({ state: "down", detail: `No long connection: ${refusal.reason}${code}. ${text}` });
    const [first, most] = isConfiguration
      ? [CONFIGURATION_WAIT_MS, MAX_CONFIGURATION_WAIT_MS]
      : [FIRST_WAIT_MS, MAX_WAIT_MS];
    const wait = Math.min(first * 2 ** Math.min(failures, 20), most);
    failures += 1;
    // Between half and all of it, so that many processes do not come at once.
    const ms = Math.round(wait * (0.5 + fraction(ids) / 2));
    logger.warn("lark.connection_failed", { ...refusal, ms });
    waitFor(ms, async () => connect());
  }

  function disconnect(): void {
    attempt += 1;
    cancelWatch();
    const closing = socket;
    socket = undefined;
    closing?.close();
  }

  function waitFor(ms: number, run: () => Promise<void>): void {
    cancelWait();
    cancelWait = clock.after(ms, () => {
      if (!isRunning) return;
      run().catch((thrown: unknown) => logger.error("lark.connection_crashed", { error: messageOf(thrown) }));
    });
  }

  function tell(next: ChannelHealth): void {
    health = next;
  }

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      tell({ state: "starting" });
      waitFor(0, hold);
    },
    async stop() {
      if (!isRunning) return;
      isRunning = false;
      cancelWait();
      cancelRenewal();
      disconnect();
      tell({ state: "down" });
      await store.releaseLease(lease.name, lease.owner).catch(() => undefined);
    },
    health() {
      // What the socket says counts: a machine that slept may not have told yet.
      if (health.state === "up" && socket?.isConnected() !== true) {
        return { state: "starting", detail: "The long connection is being made again." };
      }
      return health;
    },
  };
}

/** Who holds the lease; nobody knows while the store does not answer. */
type Holder = "us" | "another" | "nobody_knows";

function waiting(holder: Exclude<Holder, "us">, elsewhere: string): ChannelHealth {
  if (holder === "another") return { state: "starting", detail: elsewhere };
  const remedy = "Look for lark.lease_failed in the log, and whether the data folder can be written.";
  return { state: "down", detail: `The lease of the long connection cannot be taken: the store fails. ${remedy}` };
}

/** The SDK's message of giving up names the code. */
function refusalOf(error: Error): EndpointRefusal {
  const code = /\bcode=(\d+)/.exec(error.message)?.[1];
  const reason = /\bmsg=(.*)$/s.exec(error.message)?.[1] ?? error.message;
  return { ...(code === undefined ? {} : { code: Number(code) }), reason: reason.slice(0, 200) };
}

/** A number from 0 up to 1 out of a random token. */
function fraction(ids: Ids): number {
  const hash = [...ids.token()].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7);
  return hash / 1_000_003;
}
