// What the server answers besides its health: the chat page and the channels' routes, behind one gate.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono/tiny";
import { errorAnswer, lateFault, methodNotAllowed, thrownAnswer } from "../../channels/kit/answers.ts";
import { peerHeader } from "../../channels/kit/peer.ts";
import { createGate } from "./gate.ts";
import type { HttpLimits, HttpServerOptions } from "./http-options.ts";
import { inTime } from "./in-time.ts";
import { securityHeaders } from "./security-headers.ts";

/** @param keepStream told of every answer that stays open, so that closing the server can end it. */
export function createApp(
  options: Pick<HttpServerOptions, "host" | "allowedHosts" | "publicUrl" | "channels" | "asset" | "logger">,
  limits: Pick<HttpLimits, "maxBodyBytes" | "answerMs">,
  keepStream: (outgoing: ServerResponse) => void,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const gate = createGate({ ...options, maxBodyBytes: limits.maxBodyBytes });
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

  for (const owner of options.channels) {
    if ("receive" in owner) continue;
    for (const route of owner.routes) {
      app.all(route, ({ req }) => inTime(owner.webhook(req.raw), limits.answerMs, () => errorAnswer(504, lateFault)));
    }
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
    options.logger.error("http.request_failed", { method: req.method, path: req.path, error: thrown });
    return thrownAnswer(thrown);
  });

  return getRequestListener(app.fetch as (request: Request, env: unknown) => Response | Promise<Response>, {
    overrideGlobalObjects: false,
  });
}

function isStream(answer: Response): boolean {
  return answer.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function unknownAddress(): Response {
  const remedy = "Open / for the chat.";
  return errorAnswer(404, { code: "not_found", message: "Nothing is at this address.", remedy });
}
