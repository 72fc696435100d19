// Sends one allowed request to the provider with the key that the agent does not have, and hands the answer back as it comes.
import type { ServerResponse } from "node:http";
import type { Clock } from "../../ports/clock.ts";
import type { ModelEndpoint } from "../model/settings.ts";
import { type Route, upstreamUrl } from "./operations.ts";
import { createStreamReader, larger, noTokens, type TokenCounts, usageIn } from "./read-usage.ts";
import { type Refusal, refusalEvent } from "./refusals.ts";

export interface ForwardTimes {
  /** Until the provider begins its answer, ms: a model may think for minutes. */
  readonly answerMs: number;
  /** Between two pieces of an answer, ms. */
  readonly pieceMs: number;
}

export interface ForwardParts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly times: ForwardTimes;
  /** Most bytes of an answer. */
  readonly maxAnswerBytes: number;
}

export interface Forwarded {
  readonly status: number;
  readonly counts: TokenCounts;
  readonly isEstimated: boolean;
}

/** Of the provider's answer only these are the agent's business: others name accounts, limits and machines. */
const passedHeaders = ["content-type", "retry-after", "retry-after-ms", "request-id", "x-request-id"] as const;

/**
 * @param inputTokens estimate of what the request costs, for answers that do not tell.
 * @param watch told what the answer has cost so far; a refusal that it gives ends the answer at once.
 * @returns how it went, or the refusal that the client has not been told yet.
 */
export async function forward(
  parts: ForwardParts,
  route: Route,
  request: { readonly body: string; readonly headers: Readonly<Record<string, string | undefined>> },
  inputTokens: number,
  response: ServerResponse,
  watch: (counts: TokenCounts) => Refusal | null,
): Promise<Forwarded | Refusal> {
  const { endpoint, operation } = route;
  const abort = new AbortController();
  const gone = (): void => abort.abort();
  response.once("close", gone);
  let stopTimer = parts.clock.after(parts.times.answerMs, gone);
  let sofar: TokenCounts = { ...noTokens, inputTokens };
  try {
    const answer = await parts.fetch(upstreamUrl(route), {
      method: "POST",
      headers: upstreamHeaders(endpoint, request.headers),
      body: request.body,
      // Another address is not the configured one, whoever names it.
      redirect: "manual",
      signal: abort.signal,
    });
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body?.cancel();
      return {
        kind: "unreachable",
        message: "The model's endpoint answers with a redirection, which is not followed.",
      };
    }
    if (!answer.ok) return await handError(answer, endpoint, response);
    const isStream = /text\/event-stream/i.test(answer.headers.get("content-type") ?? "");
    const reader = createStreamReader();
    const whole: Uint8Array[] = [];
    let bytes = 0;
    writeHead(response, answer);
    for await (const chunk of answer.body ?? []) {
      stopTimer();
      stopTimer = parts.clock.after(parts.times.pieceMs, gone);
      bytes += chunk.length;
      if (bytes > parts.maxAnswerBytes) abort.abort();
      if (isStream) reader.add(chunk);
      else whole.push(chunk);
      sofar = estimate(reader.counts(), inputTokens, isStream ? reader.events() : bytes / 4);
      const refusal = watch(sofar);
      if (refusal !== null) {
        if (isStream) response.end(`\n\n${refusalEvent(operation.form, refusal)}`);
        abort.abort();
        return cutOff();
      }
      if (!response.write(chunk)) await drained(response, abort.signal);
    }
    response.end();
    const told = isStream ? reader.counts() : usageOf(whole);
    const counts = estimate(told, inputTokens, isStream ? reader.events() : bytes / 4);
    return { status: answer.status, counts, isEstimated: told === null || told.outputTokens === 0 };
  } catch (thrown) {
    if (!abort.signal.aborted) {
      if (response.headersSent) return cutOff();
      return { kind: "unreachable", message: `The model's endpoint cannot be reached (${causeOf(thrown)}).` };
    }
    if (response.destroyed || response.headersSent) return cutOff();
    return { kind: "too_slow", message: "The model's endpoint did not answer in time." };
  } finally {
    stopTimer();
    response.off("close", gone);
  }

  /** Unless it was told, the client sees an answer that breaks off, and takes it for no complete one. */
  function cutOff(): Forwarded {
    if (!response.writableEnded) response.destroy();
    return { status: 0, counts: sofar, isEstimated: true };
  }
}

/** What is known for certain, and an estimate for what was not told. */
function estimate(told: TokenCounts | null, inputTokens: number, written: number): TokenCounts {
  const outputTokens = Math.ceil(written);
  if (told === null) return { ...noTokens, inputTokens, outputTokens };
  return {
    ...told,
    inputTokens: told.inputTokens > 0 ? told.inputTokens : inputTokens,
    // Anthropic's first event tells one token of output, long before the last one tells them all.
    outputTokens: Math.max(told.outputTokens, told.outputTokens > 1 ? 0 : outputTokens),
  };
}

function usageOf(pieces: readonly Uint8Array[]): TokenCounts | null {
  try {
    return larger(null, usageIn(JSON.parse(Buffer.concat(pieces).toString("utf8"))));
  } catch {
    return null;
  }
}

/** Most bytes of an error that are handed on. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Errors cost nothing. Some providers quote the key that they refuse. */
async function handError(answer: Response, endpoint: ModelEndpoint, response: ServerResponse): Promise<Forwarded> {
  const text = Buffer.from(await answer.arrayBuffer())
    .subarray(0, MAX_ERROR_BYTES)
    .toString("utf8");
  const { apiKey } = endpoint;
  const masked = apiKey === undefined || apiKey === "" ? text : maskKey(text, apiKey);
  writeHead(response, answer);
  response.end(masked);
  return { status: answer.status, counts: noTokens, isEstimated: false };
}

/** The key, and what providers make of it: its first and last letters around stars. */
function maskKey(text: string, key: string): string {
  const edges = key.length < 12 ? [] : [`${quote(key.slice(0, 4))}[\\w-]*\\*+[\\w-]*${quote(key.slice(-4))}`];
  return text.replace(new RegExp([quote(key), ...edges].join("|"), "g"), "***");
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function writeHead(response: ServerResponse, answer: Response): void {
  const headers = passedHeaders.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(answer.status, Object.fromEntries(headers));
}

function upstreamHeaders(
  endpoint: ModelEndpoint,
  given: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: given["accept"] ?? "*/*",
    // So that figures can be read from it.
    "accept-encoding": "identity",
    "user-agent": "aicr-bot",
  };
  const { kind, apiKey } = endpoint;
  if (kind === "anthropic") {
    headers["anthropic-version"] = given["anthropic-version"] ?? "2023-06-01";
    if (given["anthropic-beta"] !== undefined) headers["anthropic-beta"] = given["anthropic-beta"];
  }
  if (apiKey === undefined || apiKey === "") return headers;
  if (kind === "anthropic") headers["x-api-key"] = apiKey;
  else if (kind === "google") headers["x-goog-api-key"] = apiKey;
  else headers["authorization"] = `Bearer ${apiKey}`;
  return headers;
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
    signal.addEventListener("abort", done, { once: true });
  });
}

function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  if (cause instanceof Error) return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
  return "unknown";
}
