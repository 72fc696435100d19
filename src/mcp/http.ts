// Serves tool sets over Streamable HTTP at /mcp: sessions, guards, body caps and a graceful end.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { AppError } from "../core/errors.ts";
import type { ToolSet } from "../ports/tool.ts";
import { readJsonBody, rpcCode, sendRpcError } from "./http-body.ts";
import { createGuard, type GuardOptions, isLoopback } from "./http-guard.ts";
import { createSessions, type SessionTools } from "./http-sessions.ts";

export interface HttpOptions extends GuardOptions {
  /** Gives each new session its own tool set; `release` is called when the session is over. */
  makeToolSet(sessionId: string): SessionTools | ToolSet;
  /** 0 picks a free port. */
  readonly port: number;
  /** Largest request body, bytes. Default 4 MiB, the SDK's own bound. */
  readonly maxBodyBytes?: number;
  /** Sessions at once. Default 256; one more gets 503. */
  readonly maxSessions?: number;
  /** Time without a request after which a session may be ended, ms. Default 30 minutes. */
  readonly idleMs?: number;
  /** How long open requests may take when the server closes, ms. Default 5,000. */
  readonly graceMs?: number;
  /** Monotonic time in ms. Default `performance.now`. */
  readonly now?: () => number;
}

export interface HttpServer {
  /** `http://127.0.0.1:3000/mcp` */
  readonly url: string;
  readonly port: number;
  /** Takes no new requests, lets open calls finish within the grace time, ends the sessions. */
  close(): Promise<void>;
}

const mcpPath = "/mcp";

/**
 * Starts the server. Throws AppError `config` when it would listen beyond this machine without a bearer token, and
 * `unavailable` when the address cannot be had.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  if (!isLoopback(options.host) && options.bearerToken === undefined) {
    throw new AppError("config", `An MCP server on ${options.host} can be reached by others and has no token.`, {
      remedy: "Set AICR_MCP_TOKEN, or listen on 127.0.0.1.",
      reason: "mcp_token_missing",
    });
  }
  const maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024;
  const graceMs = options.graceMs ?? 5_000;
  const guard = createGuard(options);
  const sessions = createSessions({
    makeToolSet: options.makeToolSet,
    maxSessions: options.maxSessions ?? 256,
    idleMs: options.idleMs ?? 30 * 60_000,
    now: options.now ?? (() => performance.now()),
  });
  let openCalls = 0;
  let whenQuiet: (() => void) | undefined;

  const server = createServer((request, response) => {
    const isCall = request.method === "POST";
    if (isCall) openCalls++;
    response.once("close", () => {
      if (isCall && --openCalls === 0) whenQuiet?.();
    });
    handle(request, response).catch(() => sendRpcError(response, 500, rpcCode.server, "The server failed."));
  });
  // A client that sends its headers byte by byte holds no connection for long.
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;

  await listen();
  const { port } = server.address() as AddressInfo;
  const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${shown}:${port}${mcpPath}`, port, close };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verdict = guard(request.headers);
    if (!verdict.allowed) {
      const challenge = verdict.status === 401 ? { "www-authenticate": "Bearer" } : {};
      return sendRpcError(response, verdict.status, rpcCode.server, verdict.reason, challenge);
    }
    if (pathOf(request) !== mcpPath) return sendRpcError(response, 404, rpcCode.server, `The endpoint is ${mcpPath}.`);
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? sessions.find(id) : undefined;
    if (id !== undefined && session === undefined) {
      // 404 tells a client to initialise anew; see the transport's specification on ended sessions.
      return sendRpcError(response, 404, rpcCode.noSession, "There is no such session; initialize a new one.");
    }
    if (request.method !== "POST") {
      if (session !== undefined) return session.transport.handleRequest(request, response);
      const allowed = request.method === "GET" || request.method === "DELETE";
      return allowed
        ? sendRpcError(response, 400, rpcCode.server, "The Mcp-Session-Id header is missing.")
        : sendRpcError(response, 405, rpcCode.server, "Use GET, POST or DELETE.", { allow: "GET, POST, DELETE" });
    }
    const body = await readJsonBody(request, maxBodyBytes);
    if (body.kind === "aborted") return;
    if (body.kind === "too_large") {
      // The rest of the body is not read, so the connection cannot be used again.
      const reason = `A request may have at most ${maxBodyBytes} bytes.`;
      return sendRpcError(response, 413, rpcCode.server, reason, { connection: "close" });
    }
    if (body.kind === "not_json") return sendRpcError(response, 400, rpcCode.parse, "The body is not JSON.");
    if (session !== undefined) return session.transport.handleRequest(request, response, body.value);
    if (!isInitializeRequest(body.value)) {
      return sendRpcError(response, 400, rpcCode.server, "The Mcp-Session-Id header is missing.");
    }
    const opened = await sessions.open();
    if (opened === null) {
      return sendRpcError(response, 503, rpcCode.server, "Too many sessions; close one.", { "retry-after": "5" });
    }
    await opened.transport.handleRequest(request, response, body.value);
  }

  function listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once("error", (cause: NodeJS.ErrnoException) =>
        reject(
          new AppError("unavailable", `Port ${options.port} of ${options.host} cannot be had (${cause.code}).`, {
            remedy: "Choose another --port, or end the program that holds it.",
            reason: "mcp_port_taken",
            cause,
          }),
        ),
      );
      server.listen(options.port, options.host, resolve);
    });
  }

  async function close(): Promise<void> {
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    if (openCalls > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        whenQuiet = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await sessions.closeAll();
    server.closeAllConnections();
    await ended;
  }
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? "/";
  const query = url.indexOf("?");
  const path = query === -1 ? url : url.slice(0, query);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
