// The host's model proxy: the key is added here alone, little is allowed, everything is counted, and the budget really ends it.
import { existsSync, statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelEndpoint, ModelKind } from "../../../../src/agents/model/settings.ts";
import { type ModelProxy, type ModelProxyOptions, startModelProxy } from "../../../../src/agents/proxy/proxy.ts";
import { createSystemClock } from "../../../../src/process/system-clock.ts";
import { createRedactor } from "../../../../src/telemetry/redact.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";
import { events, json, startUpstream, type Upstream } from "./upstream.ts";

const KEY = "sk-real-key-0123456789";
let upstream: Upstream;
let proxy: ModelProxy | null = null;

beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await proxy?.close();
  proxy = null;
  await upstream.close();
});

function endpoint(kind: ModelKind = "openai-compatible", rest: Partial<ModelEndpoint> = {}): ModelEndpoint {
  const version = kind === "google" ? "/v1beta" : "/v1";
  return {
    name: "main",
    kind,
    model: "scripted",
    baseUrl: `${upstream.url}${version}`,
    apiKey: KEY,
    contextTokens: 100_000,
    maxOutputTokens: 1_000,
    ...rest,
  };
}

async function start(rest: Partial<ModelProxyOptions> = {}): Promise<string> {
  proxy = await startModelProxy({
    listen: "loopback",
    endpoints: [endpoint()],
    redactor: createRedactor(),
    clock: createSystemClock(),
    logger: silentLogger,
    ...rest,
  });
  return proxy.origin ?? "";
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const chat = { model: "scripted", messages: [{ role: "user", content: "hello" }] };
const chatAnswer = {
  choices: [{ message: { role: "assistant", content: "hi" } }],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
};

describe("what reaches the provider", () => {
  it.each([
    ["openai-compatible", "/v1/chat/completions", chat, "authorization", `Bearer ${KEY}`],
    ["openai-compatible", "/v1/responses", { model: "scripted", input: "hello" }, "authorization", `Bearer ${KEY}`],
    ["anthropic", "/v1/messages?beta=true", { ...chat, max_tokens: 5 }, "x-api-key", KEY],
    ["anthropic", "/v1/messages/count_tokens", chat, "x-api-key", KEY],
    ["google", "/v1beta/models/scripted:streamGenerateContent?alt=sse", { contents: [] }, "x-goog-api-key", KEY],
    ["google", "/v1beta/models/scripted:countTokens", { contents: [] }, "x-goog-api-key", KEY],
  ] as const)("%s %s: with the real key instead of the agent's", async (kind, path, body, header, value) => {
    const origin = await start({ endpoints: [endpoint(kind)] });
    const answer = await post(`${origin}${path}`, body, {
      authorization: "Bearer placeholder",
      "x-api-key": "placeholder",
      "x-goog-api-key": "placeholder",
      cookie: "a=b",
      "x-custom": "leak",
    });
    expect(answer.status).toBe(200);
    const [asked] = upstream.asked;
    expect(asked?.url).toBe(path);
    expect(asked?.headers[header]).toBe(value);
    expect(JSON.stringify(asked?.headers)).not.toContain("placeholder");
    expect(asked?.headers["cookie"]).toBeUndefined();
    expect(asked?.headers["x-custom"]).toBeUndefined();
    expect(asked?.body).toEqual(body);
  });

  it("drops a key in the query, and understands paths without the version and under the endpoint's name", async () => {
    const origin = await start({
      endpoints: [endpoint("google"), endpoint("openai-compatible", { name: "second", model: "other" })],
    });
    await post(`${origin}/models/scripted:generateContent?key=placeholder&alt=json`, { contents: [] });
    await post(`${origin}/second/v1/chat/completions`, { ...chat, model: "other" });
    expect(upstream.asked.map(({ url }) => url)).toEqual([
      "/v1beta/models/scripted:generateContent?alt=json",
      "/v1/chat/completions",
    ]);
  });

  it("adds the version to a bare host of Anthropic's and Google's kind", async () => {
    const origin = await start({ endpoints: [endpoint("anthropic", { baseUrl: upstream.url })] });
    await post(`${origin}/v1/messages`, chat);
    expect(upstream.asked[0]?.url).toBe("/v1/messages");
  });

  it("masks secrets wherever they stand, and keeps what must come back to the letter", async () => {
    const origin = await start({ endpoints: [endpoint("anthropic")] });
    const leak = "DB_PASSWORD=hunter2hunter2";
    await post(`${origin}/v1/messages`, {
      model: "scripted",
      system: [{ type: "text", text: `before ${leak}` }],
      messages: [
        { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: leak }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: leak, content: `file:\n${leak}\n` }] },
      ],
    });
    expect(upstream.asked[0]?.body).toEqual({
      model: "scripted",
      system: [{ type: "text", text: "before DB_PASSWORD=***" }],
      messages: [
        { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: leak }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: leak, content: "file:\nDB_PASSWORD=***\n" }] },
      ],
    });
  });

  it("asks streams for their figures", async () => {
    const origin = await start();
    await post(`${origin}/v1/chat/completions`, { ...chat, stream: true, stream_options: { other: 1 } });
    expect(upstream.asked[0]?.body).toMatchObject({ stream_options: { include_usage: true, other: 1 } });
  });

  it("takes away tools that the provider would run, and refuses parts that it would fetch", async () => {
    const origin = await start({ endpoints: [endpoint("anthropic")] });
    const own = { name: "read", input_schema: { type: "object", properties: { type: { const: "url" } } } };
    await post(`${origin}/v1/messages`, {
      ...chat,
      tools: [own, { type: "web_search_20250305", name: "web_search" }, { type: "code_execution_20250522", name: "x" }],
      mcp_servers: [{ type: "url", url: "https://evil.example" }],
    });
    // A field that would be fetched counts even where the field itself is taken away.
    expect(upstream.asked).toHaveLength(0);
    await post(`${origin}/v1/messages`, {
      ...chat,
      tools: [own, { type: "web_search_20250305", name: "web_search" }, { type: "code_execution_20250522", name: "x" }],
      container: "c_1",
    });
    expect(upstream.asked[0]?.body).toEqual({ ...chat, tools: [own] });
    const image = {
      role: "user",
      content: [{ type: "image", source: { type: "url", url: "https://evil.example/?s=1" } }],
    };
    const refused = await post(`${origin}/v1/messages`, { ...chat, messages: [image] });
    expect(refused.status).toBe(400);
    expect(upstream.asked).toHaveLength(1);
  });
});

describe("what is refused", () => {
  it.each([
    ["another path", "/v1/files", chat, 403],
    ["a path that climbs", "/v1/../admin", chat, 403],
    ["an encoded climb", "/v1/%2e%2e/admin", chat, 403],
    ["another model", "/v1/chat/completions", { ...chat, model: "expensive" }, 403],
    ["no model", "/v1/chat/completions", { messages: [] }, 403],
    ["no JSON", "/v1/chat/completions", "not json", 400],
    ["no object", "/v1/chat/completions", "[1]", 400],
    ["a large body", "/v1/chat/completions", { ...chat, pad: "x".repeat(3_000) }, 413],
  ] as const)("%s", async (_name, path, body, status) => {
    const origin = await start({ maxRequestBytes: 2_000 });
    const answer = await post(`${origin}${path}`, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toHaveProperty("error.message");
    expect(upstream.asked).toEqual([]);
    expect(proxy?.usage()).toMatchObject({ requests: 0, refused: 1, inputTokens: 0 });
  });

  it("who does not know the word of the address", async () => {
    const origin = await start();
    const { port } = new URL(origin);
    for (const path of ["/v1/chat/completions", "/x/v1/chat/completions", `/${"a".repeat(32)}/v1/chat/completions`]) {
      expect((await post(`http://127.0.0.1:${port}${path}`, chat)).status).toBe(403);
    }
    expect(upstream.asked).toEqual([]);
  });

  it("other methods; the list of models is answered here", async () => {
    const origin = await start();
    expect((await fetch(`${origin}/v1/chat/completions`)).status).toBe(403);
    expect((await fetch(`${origin}/v1/chat/completions`, { method: "DELETE" })).status).toBe(403);
    expect(await (await fetch(`${origin}/v1/models`)).json()).toMatchObject({ data: [{ id: "scripted" }] });
    expect(upstream.asked).toEqual([]);
  });

  it("a redirection is not followed, and an endpoint that is gone is told in the provider's shape", async () => {
    upstream.answer = (response) => {
      response.writeHead(302, { location: "https://evil.example" });
      response.end();
    };
    const origin = await start({ endpoints: [endpoint("anthropic")] });
    expect((await post(`${origin}/v1/messages`, chat)).status).toBe(502);
    await upstream.close();
    const answer = await post(`${origin}/v1/messages`, chat);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ type: "error", error: { type: "api_error" } });
  });
});

describe("the answer", () => {
  it("loses headers that tell of accounts and machines, and keeps when to come back", async () => {
    upstream.answer = (response) =>
      json(response, { error: { message: "slow down" } }, 429, {
        "retry-after": "7",
        "set-cookie": "a=b",
        "openai-organization": "org-1",
        server: "secret-host",
      });
    const origin = await start();
    const answer = await post(`${origin}/v1/chat/completions`, chat);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("7");
    for (const name of ["set-cookie", "openai-organization", "server"]) expect(answer.headers.get(name)).toBeNull();
    // No retry of its own: the client decides.
    expect(upstream.asked).toHaveLength(1);
  });

  it("never quotes the key back, whole or with its middle starred out", async () => {
    upstream.answer = (response) =>
      json(response, { error: { message: `Incorrect key ${KEY}, that is sk-r***********6789` } }, 401);
    const origin = await start();
    const text = await (await post(`${origin}/v1/chat/completions`, chat)).text();
    expect(text).toContain("Incorrect key ***, that is ***");
  });

  it("is bounded in time", async () => {
    const clock = createFakeClock();
    let arrived: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    upstream.answer = () => arrived();
    const origin = await start({ clock, times: { answerMs: 5_000, pieceMs: 1_000 } });
    const answer = post(`${origin}/v1/chat/completions`, chat);
    await asked;
    clock.advance(5_000);
    expect((await answer).status).toBe(504);
  });
});

describe("usage", () => {
  it("of each form, whole and streamed", async () => {
    const anthropic = {
      input_tokens: 10,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 5,
      output_tokens: 7,
    };
    const responses = { usage: { input_tokens: 50, output_tokens: 9, output_tokens_details: { reasoning_tokens: 4 } } };
    const google = { promptTokenCount: 20, candidatesTokenCount: 3, thoughtsTokenCount: 2, cachedContentTokenCount: 8 };
    const cases = [
      ["openai-compatible", "/v1/chat/completions", false, [chatAnswer], [100, 40, 20, 5]],
      [
        "openai-compatible",
        "/v1/chat/completions",
        true,
        [{ choices: [{}] }, { ...chatAnswer, choices: [] }, "[DONE]"],
        [100, 40, 20, 5],
      ],
      ["openai-compatible", "/v1/responses", false, [responses], [50, 0, 9, 4]],
      [
        "openai-compatible",
        "/v1/responses",
        true,
        [
          { type: "response.created", response: {} },
          { type: "response.completed", response: responses },
        ],
        [50, 0, 9, 4],
      ],
      ["anthropic", "/v1/messages", false, [{ usage: anthropic }], [45, 30, 7, 0]],
      [
        "anthropic",
        "/v1/messages",
        true,
        [
          { type: "message_start", message: { usage: { ...anthropic, output_tokens: 1 } } },
          { type: "message_delta", usage: { output_tokens: 7 } },
        ],
        [45, 30, 7, 0],
      ],
      ["google", "/v1beta/models/scripted:generateContent", false, [{ usageMetadata: google }], [20, 8, 5, 2]],
      [
        "google",
        "/v1beta/models/scripted:streamGenerateContent?alt=sse",
        true,
        [{ usageMetadata: { promptTokenCount: 20 } }, { usageMetadata: google }],
        [20, 8, 5, 2],
      ],
      [
        "google",
        "/v1beta/models/scripted:streamGenerateContent",
        false,
        [[{}, { usageMetadata: google }]],
        [20, 8, 5, 2],
      ],
    ] as const;
    for (const [
      kind,
      path,
      isStream,
      answers,
      [inputTokens, cachedInputTokens, outputTokens, reasoningTokens],
    ] of cases) {
      upstream.answer = (response) => (isStream ? events(response, answers) : json(response, answers[0]));
      const origin = await start({ endpoints: [endpoint(kind)] });
      await (await post(`${origin}${path}`, { ...chat, input: "x" })).text();
      const expected = {
        inputTokens,
        cachedInputTokens,
        outputTokens,
        reasoningTokens,
        requests: 1,
        isEstimated: false,
      };
      expect([path, isStream, proxy?.usage()]).toEqual([path, isStream, { refused: 0, cost: 0, ...expected }]);
      await proxy?.close();
    }
  });

  it("is estimated where the provider does not tell", async () => {
    upstream.answer = (response) => json(response, { choices: [{ message: { content: "word ".repeat(100) } }] });
    const origin = await start();
    await (await post(`${origin}/v1/chat/completions`, chat)).text();
    const usage = proxy?.usage();
    expect(usage?.isEstimated).toBe(true);
    expect(usage?.inputTokens).toBeGreaterThan(5);
    expect(usage?.outputTokens).toBeGreaterThan(100);
  });

  it("costs what the prices say, cached input at its own", async () => {
    upstream.answer = (response) => json(response, chatAnswer);
    const prices = { input: 10, cachedInput: 1, output: 100 };
    const origin = await start({ endpoints: [endpoint("openai-compatible", { prices })] });
    await (await post(`${origin}/v1/chat/completions`, chat)).text();
    expect(proxy?.usage().cost).toBeCloseTo((60 * 10 + 40 * 1 + 20 * 100) / 1_000_000, 12);
  });
});

describe("the budget", () => {
  const spent = { tokens: 130 };

  it.each([
    ["openai-compatible", "/v1/chat/completions", { error: { type: "insufficient_quota", code: "budget" } }],
    ["anthropic", "/v1/messages", { type: "error", error: { type: "billing_error" } }],
    ["google", "/v1beta/models/scripted:generateContent", { error: { code: 402, status: "RESOURCE_EXHAUSTED" } }],
  ] as const)("ends requests of %s in its own shape, for good", async (kind, path, shape) => {
    upstream.answer = (response) =>
      json(response, { ...chatAnswer, usageMetadata: { promptTokenCount: 200, candidatesTokenCount: 1 } });
    const origin = await start({ endpoints: [endpoint(kind)], budget: spent });
    expect((await post(`${origin}${path}`, chat)).status).toBe(200);
    const refused = await post(`${origin}${path}`, chat);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject(shape);
    expect((await post(`${origin}${path}`, chat)).status).toBe(402);
    expect(upstream.asked).toHaveLength(1);
  });

  it("counts requests, and money", async () => {
    upstream.answer = (response) => json(response, chatAnswer);
    let origin = await start({ budget: { requests: 2 } });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await post(`${origin}/v1/chat/completions`, chat)).status);
    expect(statuses).toEqual([200, 200, 402, 402]);
    await proxy?.close();
    const prices = { input: 1_000, cachedInput: 1_000, output: 1_000 };
    origin = await start({ endpoints: [endpoint("openai-compatible", { prices })], budget: { money: 0.12 } });
    expect((await post(`${origin}/v1/chat/completions`, chat)).status).toBe(200);
    expect((await post(`${origin}/v1/chat/completions`, chat)).status).toBe(402);
  });

  it("refuses a prompt that alone is over it, and cuts a stream that goes on", async () => {
    const origin = await start({ budget: { tokens: 60 } });
    const long = { ...chat, messages: [{ role: "user", content: "many words here ".repeat(100) }] };
    expect((await post(`${origin}/v1/chat/completions`, long)).status).toBe(402);
    expect(upstream.asked).toEqual([]);

    let written = 0;
    upstream.answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => {
        written++;
        response.write(`data: {"choices":[{"delta":{"content":"a"}}]}\n\n`);
      }, 1);
      response.on("close", () => clearInterval(timer));
    };
    const text = await (await post(`${origin}/v1/chat/completions`, { ...chat, stream: true })).text();
    expect(text).toContain("insufficient_quota");
    expect(written).toBeLessThan(200);
    expect(proxy?.usage().outputTokens).toBeGreaterThan(5);
    expect((await post(`${origin}/v1/chat/completions`, chat)).status).toBe(402);
  });
});

describe("the socket", () => {
  it("lies in a folder that only this user may enter, and goes with the proxy", async () => {
    upstream.answer = (response) => json(response, chatAnswer);
    await start({ listen: "socket" });
    const socketPath = proxy?.socketPath ?? "";
    expect(proxy?.origin).toBeUndefined();
    expect(Buffer.byteLength(socketPath)).toBeLessThan(108);
    expect(statSync(dirname(socketPath)).mode & 0o777).toBe(0o700);
    const status = await new Promise<number>((resolve, reject) => {
      const request = httpRequest({ socketPath, path: "/v1/chat/completions", method: "POST" }, (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      });
      request.on("error", reject);
      request.end(JSON.stringify(chat));
    });
    expect(status).toBe(200);
    await proxy?.close();
    proxy = null;
    expect(existsSync(dirname(socketPath))).toBe(false);
  });
});
