// HTTP for the platform's API, in place of the SDK's own: with deadlines, and with errors that never carry a request.
import { Agent, type Dispatcher, EnvHttpProxyAgent, FormData, request } from "undici";
import type { Clock } from "../../src/ports/clock.ts";

/** What the SDK hands to its HTTP client, as far as we support it. */
export interface LarkHttpRequest {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  /** ms; the shorter of this and the client's own deadline counts. */
  readonly timeout?: number;
}

/** How far a failed call came. */
export type LarkHttpStage =
  /** The platform answered, with a status or a code that refuses. */
  | "answered"
  /** No connection was made: nothing was done. */
  | "unsent"
  /** It left, and no whole answer came back in time: perhaps done. */
  | "lost";

/**
 * A call that did not succeed. It knows the method, the path and what the platform answered, and nothing of what was sent:
 * requests hold the app's secret and tokens.
 */
export class LarkHttpError extends Error {
  override readonly name = "LarkHttpError";
  readonly stage: LarkHttpStage;
  readonly status: number;
  /** The platform's own code; 0 when it gave none. */
  readonly code: number;
  /** The platform's own words, shortened. */
  readonly reason: string;
  /** Seconds until the rate limit is over, where the platform says so. */
  readonly resetSeconds: number | undefined;

  constructor(facts: {
    readonly stage: LarkHttpStage;
    readonly what: string;
    readonly status?: number;
    readonly code?: number;
    readonly reason: string;
    readonly resetSeconds?: number | undefined;
  }) {
    const { stage, what, status = 0, code = 0, reason, resetSeconds } = facts;
    const numbers = [status === 0 ? "" : `HTTP ${status}`, code === 0 ? "" : `code ${code}`].filter(
      (part) => part !== "",
    );
    super(`${what}: ${[...numbers, reason].join(", ")}`);
    this.stage = stage;
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.resetSeconds = resetSeconds;
  }
}

export interface LarkHttpOptions {
  readonly clock: Clock;
  /** Deadline of one call, answer included, ms. */
  readonly timeoutMs: number;
  /** True: an answer with a code other than 0 is thrown too. The SDK's long connection wants to see codes itself. */
  readonly throwCodes: boolean;
  /** Texts that never stand in an error: the app's secret and the like. */
  readonly secrets: readonly string[];
}

/** The shape of the SDK's `HttpInstance`; every call answers the parsed body. */
export interface LarkHttp {
  request(options: LarkHttpRequest): Promise<unknown>;
  get(url: string, options?: LarkHttpRequest): Promise<unknown>;
  delete(url: string, options?: LarkHttpRequest): Promise<unknown>;
  head(url: string, options?: LarkHttpRequest): Promise<unknown>;
  options(url: string, options?: LarkHttpRequest): Promise<unknown>;
  post(url: string, data?: unknown, options?: LarkHttpRequest): Promise<unknown>;
  put(url: string, data?: unknown, options?: LarkHttpRequest): Promise<unknown>;
  patch(url: string, data?: unknown, options?: LarkHttpRequest): Promise<unknown>;
  /** Ends every connection; what is under way is lost, and what comes later is not sent. */
  close(): Promise<void>;
}

/** Largest answer that is read, bytes. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Longest reason that is kept, UTF-16 code units. */
const MAX_REASON = 300;
/** Faults before a request has left; everything else may have been done. */
const UNSENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** No encryption was agreed on: nothing went through. A certificate that nobody accepts may stay for hours. */
const UNENCRYPTED = /^(?:CERT_|ERR_SSL_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
/** A proxy that makes no tunnel, in undici's words. */
const UNTUNNELLED = /^Proxy response \(\d+\) !== 200 when HTTP Tunneling/;

export function createLarkHttp({ clock, timeoutMs, throwCodes, secrets }: LarkHttpOptions): LarkHttp {
  const direct = new Agent({ connect: { timeout: timeoutMs } });
  // The environment's proxy, except for this machine itself: a proxy elsewhere cannot reach our loopback.
  const outside = new EnvHttpProxyAgent({ connect: { timeout: timeoutMs } });
  let isClosed = false;

  async function call(options: LarkHttpRequest): Promise<unknown> {
    const url = new URL(options.url ?? "");
    for (const [name, value] of Object.entries(options.params ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const method = (options.method ?? "GET").toUpperCase();
    const what = clean(`${method} ${url.pathname}`);
    if (isClosed) throw new LarkHttpError({ stage: "unsent", what, reason: "the channel is stopped" });
    const abort = new AbortController();
    const cancel = clock.after(Math.min(options.timeout ?? timeoutMs, timeoutMs), () => abort.abort());
    try {
      const answer = await request(url, {
        method: method as Dispatcher.HttpMethod,
        ...payloadOf(options),
        dispatcher: isLoopback(url.hostname) ? direct : outside,
        signal: abort.signal,
      });
      const text = await readText(answer.body);
      return judge({ what, status: answer.statusCode, headers: answer.headers, text });
    } catch (thrown) {
      if (thrown instanceof LarkHttpError) throw thrown;
      throw failure(what, thrown, abort.signal.aborted);
    } finally {
      cancel();
    }
  }

  function judge(answer: {
    readonly what: string;
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly text: string;
  }): unknown {
    const { what, status, headers, text } = answer;
    const body = parsed(text);
    const code = numberOf(body, "code") ?? numberOf(body, "StatusCode") ?? 0;
    if (status < 400 && body !== undefined && (code === 0 || !throwCodes)) return body;
    const said = stringOf(body, "msg") ?? stringOf(body, "StatusMessage") ?? stringOf(body, "error_description");
    throw new LarkHttpError({
      // A gateway's page with a good status tells nothing of what became of the call.
      stage: status < 400 && body === undefined ? "lost" : "answered",
      what,
      status,
      code,
      reason: clean(said ?? (body === undefined ? "no JSON in the answer" : "refused")),
      resetSeconds: resetOf(headers),
    });
  }

  function failure(what: string, thrown: unknown, timedOut: boolean): LarkHttpError {
    const code = codeOf(thrown);
    if (timedOut) return new LarkHttpError({ stage: "lost", what, reason: "no answer in time" });
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const isUntunnelled = UNTUNNELLED.test(message);
    const isUnsent = UNSENT.has(code) || UNENCRYPTED.test(code) || isUntunnelled;
    const reason = clean(code === "" || isUntunnelled ? message : code);
    return new LarkHttpError({ stage: isUnsent ? "unsent" : "lost", what, reason });
  }

  function clean(text: string): string {
    const hidden = secrets.reduce((rest, secret) => (secret === "" ? rest : rest.split(secret).join("[hidden]")), text);
    return hidden.replace(/Bearer\s+[\w.\-~+/]+/gi, "Bearer [hidden]").slice(0, MAX_REASON);
  }

  return {
    request: call,
    get: (url, options) => call({ ...options, url, method: "GET" }),
    delete: (url, options) => call({ ...options, url, method: "DELETE" }),
    head: (url, options) => call({ ...options, url, method: "HEAD" }),
    options: (url, options) => call({ ...options, url, method: "OPTIONS" }),
    post: (url, data, options) => call({ ...options, url, data, method: "POST" }),
    put: (url, data, options) => call({ ...options, url, data, method: "PUT" }),
    patch: (url, data, options) => call({ ...options, url, data, method: "PATCH" }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.all([direct.destroy(), outside.destroy()]);
    },
  };
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function payloadOf({ method, data, headers }: LarkHttpRequest): {
  readonly headers: Record<string, string>;
  readonly body?: string | FormData;
} {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (typeof value === "string") sent[name.toLowerCase()] = value;
  }
  const isEmpty = data === undefined || data === null || (method?.toUpperCase() === "GET" && isEmptyObject(data));
  if (isEmpty) return { headers: sent };
  if (sent["content-type"]?.startsWith("multipart/form-data") === true) {
    // The boundary is the form's own.
    delete sent["content-type"];
    return { headers: sent, body: formOf(data as Readonly<Record<string, unknown>>) };
  }
  sent["content-type"] = "application/json; charset=utf-8";
  return { headers: sent, body: JSON.stringify(data) };
}

function formOf(data: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(data)) {
    if (value instanceof Uint8Array) form.append(name, new Blob([new Uint8Array(value)]), name);
    else if (value !== undefined) form.append(name, String(value));
  }
  return form;
}

async function readText(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    total += chunk.byteLength;
    if (total > MAX_ANSWER_BYTES) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function resetOf(headers: Readonly<Record<string, string | string[] | undefined>>): number | undefined {
  const given = headers["x-ogw-ratelimit-reset"] ?? headers["retry-after"];
  const seconds = Number(Array.isArray(given) ? given[0] : given);
  return given !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/** The code of an error or of what caused it: undici wraps those of the system. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  const own = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  if (own !== "" || thrown.cause === undefined) return own;
  return codeOf(thrown.cause);
}

function numberOf(body: unknown, name: string): number | undefined {
  const value = (body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === "number" ? value : undefined;
}

function stringOf(body: unknown, name: string): string | undefined {
  const value = (body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === "string" ? value : undefined;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
