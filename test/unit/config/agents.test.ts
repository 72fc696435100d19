// Agents and models in the configuration: every mistake with its place, and what the product makes of a right one.
import { describe, expect, it } from "vitest";
import { agentsSchema, modelsSchema } from "../../../src/config/agents-schema.ts";
import { agentNames, checkAgents } from "../../../src/config/check-agents.ts";
import { pathText } from "../../../src/config/mistakes.ts";
import type { Raw } from "../../../src/config/raw.ts";
import { resolveAgents, secretsOfAgents } from "../../../src/config/resolve-agents.ts";

const env = { DEEPSEEK_KEY: "sk-1234", CLAUDE_KEY: "sk-ant-9" };

function mistakes(file: Raw): readonly string[] {
  const found: string[] = [];
  checkAgents(file, env, (path, text) => void found.push(`${pathText(path)}: ${text}`));
  return found;
}

const local = { name: "local", kind: "openai-compatible", model: "qwen3", base_url: "http://127.0.0.1:11434/v1" };

describe("agents and models of the configuration", () => {
  it("resolves endpoints with their keys, defaults and the order of fallbacks", () => {
    const models = modelsSchema.parse([
      { ...local, api_key_env: "DEEPSEEK_KEY", base_url: "https://api.deepseek.com/", prices: { input: 1, output: 2 } },
      { name: "claude", kind: "anthropic", model: "c", api_key_env: "CLAUDE_KEY" },
    ]);
    const agents = agentsSchema.parse([
      { name: "deep", kind: "model", models: ["claude", "local"], fallback: "checks", daily: { money: 5 } },
    ]);
    const resolved = resolveAgents({ agents, models }, env);
    expect(resolved).toMatchObject([
      {
        name: "deep",
        fallback: "checks",
        daily: { money: 5 },
        limits: { steps: 60, tokens: 1_000_000, ms: 600_000, parts: 8 },
        models: [
          { name: "claude", baseUrl: "https://api.anthropic.com/v1", apiKey: "sk-ant-9", contextTokens: 128_000 },
          {
            name: "local",
            baseUrl: "https://api.deepseek.com",
            apiKey: "sk-1234",
            prices: { input: 1, output: 2, cachedInput: 1 },
          },
        ],
      },
    ]);
    expect(secretsOfAgents(resolved)).toEqual(["sk-ant-9", "sk-1234"]);
  });

  it("knows the built-in agent and those that the file names", () => {
    expect(agentNames({ agents: [{ name: "deep" }, { name: "checks", kind: "checks" }] })).toEqual(["checks", "deep"]);
  });

  it("accepts a right file", () => {
    expect(mistakes({ models: [local], agents: [{ name: "deep", kind: "model", models: ["local"] }] })).toEqual([]);
  });

  it.each<[string, Raw, RegExp]>([
    ["no address", { models: [{ name: "a", kind: "openai-compatible", model: "m" }] }, /models\[0\]: .*base_url/],
    ["no key", { models: [{ name: "a", kind: "anthropic", model: "m" }] }, /models\[0\]: .*api_key_env/],
    [
      "a placeholder of nothing",
      { agents: [{ name: "own", kind: "command", program: "/a", arguments: ["{prompt_file}", "x{promt}"] }] },
      /agents\[0\]\.arguments\[1\]: \{promt\} stands for nothing\. There are: prompt, /,
    ],
    ["an unset key", { models: [{ ...local, api_key_env: "NO_SUCH_KEY" }] }, /NO_SUCH_KEY is not set/],
    [
      "a key in the clear",
      { models: [{ ...local, base_url: "http://models.example/v1", api_key_env: "DEEPSEEK_KEY" }] },
      /models\[0\]\.base_url: .*unencrypted/,
    ],
    ["a password in the address", { models: [{ ...local, base_url: "https://a:b@c.example" }] }, /holds a user/],
    ["two of one name", { models: [local, { ...local, name: "LOCAL" }] }, /models\[1\]\.name: .*already/],
    ["an unknown model", { models: [local], agents: [{ name: "d", kind: "model", models: ["locl"] }] }, /mean local\?/],
    ["no model", { agents: [{ name: "d", kind: "model" }] }, /agents\[0\]: .*needs models/],
    ["another checks", { agents: [{ name: "checks", kind: "command", program: "x" }] }, /built-in one/],
    ["no program", { agents: [{ name: "d", kind: "command" }] }, /needs a program/],
    [
      "a chain for a program",
      { models: [local, { ...local, name: "b" }], agents: [{ name: "d", kind: "codex", models: ["local", "b"] }] },
      /can ask one model/,
    ],
    ["itself as fallback", { agents: [{ name: "d", kind: "command", program: "/a", fallback: "d" }] }, /own fallback/],
    [
      "an unknown fallback",
      { agents: [{ name: "d", kind: "command", program: "/a", fallback: "check" }] },
      /Did you mean checks/,
    ],
    [
      "a foreign key",
      { models: [local], agents: [{ name: "d", kind: "model", models: ["local"], program: "x" }] },
      /says nothing for kind: model/,
    ],
    [
      "money without prices",
      { models: [local], agents: [{ name: "d", kind: "model", models: ["local"], daily: { money: 1 } }] },
      /daily\.money: .*no prices/,
    ],
  ])("refuses %s", (_, file, expected) => {
    const found = mistakes(file);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  it("refuses unknown keys, and a key that is given instead of its variable", () => {
    const issues = modelsSchema.safeParse([{ ...local, api_key: "sk" }]).error?.issues ?? [];
    expect(issues).toMatchObject([{ code: "unrecognized_keys", keys: ["api_key"] }]);
  });
});

describe("a known command line", () => {
  const models = [
    { name: "a", kind: "anthropic", model: "m", api_key_env: "CLAUDE_KEY" },
    { name: "o", kind: "openai-compatible", model: "m", base_url: "http://127.0.0.1:1/v1" },
  ];
  const asked = (kind: string, ...names: readonly string[]) =>
    mistakes({ models, agents: [{ name: "x", kind, models: names }] });

  it("needs a model that speaks what it speaks", () => {
    expect(asked("codex", "o")).toEqual([]);
    expect(asked("claude-code", "a")).toEqual([]);
    expect(asked("codex")).toEqual([expect.stringMatching(/needs a model of kind openai-compatible/)]);
    expect(asked("codex", "a")).toEqual([
      expect.stringMatching(/models\[?\.?0.*speaks openai-compatible; the model a is of kind anthropic/),
    ]);
  });
});
