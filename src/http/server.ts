// The HTTP server: it listens within limits of size and time, answers for its health itself, and hands the rest to the app.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpLimits, HttpServerOptions, Readiness } from "./http-options.ts";
import { listenError } from "./listen-error.ts";
import { createPlainListener } from "./plain-routes.ts";
import { securityHeaders } from "./security-headers.ts";

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

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { host, port, logger } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const streams = new Set<ServerResponse>();
  const plain = createPlainListener(options, limits);
  let app: Promise<Listener> | undefined;

  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1_000, limits.requestMs),
      keepAliveTimeout: 5_000,
      maxHeaderSize: 16 * 1024,
    },
    (incoming, outgoing) => {
      answer(incoming, outgoing).catch((thrown: unknown) => {
        logger.error("http.answer_failed", { error: thrown });
        outgoing.destroy();
      });
    },
  );

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const isRead = incoming.method === "GET" || incoming.method === "HEAD";
    if (isRead && incoming.url === "/healthz") {
      writeJson(outgoing, 200, { ok: true });
      return;
    }
    if (isRead && incoming.url === "/readyz") {
      const { ok, detail } = await readiness();
      writeJson(outgoing, ok ? 200 : 503, { ok, detail });
      return;
    }
    const answered = plain(incoming, outgoing);
    if (answered !== null) return answered;
    const listener = await loadApp();
    await listener(incoming, outgoing);
  }

  async function readiness(): Promise<Readiness> {
    try {
      return await options.readiness();
    } catch (thrown) {
      logger.error("http.readiness_failed", { error: thrown });
      return { ok: false, detail: "The state of the bot is unknown." };
    }
  }

  /** With the first request that needs it: Web requests take a tenth of the time to start, and health needs none. */
  async function loadApp(): Promise<Listener> {
    app ??= import("./app.ts").then(({ createApp }) => createApp(options, limits, keepStream));
    return app;
  }

  function keepStream(outgoing: ServerResponse): void {
    streams.add(outgoing);
    outgoing.once("close", () => streams.delete(outgoing));
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
        // A connection is idle only some moments after its last answer ended; then it need not wait for its timeout.
        const sweep = setInterval(() => server.closeIdleConnections(), 20);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
        for (const stream of streams) stream.end();
      }),
  };
}

function writeJson(outgoing: ServerResponse, status: number, value: unknown): void {
  for (const [name, header] of securityHeaders) outgoing.setHeader(name, header);
  outgoing.setHeader("content-type", "application/json; charset=utf-8");
  outgoing.setHeader("cache-control", "no-store");
  if (status === 503) outgoing.setHeader("retry-after", "5");
  outgoing.statusCode = status;
  outgoing.end(`${JSON.stringify(value)}\n`);
}
