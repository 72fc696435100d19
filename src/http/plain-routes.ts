// Answers the routes that do without the Web's objects: the same gate, limits and headers, and one write for each answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import { lateFault, plainError, plainThrown } from "../../channels/kit/answers.ts";
import type { PlainAnswer, PlainRequest } from "../../channels/kit/plain.ts";
import { createGate } from "./gate.ts";
import type { HttpLimits, HttpServerOptions, PlainRoutes } from "./http-options.ts";
import { inTime } from "./in-time.ts";
import { securityHeaders } from "./security-headers.ts";

/** Null where the request is another route's or the gate turns it away; else resolves once the answer is written. */
export type PlainListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> | null;

export function createPlainListener(
  options: Pick<HttpServerOptions, "host" | "allowedHosts" | "publicUrl" | "channels" | "logger">,
  limits: Pick<HttpLimits, "maxBodyBytes" | "answerMs">,
): PlainListener {
  const gate = createGate({ ...options, maxBodyBytes: limits.maxBodyBytes });
  const owners = new Map<string, PlainRoutes>();
  for (const owner of options.channels) {
    if ("receive" in owner) for (const route of owner.routes) owners.set(route, owner);
  }

  async function answer(owner: PlainRoutes, request: PlainRequest): Promise<PlainAnswer> {
    try {
      return await inTime(owner.receive(request), limits.answerMs, () => plainError(504, lateFault));
    } catch (thrown) {
      options.logger.error("http.request_failed", { method: request.method, path: request.path, error: thrown });
      return plainThrown(thrown);
    }
  }

  return (incoming, outgoing) => {
    const path = pathOf(incoming.url ?? "/");
    const owner = owners.get(path);
    if (owner === undefined || gate.refusal(incoming) !== null) return null;
    const request: PlainRequest = {
      method: incoming.method ?? "GET",
      path,
      headers: viewOf(incoming.headers),
      peer: gate.peer(incoming),
      readBody: (take) => readBody(incoming, take),
    };
    return answer(owner, request).then((made) => write(outgoing, made));
  };
}

/** A client may name the whole address, though only proxies are spoken to like that. */
function pathOf(target: string): string {
  if (!target.startsWith("/")) return URL.canParse(target) ? new URL(target).pathname : target;
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

function viewOf(headers: IncomingMessage["headers"]): PlainRequest["headers"] {
  return {
    has: (name) => headers[name] !== undefined,
    get(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(", ") : (value ?? null);
    },
  };
}

function readBody(incoming: IncomingMessage, take: (chunk: Uint8Array) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    incoming
      .on("data", function onData(chunk: Buffer) {
        if (take(chunk)) return;
        incoming.off("data", onData).pause();
        resolve();
      })
      .once("end", resolve)
      .once("error", reject)
      .once("close", () => reject(new Error("The connection was closed.")));
  });
}

function write(outgoing: ServerResponse, { status, headers, body }: PlainAnswer): void {
  const lines = Object.fromEntries(securityHeaders);
  // With its length the head and the body go out together.
  outgoing.writeHead(status, { ...lines, ...headers, "content-length": Buffer.byteLength(body) });
  outgoing.end(body);
}
