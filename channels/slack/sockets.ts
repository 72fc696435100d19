// The Socket Mode way in: two connections that overlap, so that no refresh leaves a gap in which the bot is deaf.
import type { ChannelHealth } from "../../src/ports/channel.ts";
import { type Breaker, createBreaker, STORM } from "./breaker.ts";
import { openSocketSession, type SessionEnd, type SocketSession, type SocketSessionOptions } from "./socket-session.ts";

export interface SocketsOptions extends SocketSessionOptions {
  /** A fresh number from 0 to below 1. */
  readonly random: () => number;
  /** The app-level token is refused, with Slack's word for it; nothing is tried any more. */
  readonly refused: (code: string, whileStarting: boolean) => void;
}

export interface Sockets {
  /** Settles when the first connection stands, when the token is refused, or after a while without either. */
  start(): Promise<void>;
  /** Closes all; settles when they are closed. */
  stop(): Promise<void>;
  health(): ChannelHealth;
}

/** Slack allows ten connections an app; two a process leave room for four processes and a restart. */
const LINES = 2;
/** How long the start waits for a connection, ms; after that it comes when it comes. */
const START_MS = 8_000;
/** Where Slack says that there are too many already, ms. */
const CROWDED_MS = 15_000;

interface Line {
  readonly number: number;
  readonly breaker: Breaker;
  session: SocketSession | undefined;
  isUp: boolean;
  /** Why the last connection ended; undefined while all is well. */
  trouble: string | undefined;
  /** Ends the wait for the next try. */
  wake: (() => void) | undefined;
}

export function createSockets(options: SocketsOptions): Sockets {
  const { clock, logger } = options;
  const lines = Array.from(
    { length: LINES },
    (_, number): Line => ({
      number,
      breaker: createBreaker(options.random),
      session: undefined,
      isUp: false,
      trouble: undefined,
      wake: undefined,
    }),
  );
  let isStopping = false;
  let hasBeenUp = false;
  let refusal: string | undefined;
  let firstUp: () => void = () => undefined;

  /** A line lives for ever: one connection after another, until it is stopped or the token refused. */
  async function keep(line: Line, onFirst: () => void): Promise<void> {
    while (!isStopping && refusal === undefined) {
      const session = openSocketSession(options, () => {
        line.isUp = true;
        hasBeenUp = true;
        line.trouble = undefined;
        logger.info("slack.socket_up", { line: line.number });
        onFirst();
      });
      line.session = session;
      const end = await session.ended;
      line.isUp = false;
      line.session = undefined;
      if (isStopping) return;
      if (end.isRefused) return refuse(end.reason);
      await rest(line, end);
    }
  }

  function rest(line: Line, { livedMs, reason, retryAfterMs = 0 }: SessionEnd): Promise<void> {
    const least = reason === "too_many_websockets" ? Math.max(CROWDED_MS, retryAfterMs) : retryAfterMs;
    const waitMs = line.breaker.ended(livedMs, least);
    const short = line.breaker.short();
    if (short > 0) line.trouble = reason;
    const fields = { line: line.number, reason, livedMs, waitMs, short };
    if (short === STORM) logger.error("slack.socket_storm", fields);
    else if (short > 0) logger.warn("slack.socket_lost", fields);
    else logger.info("slack.socket_refreshed", fields);
    if (waitMs === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.after(waitMs, resolve);
      line.wake = () => {
        cancel();
        resolve();
      };
    });
  }

  function refuse(code: string): void {
    if (refusal !== undefined) return;
    refusal = code;
    logger.error("slack.app_token_refused", { code });
    for (const line of lines) {
      line.wake?.();
      line.session?.close().catch(() => undefined);
    }
    firstUp();
    options.refused(code, !hasBeenUp);
  }

  return {
    start() {
      return new Promise((resolve) => {
        const cancel = clock.after(START_MS, () => firstUp());
        firstUp = () => {
          cancel();
          resolve();
        };
        const [first, ...others] = lines;
        let hasOthers = false;
        if (first === undefined) return;
        void keep(first, () => {
          firstUp();
          // The others wait for the first: asking for addresses is scarce, and a wrong token is found once.
          if (hasOthers) return;
          hasOthers = true;
          for (const line of others) void keep(line, () => undefined);
        });
      });
    },
    async stop() {
      isStopping = true;
      for (const line of lines) line.wake?.();
      await Promise.all(lines.map((line) => line.session?.close()));
    },
    health() {
      if (refusal !== undefined) return { state: "down", detail: remedyFor(refusal) };
      const trouble = lines.find((line) => line.trouble !== undefined)?.trouble;
      const detail = trouble === undefined ? {} : { detail: remedyFor(trouble) };
      if (lines.some(({ isUp }) => isUp)) return { state: "up", ...detail };
      return { state: hasBeenUp || trouble !== undefined ? "down" : "starting", ...detail };
    },
  };
}

/** What an operator can do about the reason for which connections end. */
export function remedyFor(reason: string): string {
  switch (reason) {
    case "too_many_websockets":
      return "Slack says that the app has too many connections (too_many_websockets): at most ten are allowed, two for each running bot; stop the bots that are too many.";
    case "unreachable":
    case "closed":
      return "The connection to Slack cannot be held: look at the network, the proxy and status.slack.com.";
    case "no_hello":
      return "Slack takes connections but says no hello (no_hello): look at status.slack.com and at proxies that hold back WebSockets.";
    case "missing_scope":
    case "not_allowed_token_type":
      return `Slack refuses the app-level token (${reason}): it must begin with xapp- and have the scope connections:write.`;
    case "link_disabled":
      return "Socket Mode is switched off for the app (link_disabled): switch it on at api.slack.com/apps.";
    case "not_authed":
    case "invalid_auth":
    case "account_inactive":
    case "token_revoked":
    case "token_expired":
    case "user_removed_from_team":
    case "team_disabled":
    case "forbidden_team":
    case "org_login_required":
      return `Slack refuses the app-level token (${reason}): make a new one at api.slack.com/apps, Basic Information, and start again.`;
    default:
      return `Connections to Slack do not hold (${reason}): look at status.slack.com.`;
  }
}
