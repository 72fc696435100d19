// Slack's Socket Mode on loopback: single-use addresses, hello, envelopes that want one acknowledgement each, refreshes and refusals.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** The answer of `apps.connections.open`. */
export type OpenAnswer =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly error: string }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

export interface Acknowledged {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Which connection it came through, counted from 1. */
  readonly connection: number;
}

export type EnvelopeKind = "events_api" | "slash_commands" | "interactive";

export interface FakeSockets {
  /** What the Web API answers to `apps.connections.open`. */
  open(authorization: string | undefined): OpenAnswer;
  /**
   * Sends an envelope through one connection (an arbitrary one, as Slack does) and settles with its acknowledgement.
   * @param connection which one, counted from 1.
   */
  deliver(kind: EnvelopeKind, payload: unknown, options?: DeliverOptions): Promise<Acknowledged>;
  /** `warning` or `refresh_requested` to one connection, or to all. The client is to leave by itself. */
  disconnect(reason: string, connection?: number): void;
  /** Cuts the network: no goodbye, no close frame. */
  cut(connection?: number): void;
  /** Takes and says nothing any more, while the connection stands: half open. */
  silence(connection: number): void;
  /** Connections that have said hello and are not closed, oldest first. */
  live(): readonly number[];
  /** Settles when so many connections are live. */
  whenLive(count: number): Promise<void>;
  /** Settles when `apps.connections.open` was called so often, all in all. */
  whenOpened(count: number): Promise<void>;
  /** How often an address was asked for. */
  opened(): number;
  /** What a client did that Slack would not take. Must be empty at the end of a test. */
  readonly faults: string[];
  readonly behaviour: SocketBehaviour;
  /** Where the Web API of this fake is, with `apps.connections.open` alone. */
  readonly apiUrl: string;
  stop(): Promise<void>;
}

export interface DeliverOptions {
  readonly connection?: number;
  readonly envelopeId?: string;
  readonly retryAttempt?: number;
  readonly retryReason?: string;
}

/** What the platform does next; tests change it. */
export interface SocketBehaviour {
  /** False: connections are taken, and nothing is said. */
  saysHello: boolean;
  /** Connections beyond it are told `too_many_websockets`. */
  most: number;
  /** Answers to the next calls of `apps.connections.open`, in order; then it works again. */
  readonly answers: OpenAnswer[];
  /** Every connection is closed by the server as soon as it said hello. */
  closesAtOnce: boolean;
}

interface Connection {
  readonly number: number;
  readonly socket: WebSocket;
  readonly waiting: Map<string, { readonly takesPayload: boolean; readonly resolve: (given: Acknowledged) => void }>;
  isLive: boolean;
}

export async function createFakeSockets(appToken: string): Promise<FakeSockets> {
  const behaviour: SocketBehaviour = { saysHello: true, most: 10, answers: [], closesAtOnce: false };
  const faults: string[] = [];
  const tickets = new Set<string>();
  const connections: Connection[] = [];
  const watchers = new Set<() => void>();
  let opened = 0;
  let envelopes = 0;
  const server = createServer((request, response) => {
    const answer = request.url === "/api/apps.connections.open" ? open(request.headers.authorization) : { status: 404 };
    request.resume();
    if ("status" in answer) response.writeHead(answer.status, answer.headers).end("<html>Not here</html>");
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const wss = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => upgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = (server.address() as AddressInfo).port;

  function changed(): void {
    for (const watch of [...watchers]) watch();
  }

  function when(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watch = (): void => {
        if (!isTrue()) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });
  }

  function open(authorization: string | undefined): OpenAnswer {
    opened++;
    queueMicrotask(changed);
    const planned = behaviour.answers.shift();
    if (planned !== undefined) return planned;
    if (authorization === undefined) return { ok: false, error: "not_authed" };
    if (authorization !== `Bearer ${appToken}`) return { ok: false, error: "invalid_auth" };
    const ticket = `t${opened}`;
    tickets.add(ticket);
    return { ok: true, url: `ws://127.0.0.1:${port}/link/?ticket=${ticket}&app_id=A0001` };
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = new URL(request.url ?? "/", "http://slack.invalid");
    // An address opens one connection.
    if (address.pathname !== "/link/" || !tickets.delete(address.searchParams.get("ticket") ?? "")) {
      faults.push(`upgrade of ${address.pathname} without a fresh ticket`);
      socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
      return;
    }
    wss.handleUpgrade(request, socket, head, greet);
  }

  function greet(socket: WebSocket): void {
    const connection: Connection = { number: connections.length + 1, socket, waiting: new Map(), isLive: false };
    connections.push(connection);
    socket.on("message", (data) => take(connection, String(data)));
    socket.on("close", () => {
      connection.isLive = false;
      changed();
    });
    if (live().length >= behaviour.most) {
      socket.send(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
      return;
    }
    if (!behaviour.saysHello) return;
    connection.isLive = true;
    const info = { app_id: "A0001" };
    socket.send(JSON.stringify({ type: "hello", num_connections: live().length, connection_info: info }));
    if (behaviour.closesAtOnce) socket.close(1000);
    changed();
  }

  function take(connection: Connection, text: string): void {
    const read = readAck(text);
    if (read === null) return void faults.push(`no acknowledgement: ${text.slice(0, 200)}`);
    const waiting = connection.waiting.get(read.envelope_id);
    if (waiting === undefined) return void faults.push(`unknown envelope, or acknowledged twice: ${read.envelope_id}`);
    connection.waiting.delete(read.envelope_id);
    const payload = read.payload ?? {};
    if (!waiting.takesPayload && Object.keys(payload).length > 0) {
      faults.push(`a payload where none is taken: ${JSON.stringify(payload).slice(0, 200)}`);
    }
    waiting.resolve({ payload, connection: connection.number });
  }

  function live(): readonly number[] {
    return connections.filter(({ isLive }) => isLive).map(({ number }) => number);
  }

  function chosen(number: number | undefined): readonly Connection[] {
    return connections.filter((one) => one.isLive && (number === undefined || one.number === number));
  }

  return {
    open,
    faults,
    behaviour,
    live,
    apiUrl: `http://127.0.0.1:${port}/api/`,
    opened: () => opened,
    whenLive: (count) => when(() => live().length === count),
    whenOpened: (count) => when(() => opened >= count),
    async deliver(kind, payload, { connection: number, envelopeId, retryAttempt, retryReason } = {}) {
      const candidates = chosen(number);
      const connection = candidates[envelopes % Math.max(1, candidates.length)];
      envelopes++;
      if (connection === undefined) throw new Error("nobody is connected");
      const envelope_id = envelopeId ?? `envelope-${envelopes}`;
      const takesPayload = kind !== "events_api";
      return new Promise((resolve) => {
        connection.waiting.set(envelope_id, { takesPayload, resolve });
        connection.socket.send(
          JSON.stringify({
            envelope_id,
            type: kind,
            payload,
            accepts_response_payload: takesPayload,
            ...(kind === "events_api" ? { retry_attempt: retryAttempt ?? 0, retry_reason: retryReason ?? "" } : {}),
          }),
        );
      });
    },
    disconnect(reason, number) {
      for (const { socket } of chosen(number)) socket.send(JSON.stringify({ type: "disconnect", reason }));
    },
    cut(number) {
      for (const { socket } of chosen(number)) socket.terminate();
    },
    silence(number) {
      for (const { socket } of chosen(number)) socket.pause();
    },
    stop: () => stop(server, connections),
  };
}

function readAck(text: string): { readonly envelope_id: string; readonly payload?: Record<string, unknown> } | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return null;
    const { envelope_id, payload, ...rest } = value as Record<string, unknown>;
    if (typeof envelope_id !== "string" || Object.keys(rest).length > 0) return null;
    if (payload === undefined) return { envelope_id };
    if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return null;
    return { envelope_id, payload: { ...payload } };
  } catch {
    return null;
  }
}

function stop(server: Server, connections: readonly Connection[]): Promise<void> {
  for (const { socket } of connections) socket.terminate();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
