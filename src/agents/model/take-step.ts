// One request to a model and the calls that it makes of it: streamed, watched for silence, ended when a bound is reached.
import { type ModelMessage, streamText, type ToolSet } from "ai";
import type { Clock } from "../../ports/clock.ts";
import { normalizeToolName } from "../../report-tools/names.ts";
import { countTokens } from "../prompt/count-tokens.ts";
import type { Candidate } from "./ask-models.ts";
import { messageTokens } from "./compact.ts";
import type { Meter, StepUsage } from "./meter.ts";
import type { LimitName } from "./task.ts";

export interface StepInput {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  readonly meter: Meter;
  readonly clock: Clock;
  /** Time without a word of the model after which it counts as hung, ms. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Whether there were more calls than any review needs. */
  readonly isFlooded: () => boolean;
}

export type Step =
  | {
      readonly kind: "step";
      /** What the model said and called, with the results of the calls. */
      readonly messages: readonly ModelMessage[];
      readonly text: string;
      readonly calls: number;
      /** Why it ended: `length` means that its answer was cut. */
      readonly finish: string;
    }
  | { readonly kind: "limit"; readonly limit: LimitName };

/** Throws what the request threw; an Error when the model falls silent. */
export async function takeStep({ endpoint, model }: Candidate, input: StepInput): Promise<Step> {
  const { meter, clock } = input;
  const { prices } = endpoint;
  const inputTokens = countTokens(input.system) + messageTokens(input.messages);
  const limit = meter.before(inputTokens, prices);
  if (limit !== null) return { kind: "limit", limit };
  const abort = new AbortController();
  const signal = AbortSignal.any([input.signal, abort.signal]);
  const watch = watchSilence(clock, input.idleMs, () => abort.abort(silent));
  meter.requested();
  let written = 0;
  let used: StepUsage | null = null;
  let broken: LimitName | null = null;
  let calls = 0;
  try {
    const result = streamText({
      model: await model(),
      system: input.system,
      messages: [...input.messages],
      tools: input.tools,
      maxOutputTokens: Math.min(endpoint.maxOutputTokens, meter.outputLeft(inputTokens)),
      maxRetries: 0,
      abortSignal: signal,
      // What goes wrong comes through the stream too, and is thrown there.
      onError: () => {},
      experimental_repairToolCall: async ({ toolCall, tools }) => {
        const canonical = normalizeToolName(toolCall.toolName);
        const name = Object.keys(tools).find((one) => canonical !== null && normalizeToolName(one) === canonical);
        return name === undefined ? null : { ...toolCall, toolName: name };
      },
    });
    let finish = "other";
    let text = "";
    for await (const part of result.fullStream) {
      watch.heard();
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") text += part.text;
      if (part.type === "text-delta" || part.type === "reasoning-delta") written += countTokens(part.text);
      if (part.type === "tool-input-delta") written += countTokens(part.delta);
      // A tool may take its time; its silence is not the model's.
      if (part.type === "tool-call") {
        calls++;
        watch.pause();
      }
      if (part.type === "finish-step") {
        finish = part.finishReason;
        used = usageOf(part.usage, inputTokens, written);
      }
      if (used === null) {
        broken ??= input.isFlooded() ? "steps" : meter.during(inputTokens, written, prices);
        if (broken !== null) abort.abort(silent);
      }
    }
    if (broken !== null) return { kind: "limit", limit: broken };
    // A stream that simply ends has not said what it would have.
    if (used === null) throw abort.signal.aborted ? silent : new Error("the answer broke off");
    const { messages } = await result.response;
    return { kind: "step", messages, text, calls, finish };
  } catch (thrown) {
    if (broken !== null) return { kind: "limit", limit: broken };
    throw abort.signal.aborted ? silent : thrown;
  } finally {
    watch.stop();
    // What was read and written is paid for, whatever came of it.
    if (used !== null || written > 0) meter.add(used ?? estimate(inputTokens, written), prices);
  }
}

const silent = new Error("the model fell silent");

interface Silence {
  heard(): void;
  /** Until the next word. */
  pause(): void;
  stop(): void;
}

function watchSilence(clock: Clock, idleMs: number, onSilence: () => void): Silence {
  let cancel = clock.after(idleMs, onSilence);
  return {
    heard() {
      cancel();
      cancel = clock.after(idleMs, onSilence);
    },
    pause: () => cancel(),
    stop: () => cancel(),
  };
}

interface TokenFigures {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number | undefined } | undefined;
  readonly outputTokenDetails?: { readonly reasoningTokens?: number | undefined } | undefined;
}

/** The provider's figures; where it tells none, the estimate. */
function usageOf(told: TokenFigures, inputTokens: number, written: number): StepUsage {
  const isTold = (told.inputTokens ?? 0) > 0;
  if (!isTold) return estimate(inputTokens, written);
  return {
    inputTokens: told.inputTokens ?? 0,
    outputTokens: told.outputTokens ?? written,
    cachedInputTokens: told.inputTokenDetails?.cacheReadTokens ?? 0,
    reasoningTokens: told.outputTokenDetails?.reasoningTokens ?? 0,
  };
}

function estimate(inputTokens: number, outputTokens: number): StepUsage {
  return { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 };
}
