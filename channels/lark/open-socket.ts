// The SDK's long connection as the supervisor wants it: with deadlines, and with the platform's refusals made known.
import type { Logger } from "../../src/ports/logger.ts";
import { watchEndpoint } from "./endpoint.ts";
import type { LarkHttp } from "./http.ts";
import type { Socket, SocketEvents } from "./long-connection.ts";
import { createProxyAgent, type ReadEnvironment } from "./proxy-agent.ts";
import { createLarkSocket, type LarkDispatcher } from "./sdk.ts";

export interface SocketFacts {
  readonly appId: string;
  readonly appSecret: string;
  readonly origin: string;
  /** With `throwCodes: false`: the SDK reads the codes itself. */
  readonly http: LarkHttp;
  readonly dispatcher: LarkDispatcher;
  readonly logger: Logger;
  /** Tells of proxies. Default: the environment of the process, which HTTP calls heed too. */
  readonly env?: ReadEnvironment;
  /** Silence after a ping that counts as a dead connection, s. Default 20. */
  readonly pingTimeoutSeconds?: number;
}

const HANDSHAKE_MS = 15_000;

export function openSocket(facts: SocketFacts, events: SocketEvents): Socket {
  const { appId, appSecret, origin, http, dispatcher, logger, pingTimeoutSeconds = 20 } = facts;
  const socket = createLarkSocket({
    appId,
    appSecret,
    origin,
    http: watchEndpoint(http, (refusal) => events.onRefused(refusal)),
    logger,
    pingTimeoutSeconds,
    handshakeTimeoutMs: HANDSHAKE_MS,
    agent: createProxyAgent(facts.env ?? ((name) => process.env[name])),
    onReady: () => events.onReady(),
    onError: (error) => events.onError(error),
    onReconnecting: () => events.onReconnecting(),
    onReconnected: () => events.onReconnected(),
  });
  if (!socket.takesCardFrames) logger.warn("lark.card_frames_ignored");
  return {
    start: () => socket.start(dispatcher),
    close: () => socket.close(),
    isConnected: () => socket.state() === "connected",
  };
}
