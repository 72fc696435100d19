// Discord's gateway on loopback, strict: it closes on what Discord closes on, replays what a resumed session missed, and counts sessions.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { checkIdentify, checkResume, MAX_PAYLOAD_BYTES, readPayload } from "./gateway-rules.ts";

export interface FakeGatewayOptions {
  readonly token: string;
  readonly applicationId: string;
  /** The bot's user. Default: the application's id. */
  readonly bot?: string;
  /** Ids of the guilds that the bot is in. */
  readonly guilds?: readonly string[];
  /** A guild as `GUILD_CREATE` tells it. Default: without channels. */
  readonly describe?: (guild: string) => object;
  /** Default 60 s: long enough for no heartbeat within a test. */
  readonly heartbeatMs?: number;
  /** Sessions that may be begun, of 1,000 a day. Default 1,000. */
  readonly remaining?: number;
  /** Answers every request but `GET /gateway/bot`. Default: 404. */
  readonly handle?: (request: IncomingMessage, response: ServerResponse) => void;
}

export type GatewayEvent = "connected" | "identified" | "resumed" | "heartbeat" | "closed" | "asked";

/** What goes wrong; to be changed while it runs. */
export interface GatewayTrouble {
  /** Closes with it instead of accepting an IDENTIFY or RESUME. */
  refuseWith?: number;
  /** Closes before it says HELLO. */
  closeEarly?: boolean;
  /** Says nothing at all. */
  mute?: boolean;
  /** Does not acknowledge heartbeats. */
  noAcks?: boolean;
  /** Answers `GET /gateway/bot` with it. */
  status?: number;
}

export interface FakeGateway {
  /** For the `api_url` setting, where the REST interface is not another server's. */
  readonly apiUrl: string;
  /** The body of `GET /gateway/bot`, for another server that answers it. */
  info(): Readonly<Record<string, unknown>>;
  readonly trouble: GatewayTrouble;
  /** How often it happened. */
  count(event: GatewayEvent): number;
  /** Settles once it has happened so often. */
  reached(event: GatewayEvent, times: number): Promise<void>;
  /** Close codes that connections ended with, ours and theirs. */
  readonly codes: readonly number[];
  readonly remaining: () => number;
  /** An event for the session: sent now, or when it is resumed. */
  dispatch(type: string, data: unknown): void;
  /** Anything, as it stands. */
  raw(text: string): void;
  /** Op 7. */
  askToReconnect(): void;
  /** Op 9; not resumable ends the session. */
  invalidate(isResumable: boolean): void;
  close(code: number): void;
  /** Cuts the connection without a word. */
  cut(): void;
  stop(): Promise<void>;
}

interface Session {
  readonly id: string;
  sequence: number;
  readonly events: { readonly s: number; readonly text: string }[];
}

export async function startFakeGateway(options: FakeGatewayOptions): Promise<FakeGateway> {
  const { token, applicationId, guilds = [], heartbeatMs = 60_000 } = options;
  const { describe = (id: string) => ({ id, name: `Guild ${id}`, unavailable: false, channels: [] }) } = options;
  const trouble: GatewayTrouble = {};
  const counts = new Map<GatewayEvent, number>();
  const waiting: { event: GatewayEvent; times: number; resolve: () => void }[] = [];
  const codes: number[] = [];
  const sockets = new Set<WebSocket>();
  const raw = new Set<Duplex>();
  let remaining = options.remaining ?? 1_000;
  let sessions = 0;
  let session: Session | null = null;
  let current: WebSocket | null = null;

  function happened(event: GatewayEvent): void {
    const count = (counts.get(event) ?? 0) + 1;
    counts.set(event, count);
    for (const one of waiting.filter(({ event: of, times }) => of === event && times <= count)) {
      waiting.splice(waiting.indexOf(one), 1);
      one.resolve();
    }
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    if (path !== "/api/v10/gateway/bot") {
      if (options.handle !== undefined) return options.handle(request, response);
      return json(response, 404, { message: "404: Not Found", code: 0 });
    }
    happened("asked");
    if (request.headers.authorization !== `Bot ${token}`) {
      return json(response, 401, { message: "401: Unauthorized", code: 0 });
    }
    if (trouble.status !== undefined) return json(response, trouble.status, { message: "trouble", code: 0 });
    json(response, 200, info());
  });

  function info(): Readonly<Record<string, unknown>> {
    return {
      url: `ws://127.0.0.1:${port}`,
      shards: 1,
      session_start_limit: { total: 1_000, remaining, reset_after: 14_400_000, max_concurrency: 1 },
    };
  }

  server.on("connection", (socket) => {
    raw.add(socket);
    socket.once("close", () => raw.delete(socket));
  });
  const ws = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 });
  server.on("upgrade", (request, socket, head) => {
    ws.handleUpgrade(request, socket, head, (one) => accept(one));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  function accept(socket: WebSocket): void {
    happened("connected");
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", (code) => {
      sockets.delete(socket);
      if (current === socket) current = null;
      // A client that says good-bye with 1000 or 1001 ends its session.
      if (code === 1000 || code === 1001) session = null;
      codes.push(code);
      happened("closed");
    });
    if (trouble.closeEarly === true) {
      socket.close(4000);
      return;
    }
    if (trouble.mute === true) return;
    let isKnown = false;
    let sent = 0;
    socket.on("message", (data) => {
      sent += 1;
      const code = sent > 120 ? 4008 : hear(String(data));
      if (code !== null) socket.close(code);
    });
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: heartbeatMs } }));

    /** The code to close with, or null. */
    function hear(text: string): number | null {
      const payload = Buffer.byteLength(text) > MAX_PAYLOAD_BYTES ? null : readPayload(text);
      if (payload === null) return 4002;
      if (payload.op === 1) {
        happened("heartbeat");
        if (trouble.noAcks !== true) socket.send(JSON.stringify({ op: 11 }));
        return null;
      }
      if (payload.op !== 2 && payload.op !== 6) return isKnown ? 4001 : 4003;
      if (isKnown) return 4005;
      if (trouble.refuseWith !== undefined) return trouble.refuseWith;
      isKnown = payload.op === 2 ? identify(socket, payload.d) : resume(socket, payload.d);
      return null;
    }
  }

  function identify(socket: WebSocket, data: unknown): boolean {
    const refused = checkIdentify(data, token);
    if (refused !== null) {
      socket.close(refused);
      return false;
    }
    if (remaining === 0) throw new Error("the session budget is used up: Discord would reset the token");
    remaining -= 1;
    sessions += 1;
    session = { id: `session${sessions}`, sequence: 0, events: [] };
    current = socket;
    dispatch("READY", {
      v: 10,
      user: { id: options.bot ?? applicationId, username: "aicr", discriminator: "0000", bot: true },
      guilds: guilds.map((id) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: `ws://127.0.0.1:${port}`,
      shard: [0, 1],
      application: { id: applicationId, flags: 0 },
    });
    for (const id of guilds) dispatch("GUILD_CREATE", describe(id));
    happened("identified");
    return true;
  }

  function resume(socket: WebSocket, data: unknown): boolean {
    const refused = checkResume(data, token);
    if (refused !== null || session === null || session.id !== (data as { session_id: string }).session_id) {
      if (refused !== null) socket.close(refused);
      else socket.send(JSON.stringify({ op: 9, d: false }));
      return false;
    }
    const { seq } = data as { seq: number };
    if (seq > session.sequence) {
      socket.close(4007);
      return false;
    }
    current = socket;
    for (const { s, text } of session.events) if (s > seq) socket.send(text);
    dispatch("RESUMED", {});
    happened("resumed");
    return true;
  }

  function dispatch(type: string, data: unknown): void {
    if (session === null) throw new Error("nobody has a session");
    session.sequence += 1;
    const text = JSON.stringify({ op: 0, t: type, s: session.sequence, d: data });
    session.events.push({ s: session.sequence, text });
    current?.send(text);
  }

  return {
    apiUrl: `http://127.0.0.1:${port}/api`,
    info,
    trouble,
    codes,
    remaining: () => remaining,
    count: (event) => counts.get(event) ?? 0,
    reached(event, times) {
      if ((counts.get(event) ?? 0) >= times) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ event, times, resolve }));
    },
    dispatch,
    raw: (text) => current?.send(text),
    askToReconnect: () => current?.send(JSON.stringify({ op: 7, d: null })),
    invalidate(isResumable) {
      current?.send(JSON.stringify({ op: 9, d: isResumable }));
      if (!isResumable) session = null;
    },
    close: (code) => current?.close(code),
    cut: () => current?.terminate(),
    async stop() {
      for (const socket of sockets) socket.terminate();
      for (const socket of raw) socket.destroy();
      ws.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
