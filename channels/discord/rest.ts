// Discord's REST interface as a port, over discord.js's own client: one try a call, no wait longer than a few seconds, no token in an error.
import {
  DefaultRestOptions,
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  REST,
  type RESTOptions,
  RequestMethod,
} from "discord.js";

export type RestMethod = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export interface RestCall {
  readonly method: RestMethod;
  /** Without the version, e.g. `/channels/1/messages`. */
  readonly path: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly files?: readonly RestFile[];
  /** False where the path itself holds a token, an interaction's: a refusal there says nothing about the bot's. Default true. */
  readonly auth?: boolean;
}

export interface RestFile {
  readonly name: string;
  readonly contentType: string;
  readonly data: Uint8Array;
}

export type RestAnswer =
  /** `value` is the answer's JSON; undefined where there is none (204). */
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly refusal: Refusal };

export interface Refusal {
  readonly kind: /** Discord answered with an error. */
    | "answered"
    /** It never left: no connection, no name. */
    | "unsent"
    /** It left, and no answer came. */
    | "lost"
    /** It would have to wait longer than our patience, and was not done. */
    | "limited";
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Discord's own code; 0 where it gave none. */
  readonly code: number;
  /** What Discord said, with the places in the body that were wrong (50035); holds no address and no token. */
  readonly message: string;
  readonly retryAfterMs?: number;
}

export interface DiscordRest {
  call(call: RestCall): Promise<RestAnswer>;
  /** True from a 401 to a call with the bot's token until such a call succeeds. */
  isTokenRefused(): boolean;
}

export interface DiscordRestOptions {
  readonly token: string;
  /** Default `https://discord.com/api`. */
  readonly apiUrl?: string;
  /** How long one request may take, ms. Default 15 s. */
  readonly timeoutMs?: number;
  /** Longest wait for a rate limit within a call, ms; what would wait longer is given back as `limited`. Default 5 s. */
  readonly patienceMs?: number;
}

const TIMEOUT_MS = 15_000;
const PATIENCE_MS = 5_000;
const MAX_MESSAGE = 600;

/** Connections that were never made: nothing can have been done. */
const unsentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

type Requester = typeof DefaultRestOptions.makeRequest;
type Reply = Awaited<ReturnType<Requester>>;

export function createDiscordRest(options: DiscordRestOptions): DiscordRest {
  const { token, apiUrl, timeoutMs = TIMEOUT_MS, patienceMs = PATIENCE_MS } = options;
  const settings: Partial<RESTOptions> = {
    version: "10",
    ...(apiUrl === undefined ? {} : { api: apiUrl }),
    // The core owns retries: it looks for what may have arrived before it sends again.
    retries: 0,
    timeout: timeoutMs,
    userAgentAppendix: "aicr-bot",
    makeRequest: async (url, init) => limitTold(await DefaultRestOptions.makeRequest(url, init)),
    rejectOnRateLimit: ({ timeToReset, retryAfter }) => Math.max(timeToReset, retryAfter) > patienceMs,
  };
  const rest = new REST(settings).setToken(token);
  // Discord does not count these against the bot's 50 calls a second: behind a burst of cards they would come too late.
  const byInteraction = new REST({ ...settings, globalRequestsPerSecond: Number.POSITIVE_INFINITY });
  let isTokenRefused = false;

  return {
    isTokenRefused: () => isTokenRefused,
    async call({ method, path, query, body, files, auth = true }) {
      try {
        const value = await (auth ? rest : byInteraction).request({
          method: methods[method],
          fullRoute: path,
          auth,
          ...(query === undefined ? {} : { query: new URLSearchParams(query) }),
          ...(body === undefined ? {} : { body }),
          ...(files === undefined
            ? {}
            : { files: files.map(({ data, ...file }) => ({ ...file, data: Buffer.from(data) })) }),
        });
        if (auth) isTokenRefused = false;
        return { ok: true, value: value instanceof ArrayBuffer ? undefined : value };
      } catch (thrown) {
        const refusal = refusalOf(thrown);
        if (auth && refusal.status === 401) {
          isTokenRefused = true;
          // discord.js forgets a refused token; a refusal may have been Discord's own trouble.
          rest.setToken(token);
        }
        return { ok: false, refusal };
      }
    },
  };
}

const methods: Readonly<Record<RestMethod, RequestMethod>> = {
  GET: RequestMethod.Get,
  POST: RequestMethod.Post,
  PATCH: RequestMethod.Patch,
  PUT: RequestMethod.Put,
  DELETE: RequestMethod.Delete,
};

/**
 * discord.js looks at a 429's headers alone. What has a code of its own (30046: too many edits of an old message) is no wait but an
 * answer, and a 429 that does not say how long would be asked again at once, for ever.
 */
async function limitTold(reply: Reply): Promise<Reply> {
  if (reply.status !== 429) return reply;
  const body = await jsonOf(reply);
  const headers = new Headers([...reply.headers.entries()]);
  const code = body["code"];
  if (typeof code === "number" && code !== 0 && !waitingCodes.has(code)) {
    headers.set("content-type", "application/json");
    return rebuilt(reply, 400, headers, body);
  }
  if (!headers.has("retry-after")) {
    const seconds = body["retry_after"];
    headers.set("retry-after", String(typeof seconds === "number" && seconds > 0 ? seconds : 60));
  }
  return rebuilt(reply, 429, headers, body);
}

/** Codes that only name which limit it is: application, channel and server write limits. */
const waitingCodes: ReadonlySet<number> = new Set([20016, 20022, 20028, 20029, 40062]);

async function jsonOf(reply: Reply): Promise<Record<string, unknown>> {
  try {
    const value: unknown = await reply.json();
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function rebuilt(reply: Reply, status: number, headers: Headers, body: unknown): Reply {
  const text = JSON.stringify(body);
  return {
    status,
    statusText: reply.statusText,
    ok: false,
    headers,
    body: null,
    bodyUsed: false,
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    json: async () => JSON.parse(text),
    text: async () => text,
  };
}

function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof DiscordAPIError) {
    const { status, message } = thrown;
    return { kind: "answered", status, code: Number(thrown.code) || 0, message: message.slice(0, MAX_MESSAGE) };
  }
  if (thrown instanceof RateLimitError) {
    const retryAfterMs = Math.max(thrown.retryAfter, thrown.timeToReset);
    return { kind: "limited", status: 429, code: 0, message: `A rate limit (${thrown.scope}).`, retryAfterMs };
  }
  if (thrown instanceof HTTPError) {
    return { kind: "answered", status: thrown.status, code: 0, message: `HTTP ${thrown.status}` };
  }
  const code = codeOf(thrown);
  const name = thrown instanceof Error ? thrown.name : "unknown";
  const message = name === "AbortError" ? "No answer in time." : `No answer (${code ?? name}).`;
  return { kind: code !== null && unsentCodes.has(code) ? "unsent" : "lost", status: 0, code: 0, message };
}

function codeOf(thrown: unknown): string | null {
  if (typeof thrown !== "object" || thrown === null) return null;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  return "cause" in thrown ? codeOf(thrown.cause) : null;
}
