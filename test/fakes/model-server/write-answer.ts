// Writes a turn in the four wire forms, whole or as a stream of events.
import type { SeenRequest, Turn } from "./script.ts";

export interface Answer {
  readonly contentType: string;
  /** One for a whole answer; one for each event of a stream. */
  readonly chunks: readonly string[];
}

export function writeAnswer(request: SeenRequest, turn: Turn, n: number): Answer {
  switch (request.form) {
    case "openai-chat":
      return request.stream ? chatStream(request, turn, n) : whole(chatBody(request, turn, n));
    case "openai-responses":
      return request.stream ? responsesStream(request, turn, n) : whole(responsesBody(request, turn, n));
    case "anthropic":
      return request.stream ? anthropicStream(request, turn, n) : whole(anthropicBody(request, turn, n));
    case "google":
      return request.stream ? events([googleBody(request, turn)]) : whole(googleBody(request, turn));
  }
}

const whole = (body: unknown): Answer => ({ contentType: "application/json", chunks: [JSON.stringify(body)] });

function events(list: readonly (readonly [string, unknown] | unknown)[], end = ""): Answer {
  const chunks = list.map((one) =>
    Array.isArray(one) && typeof one[0] === "string"
      ? `event: ${one[0]}\ndata: ${JSON.stringify(one[1])}\n\n`
      : `data: ${JSON.stringify(one)}\n\n`,
  );
  return { contentType: "text/event-stream", chunks: end === "" ? chunks : [...chunks, `data: ${end}\n\n`] };
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly input: unknown;
}

const callsOf = ({ calls = [] }: Turn, n: number): readonly Call[] =>
  calls.map(({ name, input }, index) => ({ id: `call_${n}_${index}`, name, input, arguments: JSON.stringify(input) }));

const usageOf = ({ usage }: Turn) => (usage === undefined ? { input: 100, output: 10 } : usage);

function chatUsage(turn: Turn): Record<string, unknown> | undefined {
  const usage = usageOf(turn);
  if (usage === null) return undefined;
  const { input, output, cached = 0, reasoning = 0 } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

const chatFinish = (turn: Turn): string =>
  turn.isCut === true ? "length" : (turn.calls ?? []).length > 0 ? "tool_calls" : "stop";

const chatCalls = (turn: Turn, n: number) =>
  callsOf(turn, n).map((call, index) => ({
    index,
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));

function chatBody(request: SeenRequest, turn: Turn, n: number): unknown {
  const calls = chatCalls(turn, n).map(({ index: _, ...call }) => call);
  const message = { role: "assistant", content: turn.text ?? null, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  const usage = chatUsage(turn);
  return {
    id: `chatcmpl-${n}`,
    object: "chat.completion",
    created: 0,
    model: request.model,
    choices: [{ index: 0, message, finish_reason: chatFinish(turn) }],
    ...(usage === undefined ? {} : { usage }),
  };
}

function chatStream(request: SeenRequest, turn: Turn, n: number): Answer {
  const base = { id: `chatcmpl-${n}`, object: "chat.completion.chunk", created: 0, model: request.model };
  const choice = (delta: unknown, finish: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const usage = chatUsage(turn);
  return events(
    [
      choice({ role: "assistant", content: "" }),
      ...(turn.reasoning === undefined ? [] : [choice({ reasoning_content: turn.reasoning })]),
      ...(turn.text === undefined ? [] : [choice({ content: turn.text })]),
      ...chatCalls(turn, n).map((call) => choice({ tool_calls: [call] })),
      choice({}, chatFinish(turn)),
      ...(usage === undefined ? [] : [{ ...base, choices: [], usage }]),
    ],
    "[DONE]",
  );
}

function responsesItems(turn: Turn, n: number): readonly Record<string, unknown>[] {
  const text = turn.text ?? "";
  return [
    ...(text === ""
      ? []
      : [
          {
            type: "message",
            id: `msg_${n}`,
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ]),
    ...callsOf(turn, n).map((call) => ({
      type: "function_call",
      id: `fc_${call.id}`,
      call_id: call.id,
      name: call.name.split("::").at(-1),
      ...(call.name.includes("::") ? { namespace: call.name.split("::")[0] } : {}),
      arguments: call.arguments,
      status: "completed",
    })),
  ];
}

function responsesBody(request: SeenRequest, turn: Turn, n: number): Record<string, unknown> {
  const usage = usageOf(turn) ?? { input: 0, output: 0 };
  return {
    id: `resp_${n}`,
    object: "response",
    created_at: 0,
    status: turn.isCut === true ? "incomplete" : "completed",
    model: request.model,
    output: responsesItems(turn, n),
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

function responsesStream(request: SeenRequest, turn: Turn, n: number): Answer {
  const response = responsesBody(request, turn, n);
  const items = responsesItems(turn, n);
  return events([
    ["response.created", { type: "response.created", response: { ...response, status: "in_progress", output: [] } }],
    ...items.flatMap((item, index) => [
      ["response.output_item.added", { type: "response.output_item.added", output_index: index, item }] as const,
      ...(item["type"] === "message"
        ? [
            [
              "response.output_text.delta",
              {
                type: "response.output_text.delta",
                item_id: item["id"],
                output_index: index,
                content_index: 0,
                delta: turn.text,
              },
            ] as const,
          ]
        : []),
      ["response.output_item.done", { type: "response.output_item.done", output_index: index, item }] as const,
    ]),
    ["response.completed", { type: "response.completed", response }],
  ]);
}

function anthropicUsage(turn: Turn) {
  const usage = usageOf(turn) ?? { input: 0, output: 0 };
  const cached = usage.cached ?? 0;
  return {
    input_tokens: usage.input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: usage.output,
  };
}

const anthropicStop = (turn: Turn): string =>
  turn.isCut === true ? "max_tokens" : (turn.calls ?? []).length > 0 ? "tool_use" : "end_turn";

function anthropicBody(request: SeenRequest, turn: Turn, n: number): unknown {
  const blocks = [
    ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text }]),
    ...callsOf(turn, n).map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
  return {
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content: blocks,
    stop_reason: anthropicStop(turn),
    stop_sequence: null,
    usage: anthropicUsage(turn),
  };
}

function anthropicStream(request: SeenRequest, turn: Turn, n: number): Answer {
  const usage = anthropicUsage(turn);
  const message = {
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const calls = callsOf(turn, n);
  const text = turn.text === undefined ? [] : [turn.text];
  return events([
    ["message_start", { type: "message_start", message }],
    ...text.flatMap((one) => [
      ["content_block_start", { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
      ["content_block_delta", { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: one } }],
      ["content_block_stop", { type: "content_block_stop", index: 0 }],
    ]),
    ...calls.flatMap((call, place) => {
      const index = place + text.length;
      const block = { type: "tool_use", id: call.id, name: call.name, input: {} };
      return [
        ["content_block_start", { type: "content_block_start", index, content_block: block }],
        [
          "content_block_delta",
          { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: call.arguments } },
        ],
        ["content_block_stop", { type: "content_block_stop", index }],
      ];
    }),
    [
      "message_delta",
      { type: "message_delta", delta: { stop_reason: anthropicStop(turn), stop_sequence: null }, usage },
    ],
    ["message_stop", { type: "message_stop" }],
  ]);
}

function googleBody(request: SeenRequest, turn: Turn): unknown {
  const usage = usageOf(turn);
  const parts = [
    ...(turn.text === undefined ? [] : [{ text: turn.text }]),
    ...(turn.calls ?? []).map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ];
  return {
    candidates: [
      { index: 0, content: { role: "model", parts }, finishReason: turn.isCut === true ? "MAX_TOKENS" : "STOP" },
    ],
    ...(usage === null
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage.input,
            candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
            cachedContentTokenCount: usage.cached ?? 0,
            thoughtsTokenCount: usage.reasoning ?? 0,
            totalTokenCount: usage.input + usage.output,
          },
        }),
    modelVersion: request.model,
  };
}
