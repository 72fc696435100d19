// The platform's side of the long connection: it names addresses, keeps sockets, delivers each event to one of them, and pushes again.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../../src/ports/clock.ts";
import { type Ack, checkPing, framesOf, readAck } from "./acks.ts";
import type { NativeBody } from "./events.ts";
import { decodeFrame, encodeFrame, type Frame, headerOfFrame } from "./frames.ts";
import { seeded } from "./seeded.ts";

export interface ClientConfig {
  /** s, as all of them. */
  readonly PingInterval: number;
  readonly ReconnectInterval: number;
  readonly ReconnectNonce: number;
  readonly ReconnectCount: number;
}

export interface FakeLongConnectionOptions {
  readonly appId: string;
  readonly appSecret: string;
  readonly clock: Clock;
  /** Of the choice among connections. */
  readonly seed?: number;
  readonly config?: Partial<ClientConfig>;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Puts the ids in front, where the SDK's parser loses the first of them. */
  readonly idsFirst?: boolean;
}

export interface Attempt {
  /** Number of the connection, in the order they were made; -1 when there was none. */
  readonly connection: number;
  /** Absent: none within three seconds, or nobody was connected. */
  readonly ack?: Ack;
}

export interface PushOptions {
  /** Frames that the payload is cut into. Default 1. */
  readonly parts?: number;
  /** Sends the parts in reverse order. */
  readonly isReversed?: boolean;
  /** Default `event`; `card` is the type of legacy callbacks. */
  readonly type?: string;
}

export interface FakeLongConnection {
  /** Answers the endpoint; false when the request is for somebody else. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Delivers to a random connection; resolves with the ack, or after three seconds (of the clock) without one. */
  push(body: NativeBody, options?: PushOptions): Promise<Attempt>;
  /** Every attempt, also those of pushing again. */
  readonly attempts: readonly (Attempt & { readonly eventId: unknown })[];
  /** Acks that came after the three seconds. */
  readonly lateAcks: readonly Ack[];
  /** Resolves when so many connections are open. */
  connected(count: number): Promise<void>;
  connections(): number;
  /** Pings that came in, all connections together. */
  pings(): number;
  pinged(count: number): Promise<void>;
  /** What was refused, as sentences; a correct client causes none. */
  readonly mistakes: readonly string[];
  /** Resolves with the first mistake. */
  mistaken(): Promise<string>;
  /** Endpoint answers that refuse, one each; then it answers rightly again. `data`: what stands beside the code. */
  refuse(code: number, options?: { readonly msg?: string; readonly data?: unknown }): void;
  endpointCalls(): number;
  endpointCalled(count: number): Promise<void>;
  /** Answers no pings any more. */
  mute(): void;
  /** Pongs hold this in place of the configuration. */
  answerPongsWith(payload: string): void;
  dropConnections(): void;
  close(): void;
}

const FIRST_PUSHES_AGAIN = [15_000, 5 * 60_000, 3_600_000, 6 * 3_600_000];
const ANSWER_MS = 3_000;
const MAX_CONNECTIONS = 50;
const SERVICE = 33_554_678;

interface Connection {
  readonly number: number;
  readonly socket: WebSocket;
}

export function createFakeLongConnection(options: FakeLongConnectionOptions): FakeLongConnection {
  const { appId, appSecret, clock } = options;
  const config: ClientConfig = {
    PingInterval: 120,
    ReconnectInterval: 0.05,
    ReconnectNonce: 0.01,
    ReconnectCount: -1,
    ...options.config,
  };
  const server = new WebSocketServer({ noServer: true });
  const random = seeded(options.seed ?? 1);
  const open: Connection[] = [];
  const tickets = new Set<string>();
  const mistakes: string[] = [];
  const attempts: (Attempt & { eventId: unknown })[] = [];
  const lateAcks: Ack[] = [];
  const waiting = new Map<string, { readonly frames: readonly Frame[]; settle: (ack: Ack) => void }>();
  const refusals: { code: number; msg: string; data: unknown }[] = [];
  const counters = { endpoint: 0, ping: 0, connection: 0, message: 0 };
  let watchers: { readonly isMet: () => boolean; readonly met: () => void }[] = [];
  let pong = JSON.stringify(config);
  let isMute = false;

  function changed(): void {
    const met = watchers.filter(({ isMet }) => isMet());
    watchers = watchers.filter((watcher) => !met.includes(watcher));
    for (const watcher of met) watcher.met();
  }

  function until(isMet: () => boolean): Promise<void> {
    return new Promise((met) => {
      watchers.push({ isMet, met });
      changed();
    });
  }

  function mistake(sentence: string): void {
    mistakes.push(sentence);
    changed();
  }

  function handle(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.url !== "/callback/ws/endpoint") return false;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      counters.endpoint += 1;
      const answer = endpoint(request, Buffer.concat(chunks).toString("utf8"));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      changed();
    });
    return true;
  }

  function endpoint(request: IncomingMessage, text: string): unknown {
    if (request.method !== "POST") mistake(`the endpoint was asked by ${request.method}`);
    if (request.headers["locale"] !== "zh") mistake("the endpoint wants the header locale: zh");
    const refusal = refusals.shift();
    if (refusal !== undefined) return refusal;
    const given = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const unknown = Object.keys(given).filter((key) => key !== "AppID" && key !== "AppSecret");
    if (unknown.length > 0) mistake(`the endpoint knows no ${unknown.join(", ")}`);
    if (given["AppID"] !== appId || given["AppSecret"] !== appSecret)
      return { code: 514, msg: "auth failed", data: {} };
    if (open.length >= MAX_CONNECTIONS) return { code: 1000040350, msg: "exceed connection limit", data: {} };
    const ticket = `ticket-${counters.endpoint}`;
    tickets.add(ticket);
    const { port } = request.socket.address() as { port: number };
    // The SDK takes ids with a parser of queries over the whole address: they must not be the first parameter.
    const host = options.host ?? "127.0.0.1";
    const ids = `service_id=${SERVICE}&device_id=7000${counters.endpoint}`;
    const rest = `fpid=493&aid=552564`;
    const query = `${options.idsFirst === true ? `${ids}&${rest}` : `${rest}&${ids}`}&ticket=${ticket}`;
    return {
      code: 0,
      msg: "",
      data: { URL: `ws://${host}:${port}/ws/v2?${query}`, ClientConfig: config },
    };
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "", "ws://127.0.0.1").searchParams.get("ticket") ?? "";
    if (!tickets.delete(ticket)) {
      mistake("a connection came without a fresh ticket");
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    server.handleUpgrade(request, socket, head, (client) => {
      const connection = { number: counters.connection, socket: client };
      counters.connection += 1;
      open.push(connection);
      client.on("close", () => {
        open.splice(open.indexOf(connection), 1);
        changed();
      });
      client.on("message", (data: Buffer, isBinary: boolean) => {
        try {
          if (!isBinary) throw new Error("a frame came as text");
          received(connection, data);
        } catch (thrown) {
          mistake(thrown instanceof Error ? thrown.message : String(thrown));
        }
      });
      changed();
    });
  }

  function received(connection: Connection, data: Buffer): void {
    const frame = decodeFrame(data);
    if (frame.service !== SERVICE) throw new Error(`a frame names the service ${frame.service}`);
    if (frame.method === 1) acknowledged(frame);
    else pinged(connection, frame);
  }

  function acknowledged(frame: Frame): void {
    const pushed = waiting.get(headerOfFrame(frame, "message_id") ?? "");
    const ack = readAck(frame, pushed?.frames);
    pushed?.settle(ack);
  }

  function pinged(connection: Connection, frame: Frame): void {
    checkPing(frame);
    counters.ping += 1;
    changed();
    if (isMute) return;
    const answer = { ...frame, headers: [["type", "pong"]] as const, payload: Buffer.from(pong) };
    connection.socket.send(encodeFrame(answer));
  }

  async function attempt(body: NativeBody, given: PushOptions): Promise<Attempt> {
    const connection = open[Math.floor(random() * open.length)];
    const done = connection === undefined ? { connection: -1 } : await deliver(connection, body, given);
    attempts.push({ ...done, eventId: body.header["event_id"] });
    changed();
    return done;
  }

  function deliver(connection: Connection, body: NativeBody, given: PushOptions): Promise<Attempt> {
    counters.message += 1;
    const id = `msg-${counters.message}`;
    const { parts = 1, type = "event" } = given;
    const facts = { id, number: counters.message, service: SERVICE, payload: JSON.stringify(body), parts, type };
    const frames = framesOf(facts);
    return new Promise((resolve) => {
      let isLate = false;
      const cancel = clock.after(ANSWER_MS, () => {
        isLate = true;
        resolve({ connection: connection.number });
      });
      waiting.set(id, {
        frames,
        settle(ack) {
          waiting.delete(id);
          cancel();
          if (isLate) lateAcks.push(ack);
          else resolve({ connection: connection.number, ack });
          changed();
        },
      });
      for (const frame of given.isReversed === true ? [...frames].reverse() : frames) {
        connection.socket.send(encodeFrame(frame));
      }
    });
  }

  async function push(body: NativeBody, given: PushOptions, again: readonly number[]): Promise<Attempt> {
    const done = await attempt(body, given);
    const [wait, ...rest] = again;
    // A click is not pushed again; its person has seen an error by then.
    const isOwed = done.ack?.code !== 200 && body.header["event_type"] !== "card.action.trigger";
    if (isOwed && wait !== undefined) clock.after(wait, () => void push(body, given, rest));
    return done;
  }

  return {
    handle,
    upgrade,
    push: (body, given = {}) => push(body, given, FIRST_PUSHES_AGAIN),
    attempts,
    lateAcks,
    mistakes,
    async mistaken() {
      await until(() => mistakes.length > 0);
      return mistakes[0] ?? "";
    },
    connected: (count) => until(() => open.length === count),
    connections: () => open.length,
    pings: () => counters.ping,
    pinged: (count) => until(() => counters.ping >= count),
    endpointCalls: () => counters.endpoint,
    endpointCalled: (count) => until(() => counters.endpoint >= count),
    refuse: (code, { msg = "refused", data = {} } = {}) => void refusals.push({ code, msg, data }),
    mute() {
      isMute = true;
    },
    answerPongsWith(payload) {
      pong = payload;
    },
    dropConnections() {
      for (const { socket } of [...open]) socket.terminate();
    },
    close() {
      for (const { socket } of [...open]) socket.terminate();
      server.close();
    },
  };
}
