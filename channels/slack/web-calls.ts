// One call of the Web API: the workspace's token, no retries of writes, a deadline, and every failure as a ChannelError.
import { LogLevel, type Logger as SdkLogger, WebClient, type WebClientOptions } from "@slack/web-api";
import * as z from "zod";
import { ChannelError } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { SlackBot, SlackClientOptions } from "./client-types.ts";
import { defaultRetryAfterS, type SlackFailure, slackFailure } from "./faults.ts";

/** Thrown by `call`: the ChannelError with Slack's own code beside it. */
export class SlackCallError extends ChannelError {
  readonly code: string | undefined;
  readonly pointers: readonly string[];

  constructor({ error, code, pointers }: SlackFailure) {
    const { retryAfterMs, cause } = error;
    super(error.fault, error.message, { ...(retryAfterMs === undefined ? {} : { retryAfterMs }), cause });
    this.code = code;
    this.pointers = pointers;
  }
}

const lateTriggers: ReadonlySet<string> = new Set(["expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id"]);

/** Whether what failed was a modal whose interaction is more than three seconds old, or opened one already. */
export function isTooLate(thrown: unknown): boolean {
  return thrown instanceof SlackCallError && thrown.code !== undefined && lateTriggers.has(thrown.code);
}

export interface WebCalls {
  /** Once: what may have been done is never repeated here. */
  write(workspace: string, method: string, given: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Two more times after a failure of the network or of Slack's. */
  read(workspace: string, method: string, given: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** With a token that belongs to no workspace yet. */
  withToken(token: string, method: string): Promise<Answer>;
  bot(workspace: string): Promise<SlackBot>;
}

const answer = z.looseObject({ response_metadata: z.looseObject({}).optional() });
export type Answer = z.infer<typeof answer>;

type SdkResponse = Awaited<ReturnType<NonNullable<WebClientOptions["fetch"]>>>;

const TIMEOUT_MS = 15_000;
const READ_RETRIES = { retries: 2, minTimeout: 200, factor: 3 } as const;

/** Codes by which Slack refuses the credentials themselves. */
const refusals: ReadonlySet<string> = new Set([
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "token_expired",
]);

interface Clients {
  readonly token: string;
  readonly writes: WebClient;
  readonly reads: WebClient;
}

export function createWebCalls(options: SlackClientOptions): WebCalls {
  const { logger } = options;
  const clients = new Map<string, Clients>();

  function clientsFor(workspace: string, token: string): Clients {
    const standing = clients.get(workspace);
    // A rotated token is another client.
    if (standing?.token === token) return standing;
    const made = { token, writes: client(token, { retries: 0 }), reads: client(token, READ_RETRIES) };
    clients.set(workspace, made);
    return made;
  }

  function client(token: string, retryConfig: typeof READ_RETRIES | { readonly retries: 0 }): WebClient {
    const { fetch = globalThis.fetch } = options;
    return new WebClient(token, {
      ...(options.apiUrl === undefined ? {} : { slackApiUrl: options.apiUrl }),
      retryConfig,
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      timeout: options.timeoutMs ?? TIMEOUT_MS,
      logger: quiet(logger),
      fetch: async (url, init) => timed(await fetch(url, init)),
    });
  }

  async function call(
    kind: "writes" | "reads",
    workspace: string,
    method: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<Answer> {
    const { token } = await options.token(workspace);
    try {
      return answer.parse(await clientsFor(workspace, token)[kind].apiCall(method, { ...given }));
    } catch (thrown) {
      throw failed(slackFailure(thrown, method, options.installUrl), workspace, method);
    }
  }

  function failed(failure: SlackFailure, workspace: string, method: string): SlackCallError {
    const { code, needed } = failure;
    if (code === "missing_scope") {
      // Without the scope to write there is no channel; the others are optional.
      const fields = { workspace, method, needed };
      if (method.startsWith("chat.")) logger.error("slack.scope_missing", fields);
      else logger.warn("slack.scope_missing", fields);
    }
    if (code !== undefined && refusals.has(code)) {
      clients.delete(workspace);
      options.refused?.(workspace, code);
    }
    return new SlackCallError(failure);
  }

  return {
    write: (workspace, method, given) => call("writes", workspace, method, given),
    read: (workspace, method, given) => call("reads", workspace, method, given),
    async withToken(token, method) {
      try {
        return answer.parse(await client(token, READ_RETRIES).apiCall(method));
      } catch (thrown) {
        throw new SlackCallError(slackFailure(thrown, method, options.installUrl));
      }
    },
    bot: options.token,
  };
}

/** The SDK takes an answer 429 without `Retry-After` for a fault of its own; it gets a usual time instead. */
function timed(response: Response): SdkResponse {
  const { headers } = response;
  if (response.status !== 429 || /^\d+$/.test(headers.get("retry-after")?.trim() ?? "")) return response;
  const own = new Headers(headers);
  own.set("retry-after", String(defaultRetryAfterS));
  return {
    ok: response.ok,
    status: response.status,
    statusText: response.statusText,
    url: response.url,
    headers: own,
    arrayBuffer: () => response.arrayBuffer(),
    json: () => response.json(),
    text: () => response.text(),
  };
}

/** The SDK's own words go to the debug log, cut short; what it would say at that level itself holds whole bodies. */
export function quiet(logger: Logger): SdkLogger {
  const say = (...words: readonly unknown[]): void =>
    logger.debug("slack.sdk", { message: words.map(String).join(" ").slice(0, 300) });
  return {
    debug() {},
    info() {},
    warn: say,
    error: say,
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  };
}

/** The call's answer; null for a refusal with one of these codes of Slack. */
export async function orNull<T>(codes: readonly string[], call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof SlackCallError && thrown.code !== undefined && codes.includes(thrown.code)) return null;
    throw thrown;
  }
}
