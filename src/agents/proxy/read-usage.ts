// Reads from a provider's answer what it cost in tokens, whole or as a stream.
import { isObject, type JsonObject } from "./disarm.ts";

export interface TokenCounts {
  /** All of the input, what came from the provider's cache included. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  /** All of the output, reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

export const noTokens: TokenCounts = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };

/** The figures of one JSON value of an answer, or of one event of a stream; null where it has none. */
export function usageIn(value: unknown): TokenCounts | null {
  if (Array.isArray(value)) return value.map(usageIn).reduce(larger, null);
  if (!isObject(value)) return null;
  // The Responses form and Anthropic's first event hold the answer one level down.
  const inner = value["response"] ?? value["message"];
  const holder = isObject(value["usage"]) || isObject(value["usageMetadata"]) ? value : isObject(inner) ? inner : value;
  if (isObject(holder["usageMetadata"])) return ofGoogle(holder["usageMetadata"]);
  return isObject(holder["usage"]) ? ofUsage(holder["usage"]) : null;
}

/** Providers repeat their figures while a stream goes on, each time for the whole of it. */
export function larger(a: TokenCounts | null, b: TokenCounts | null): TokenCounts | null {
  if (a === null || b === null) return a ?? b;
  return {
    inputTokens: Math.max(a.inputTokens, b.inputTokens),
    cachedInputTokens: Math.max(a.cachedInputTokens, b.cachedInputTokens),
    outputTokens: Math.max(a.outputTokens, b.outputTokens),
    reasoningTokens: Math.max(a.reasoningTokens, b.reasoningTokens),
  };
}

function ofUsage(usage: JsonObject): TokenCounts {
  const inside = (name: string, field: string): number => {
    const details = usage[name];
    return isObject(details) ? count(details[field]) : 0;
  };
  // Anthropic counts what it cached apart from the input, the others within it.
  const cacheRead = count(usage["cache_read_input_tokens"]);
  const cacheWritten = count(usage["cache_creation_input_tokens"]);
  return {
    inputTokens: count(usage["prompt_tokens"] ?? usage["input_tokens"]) + cacheRead + cacheWritten,
    cachedInputTokens:
      cacheRead +
      Math.max(
        inside("prompt_tokens_details", "cached_tokens"),
        inside("input_tokens_details", "cached_tokens"),
        count(usage["prompt_cache_hit_tokens"]),
      ),
    outputTokens: count(usage["completion_tokens"] ?? usage["output_tokens"]),
    reasoningTokens: Math.max(
      inside("completion_tokens_details", "reasoning_tokens"),
      inside("output_tokens_details", "reasoning_tokens"),
    ),
  };
}

function ofGoogle(usage: JsonObject): TokenCounts {
  const reasoningTokens = count(usage["thoughtsTokenCount"]);
  return {
    inputTokens: count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]),
    cachedInputTokens: count(usage["cachedContentTokenCount"]),
    outputTokens: count(usage["candidatesTokenCount"]) + reasoningTokens,
    reasoningTokens,
  };
}

/** Figures come from outside: what is no sensible number counts nothing. */
function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

/** A longer line of a stream is no event of figures. */
const longestLine = 4 * 1024 * 1024;

export interface StreamReader {
  add(chunk: Uint8Array): void;
  /** The figures so far; null until the stream has told any. */
  readonly counts: () => TokenCounts | null;
  /** Events that carried anything: about a token of output each. */
  readonly events: () => number;
}

/** Reads server-sent events, whose lines chunks may cut anywhere. */
export function createStreamReader(): StreamReader {
  const decoder = new TextDecoder();
  let rest = "";
  let counts: TokenCounts | null = null;
  let events = 0;
  return {
    add(chunk) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? "";
      if (rest.length > longestLine) rest = "";
      for (const line of lines) {
        if (!line.startsWith("data:")) continue;
        events++;
        if (!/usage/i.test(line)) continue;
        try {
          counts = larger(counts, usageIn(JSON.parse(line.slice("data:".length))));
        } catch {
          // `[DONE]` and whatever else is no JSON has no figures.
        }
      }
    },
    counts: () => counts,
    events: () => events,
  };
}
