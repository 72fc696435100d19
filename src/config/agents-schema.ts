// The part of the file that names reviewers and the models that they may ask.
import * as z from "zod";
import { modelKinds } from "../agents/model/settings.ts";
import { secretName } from "./secret-name.ts";

export const agentKinds = [
  "checks",
  "model",
  "command",
  "claude-code",
  "codex",
  "opencode",
  "kilo",
  "gemini",
  "qwen",
  "copilot",
  "goose",
] as const;
export type AgentKind = (typeof agentKinds)[number];

/** The agent that is there without being configured. */
export const builtInAgent = "checks";

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be up to 64 letters, digits, dots, hyphens or underscores");

const money = z.number().min(0).max(1_000_000);
const tokens = z.int().min(1_000).max(10_000_000_000);

const prices = z
  .strictObject({
    input: money.meta({ description: "A million tokens that the model reads." }),
    output: money.meta({ description: "A million tokens that it writes, its reasoning included." }),
    cached_input: money.optional().meta({ description: "A million tokens that it had in its cache; default: input." }),
  })
  .meta({ description: "What the model costs, in the currency of the budgets. Without it, it costs nothing." });

const model = z.strictObject({
  name: name.meta({ description: "By which agents refer to it." }),
  kind: z.enum(modelKinds).meta({
    description: "Which protocol its endpoint speaks. Ollama, DeepSeek, Qwen and many others: openai-compatible.",
  }),
  model: z.string().min(1).max(255).meta({ description: "The provider's id of the model." }),
  base_url: z
    .string()
    .max(2048)
    .regex(/^https?:\/\/[^\s/]+/, "must be an address that begins with https:// or http://")
    .optional()
    .meta({ description: "The endpoint; anthropic and google have one of their own." }),
  api_key_env: secretName.optional().meta({ description: "The variable that holds its key." }),
  context_tokens: z
    .int()
    .min(8_000)
    .max(10_000_000)
    .default(128_000)
    .meta({ description: "Tokens that it reads and writes in one request." }),
  max_output_tokens: z
    .int()
    .min(256)
    .max(1_000_000)
    .default(8_192)
    .meta({ description: "Tokens that it may write in one answer." }),
  prices: prices.optional(),
});

const limits = z
  .strictObject({
    steps: z.int().min(1).max(10_000).default(60).meta({ description: "Requests to the model." }),
    tokens: tokens.default(1_000_000).meta({ description: "Tokens read and written." }),
    money: money.optional().meta({ description: "In the currency of the prices." }),
    seconds: z.int().min(10).max(7200).default(600).meta({ description: "Time, beside limits.review_seconds." }),
    parts: z.int().min(1).max(100).default(8).meta({ description: "Parts into which a large change may be divided." }),
  })
  .prefault({})
  .meta({ description: "When one attempt of a review has used enough; what it found until then is kept." });

const daily = z
  .strictObject({ tokens: tokens.optional(), money: money.optional() })
  .prefault({})
  .meta({ description: "What all reviews of one repository may use on one day (UTC)." });

const agent = z.strictObject({
  name: name.meta({ description: "By which repositories and commands refer to it." }),
  kind: z.enum(agentKinds).meta({
    description: "model: the built-in one. command: any program that speaks MCP. The others: that command line.",
  }),
  models: z
    .array(z.string().min(1))
    .max(10)
    .default([])
    .meta({ description: "Names from models; those after the first are asked when the ones before fail." }),
  limits,
  daily,
  with_checks: z
    .boolean()
    .default(false)
    .meta({ description: "Run the automatic checks first; the model is told what they found." }),
  fallback: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "The agent that takes over when this one gives nothing, such as checks." }),
  disclose_model: z
    .boolean()
    .default(false)
    .meta({ description: "Whether the card says which model has read the code." }),
  program: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .meta({ description: "The program; by default found in PATH by its usual name." }),
  arguments: z
    .array(z.string().max(8192))
    .max(200)
    .default([])
    .meta({ description: "command: its arguments, with {prompt_file}, {mcp_config}, {source}; others: further ones." }),
  reads: z.array(z.string().max(4096).regex(/^\//, "must be an absolute path")).max(50).default([]).meta({
    description: "Files and folders that the program runs from, such as /opt/reviewer; a sandbox shows no others.",
  }),
  prompt_by: z.enum(["file", "stdin", "argument"]).default("stdin").meta({
    description: "command: how it gets the prompt. file and argument: where {prompt_file} or {prompt} stands.",
  }),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of an environment variable"))
    .max(100)
    .default([])
    .meta({ description: "Variables of the bot that the program gets too; name no secrets here." }),
});

export const modelsSchema = z.array(model).max(50).default([]).meta({ description: "Models that agents may ask." });

export const agentsSchema = z
  .array(agent)
  .max(50)
  .default([])
  .meta({ description: "Reviewers beside checks, which is always there." });

export type ModelFile = z.output<typeof model>;
export type AgentFile = z.output<typeof agent>;
