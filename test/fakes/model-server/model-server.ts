// A scripted model on loopback that speaks chat completions, Responses, Anthropic Messages and Gemini, as strictly as they do.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { BadRequest, readRequest } from "./read-request.ts";
import type { Script, SeenRequest, Turn, WireForm } from "./script.ts";
import { type Answer, writeAnswer } from "./write-answer.ts";

export interface ModelServerOptions {
  readonly script: Script;
  /** The key that clients must send; without one any will do. */
  readonly key?: string;
  /** Models that there are; without it any. */
  readonly models?: readonly string[];
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>`; OpenAI's and Anthropic's forms lie below `/v1`, Gemini's below `/v1beta`. */
  readonly origin: string;
  /** Requests that were understood, in order. */
  readonly requests: readonly SeenRequest[];
  /** Requests that were refused, and why. */
  readonly refusals: readonly string[];
  /** Resolves once so many requests have come. */
  seen(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const refusals: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((fault: unknown) => {
      refusals.push(String(fault));
      if (!response.headersSent) sendError(response, "openai-chat", 500, String(fault));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const target = routeOf(incoming.method ?? "", url.pathname);
    const body = await readBody(incoming);
    if (target === null)
      return refuse(response, "openai-chat", 404, `no such path: ${incoming.method} ${url.pathname}`);
    const { form } = target;
    if (options.key !== undefined && keyOf(incoming, url, form) !== options.key) {
      return refuse(response, form, 401, "Incorrect API key provided");
    }
    let request: SeenRequest;
    try {
      const read = readRequest(form, JSON.parse(body), target.model ?? "", target.isStream);
      const headers = Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      );
      request = { ...read, form, headers };
    } catch (fault) {
      const what = fault instanceof BadRequest || fault instanceof SyntaxError ? fault.message : null;
      if (what === null) throw fault;
      return refuse(response, form, 400, what);
    }
    if (options.models?.includes(request.model) === false) {
      return refuse(response, form, 404, `The model ${request.model} does not exist`);
    }
    const n = requests.push(request) - 1;
    for (const one of waiting) if (requests.length >= one.count) one.resolve();
    const turn = options.script(request, n);
    if (turn === null) return refuse(response, form, 500, `the script has no turn ${n}`);
    await play(request, turn, n, response);
  }

  async function play(request: SeenRequest, turn: Turn, n: number, response: ServerResponse): Promise<void> {
    if (turn.error !== undefined) {
      const { status, headers = {}, message = "scripted refusal" } = turn.error;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      return sendError(response, request.form, status, message);
    }
    if (turn.hang === "before") return gone(response);
    const { contentType, chunks } = writeAnswer(request, turn, n);
    response.writeHead(200, { "content-type": contentType });
    const sent = turn.malformed === true ? broken({ contentType, chunks }) : chunks;
    for (const [index, chunk] of sent.entries()) {
      if (turn.hang === "after" && index === Math.ceil(sent.length / 2)) return gone(response);
      response.write(chunk);
    }
    response.end();
  }

  function refuse(response: ServerResponse, form: WireForm, status: number, message: string): void {
    refusals.push(message);
    sendError(response, form, status, message);
  }

  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    refusals,
    seen: (count) =>
      requests.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Target {
  readonly form: WireForm;
  readonly model?: string;
  readonly isStream: boolean;
}

function routeOf(method: string, path: string): Target | null {
  if (method !== "POST") return null;
  if (path === "/v1/chat/completions") return { form: "openai-chat", isStream: false };
  if (path === "/v1/responses") return { form: "openai-responses", isStream: false };
  if (path === "/v1/messages") return { form: "anthropic", isStream: false };
  const named = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path);
  const [, model, verb] = named ?? [];
  return model === undefined ? null : { form: "google", model, isStream: verb === "streamGenerateContent" };
}

function keyOf({ headers }: IncomingMessage, url: URL, form: WireForm): string | undefined {
  const bearer = headers.authorization?.replace(/^Bearer /, "");
  if (form === "anthropic") return (headers["x-api-key"] as string | undefined) ?? bearer;
  if (form === "google")
    return (headers["x-goog-api-key"] as string | undefined) ?? url.searchParams.get("key") ?? undefined;
  return bearer;
}

function sendError(response: ServerResponse, form: WireForm, status: number, message: string): void {
  const body =
    form === "anthropic"
      ? { type: "error", error: { type: "api_error", message } }
      : form === "google"
        ? { error: { code: status, message, status: "INTERNAL" } }
        : { error: { message, type: "api_error", param: null, code: null } };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** A stream that ends in the middle of an event; a body that is cut. */
function broken({ chunks }: Answer): readonly string[] {
  const text = chunks.join("");
  return [`${text.slice(0, Math.floor(text.length / 2))}\u0000{`];
}

function gone(response: ServerResponse): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return new Promise((resolve) => response.on("close", () => resolve()));
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
