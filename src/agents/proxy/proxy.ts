// The host's side of an agent's way to its model: a private socket that adds the key, allows little, counts and keeps the budget.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Redactor } from "../../ports/redactor.ts";
import type { ModelEndpoint } from "../model/settings.ts";
import { countTokens } from "../prompt/count-tokens.ts";
import { disarm, isObject, type JsonObject } from "./disarm.ts";
import { type ForwardTimes, forward } from "./forward.ts";
import { maskRequest } from "./mask-request.ts";
import { findRoute, formOf, type Operation, type Route } from "./operations.ts";
import { type Refusal, refusalBody, statusOf } from "./refusals.ts";
import { createSpending, type ProxyBudget, type ProxyUsage } from "./spending.ts";

export interface ModelProxyOptions {
  /**
   * `socket` for agents behind a wall, whose relay brings them here; `loopback` for native ones: a port of 127.0.0.1 whose
   * address holds an unguessable word.
   */
  readonly listen: "socket" | "loopback";
  /** The first answers at the root, each one under `/<its name>`. */
  readonly endpoints: readonly [ModelEndpoint, ...ModelEndpoint[]];
  readonly budget?: ProxyBudget;
  /** Masks secrets in what is asked: prompts, files that the agent has read, results of its tools. */
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: ten minutes until an answer begins, five between its pieces. */
  readonly times?: ForwardTimes;
  /** Largest request and answer, bytes. Default 16 and 64 MiB. */
  readonly maxRequestBytes?: number;
  readonly maxAnswerBytes?: number;
  /** Requests under way at once. Default 8. */
  readonly concurrency?: number;
  /** Default: the platform's own. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface ModelProxy {
  /** Path of the socket; absent where it listens on loopback. */
  readonly socketPath?: string;
  /** `http://127.0.0.1:<port>/<word>` without a slash at its end; absent where it listens on a socket. */
  readonly origin?: string;
  /** What was used so far; requests under way count once they have ended. */
  usage(): ProxyUsage;
  /** Ends what is under way and removes the socket. */
  close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

/** Throws AppError `unavailable` when no socket can be had. */
export async function startModelProxy(options: ModelProxyOptions): Promise<ModelProxy> {
  const word = options.listen === "loopback" ? randomBytes(24).toString("base64url") : "";
  const spending = createSpending(options.budget ?? {});
  const handle = createHandler(options, spending);
  const server = createServer({ maxHeaderSize: 32_768 }, (request, response) => {
    const target = withoutWord(request.url ?? "", word);
    handle(request, response, target).catch(() => response.destroy());
  });
  server.maxConnections = 64;
  const folder = await mkdtemp(join(tmpdir(), "aicr-")).catch(() => null);
  try {
    if (folder === null) throw new Error("there is no room for its socket");
    const place = options.listen === "socket" ? { path: join(folder, "m") } : { host: "127.0.0.1", port: 0 };
    await listen(server, place);
  } catch (thrown) {
    if (folder !== null) await rm(folder, { recursive: true, force: true });
    throw new AppError("unavailable", "The way to the model could not be opened.", {
      remedy: "Free some space in the temporary folder, and check that the bot may write there.",
      cause: thrown,
    });
  }
  const address = server.address();
  return {
    ...(typeof address === "string" ? { socketPath: address } : {}),
    ...(typeof address === "object" && address !== null ? { origin: `http://127.0.0.1:${address.port}/${word}` } : {}),
    usage: spending.usage,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Null for who does not know the word. */
function withoutWord(target: string, word: string): string | null {
  if (word === "") return target;
  const given = Buffer.from(target.slice(1, 1 + word.length));
  const wanted = Buffer.from(word);
  const isKnown = given.length === wanted.length && timingSafeEqual(given, wanted) && target[1 + word.length] === "/";
  return isKnown ? target.slice(1 + word.length) : null;
}

function listen(server: Server, place: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(place, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function createHandler(
  options: ModelProxyOptions,
  spending: ReturnType<typeof createSpending>,
): (request: IncomingMessage, response: ServerResponse, target: string | null) => Promise<void> {
  const { endpoints, clock, logger } = options;
  const parts = {
    fetch: options.fetch ?? globalThis.fetch,
    clock,
    times: options.times ?? { answerMs: 600_000, pieceMs: 300_000 },
    maxAnswerBytes: options.maxAnswerBytes ?? 64 * MEBIBYTE,
  };
  let underWay = 0;

  return async (request, response, target) => {
    const route = target === null ? null : findRoute(endpoints, request.method ?? "", target);
    if (route === null) {
      const message = "Only the configured model can be asked here, and nothing else of its endpoint.";
      return refuse(response, formOf(endpoints[0].kind), { kind: "not_allowed", message });
    }
    if (route.operation.kind === "models") return answerModels(response, route);
    const body = await readBody(request, options.maxRequestBytes ?? 16 * MEBIBYTE);
    const ready = "kind" in body ? body : prepare(route, body.json, options.redactor);
    if ("kind" in ready) return refuse(response, route.operation.form, ready);
    if (ready.stripped.length > 0) logger.info("model.tools_stripped", { tools: ready.stripped });
    if (underWay >= (options.concurrency ?? 8)) {
      return refuse(response, route.operation.form, { kind: "busy", message: "Too many requests are under way." });
    }
    underWay++;
    try {
      await serve(route, ready.text, request, response);
    } finally {
      underWay--;
    }
  };

  async function serve(route: Route, text: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { endpoint, operation } = route;
    const isCounted = operation.kind === "generate";
    const inputTokens = isCounted ? countTokens(text) : 0;
    const reservation = spending.reserve(inputTokens, endpoint.prices);
    if (typeof reservation === "string") {
      return refuse(response, operation.form, { kind: "budget", message: reservation });
    }
    const started = clock.monotonic();
    const headers = Object.fromEntries(
      ["accept", "anthropic-version", "anthropic-beta"].map((name) => [name, headerOf(request, name)]),
    );
    const outcome = await forward(parts, route, { body: text, headers }, inputTokens, response, (counts) => {
      if (!isCounted) return null;
      reservation.update(counts);
      const message = spending.exceeded();
      return message === null ? null : { kind: "budget", message };
    });
    const ms = Math.round(clock.monotonic() - started);
    const about = { endpoint: endpoint.name, path: operation.path, ms };
    if ("kind" in outcome) {
      reservation.settle({ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }, false);
      logger.warn("model.unreachable", { ...about, kind: outcome.kind, reason: outcome.message });
      return refuse(response, operation.form, outcome);
    }
    const { counts, isEstimated, status } = outcome;
    reservation.settle(isCounted ? counts : { ...counts, inputTokens: 0, outputTokens: 0 }, isCounted && isEstimated);
    logger.info("model.answered", { ...about, status, ...counts });
  }

  function answerModels(response: ServerResponse, { endpoint, operation }: Route): void {
    const ids = endpoints.filter((one) => one.kind === endpoint.kind).map((one) => one.model);
    const list =
      operation.form === "google"
        ? { models: ids.map((id) => ({ name: `models/${id}`, supportedGenerationMethods: ["generateContent"] })) }
        : { object: "list", data: ids.map((id) => ({ id, type: "model", object: "model" })), has_more: false };
    send(response, 200, list);
  }

  function refuse(response: ServerResponse, form: Operation["form"], refusal: Refusal): void {
    spending.refused();
    logger.info("model.refused", { kind: refusal.kind });
    send(response, statusOf(refusal), refusalBody(form, refusal));
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify(body));
}

/** The body as the provider gets it, or why it does not. */
function prepare(
  { endpoint, operation }: Route,
  json: JsonObject,
  redactor: Redactor,
): { readonly text: string; readonly stripped: readonly string[] } | Refusal {
  const model = operation.model ?? json["model"];
  if (model !== endpoint.model) {
    return { kind: "model_not_allowed", message: `Only the model ${endpoint.model} can be asked here.` };
  }
  const disarmed = disarm(operation.form, json);
  if (disarmed.kind === "fetches") {
    const message = `The provider would fetch an address for ${disarmed.where}; contents must be in the request itself.`;
    return { kind: "fetches_elsewhere", message };
  }
  const { body, stripped } = disarmed;
  // Streams of this form tell what they cost only if they are asked to.
  const asksForUsage = operation.form === "openai-chat" && body["stream"] === true;
  const options = isObject(body["stream_options"]) ? body["stream_options"] : {};
  const full = asksForUsage ? { ...body, stream_options: { ...options, include_usage: true } } : body;
  return { text: JSON.stringify(maskRequest(full, redactor)), stripped };
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<{ readonly json: JsonObject } | Refusal> {
  const encoding = headerOf(request, "content-encoding") ?? "identity";
  if (encoding !== "identity") return { kind: "bad_body", message: "The request must not be compressed." };
  const tooLarge: Refusal = { kind: "too_large", message: `A request may have ${maxBytes} bytes at most.` };
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBytes) return tooLarge;
    chunks.push(chunk);
  }
  try {
    const json: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (isObject(json)) return { json };
  } catch {
    // Said below, as for a body that is JSON but no object.
  }
  return { kind: "bad_body", message: "The request is no JSON object." };
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
