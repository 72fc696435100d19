// Drills: agents that misbehave, in every sandbox of this machine, each ended within its limit and with its valid findings kept.
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAdapterAgent } from "../../src/agents/adapter-agent.ts";
import { createCommandAdapter } from "../../src/agents/command.ts";
import type { ModelEndpoint } from "../../src/agents/model/settings.ts";
import { productFiles } from "../../src/agents/product-files.ts";
import { createWorkspace } from "../../src/agents/workspace.ts";
import { runPasses } from "../../src/app/run-passes.ts";
import type { Review } from "../../src/core/review.ts";
import type { Agent, RunPaths } from "../../src/ports/agent.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { writeChangeFile } from "../../src/report-tools/change-file.ts";
import { createRedactor } from "../../src/telemetry/redact.ts";
import { changeFacts } from "../fakes/change-facts.ts";
import { backendsHere } from "../fakes/sandboxes.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const drills = fileURLToPath(new URL("../fakes/drill-agent/", import.meta.url));
const clock = createSystemClock();
const redactor = createRedactor();
const MEBIBYTE = 1024 * 1024;
const CANARY = "CANARY-0123456789abcdef";

const review: Review = {
  id: "rv_1",
  repository: "demo",
  spec: "HEAD",
  agent: "drill",
  paths: [],
  locale: "en",
  requester: { kind: "feed", feed: "test" },
  status: "running",
  attempt: 1,
  createdAt: 0,
};

interface Outcome {
  readonly messages: readonly string[];
  readonly manifest: Record<string, unknown>;
  readonly pass: Record<string, unknown>;
  readonly ms: number;
  readonly paths: RunPaths;
}

const { working, unusable } = await backendsHere();
let data: string;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "aicr-drills-"));
  process.env["AICR_DRILL_SECRET"] = CANARY;
});
afterAll(() => {
  delete process.env["AICR_DRILL_SECRET"];
  rmSync(data, { recursive: true, force: true });
});

/** Runs one drill through the passes of a review, as the product does. */
async function drill(
  sandbox: Sandbox,
  misdeed: string,
  limits: { budgetMs?: number; endpoint?: ModelEndpoint } = {},
): Promise<Outcome> {
  const workspace = createWorkspace({ runsDir: join(data, `${sandbox.name}-${misdeed}`) });
  const paths = await workspace.create("rv_1", 1);
  mkdirSync(join(paths.source, "src"));
  writeChangeFile(paths.change, changeFacts());
  const mark = `aicr-drill-${randomUUID()}`;
  const agent: Agent = createAdapterAgent({
    name: "drill",
    adapter: createCommandAdapter({
      argv: ["{node}", join(drills, "main.mjs"), misdeed, "{mcp_config}", mark],
      env: {},
      prompt: "file",
      programs: [drills],
      names: "canonical",
    }),
    sandbox: async () => sandbox,
    toolServer: join(root, "dist/mcp-output.mjs"),
    programs: productFiles(root.replace(/\/$/, "")),
    prompt: async () => "Review this.",
    ...(limits.endpoint === undefined ? {} : { endpoint: limits.endpoint }),
    limits: { memoryBytes: 400 * MEBIBYTE, processes: 200 },
    idleMs: 60_000,
    maxOutputBytes: 8 * MEBIBYTE,
    clock,
    logger: silentLogger,
    redactor,
  });
  const started = performance.now();
  const collected = await runPasses({
    agent,
    review,
    attempt: 1,
    paths,
    answers: {
      context: async () => ({ kind: "refused", reason: "None here." }),
      attribution: async () => ({ kind: "refused", reason: "None here." }),
    },
    preparePass: (run) => workspace.preparePass(paths, run),
    budgetMs: limits.budgetMs ?? 60_000,
    clock,
    logger: silentLogger,
    signal: new AbortController().signal,
  });
  const ms = performance.now() - started;
  expect(processesWith(mark)).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(paths.root, "manifest.json"), "utf8"));
  expect(manifest.passes).toHaveLength(1);
  const messages = collected.problems.map(({ message }) => message);
  expect(messages).toContain("The first one.");
  return { messages, manifest, pass: manifest.passes[0], ms, paths };
}

/** Live processes of the machine, containers' too, that have a text in their arguments. */
function processesWith(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return false;
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

// Most of them wait for a limit, so that they are run side by side.
describe.concurrent.each(working)("an agent in $backend that", ({ backend, sandbox }) => {
  // A container takes a while to start on a machine that is busy, and the agent must have reported before its time is over.
  const budgetMs = backend === "podman" ? 40_000 : 15_000;

  it("hangs, deaf to SIGTERM, is ended at its time", async () => {
    const { messages, pass, ms } = await drill(sandbox, "hangs", { budgetMs });
    expect(messages).toHaveLength(1);
    expect(pass["exit"]).toMatchObject({ reason: "timeout", verdict: "timeout" });
    expect(ms).toBeLessThan(budgetMs + 30_000);
  }, 90_000);

  it("forks without end is bounded, and nothing of it is left", async () => {
    const { pass } = await drill(sandbox, "forks", { budgetMs });
    expect(["processes_exceeded", "timeout", "exited"]).toContain((pass["exit"] as { reason: string }).reason);
    expect((pass["exit"] as { verdict: string }).verdict).not.toBe("ok");
  }, 90_000);

  it("escapes with setsid and a double fork, without its environment, is caught", async () => {
    const { pass } = await drill(sandbox, "escapes", { budgetMs });
    expect(pass["exit"]).toMatchObject({ reason: "timeout" });
  }, 90_000);

  it("eats memory is ended before it has it", async () => {
    const { pass } = await drill(sandbox, "eats");
    expect(pass["exit"]).toMatchObject({ reason: "memory_exceeded", verdict: "failed" });
  }, 90_000);

  it("prints 1 GB is cut off", async () => {
    const { pass } = await drill(sandbox, "prints");
    expect(pass["exit"]).toMatchObject({ reason: "output_exceeded", verdict: "failed" });
  }, 90_000);

  it("dies after two problems has both kept, and its bounds written down", async () => {
    const { messages, pass, manifest } = await drill(sandbox, "dies");
    expect(messages).toEqual(["The first one.", "The second one."]);
    expect(manifest).toMatchObject({ schemaVersion: 1, runId: "rv_1-1.1" });
    expect(pass).toMatchObject({
      runId: "rv_1-1.1",
      kind: "initial",
      agent: { name: "drill", kind: "command" },
      sandbox: { backend, isIsolated: backend !== "native" },
      unmet: expect.arrayContaining(
        backend === "native" ? ["native does not enforce: network"] : ["nobody tells how many tokens were used"],
      ),
      exit: { verdict: "failed" },
    });
  }, 90_000);

  it("reports into another run is refused", async () => {
    const { messages, pass } = await drill(sandbox, "impersonates");
    expect(messages).toEqual(["The first one."]);
    expect(pass["exit"]).toMatchObject({ verdict: "ok" });
    expect(pass["tools"]).toMatchObject({ isConnected: true, client: "drill 1" });
  }, 90_000);

  it("writes outside and looks around finds a wall, where there is one", async () => {
    const { messages, paths } = await drill(sandbox, "trespasses");
    // Without a wall it spoils change.json, and is then told that the review is over; what it reported before is kept.
    if (sandbox.capabilities.isIsolated) expect(messages).toEqual(["The first one.", "TRESPASSED: nowhere"]);
    for (const path of ["/etc/aicr-drill", "/usr/local/aicr-drill"]) rmSync(path, { force: true });
    if (sandbox.capabilities.isIsolated) expect(readdirSync(paths.source)).toEqual(["src"]);
  }, 90_000);

  it("reads environments finds no secret of the bot, and no key of its model", async () => {
    const endpoint: ModelEndpoint = {
      name: "main",
      kind: "anthropic",
      model: "scripted",
      baseUrl: "http://127.0.0.1:9/v1",
      apiKey: CANARY,
      contextTokens: 1_000,
      maxOutputTokens: 100,
    };
    const { messages, paths } = await drill(sandbox, "spies", { endpoint });
    for (const name of readdirSync(paths.root, { recursive: true, withFileTypes: true })) {
      if (name.isFile()) expect(readFileSync(join(name.parentPath, name.name), "latin1")).not.toContain(CANARY);
    }
    const said = messages.find((message) => message.startsWith("SPIED")) ?? "";
    // Without a wall it can read what the bot's own user can read; its own environment has nothing in any case.
    if (sandbox.capabilities.isIsolated) expect(said).toBe("SPIED own:0 all:0");
    else expect(said).toMatch(/^SPIED own:0 /);
  }, 90_000);

  it("calls 10,000 tools has as many kept as a pass may have", async () => {
    const { messages } = await drill(sandbox, "calls", { budgetMs: 100_000 });
    expect(messages).toHaveLength(500);
  }, 120_000);
});

describe.skipIf(unusable.length === 0)("sandboxes that do not work here", () => {
  it.skip.each([...unusable])("%s (skipped: %s)", () => undefined);
});
