// What the host tells the process of the model agent (on its stdin), and what that tells back (lines of JSON on its stdout).
import * as z from "zod";
import { modelKinds } from "./settings.ts";

const prices = z.strictObject({ input: z.number(), output: z.number(), cachedInput: z.number() });

const endpoint = z.strictObject({
  name: z.string(),
  kind: z.enum(modelKinds),
  model: z.string(),
  /** Where the process reaches it: the proxy, which alone has the key. */
  baseUrl: z.string(),
  contextTokens: z.number(),
  maxOutputTokens: z.number(),
  prices: prices.optional(),
});

/** Bounds of this process; what earlier ones of the attempt used is taken off. */
const limits = z.strictObject({
  steps: z.number(),
  tokens: z.number(),
  money: z.number().optional(),
  ms: z.number(),
  /** Time without a word of the model after which it counts as hung, ms. */
  idleMs: z.number(),
});

export const modelTask = z.strictObject({
  system: z.string(),
  parts: z.array(z.string()).min(1),
  /** In the order in which they are asked. */
  models: z.array(endpoint).min(1),
  limits,
  /** Absolute path of the output server's bundle. */
  toolServer: z.string(),
  /** Arguments of node that start the server of the checks, where the change has something that it can check. */
  checkServer: z.array(z.string()).optional(),
});
export type ModelTask = z.output<typeof modelTask>;
export type TaskEndpoint = ModelTask["models"][number];
export type TaskLimits = ModelTask["limits"];

export const limitNames = ["steps", "tokens", "money", "time"] as const;
export type LimitName = (typeof limitNames)[number];

/** Why no model could go on: no answer, a wrong key, or a request that it does not take. */
export const troubleKinds = ["unreachable", "auth", "refused"] as const;
export type TroubleKind = (typeof troubleKinds)[number];

const usage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  reasoningTokens: z.number(),
  requests: z.number(),
  money: z.number().optional(),
});
export type TaskUsage = z.output<typeof usage>;

const taskEnd = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("done"), text: z.string() }),
  z.strictObject({ kind: z.literal("limit"), limit: z.enum(limitNames) }),
  z.strictObject({ kind: z.literal("trouble"), trouble: z.enum(troubleKinds), message: z.string() }),
  /** The tools could not be reached: without them there is no review. */
  z.strictObject({ kind: z.literal("no_tools"), message: z.string() }),
]);
export type TaskEnd = z.output<typeof taskEnd>;

export const taskEvent = z.union([
  z.strictObject({ progress: z.string() }),
  /** All that was used so far. */
  z.strictObject({ usage }),
  /** A model has answered, and so has seen the code. */
  z.strictObject({ model: z.string() }),
  /** A part, counted from 0, was read to its end. */
  z.strictObject({ part: z.number() }),
  z.strictObject({ end: taskEnd }),
]);
export type TaskEvent = z.output<typeof taskEvent>;
