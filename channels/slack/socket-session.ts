// One life of one Socket Mode connection: from asking for its address to its end, with the reason, and never an unhandled rejection.
import { SocketModeClient } from "@slack/socket-mode";
import { WebAPIRateLimitedError } from "@slack/web-api";
import * as z from "zod";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { AckPayload, Incoming } from "./bolt.ts";
import { slackCode } from "./oauth-calls.ts";
import { createSdkLogger } from "./sdk-logger.ts";

export interface SocketSessionOptions {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly receive: (incoming: Incoming) => Promise<unknown>;
  readonly fetch?: typeof globalThis.fetch;
}

export interface SessionEnd {
  /** ms for which it stood; 0 when Slack never said hello. */
  readonly livedMs: number;
  /** Slack's or our own word: `refresh_requested`, `too_many_websockets`, `invalid_auth`, `no_hello`, … */
  readonly reason: string;
  /** The app-level token is refused: it makes no sense to try again. */
  readonly isRefused: boolean;
  /** What Slack asked to wait, ms. */
  readonly retryAfterMs?: number;
}

export interface SocketSession {
  /** Settles when the connection is over, whatever ended it. Never rejects. */
  readonly ended: Promise<SessionEnd>;
  /** Closes it; settles when the peer agreed, or after a while without it. */
  close(): Promise<void>;
}

/** How long Slack may take to say hello after the address was asked for, ms. */
export const HELLO_MS = 15_000;
/** How long a close may take, ms. */
const CLOSE_MS = 3_000;

/** What `apps.connections.open` refuses for good. */
const refusals = new Set([
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "user_removed_from_team",
  "team_disabled",
  "token_revoked",
  "token_expired",
  "not_allowed_token_type",
  "missing_scope",
  "forbidden_team",
  "org_login_required",
]);

const farewell = z.object({ type: z.literal("disconnect"), reason: z.string().max(100).default("disconnect") });
const envelope = z.object({
  body: z.record(z.string(), z.unknown()),
  retry_num: z.number().optional(),
  retry_reason: z.string().optional(),
});

/** @param onHello Slack said hello: from now on events arrive. */
export function openSocketSession(options: SocketSessionOptions, onHello: () => void): SocketSession {
  const { clock, logger } = options;
  const client = new SocketModeClient({
    appToken: options.appToken,
    // Who reconnects, and when, is decided by the lines: the SDK would do it every five seconds for ever.
    autoReconnectEnabled: false,
    logger: createSdkLogger(logger),
    clientOptions: {
      slackApiUrl: options.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: HELLO_MS,
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    },
  });
  let helloAt: number | undefined;
  let reason: string | undefined;
  let finish: (end: SessionEnd) => void = () => undefined;
  const ended = new Promise<SessionEnd>((resolve) => {
    finish = resolve;
  });
  const over = (why: string, more: Partial<SessionEnd> = {}): void => {
    stopWatching();
    const livedMs = helloAt === undefined ? 0 : clock.monotonic() - helloAt;
    finish({ livedMs, reason: reason ?? why, isRefused: false, ...more });
  };
  const stopWatching = clock.after(HELLO_MS, () => {
    over("no_hello");
    client.disconnect().catch(() => undefined);
  });

  // The SDK reads messages in a promise that nobody holds: one that it cannot read would be an unhandled rejection.
  const readers = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  client.on("ws_message", (data: unknown, isBinary: unknown) => {
    reason = farewellIn(data) ?? reason;
    for (const read of readers) {
      Promise.resolve(read(data, isBinary)).catch((thrown: unknown) => {
        logger.warn("slack.message_unreadable", { error: thrown instanceof Error ? thrown.message : "unknown" });
      });
    }
  });
  client.on("connected", () => {
    helloAt = clock.monotonic();
    stopWatching();
    onHello();
  });
  client.on("disconnected", () => over("closed"));
  client.on("slack_event", (args: unknown) => {
    const parsed = envelope.safeParse(args);
    const ack = ackOf(args);
    if (!parsed.success || ack === undefined) return;
    const { body, retry_num, retry_reason } = parsed.data;
    void options.receive({
      body,
      answer: (payload) => ack(payload),
      ...(retry_num === undefined ? {} : { retryNum: retry_num }),
      ...(retry_reason === undefined ? {} : { retryReason: retry_reason }),
    });
  });
  client.start().catch((thrown: unknown) => over(...failureOf(thrown)));

  return {
    ended,
    close: () =>
      new Promise((resolve) => {
        const cancel = clock.after(CLOSE_MS, resolve);
        const done = (): void => {
          cancel();
          resolve();
        };
        client.disconnect().then(done, done);
      }),
  };
}

/** Slack's goodbye, with its reason; the SDK tells of neither. */
function farewellIn(data: unknown): string | undefined {
  if (typeof data !== "string" || data.length > 10_000 || !data.includes('"disconnect"')) return undefined;
  try {
    const parsed = farewell.safeParse(JSON.parse(data));
    return parsed.success ? parsed.data.reason : undefined;
  } catch {
    return undefined;
  }
}

function ackOf(args: unknown): ((payload: AckPayload) => Promise<void>) | undefined {
  if (typeof args !== "object" || args === null || !("ack" in args) || typeof args.ack !== "function") return undefined;
  const { ack } = args;
  return async (payload) => void (await ack(payload));
}

/** What the attempt to connect ran into: Slack's word where it gave one. */
function failureOf(thrown: unknown): [why: string, more: Partial<SessionEnd>] {
  if (thrown instanceof WebAPIRateLimitedError) return ["ratelimited", { retryAfterMs: thrown.retryAfter * 1_000 }];
  const code = slackCode(thrown);
  if (code !== undefined) return [code, { isRefused: refusals.has(code) }];
  return [thrown === undefined ? "closed" : "unreachable", {}];
}
