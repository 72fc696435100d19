// What every command line has in common: what it gets, how its end is judged, and what the manifest says of it.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Adapter, AdapterSetup, StreamReading } from "../../../src/agents/adapter.ts";
import { type AdapterAgentParts, createAdapterAgent } from "../../../src/agents/adapter-agent.ts";
import { createCommandAdapter, placeholders, unknownPlaceholders } from "../../../src/agents/command.ts";
import { createJsonLines } from "../../../src/agents/json-lines.ts";
import { runPaths } from "../../../src/agents/workspace.ts";
import type { AgentPass } from "../../../src/ports/agent.ts";
import type { Sandbox, SandboxExit } from "../../../src/ports/sandbox.ts";
import { markConnected } from "../../../src/report-tools/connection-mark.ts";
import { viewBehindWall } from "../../../src/sandbox/view.ts";
import { createRedactor } from "../../../src/telemetry/redact.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { fakeSandbox } from "../../fakes/fake-sandbox.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

let root: string;
let pass: AgentPass;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "aicr-adapter-"));
  const paths = runPaths(root, "rv_1", 1);
  for (const folder of [paths.agent, paths.tmp, paths.source]) mkdirSync(folder, { recursive: true });
  pass = {
    runId: "rv_1-1.1",
    kind: "initial",
    paths,
    resolver: join(root, "sock", "s"),
    locale: "vi",
    deadlineMs: 5_000,
  };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const able: Adapter["capabilities"] = {
  tools: "mcp-stdio",
  names: "canonical",
  endpoints: ["anthropic"],
  tellsTools: true,
  tellsUsage: true,
  boundsTurns: true,
  isDisarmable: true,
  ignoresRepositorySettings: true,
  isQuiet: true,
};

function adapter(rest: Partial<Adapter> = {}, setups: AdapterSetup[] = []): Adapter {
  return {
    kind: "test",
    capabilities: able,
    programs: ["/opt/agent"],
    async prepare(setup) {
      setups.push(setup);
      return { argv: ["/opt/agent/run"], env: { MODE: "x", HOME: "/evil" } };
    },
    ...rest,
  };
}

function make(sandbox: Sandbox, rest: Partial<AdapterAgentParts> = {}) {
  return createAdapterAgent({
    name: "mine",
    adapter: adapter(),
    sandbox: async () => sandbox,
    toolServer: "/dist/mcp-output.mjs",
    programs: ["/dist"],
    prompt: async () => "Review it. DB_PASSWORD=hunter2hunter2",
    limits: { memoryBytes: 1_000, processes: 10 },
    idleMs: 60_000,
    maxOutputBytes: 1_000,
    turns: 7,
    clock: createFakeClock(),
    logger: silentLogger,
    redactor: createRedactor(),
    ...rest,
  });
}

const connect = (hasListed = true): void =>
  markConnected(pass.paths.state, { runId: pass.runId, client: "test 1", hasListed });
const never = new AbortController().signal;

function manifest(): { readonly passes: readonly Record<string, unknown>[] } {
  return JSON.parse(readFileSync(join(pass.paths.root, "manifest.json"), "utf8"));
}

describe("an adapter's agent", () => {
  it("E20: gets the environment that it needs, inside paths, a fresh HOME, and no more", async () => {
    process.env["AICR_ADAPTER_SECRET"] = "hidden";
    const setups: AdapterSetup[] = [];
    const { sandbox, commands, views } = fakeSandbox({}, [], viewBehindWall);
    await make(sandbox, { adapter: adapter({}, setups) }).run(pass, never);
    delete process.env["AICR_ADAPTER_SECRET"];
    const [command] = commands;
    const [setup] = setups;
    expect(Object.keys(command?.env ?? {}).sort()).toEqual(["HOME", "LANG", "MODE", "PATH", "TERM", "TMPDIR"]);
    expect(command?.env["HOME"]).toMatch(/^\/workspace\/tmp\/home-/);
    expect(command).toMatchObject({ cwd: "/workspace/agent", limits: { memoryBytes: 1_000 }, idleMs: 60_000 });
    expect(command?.stdin).toBeUndefined();
    expect(views[0]?.mounts.map(({ inside }) => inside)).toEqual(expect.arrayContaining(["/dist", "/opt/agent"]));
    expect(setup?.prompt).toBe("Review it. DB_PASSWORD=***");
    expect(setup?.turns).toBe(7);
    expect(setup?.servers).toEqual([
      {
        name: "aicr-output",
        command: process.execPath,
        args: ["/dist/mcp-output.mjs", "--names", "canonical"],
        env: {
          AICR_CHANGE_PATH: "/workspace/change.json",
          AICR_RUN_ID: "rv_1-1.1",
          AICR_OUTPUT_STATE_PATH: "/workspace/agent/.aicr-output-state.json",
          AICR_RESOLVER: "/run/aicr/resolver/s",
        },
      },
    ]);
  });

  it("writes only where no earlier pass could have planted a link", async () => {
    const canary = join(root, "canary");
    writeFileSync(canary, "untouched");
    symlinkSync(canary, join(pass.paths.tmp, "prompt.md"));
    const setups: AdapterSetup[] = [];
    const { sandbox } = fakeSandbox();
    const agent = make(sandbox, { adapter: adapter({}, setups) });
    await agent.run(pass, never);
    await agent.run({ ...pass, kind: "repair" }, never);
    const [first, second] = setups;
    expect(first?.home).not.toBe(second?.home);
    const written = await second?.write("deep/prompt.md", "words");
    expect(written).toBe(`${second?.home}/deep/prompt.md`);
    expect(readFileSync(written ?? "", "utf8")).toBe("words");
    await expect(second?.write("deep/prompt.md", "again")).rejects.toThrow("EEXIST");
    expect(readFileSync(canary, "utf8")).toBe("untouched");
    expect(statSync(second?.home ?? "").mode & 0o077).toBe(0);
  });

  it.each<[string, Partial<SandboxExit>, "mark" | "listed" | "none", object]>([
    ["ended well", {}, "listed", { exit: "ok" }],
    [
      "ended with 0 and never had its tools",
      {},
      "none",
      { exit: "failed", diagnostics: expect.stringContaining("never connected") },
    ],
    [
      "connected and asked for no tools",
      {},
      "mark",
      { exit: "failed", diagnostics: expect.stringContaining("never connected") },
    ],
    [
      "ended with 3",
      { code: 3, stderr: Buffer.from("boom") },
      "listed",
      { exit: "failed", diagnostics: "It ended with code 3. boom" },
    ],
    ["ran out of time", { reason: "timeout", code: null }, "listed", { exit: "timeout" }],
    [
      "fell silent",
      { reason: "idle", code: null },
      "listed",
      { exit: "timeout", diagnostics: "It was silent for 60 seconds." },
    ],
    ["took too much", { reason: "memory_exceeded", code: null }, "listed", { exit: "failed" }],
    ["forked too much", { reason: "processes_exceeded", code: null }, "listed", { exit: "failed" }],
    ["said too much", { reason: "output_exceeded", code: null }, "listed", { exit: "failed" }],
    ["was cancelled", { reason: "cancelled", code: null }, "none", { exit: "cancelled" }],
    [
      "leaked on stderr",
      { code: 1, stderr: Buffer.from("API_TOKEN=abcd1234abcd") },
      "listed",
      { diagnostics: "It ended with code 1. API_TOKEN=***" },
    ],
  ])("that %s is judged by it", async (_name, exit, connection, expected) => {
    if (connection !== "none") connect(connection === "listed");
    const { sandbox } = fakeSandbox(exit);
    expect(await make(sandbox).run(pass, never)).toMatchObject(expected);
    expect(manifest().passes).toMatchObject([{ tools: { isConnected: connection === "listed" } }]);
  });

  it("is connected if it has reported, whatever it listed; not by the mark of another pass", async () => {
    markConnected(pass.paths.state, { runId: "rv_1-1.9", client: "old", hasListed: true });
    const { sandbox } = fakeSandbox();
    expect(await make(sandbox).run(pass, never)).toMatchObject({ exit: "failed" });
    writeFileSync(pass.paths.state, "{}");
    expect(await make(sandbox).run(pass, never)).toMatchObject({ exit: "ok" });
  });

  it("tells what its stream told, and the manifest what could not be had", async () => {
    connect();
    const reading: StreamReading = {
      add: () => undefined,
      end: () => ({
        finalText: "No issues.",
        toolEvents: [{ id: "1", name: "aicr_skip", input: {} }],
        toolsSeen: { aicr_skip: 1 },
        usage: { inputTokens: 5, outputTokens: 6 },
        version: "9.1",
      }),
    };
    const weak = { ...able, boundsTurns: false, isQuiet: false };
    const { sandbox } = fakeSandbox();
    const result = await make(sandbox, { adapter: adapter({ read: () => reading, capabilities: weak }) }).run(
      pass,
      never,
    );
    expect(result).toEqual({
      exit: "ok",
      finalText: "No issues.",
      toolEvents: [{ id: "1", name: "aicr_skip", input: {} }],
      usage: { inputTokens: 5, outputTokens: 6 },
    });
    expect(manifest().passes[0]).toMatchObject({
      runId: "rv_1-1.1",
      agent: { name: "mine", kind: "test", version: "9.1" },
      sandbox: { backend: "native", isIsolated: false },
      unmet: [
        "fake does not enforce: files",
        "fake does not enforce: network",
        "the agent does not bound its turns",
        "the agent's telemetry cannot be turned off",
      ],
      tools: { isConnected: true, client: "test 1", seen: { aicr_skip: 1 } },
      exit: { reason: "exited", code: 0, verdict: "ok" },
      usage: { inputTokens: 5, outputTokens: 6 },
    });
  });

  it("reaches its model through a proxy, never by its key; one that never answered has failed", async () => {
    connect();
    const setups: AdapterSetup[] = [];
    const endpoint = {
      name: "m",
      kind: "anthropic" as const,
      model: "scripted",
      baseUrl: "http://127.0.0.1:9/v1",
      apiKey: "sk-real-key-0123456789",
      contextTokens: 1_000,
      maxOutputTokens: 100,
    };
    const { sandbox, commands } = fakeSandbox();
    const result = await make(sandbox, { adapter: adapter({}, setups), endpoint }).run(pass, never);
    expect(setups[0]?.model).toMatchObject({
      kind: "anthropic",
      id: "scripted",
      origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/),
    });
    expect(JSON.stringify([setups[0]?.model, commands])).not.toContain("sk-real");
    expect(result).toMatchObject({ exit: "failed", diagnostics: "Its model never answered." });
    // Gone with the pass.
    await expect(fetch(`${setups[0]?.model?.origin}/v1/models`)).rejects.toThrow();
  });

  it("refuses an endpoint that its program does not speak to", async () => {
    const endpoint = {
      name: "m",
      kind: "google" as const,
      model: "x",
      baseUrl: "http://127.0.0.1:9",
      contextTokens: 1,
      maxOutputTokens: 1,
    };
    const { sandbox } = fakeSandbox();
    await expect(make(sandbox, { endpoint }).run(pass, never)).rejects.toMatchObject({ code: "config" });
  });
});

describe("the command agent", () => {
  async function invoke(argv: readonly [string, ...string[]], prompt: "file" | "stdin" | "argument" = "file") {
    connect();
    const { sandbox, commands } = fakeSandbox({ stdout: Buffer.from("Looks good to me.\n") });
    const result = await make(sandbox, {
      prompt: async () => "The {mcp_config} prompt",
      adapter: createCommandAdapter({ argv, env: { WHERE: "{source}" }, prompt, programs: [], names: "underscore" }),
    }).run(pass, never);
    return { command: commands[0], result };
  }

  it("fills its template, and what it fills in is not filled again", async () => {
    const { command, result } = await invoke([
      "{node}",
      "--prompt={prompt_file}",
      "{mcp_config}",
      "{prompt}",
      "{unknown}",
      "{locale}",
    ]);
    const [node, promptFile, config, prompt, unknown, locale] = command?.argv ?? [];
    expect([node, prompt, unknown, locale]).toEqual([process.execPath, "The {mcp_config} prompt", "{unknown}", "vi"]);
    expect(readFileSync(promptFile?.replace("--prompt=", "") ?? "", "utf8")).toBe("The {mcp_config} prompt");
    expect(JSON.parse(readFileSync(config ?? "", "utf8"))).toMatchObject({
      mcpServers: { "aicr-output": { type: "stdio", args: ["/dist/mcp-output.mjs", "--names", "underscore"] } },
    });
    expect(command?.env["WHERE"]).toBe(pass.paths.source);
    expect(result).toEqual({ exit: "ok", finalText: "Looks good to me." });
    expect(readdirSync(pass.paths.agent)).toEqual([".aicr-output-state.json.connected"]);
  });

  it("is given its prompt on stdin, if so told", async () => {
    expect((await invoke(["/bin/agent"], "stdin")).command?.stdin).toBe("The {mcp_config} prompt");
    expect((await invoke(["/bin/agent"])).command?.stdin).toBeUndefined();
  });

  it("knows which names in braces stand for nothing", () => {
    const all = Object.keys(placeholders).map((name) => `{${name}}`);
    expect(unknownPlaceholders(all.join(" "))).toEqual([]);
    expect(unknownPlaceholders("{secret} {Prompt} {} {prompt} {json: 1}")).toEqual(["secret"]);
  });
});

describe("JSON lines of a stream", () => {
  it("are read however they are cut, and whatever else is there is passed over", () => {
    const bytes = Buffer.from('banner\n{"a":"đ"}\r\n[1]\n{"b":\n\n  {"c":3}\n{"d":4}');
    for (const size of [1, 2, 3, 1_000]) {
      const seen: unknown[] = [];
      const lines = createJsonLines((value) => seen.push(value));
      for (let at = 0; at < bytes.length; at += size) lines.add(bytes.subarray(at, at + size));
      lines.end();
      expect(seen).toEqual([{ a: "đ" }, { c: 3 }, { d: 4 }]);
    }
  });

  it("are not kept when they never end", () => {
    const seen: unknown[] = [];
    const lines = createJsonLines((value) => seen.push(value));
    lines.add(Buffer.from('{"x":"'));
    for (let i = 0; i < 9; i++) lines.add(Buffer.alloc(1024 * 1024, 0x61));
    lines.add(Buffer.from('"}\n{"next":1}\n'));
    expect(seen).toEqual([{ next: 1 }]);
  });
});
