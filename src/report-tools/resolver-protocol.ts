// What a tool server asks the orchestrator while the agent waits: types of question and answer, and their form on the socket.
import * as z from "zod";
import type { Attribution, FetchedContext, LineRange } from "../ports/vcs.ts";
import { caps } from "./limits.ts";
import { attributionAnswer, contextAnswer } from "./tool-outputs.ts";

export interface LookUpQuestion {
  /** Repository-relative POSIX path, folded. */
  readonly path: string;
  readonly lines?: LineRange;
  readonly reason: string;
}

export type ContextAnswer =
  | { readonly kind: "answered"; readonly context: FetchedContext }
  /** The path can never be had at this revision; the reason is for the agent, and says not to retry the path. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Not now: the request is recorded and answered in a follow-up pass. */
  | { readonly kind: "unreachable" };

export type AttributionAnswer =
  | { readonly kind: "answered"; readonly attribution: Attribution }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unreachable" };

/** Answers look-ups at the reviewed revision; over a socket, or in process. */
export interface ContextResolver {
  context(question: LookUpQuestion, signal: AbortSignal): Promise<ContextAnswer>;
  attribution(question: LookUpQuestion, signal: AbortSignal): Promise<AttributionAnswer>;
}

/** One line each way and one question a connection: nothing to match up, and a lost connection costs one question. */
export const questionMessage = z.object({
  version: z.literal(1),
  runId: z.string().min(1).max(200),
  kind: z.enum(["context", "attribution"]),
  path: z.string().min(1).max(caps.pathBytes),
  lines: z.object({ start: z.int().min(1), end: z.int().min(1) }).optional(),
  reason: z.string().max(caps.reasonBytes),
});

export const answerMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("context"), context: contextAnswer }),
  z.object({ kind: z.literal("attribution"), attribution: attributionAnswer }),
  z.object({ kind: z.literal("refused"), reason: z.string() }),
  z.object({ kind: z.literal("unreachable") }),
]);

export type QuestionMessage = z.output<typeof questionMessage>;
export type AnswerMessage = z.input<typeof answerMessage>;

/** Longest question, bytes: path and reason at their caps, escaped. */
export const maxQuestionBytes = 64 * 1024;

/** Longest answer, bytes: a context at its cap, escaped, or the blame of a very long file. */
export const maxAnswerBytes = 8 * 1024 * 1024;

/** A socket's address has 108 bytes on Linux, its closing zero included. */
export const maxSocketPathBytes = 107;
