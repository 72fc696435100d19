// The small Discord's REST interface over loopback: strict about bodies, tokens and rights, with rate limits and faults on demand.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { interactionRoutes } from "./rest-interactions.ts";
import { messageRoutes } from "./rest-messages.ts";
import { placeRoutes } from "./rest-places.ts";
import { type Context, type Route, refuse, refusedBy, type SentFile } from "./rest-route.ts";
import { threadRoutes } from "./rest-threads.ts";
import { createWorld, type Json, type World } from "./rest-world.ts";

export interface SeenRequest {
  readonly method: string;
  /** Without `/api/v10`. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Json;
  readonly files: readonly SentFile[];
  /** 0 when it was given no answer. */
  status: number;
}

/** What goes wrong with the next matching requests. */
export interface PlannedTrouble {
  readonly method?: string;
  readonly path?: RegExp;
  /** How many requests it meets. Default 1. */
  readonly times?: number;
  /** Does what was asked before the trouble: an answer got lost. Default false. */
  readonly after?: boolean;
  readonly answer?: {
    readonly status: number;
    readonly code?: number;
    readonly message?: string;
    /** s */
    readonly retryAfter?: number;
    readonly scope?: "user" | "global" | "shared";
    /** A 429 of a proxy, or of one that says nothing: no headers. */
    readonly bare?: boolean;
  };
  /** Cuts the connection, or never answers, instead of an answer. */
  readonly silence?: "cut" | "hang";
}

export interface DiscordRestFake {
  readonly world: World;
  /** For `apiUrl` and discord.js's `rest.api`: without the version. */
  readonly apiUrl: string;
  readonly requests: readonly SeenRequest[];
  /** Mistakes of all bodies that came, also of those that a test wants refused: `takeMistakes` to look at and forget them. */
  readonly mistakes: readonly string[];
  takeMistakes(): readonly string[];
  trouble(planned: PlannedTrouble): void;
  /** Per channel and method, `limit` calls in `windowMs` by the world's clock. */
  limitMessages(limit: number, windowMs: number): void;
  /** Takes nothing any more: connections are refused. */
  close(): Promise<void>;
}

export interface RestFakeOptions {
  readonly world?: World;
  /** What `GET /gateway/bot` says. */
  readonly gateway?: () => Json;
  /** Routes of another fake that stand before ours. */
  readonly routes?: readonly Route[];
}

const PREFIX = "/api/v10";

export async function startRestFake(options: RestFakeOptions = {}): Promise<DiscordRestFake> {
  const { world = createWorld() } = options;
  const requests: SeenRequest[] = [];
  let mistakes: string[] = [];
  let planned: { trouble: PlannedTrouble; left: number }[] = [];
  const counts = new Map<string, number>();
  let bucket: { limit: number; windowMs: number } | undefined;
  const windows = new Map<string, { start: number; used: number }>();
  const gatewayRoute: Route = [
    "GET",
    "/gateway/bot",
    () => options.gateway?.() ?? refuse(500, 0, "There is no gateway"),
  ];
  const routes = [
    ...(options.routes ?? []),
    gatewayRoute,
    ...messageRoutes,
    ...threadRoutes,
    ...interactionRoutes,
    ...placeRoutes,
  ];

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      mistakes.push(`the fake itself: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      send(response, 500, { message: "the fake broke", code: 0 });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { json, files } = await readBody(request);
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const path = url.pathname.startsWith(PREFIX) ? url.pathname.slice(PREFIX.length) : url.pathname;
    const method = request.method ?? "GET";
    const body = typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Json) : {};
    const seen: SeenRequest = { method, path, headers: request.headers, body, files, status: 0 };
    requests.push(seen);
    const trouble = takeTrouble(method, path);
    if (trouble !== undefined && trouble.after !== true) return fail(response, seen, trouble);
    const limited = overLimit(method, path);
    if (limited !== null) {
      seen.status = 429;
      return send(
        response,
        429,
        { message: "You are being rate limited.", retry_after: limited, global: false },
        limitHeaders(limited, "user"),
      );
    }
    const { status, value, headers } = run({ method, path, url, json, body, files, request });
    if (trouble !== undefined) return fail(response, seen, trouble);
    seen.status = status;
    send(response, status, value, headers);
  }

  function run(
    given: Pick<SeenRequest, "method" | "path" | "body" | "files"> & {
      url: URL;
      json: unknown;
      request: IncomingMessage;
    },
  ): {
    readonly status: number;
    readonly value: unknown;
    readonly headers: Readonly<Record<string, string>>;
  } {
    const { method, path, url, json, body, files, request } = given;
    try {
      const found = match(routes, method, path) ?? refuse(404, 0, "404: Not Found");
      const [, , handler, open] = found.route;
      if (open === undefined && request.headers.authorization !== `Bot ${world.token}`)
        refuse(401, 0, "401: Unauthorized");
      if (!/^DiscordBot \(.+\)/.test(request.headers["user-agent"] ?? "")) refuse(403, 40333, "internal network error");
      const context: Context = {
        world,
        params: found.params,
        query: url.searchParams,
        body,
        json,
        files,
        check(found) {
          if (found.length === 0) return;
          mistakes.push(...found.map((one) => `${method} ${path}: ${one}`));
          refuse(400, found.includes("the message is empty") ? 50006 : 50035, `Invalid Form Body: ${found.join("; ")}`);
        },
        counted(what) {
          const times = (counts.get(what) ?? 0) + 1;
          counts.set(what, times);
          return times;
        },
      };
      const value = handler(context);
      return { status: value === undefined ? 204 : 200, value, headers: {} };
    } catch (thrown) {
      const refused = refusedBy(thrown);
      if (refused === null) throw thrown;
      const { status, code, message, retryAfter } = refused;
      const wait = retryAfter === undefined ? {} : { retry_after: retryAfter };
      return {
        status,
        value: { message, code, ...wait },
        headers: retryAfter === undefined ? {} : limitHeaders(retryAfter, "shared"),
      };
    }
  }

  function takeTrouble(method: string, path: string): PlannedTrouble | undefined {
    const found = planned.find(
      ({ trouble }) => (trouble.method ?? method) === method && (trouble.path ?? /^/).test(path),
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    planned = planned.filter(({ left }) => left > 0);
    return found.trouble;
  }

  function overLimit(method: string, path: string): number | null {
    const channel = /^\/channels\/(\d+)\/messages/.exec(path)?.[1];
    if (bucket === undefined || channel === undefined || method === "GET") return null;
    const key = `${method} ${channel}`;
    const now = world.now();
    const window = windows.get(key);
    const current = window === undefined || now - window.start >= bucket.windowMs ? { start: now, used: 0 } : window;
    windows.set(key, current);
    current.used += 1;
    return current.used <= bucket.limit ? null : (current.start + bucket.windowMs - now) / 1000;
  }

  function fail(response: ServerResponse, seen: SeenRequest, { answer, silence }: PlannedTrouble): void {
    if (silence === "cut") return void response.socket?.destroy();
    if (silence === "hang" || answer === undefined) return;
    const { status, code = 0, message = "planned", retryAfter, scope = "user", bare = false } = answer;
    seen.status = status;
    const headers = retryAfter === undefined || bare ? {} : limitHeaders(retryAfter, scope);
    send(
      response,
      status,
      { message, code, ...(retryAfter === undefined ? {} : { retry_after: retryAfter, global: scope === "global" }) },
      headers,
    );
  }

  return {
    world,
    apiUrl: `http://127.0.0.1:${port}/api`,
    requests,
    get mistakes() {
      return mistakes;
    },
    takeMistakes() {
      const taken = mistakes;
      mistakes = [];
      return taken;
    },
    trouble: (trouble) => void planned.push({ trouble, left: trouble.times ?? 1 }),
    limitMessages(limit, windowMs) {
      bucket = { limit, windowMs };
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function match(routes: readonly Route[], method: string, path: string) {
  for (const route of routes) {
    if (route[0] !== method) continue;
    const pattern = route[1].replace(/:(\w+)/g, "(?<$1>[^/]+)");
    const found = new RegExp(`^${pattern}$`).exec(path);
    if (found !== null) return { route, params: { ...found.groups } as Readonly<Record<string, string>> };
  }
  return null;
}

async function readBody(
  request: IncomingMessage,
): Promise<{ readonly json: unknown; readonly files: readonly SentFile[] }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data"))
    return { json: raw.length === 0 ? undefined : JSON.parse(raw.toString("utf8")), files: [] };
  const form = await new Response(raw, { headers: { "content-type": type } }).formData();
  const files: SentFile[] = [];
  for (const [key, value] of form) {
    if (typeof value === "string" || key !== `files[${files.length}]`) continue;
    files.push({ name: value.name, contentType: value.type, data: new Uint8Array(await value.arrayBuffer()) });
  }
  return { json: JSON.parse(String(form.get("payload_json") ?? "{}")), files };
}

function limitHeaders(retryAfter: number, scope: "user" | "global" | "shared"): Readonly<Record<string, string>> {
  return {
    "retry-after": String(retryAfter),
    "x-ratelimit-scope": scope,
    ...(scope === "global" ? { "x-ratelimit-global": "true" } : {}),
  };
}

/** 204 must not carry a JSON content type. */
function send(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (value === undefined) return void response.writeHead(204, headers).end();
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}
