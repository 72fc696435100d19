// Reads requests of the four wire forms into one shape, and refuses what the real endpoints refuse.
import * as z from "zod";
import type { SeenMessage, SeenRequest, WireForm } from "./script.ts";

/** The endpoint's complaint about a request. */
export class BadRequest extends Error {}

const openToolName = /^[a-zA-Z0-9_-]{1,64}$/;
const anthropicToolName = /^[a-zA-Z0-9_-]{1,128}$/;
const googleToolName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

type Bare = Omit<SeenRequest, "form" | "headers">;

export function readRequest(form: WireForm, body: unknown, pathModel: string, isStream: boolean): Bare {
  switch (form) {
    case "openai-chat":
      return readChat(body);
    case "openai-responses":
      return readResponses(body);
    case "anthropic":
      return readAnthropic(body);
    case "google":
      return readGoogle(body, pathModel, isStream);
  }
}

const parse = <T>(schema: z.ZodType<T>, body: unknown): T => {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new BadRequest(z.prettifyError(read.error));
};

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequest("the arguments of a call are no JSON");
  }
};

const textPart = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(textPart)]).nullish();
const textOf = (given: z.output<typeof content>): string =>
  typeof given === "string" ? given : (given ?? []).map(({ text }) => text ?? "").join("");

const chat = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  max_tokens: z.int().min(1).optional(),
  max_completion_tokens: z.int().min(1).optional(),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(["system", "developer", "user", "assistant", "tool"]),
        content,
        tool_call_id: z.string().optional(),
        tool_calls: z
          .array(
            z.looseObject({
              id: z.string(),
              type: z.literal("function"),
              function: z.looseObject({ name: z.string(), arguments: z.string() }),
            }),
          )
          .optional(),
      }),
    )
    .min(1),
  tools: z
    .array(
      z.looseObject({
        type: z.literal("function"),
        function: z.looseObject({ name: z.string(), parameters: z.looseObject({}) }),
      }),
    )
    .optional(),
});

function readChat(body: unknown): Bare {
  const read = parse(chat, body);
  const messages = read.messages.map((message): SeenMessage => {
    const role = message.role === "developer" ? "system" : message.role;
    const results = role === "tool" ? [{ id: message.tool_call_id ?? "", text: textOf(message.content) }] : [];
    const calls = (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      input: json(call.function.arguments),
    }));
    return { role, text: role === "tool" ? "" : textOf(message.content), calls, results };
  });
  const tools = namesOf(read.tools?.map((one) => one.function.name) ?? [], openToolName);
  checkPairs(messages);
  return {
    model: read.model,
    stream: read.stream,
    messages,
    tools,
    maxOutputTokens: read.max_tokens ?? read.max_completion_tokens,
  };
}

const responses = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  input: z.union([
    z.string(),
    z.array(
      z.looseObject({
        type: z.string().optional(),
        role: z.string().optional(),
        content,
        call_id: z.string().optional(),
        name: z.string().optional(),
        namespace: z.string().optional(),
        arguments: z.string().optional(),
        output: z.union([z.string(), z.array(textPart)]).optional(),
      }),
    ),
  ]),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        tools: z.array(z.looseObject({ name: z.string().optional() })).optional(),
      }),
    )
    .optional(),
});

function readResponses(body: unknown): Bare {
  const read = parse(responses, body);
  const items = typeof read.input === "string" ? [{ role: "user", content: read.input }] : read.input;
  const messages = items.flatMap((item): readonly SeenMessage[] => {
    const type = "type" in item ? item.type : undefined;
    if (type === "function_call" && "name" in item) {
      const call = { id: item.call_id ?? "", name: item.name ?? "", input: json(item.arguments ?? "{}") };
      return [{ role: "assistant", text: "", calls: [call], results: [] }];
    }
    if (type === "function_call_output" && "output" in item) {
      return [{ role: "tool", text: "", calls: [], results: [{ id: item.call_id ?? "", text: textOf(item.output) }] }];
    }
    if (type !== undefined && type !== "message") return [];
    const role = item.role === "assistant" ? "assistant" : item.role === "user" ? "user" : "system";
    return [{ role, text: textOf(item.content), calls: [], results: [] }];
  });
  const nested = (read.tools ?? []).flatMap((tool) => [tool.name, ...(tool.tools ?? []).map(({ name }) => name)]);
  const names = nested.filter((name) => name !== undefined);
  const instructions: SeenMessage[] =
    typeof read.instructions === "string" ? [{ role: "system", text: read.instructions, calls: [], results: [] }] : [];
  return {
    model: read.model,
    stream: read.stream,
    messages: [...instructions, ...messages],
    tools: namesOf(names, openToolName),
    maxOutputTokens: read.max_output_tokens ?? undefined,
  };
}

const anthropicBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.union([z.string(), z.array(textPart)]).optional(),
});

const anthropic = z.looseObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  stream: z.boolean().default(false),
  system: z.union([z.string(), z.array(textPart)]).optional(),
  messages: z
    .array(
      z.looseObject({ role: z.enum(["user", "assistant"]), content: z.union([z.string(), z.array(anthropicBlock)]) }),
    )
    .min(1),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.looseObject({}).optional() })).optional(),
});

function readAnthropic(body: unknown): Bare {
  const read = parse(anthropic, body);
  const messages = read.messages.map(({ role, content: given }): SeenMessage => {
    const blocks = typeof given === "string" ? [{ type: "text", text: given }] : given;
    const results = blocks.flatMap((block) =>
      "tool_use_id" in block && block.type === "tool_result"
        ? [{ id: block.tool_use_id ?? "", text: textOf(block.content) }]
        : [],
    );
    const calls = blocks.flatMap((block) =>
      "name" in block && block.type === "tool_use"
        ? [{ id: block.id ?? "", name: block.name ?? "", input: block.input }]
        : [],
    );
    const text = blocks.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("");
    return { role: results.length > 0 ? "tool" : role, text, calls, results };
  });
  const system: SeenMessage[] =
    read.system === undefined ? [] : [{ role: "system", text: textOf(read.system), calls: [], results: [] }];
  const tools = namesOf(read.tools?.map(({ name }) => name) ?? [], anthropicToolName);
  checkPairs(messages);
  return {
    model: read.model,
    stream: read.stream,
    messages: [...system, ...messages],
    tools,
    maxOutputTokens: read.max_tokens,
  };
}

const googlePart = z.looseObject({
  text: z.string().optional(),
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown() }).optional(),
  functionResponse: z.looseObject({ id: z.string().optional(), name: z.string(), response: z.unknown() }).optional(),
});

const google = z.looseObject({
  systemInstruction: z.looseObject({ parts: z.array(googlePart) }).optional(),
  contents: z.array(z.looseObject({ role: z.string().optional(), parts: z.array(googlePart) })).min(1),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }))
    .optional(),
  generationConfig: z.looseObject({ maxOutputTokens: z.int().min(1).optional() }).optional(),
});

function readGoogle(body: unknown, model: string, stream: boolean): Bare {
  const read = parse(google, body);
  const messages = read.contents.map(({ role, parts }): SeenMessage => {
    const results = parts.flatMap(({ functionResponse }) =>
      functionResponse === undefined
        ? []
        : [{ id: functionResponse.id ?? functionResponse.name, text: JSON.stringify(functionResponse.response) }],
    );
    const calls = parts.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [{ id: functionCall.id ?? functionCall.name, name: functionCall.name, input: functionCall.args }],
    );
    const text = parts.map((part) => part.text ?? "").join("");
    return { role: results.length > 0 ? "tool" : role === "model" ? "assistant" : "user", text, calls, results };
  });
  const system = read.systemInstruction?.parts.map((part) => part.text ?? "").join("");
  const names = (read.tools ?? []).flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name }) => name),
  );
  return {
    model,
    stream,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", text: system, calls: [], results: [] } as const]),
      ...messages,
    ],
    tools: namesOf(names, googleToolName),
    maxOutputTokens: read.generationConfig?.maxOutputTokens,
  };
}

/** One bad name costs the whole request, as at the real endpoints. */
function namesOf(names: readonly string[], pattern: RegExp): readonly string[] {
  const bad = names.find((name) => !pattern.test(name));
  if (bad !== undefined) {
    throw new BadRequest(
      `Invalid 'tools[${names.indexOf(bad)}].function.name': string does not match pattern ${pattern.source}`,
    );
  }
  return names;
}

/** Every call is answered, and nothing else is. */
function checkPairs(messages: readonly SeenMessage[]): void {
  const open = new Set<string>();
  for (const { calls, results, role } of messages) {
    for (const { id } of results)
      if (!open.delete(id)) throw new BadRequest(`result of the call ${id}, which nobody made`);
    if (role === "user" && open.size > 0) throw new BadRequest("calls without a result");
    for (const { id } of calls) open.add(id);
  }
  if (open.size > 0) throw new BadRequest("calls without a result");
}
