// The one file that touches Lark's SDK: what the channel needs of it, behind small interfaces of our own.
import * as lark from "@larksuiteoapi/node-sdk";
import type { Logger } from "../../src/ports/logger.ts";
import type { LarkHttp } from "./http.ts";
import { createSdkLogger } from "./sdk-logger.ts";

/** Names the product in the platform's request logs. */
const SOURCE = "aicr-bot";

export interface LarkAppOptions {
  readonly appId: string;
  readonly appSecret: string;
  /** Origin of the platform's API, without a slash at its end (`larkOrigin`). */
  readonly origin: string;
  readonly http: LarkHttp;
  readonly logger: Logger;
}

/** One call of the platform's API. */
export interface SdkCall {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Path with its parameters in place, from `/open-apis/` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The body is a form with files. */
  readonly isForm?: boolean;
}

export interface SdkClient {
  /**
   * @param token the tenant's access token: the SDK's own cache asks many times at once, is shared between apps, and never
   *   drops a token that the platform refuses.
   * Throws LarkHttpError.
   */
  call(call: SdkCall, token: string): Promise<unknown>;
}

export function createSdkClient({ appId, appSecret, origin, http, logger }: LarkAppOptions): SdkClient {
  const client = new lark.Client({
    appId,
    appSecret,
    domain: origin,
    disableTokenCache: true,
    cache: new lark.DefaultCache(),
    httpInstance: http as unknown as lark.HttpInstance,
    logger: createSdkLogger(logger, [appSecret]),
    loggerLevel: lark.LoggerLevel.warn,
    source: SOURCE,
  });
  return {
    call: ({ method, path, query, body, isForm = false }, token) =>
      client.request(
        {
          method,
          url: path,
          ...(query === undefined ? {} : { params: query }),
          ...(body === undefined ? {} : { data: body }),
          ...(isForm ? { headers: { "Content-Type": "multipart/form-data" } } : {}),
        },
        lark.withTenantToken(token),
      ),
  };
}

/** Answers what goes back to the platform: an object for clicks, nothing for events. Data is header and event in one object. */
export type LarkEventHandler = (data: Readonly<Record<string, unknown>>) => Promise<unknown>;

export interface LarkDispatcher {
  /** Runs the handler of an event whose signature and age were checked already. Its answer goes back to the platform. */
  dispatch(body: Readonly<Record<string, unknown>>): Promise<unknown>;
}

const sdkDispatchers = new WeakMap<LarkDispatcher, lark.EventDispatcher>();

export interface LarkDispatcherOptions {
  /** Handlers by event type, such as `im.message.receive_v1`. */
  readonly handlers: Readonly<Record<string, LarkEventHandler>>;
  /** Decrypts events of the webhook; the long connection needs none. */
  readonly encryptKey?: string;
  readonly logger: Logger;
}

export function createLarkDispatcher({ handlers, encryptKey = "", logger }: LarkDispatcherOptions): LarkDispatcher {
  const sdk = new lark.EventDispatcher({
    encryptKey,
    cache: new lark.DefaultCache(),
    logger: createSdkLogger(logger, [encryptKey]),
    loggerLevel: lark.LoggerLevel.warn,
  });
  sdk.register(handlers);
  const dispatcher: LarkDispatcher = { dispatch: (body) => sdk.invoke(body, { needCheck: false }) };
  sdkDispatchers.set(dispatcher, sdk);
  return dispatcher;
}

/** `idle`: not started, or the SDK refused to (it tells by the log alone that an app id is malformed). */
export type LarkSocketState = "idle" | "connecting" | "connected" | "reconnecting" | "failed";

export interface LarkSocket {
  /** Resolves before the connection stands: wait for `onReady`. May be called again after `onError`. */
  start(dispatcher: LarkDispatcher): Promise<void>;
  /** @param force drops the connection without a farewell. */
  close(force?: boolean): void;
  state(): LarkSocketState;
  /** Whether frames of the legacy type `card` reach the dispatcher; the SDK drops them unanswered by itself. */
  readonly takesCardFrames: boolean;
}

export interface LarkSocketOptions extends LarkAppOptions {
  /** Silence after a ping that counts as a dead connection, s. */
  readonly pingTimeoutSeconds: number;
  readonly handshakeTimeoutMs: number;
  /** An `http.Agent` for the connection, where a proxy stands between. */
  readonly agent?: unknown;
  /** The first connection stands. */
  readonly onReady: () => void;
  /** The SDK gave up, as it does at once for fatal codes; the message names the code. */
  readonly onError: (error: Error) => void;
  readonly onReconnecting: () => void;
  readonly onReconnected: () => void;
}

/** `http` must let codes through (`throwCodes: false`): the SDK reads them here. */
export function createLarkSocket(options: LarkSocketOptions): LarkSocket {
  const { appId, appSecret, origin, http, logger } = options;
  const socket = new lark.WSClient({
    appId,
    appSecret,
    domain: origin,
    httpInstance: http as unknown as lark.HttpInstance,
    logger: createSdkLogger(logger, [appSecret]),
    loggerLevel: lark.LoggerLevel.info,
    source: SOURCE,
    agent: options.agent,
    wsConfig: { pingTimeout: options.pingTimeoutSeconds },
    handshakeTimeoutMs: options.handshakeTimeoutMs,
    onReady: options.onReady,
    onError: options.onError,
    onReconnecting: options.onReconnecting,
    onReconnected: options.onReconnected,
  });
  return {
    async start(dispatcher) {
      const eventDispatcher = sdkDispatchers.get(dispatcher);
      if (eventDispatcher === undefined) throw new Error("a dispatcher of createLarkDispatcher is needed");
      await socket.start({ eventDispatcher });
    },
    close: (force = false) => socket.close({ force }),
    state: () => socket.getConnectionStatus().state,
    takesCardFrames: takeCardFrames(socket),
  };
}

interface Frame {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/**
 * The SDK answers frames of type `event` only; a click that the platform sends as `card` would be lost without an answer.
 * Reaches into a private method: false, and nothing changed, where a new version has none.
 */
function takeCardFrames(socket: lark.WSClient): boolean {
  const inner = socket as unknown as { handleEventData?: (frame: Frame) => Promise<void> };
  const original = inner.handleEventData;
  if (typeof original !== "function") return false;
  inner.handleEventData = (frame) => original.call(socket, asEvent(frame));
  return true;
}

function asEvent(frame: Frame): Frame {
  const headers = frame.headers.map((header) =>
    header.key === "type" && header.value === "card" ? { ...header, value: "event" } : header,
  );
  return { ...frame, headers };
}
