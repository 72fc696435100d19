// What is read from the streams of real agents, as they printed them; and that nothing of it makes a run without tools a good one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StreamFindings } from "../../../src/agents/adapter.ts";
import { createAdapterAgent } from "../../../src/agents/adapter-agent.ts";
import { adapterFor, commandLines } from "../../../src/agents/adapters.ts";
import type { ModelKind } from "../../../src/agents/model/settings.ts";
import { runPaths } from "../../../src/agents/workspace.ts";
import { processes } from "../../../src/process/spawn.ts";
import { createSystemClock } from "../../../src/process/system-clock.ts";
import { createNativeSandbox } from "../../../src/sandbox/native.ts";
import { createRedactor } from "../../../src/telemetry/redact.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/agents/", import.meta.url));
const streamOf = (kind: string): Buffer => readFileSync(join(fixtures, `${kind}.jsonl`));
const kinds = commandLines.map(({ kind }) => kind);

function read(kind: string, chunks: readonly Uint8Array[], progress: string[] = []): StreamFindings {
  const adapter = adapterFor({ kind, arguments: [], reads: [], env: [] }, {});
  const reading = adapter?.read?.((note) => progress.push(note));
  if (reading === undefined) throw new Error(`${kind} reads no stream`);
  for (const chunk of chunks) reading.add(chunk);
  return reading.end();
}

const problem = {
  file: "src/session.ts",
  line: 3,
  severity: "high",
  category: "correctness",
  message: "It ends twice.",
};

/** As each spelled the tool for reporting. */
const spelled: Readonly<Record<string, string>> = {
  "claude-code": "mcp__aicr-output__aicr_report_problem",
  codex: "aicr_report_problem",
  opencode: "aicr-output_aicr_report_problem",
  kilo: "aicr-output_aicr_report_problem",
  gemini: "mcp_aicr-output_aicr_report_problem",
  qwen: "mcp__aicr-output__aicr_report_problem",
  copilot: "aicr-output-aicr_report_problem",
  goose: "node__aicr_report_problem",
};

describe("the stream of a real agent", () => {
  it.each(kinds)("of %s tells its calls in order, its last words and no fault", (kind) => {
    const progress: string[] = [];
    const findings = read(kind, [streamOf(kind)], progress);
    expect(findings.toolEvents?.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: "aicr.report_problem", input: problem },
      { name: "aicr.publish_summary", input: { markdown: "One problem." } },
    ]);
    expect(findings.toolsSeen).toHaveProperty([spelled[kind] ?? ""], 1);
    expect(findings.finalText).toBe("The review is done.");
    expect(findings.fault).toBeUndefined();
    expect(progress).toEqual(["aicr.report_problem", "aicr.publish_summary"]);
  });

  it.each(kinds.filter((kind) => kind !== "copilot"))("of %s tells its tokens", (kind) => {
    const requests = new Set(["codex", "goose"]).has(kind) ? 3 : kind === "qwen" ? 5 : 4;
    expect(read(kind, [streamOf(kind)]).usage).toEqual({ inputTokens: 100 * requests, outputTokens: 10 * requests });
  });

  it.each(kinds)("of %s reads the same however it is cut, with lines between that are none of its own", (kind) => {
    const whole = streamOf(kind);
    const noisy = Buffer.concat([Buffer.from("Starting…\n{half a line\n"), whole]);
    const expected = read(kind, [whole]);
    fc.assert(
      fc.property(fc.array(fc.nat(noisy.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...[...cuts].sort((a, b) => a - b), noisy.length];
        const chunks = places.slice(1).map((end, index) => noisy.subarray(places[index], end));
        expect(read(kind, chunks)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it.each(kinds)("of %s survives whatever its events hold", (kind) => {
    const types = [
      ...new Set(
        streamOf(kind)
          .toString("utf8")
          .match(/"type":"[^"]+"/g),
      ),
    ].map((text) => text.slice(8, -1));
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom(...types),
            fc.dictionary(
              fc.constantFrom("item", "part", "data", "message", "usage", "tool_name", "stats", "error"),
              fc.jsonValue(),
            ),
          ),
        ),
        (events) => {
          const lines = events.map(([type, rest]) => JSON.stringify({ ...rest, type }));
          const findings = read(kind, [Buffer.from(lines.join("\n"))]);
          expect(typeof findings.finalText).toBe("string");
        },
      ),
    );
  });
});

describe("a fault", () => {
  it.each<[string, object, string]>([
    [
      "claude-code",
      { type: "system", subtype: "init", mcp_servers: [{ name: "aicr-output", status: "pending" }] },
      "Tool servers are not connected: aicr-output (pending).",
    ],
    ["claude-code", { type: "result", subtype: "error_max_turns", is_error: true }, "error_max_turns"],
    ["codex", { type: "turn.failed", error: { message: "no network" } }, "no network"],
    ["opencode", { type: "error", error: { name: "APIError", data: { message: "refused" } } }, "refused"],
    ["gemini", { type: "result", status: "error", error: { message: "quota" } }, "quota"],
    ["copilot", { type: "session.error", data: { message: "offline" } }, "offline"],
    ["goose", { type: "error", error: "no provider" }, "no provider"],
  ])("that %s tells is read", (kind, event, fault) => {
    expect(read(kind, [Buffer.from(`${JSON.stringify(event)}\n`)]).fault).toBe(fault);
  });
});

describe("an agent that says that it reported, and never had its tools", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "aicr-streams-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it.each(kinds)("has failed, as %s, and what it called is kept", async (kind) => {
    const paths = runPaths(root, "rv_1", 1);
    for (const folder of [paths.agent, paths.tmp, paths.source]) mkdirSync(folder, { recursive: true });
    // The same bytes as the real one prints, in pieces, from a program that ends well.
    const program = join(root, "agent.mjs");
    const source = `import { readFileSync } from "node:fs";
const bytes = readFileSync(${JSON.stringify(join(fixtures, `${kind}.jsonl`))});
for (let at = 0; at < bytes.length; at += 777) process.stdout.write(bytes.subarray(at, at + 777));
process.stderr.write("bye");
`;
    writeFileSync(program, `#!${process.execPath}\n${source}`, { mode: 0o755 });
    const adapter = adapterFor({ kind, program, arguments: [], reads: [], env: [] }, {});
    if (adapter === null) throw new Error("no adapter");
    const [speaks] = adapter.capabilities.endpoints as readonly [ModelKind];
    const agent = createAdapterAgent({
      name: "mine",
      adapter,
      sandbox: async () => createNativeSandbox({ processes }),
      toolServer: "/nowhere/mcp-output.mjs",
      programs: [],
      prompt: async () => "Review it.",
      endpoint: {
        name: "main",
        kind: speaks,
        model: "m-1",
        baseUrl: "http://127.0.0.1:9",
        contextTokens: 8_000,
        maxOutputTokens: 1_000,
      },
      limits: {},
      idleMs: 20_000,
      maxOutputBytes: 1 << 20,
      turns: 5,
      clock: createSystemClock(),
      logger: silentLogger,
      redactor: createRedactor(),
    });
    const pass = { runId: "rv_1-1.1", kind: "initial", paths, locale: "en", deadlineMs: 20_000 } as const;
    const result = await agent.run(pass, new AbortController().signal);
    expect(result.exit).toBe("failed");
    expect(result.diagnostics).toContain("It never connected to its tools. bye");
    expect(result.toolEvents?.map(({ name }) => name)).toEqual(["aicr.report_problem", "aicr.publish_summary"]);
    const manifest = JSON.parse(readFileSync(join(paths.root, "manifest.json"), "utf8"));
    expect(manifest.passes[0]).toMatchObject({
      agent: { name: "mine", kind },
      tools: { isConnected: false },
      exit: { verdict: "failed" },
    });
    expect(manifest.passes[0].tools.seen).toHaveProperty([spelled[kind] ?? ""], 1);
  });
});
