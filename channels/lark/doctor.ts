// What `aicr-bot doctor lark` looks at: the token, the bot, the long connection, a test card that is recalled, and a test click.
import type { Page } from "../../src/core/card.ts";
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import { AppError } from "../../src/core/errors.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { messageOf } from "./background.ts";
import { buildCard } from "./card/build-card.ts";
import { createLarkClient } from "./client.ts";
import type { LarkChannelConfig } from "./config.ts";
import { larkOrigin } from "./domain.ts";
import { type EndpointRefusal, remedyOf } from "./endpoint.ts";
import { within } from "./event-claims.ts";
import { createLarkHttp } from "./http.ts";
import { clicked, type NativeEvent } from "./inbound.ts";
import type { Socket } from "./long-connection.ts";
import { openSocket } from "./open-socket.ts";
import { createLarkDispatcher } from "./sdk.ts";
import { requiredSecret } from "./secrets.ts";
import { createTokenSource } from "./tokens.ts";

export interface LarkCheckOutcome {
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly remedy?: string;
}

export interface LarkCheck {
  /** Stable name for scripts. */
  readonly name: string;
  run(): Promise<LarkCheckOutcome>;
}

export interface LarkDoctorOptions {
  readonly config: LarkChannelConfig;
  readonly secret: (name: string) => string | undefined;
  readonly store: Pick<ChannelStore, "acquireLease" | "releaseLease">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Chat (`oc_…`) or person (`ou_…`) that the test card is sent to; none is sent when absent. */
  readonly to?: string;
  /** How long to wait for somebody to press the test card's button, s; 0 or absent: the click is not tested. */
  readonly clickSeconds?: number;
}

export interface LarkDoctor {
  /** To be run one after another: the later ones use what the earlier ones opened. */
  readonly checks: readonly LarkCheck[];
  /** Recalls the test card, closes the connection and gives the lease back. */
  close(): Promise<void>;
}

const CALL_MS = 15_000;
const CONNECT_MS = 20_000;
const TOKEN = "v1:doctor";

/** Throws AppError `config` when a secret is not set. */
export function larkDoctor(options: LarkDoctorOptions): LarkDoctor {
  const { config, secret, store, clock, ids, logger, to, clickSeconds = 0 } = options;
  const { app_id: appId } = config;
  if (appId === undefined) return { checks: [], close: async () => undefined };
  const appSecret = requiredSecret(config.app_secret_env, secret);
  const origin = larkOrigin(config.domain);
  const http = createLarkHttp({ clock, timeoutMs: CALL_MS, throwCodes: true, secrets: [appSecret] });
  const socketHttp = createLarkHttp({ clock, timeoutMs: CALL_MS, throwCodes: false, secrets: [appSecret] });
  const refused: AppError[] = [];
  const onRefused = (error: AppError): void => void refused.push(error);
  const tokens = createTokenSource({ http, origin, appId, appSecret, clock, onRefused });
  const client = createLarkClient({ appId, appSecret, domain: config.domain, http, clock, logger, onRefused });
  const lease = { name: `lark/${appId}`, owner: ids.next("dr") };
  const target: Target | undefined =
    to === undefined
      ? undefined
      : { conversation: { channel: "lark", workspace: config.tenant_key ?? "doctor", conversation: to } };
  let socket: Socket | undefined;
  let card: MessageRef | undefined;
  let pressed = (): void => undefined;
  const press = new Promise<"pressed">((resolve) => {
    pressed = () => resolve("pressed");
  });

  const token = check("lark:token", async () => {
    await tokens.get();
    return ok(`${origin} knows the app ${appId}`);
  });

  const bot = check("lark:bot", async () => {
    const { name, openId } = await client.bot();
    return ok(`${name === "" ? "the bot" : name}, ${openId}`);
  });

  const connection = check("lark:socket", async () => {
    if (config.transport === "webhook") return ok("not used: the platform posts to /lark/events");
    const ttlMs = CONNECT_MS + CALL_MS + clickSeconds * 1_000;
    if (!(await store.acquireLease({ ...lease, ttlMs, now: clock.now() }))) {
      return ok("the running bot holds the one connection");
    }
    const refusal = await connect();
    if (refusal === null) return ok("the long connection stands");
    const code = refusal.code === undefined ? "" : ` (code ${refusal.code})`;
    return { state: "fail", detail: `No long connection: ${refusal.reason}${code}.`, remedy: remedyOf(refusal).text };
  });

  const sent = check("lark:card", async () => {
    if (target === undefined) return warn("no test card was sent", "Name a chat or a person for it: --to oc_… or ou_…");
    card = await client.sendCard(
      target,
      (place) => buildCard(testPage(clickSeconds), { place }),
      `doctor/${ids.token()}`,
    );
    if (clickSeconds > 0) return ok("the test card is there; it is recalled after the click");
    await recall();
    return ok("a test card was sent and recalled");
  });

  const click = check("lark:click", async () => {
    if (socket === undefined) {
      return warn(
        "clicks come to the running bot",
        "Stop the bot for a moment, or press a button of one of its cards.",
      );
    }
    if (card === undefined)
      return warn("there is no card to press", "Name a chat or a person for it: --to oc_… or ou_…");
    const outcome = await within(press, clickSeconds * 1_000, clock);
    await recall();
    if (outcome === "pressed") return ok("the click arrived");
    const remedy =
      "Under Events & Callbacks, set the callbacks' own subscription to the long connection, add card.action.trigger, and publish a version.";
    return { state: "fail", detail: `No click arrived within ${clickSeconds} s.`, remedy };
  });

  /** Null when the connection stands. */
  async function connect(): Promise<EndpointRefusal | null> {
    const dispatcher = createLarkDispatcher({
      handlers: {
        async "card.action.trigger"(native: NativeEvent) {
          const heard = clicked(native, {});
          if (typeof heard === "string" || heard.action.token !== TOKEN) return {};
          pressed();
          return { toast: { type: "success", content: "OK" } };
        },
      },
      logger,
    });
    const facts = { appId: appId ?? "", appSecret, origin, http: socketHttp, dispatcher, logger };
    const outcome = new Promise<EndpointRefusal | null>((resolve) => {
      socket = openSocket(facts, {
        onReady: () => resolve(null),
        onReconnected: () => undefined,
        onReconnecting: () => undefined,
        onRefused: resolve,
        onError: (error) => resolve({ reason: error.message }),
      });
      socket.start().catch((thrown: unknown) => resolve({ reason: messageOf(thrown) }));
    });
    const late: EndpointRefusal = { reason: `it did not stand within ${CONNECT_MS / 1_000} s` };
    const done = await within(outcome, CONNECT_MS, clock);
    const refusal = done === undefined ? late : done;
    if (refusal !== null) disconnect();
    return refusal;
  }

  function disconnect(): void {
    socket?.close();
    socket = undefined;
  }

  async function recall(): Promise<void> {
    const shown = card;
    card = undefined;
    if (shown !== undefined) await client.remove(shown);
  }

  function check(name: string, run: () => Promise<LarkCheckOutcome>): LarkCheck {
    return {
      name,
      async run() {
        try {
          return await run();
        } catch (thrown) {
          const error = refused[0] ?? thrown;
          const remedy = error instanceof AppError ? error.remedy : "See channels/lark/README.md, and the log.";
          return { state: "fail", detail: messageOf(error), remedy };
        }
      },
    };
  }

  return {
    checks: [
      token,
      bot,
      connection,
      sent,
      ...(clickSeconds > 0 && config.transport === "long_connection" ? [click] : []),
    ],
    async close() {
      await recall().catch((thrown: unknown) => logger.warn("lark.test_card_stays", { error: messageOf(thrown) }));
      disconnect();
      await store.releaseLease(lease.name, lease.owner);
      await Promise.all([http.close(), socketHttp.close()]);
    },
  };
}

function testPage(clickSeconds: number): Page {
  const text = clickSeconds > 0 ? `Press the button within ${clickSeconds} seconds.` : "This card is recalled at once.";
  const actions = [{ label: "Press me", token: TOKEN, style: "primary" } as const];
  return {
    card: {
      title: "A test of aicr-bot doctor",
      tone: "info",
      fallback: "A test of aicr-bot doctor",
      blocks: [
        { kind: "text", children: [{ kind: "text", text }] },
        ...(clickSeconds > 0 ? [{ kind: "actions", actions } as const] : []),
      ],
    },
  };
}

function ok(detail: string): LarkCheckOutcome {
  return { state: "ok", detail };
}

function warn(detail: string, remedy: string): LarkCheckOutcome {
  return { state: "warn", detail, remedy };
}
