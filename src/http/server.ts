// The HTTP server: health, the chat page and the channels' routes, behind one gate, within limits of size and time.
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono/tiny";
import { errorAnswer, jsonAnswer, methodNotAllowed, thrownAnswer } from "../../channels/kit/answers.ts";
import { peerHeader } from "../../channels/kit/peer.ts";
import type { Logger } from "../ports/logger.ts";
import { createGate } from "./gate.ts";
import { listenError } from "./listen-error.ts";
import { securityHeaders } from "./security-headers.ts";

/** What a channel, and later a feed or the MCP endpoint, shows to the server. */
export interface RouteOwner {
  readonly name: string;
  /** Path patterns: a fixed path, `:name` for one segment, `*` at the end for the rest. */
  readonly routes: readonly string[];
  webhook(request: Request): Promise<Response>;
}

export interface PageAsset {
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** A strong entity tag, quotes included. */
  readonly etag: string;
}

export interface Readiness {
  readonly ok: boolean;
  /** Plain data shown in the answer of `/readyz`; no secrets. */
  readonly detail: unknown;
}

export interface HttpLimits {
  /** Largest declared body, bytes; GitHub's webhooks reach 25 MB. Channels cap what they read by themselves. */
  readonly maxBodyBytes: number;
  /** Time for a request's headers to arrive, ms. */
  readonly headersMs: number;
  /** Time for a whole request to arrive, ms. */
  readonly requestMs: number;
  /** Time for the answer to begin, ms; longer than `requestMs`, so that a slow sender is told that it was slow. */
  readonly answerMs: number;
  /** Time that running requests get when the server closes, ms. */
  readonly graceMs: number;
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Host names beside the loopback ones and `host` under which people and platforms reach the server. */
  readonly allowedHosts?: readonly string[];
  /** The public address where a proxy stands in front; its host name and its origin are allowed. */
  readonly publicUrl?: string;
  readonly channels: readonly RouteOwner[];
  readonly readiness: () => Promise<Readiness>;
  /** A file of the chat page by its path (`/`, `/style.css`); null where there is none. */
  readonly asset: (path: string) => Promise<PageAsset | null>;
  readonly logger: Logger;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpServer {
  /** Throws AppError `config` when the port is taken or forbidden, or the host is none of this machine. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Ends event streams at once, lets running requests finish within the grace time, then cuts them. */
  close(): Promise<void>;
}

const defaultLimits: HttpLimits = {
  maxBodyBytes: 26_214_400,
  headersMs: 10_000,
  requestMs: 15_000,
  answerMs: 20_000,
  graceMs: 5_000,
};

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { host, port, logger } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const gate = createGate({ ...options, maxBodyBytes: limits.maxBodyBytes });
  const streams = new Set<ServerResponse>();
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.use(async (context, next) => {
    const { incoming, outgoing } = context.env;
    const refused = gate.refusal(incoming);
    if (refused === null) {
      context.req.raw.headers.set(peerHeader, gate.peer(incoming));
      await next();
      if (isStream(context.res)) keepStream(outgoing);
    } else {
      context.res = refused;
    }
    for (const [name, value] of securityHeaders) context.res.headers.set(name, value);
  });

  app.get("/healthz", () => jsonAnswer(200, { ok: true }));
  app.get("/readyz", async () => {
    const { ok, detail } = await options.readiness();
    return jsonAnswer(ok ? 200 : 503, { ok, detail }, ok ? {} : { "retry-after": "5" });
  });
  for (const owner of options.channels) {
    for (const route of owner.routes) app.all(route, ({ req }) => inTime(owner.webhook(req.raw)));
  }
  app.all("/:file?", async ({ req }) => {
    const asset = await options.asset(req.path);
    if (asset === null) return unknownAddress();
    if (req.method !== "GET" && req.method !== "HEAD") return methodNotAllowed(["GET", "HEAD"]);
    const headers = { etag: asset.etag, "cache-control": "no-cache" };
    if (req.header("if-none-match") === asset.etag) return new Response(null, { status: 304, headers });
    return new Response(asset.body as Uint8Array<ArrayBuffer>, {
      headers: { ...headers, "content-type": asset.mediaType },
    });
  });
  app.notFound(unknownAddress);
  app.onError((thrown, { req }) => {
    logger.error("http.request_failed", { method: req.method, path: req.path, error: thrown });
    return thrownAnswer(thrown);
  });

  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1_000, limits.requestMs),
      keepAliveTimeout: 5_000,
      maxHeaderSize: 16 * 1024,
    },
  }) as Server;

  function keepStream(outgoing: ServerResponse): void {
    streams.add(outgoing);
    outgoing.once("close", () => streams.delete(outgoing));
  }

  async function inTime(answer: Promise<Response>): Promise<Response> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Response>((resolve) => {
      timer = setTimeout(() => resolve(lateAnswer()), limits.answerMs);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once("error", (thrown: NodeJS.ErrnoException) => reject(listenError(thrown, host, port)));
        server.listen({ host, port }, () => {
          const bound = (server.address() as AddressInfo).port;
          resolve({ url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`, port: bound });
        });
      }),
    close: () =>
      new Promise((resolve) => {
        if (!server.listening) {
          resolve();
          return;
        }
        const cut = setTimeout(() => server.closeAllConnections(), limits.graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        for (const stream of streams) stream.destroy();
        server.closeIdleConnections();
      }),
  };
}

function isStream(answer: Response): boolean {
  return answer.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function unknownAddress(): Response {
  const remedy = "Open / for the chat.";
  return errorAnswer(404, { code: "not_found", message: "Nothing is at this address.", remedy });
}

function lateAnswer(): Response {
  const remedy = "Look at the conversation before you send it again.";
  const message = "The request took too long; it may still be carried out.";
  return errorAnswer(504, { code: "timeout", message, remedy });
}
