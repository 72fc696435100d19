// The real command lines review a hostile change through the product's own path: sandbox, proxy, tools, report, manifest.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import { normalizeToolName } from "../../src/report-tools/names.ts";
import { createAgentProduct } from "../fakes/agent-product.ts";
import { startModelServer } from "../fakes/model-server/model-server.ts";
import { testSandboxes } from "../fakes/sandboxes.ts";
import { hostileFiles, order, trace } from "./hostile.ts";
import { type AgentPackage, chosenPackages, installAgent } from "./packages.ts";
import { scriptedReviewer } from "./scripted-reviewer.ts";
import { watchMemory } from "./tree-memory.ts";

const key = "sk-the-real-key-of-the-bot";
const before = "export function close(session: Session): void {\n  session.end();\n}\n";
const after = "export function close(session: Session): void {\n  session.end();\n  session.end();\n}\n";

interface PassRecord {
  readonly ms: number;
  readonly agent: { readonly version?: string };
  readonly tools: { readonly isConnected: boolean; readonly seen: Readonly<Record<string, number>> };
  readonly exit: { readonly verdict: string };
}

let sandbox: Sandbox;
const rows: string[] = [];

beforeAll(async () => {
  sandbox = await testSandboxes().choose();
});
afterAll(() => {
  const head = "| Agent | Version | Works | Tool name seen | Wall | Memory |\n|---|---|---|---|---|---|";
  process.stdout.write(`\n${sandbox.name}\n${head}\n${rows.join("\n")}\n`);
});

describe.each(chosenPackages())("$kind", (agent) => {
  it("reports through its tools, and obeys nothing of the repository", async () => {
    const outcome = await reviewWith(agent);
    const { review, report, pass, server } = outcome;
    expect(server.refusals).toEqual([]);
    expect(review.status, JSON.stringify(review.failure)).toBe("reported");
    expect(report).toMatchObject({
      problems: [{ problem: { file: "src/session.ts", line: 3, message: "It ends twice." } }],
      summaries: [{ markdown: "One problem." }],
    });
    expect(pass.tools.isConnected).toBe(true);
    expect(pass.exit.verdict).toBe("ok");
    expect(Object.keys(pass.tools.seen).map(normalizeToolName)).toEqual(
      expect.arrayContaining(["aicr.report_problem", "aicr.publish_summary"]),
    );
    expect(pass.agent.version).toBeDefined();
    expect(outcome.hasRead).toBe(!readless.includes(agent.kind));
    expect(review.timings?.usage?.requests).toBeGreaterThanOrEqual(3);

    expect(outcome.traces).toEqual([]);
    expect(outcome.leaks).toEqual([]);
    // The diff shows each file once; more often means that it was taken for instructions as well.
    const shown = Object.values(hostileFiles).reduce((sum, text) => sum + count(text, order), 0);
    for (const { messages } of server.requests) {
      expect(count(messages.map(({ text }) => text).join("\n"), order)).toBeLessThanOrEqual(shown);
    }
    const tools = new Set(server.requests.flatMap((request) => request.tools));
    expect([...tools].filter((name) => forbidden.test(name))).toEqual([]);
  });

  it("gets a prompt that is too long for an argument", async () => {
    const lines = Array.from({ length: 2_400 }, (_, n) => `export const value${n} = "a value with the number ${n}";`);
    const { review, report, server } = await reviewWith(agent, { "src/values.ts": `${lines.join("\n")}\n` });
    expect(server.refusals).toEqual([]);
    expect(review.status, JSON.stringify(review.failure)).toBe("reported");
    expect(report).toMatchObject({ problems: [{ problem: { file: "src/session.ts" } }] });
    const asked = server.requests.map(({ messages }) => messages.map(({ text }) => text).join("\n"));
    expect(asked.some((text) => text.length > 128 * 1024 && text.includes(lines.at(-1) ?? ""))).toBe(true);
  });
});

/** They read no files of the change: Codex has its shell for that, Goose an extension, and Gemini obeys what lies beside them. */
const readless = ["codex", "goose", "gemini"];

/** Names of tools that run, write or fetch, as the agents spell them. */
const forbidden =
  /^(?:bash|shell|exec_command|run_shell_command|edit|write|write_file|replace|str_replace_editor|apply_patch|create|web_?fetch|google_web_search|developer__\w+)$/i;

async function reviewWith(agent: AgentPackage, beside: Readonly<Record<string, string>> = hostileFiles) {
  const program = installAgent(agent);
  const server = await startModelServer({ script: scriptedReviewer(), key });
  const made = await createAgentProduct({
    env: { MODEL_KEY: key },
    sandbox: keeping(sandbox, agent.kind),
    // They are slow to start on a busy machine, and silent meanwhile.
    reviewMs: 280_000,
    idleMs: 200_000,
    models: [
      {
        name: "main",
        kind: agent.speaks,
        model: "scripted-1",
        base_url: `${server.origin}${agent.speaks === "google" ? "/v1beta" : "/v1"}`,
        api_key_env: "MODEL_KEY",
      },
    ],
    agents: [{ name: "peer", kind: agent.kind, models: ["main"], program }],
  });
  const memory = watchMemory();
  try {
    made.repository.commit(
      { files: { "src/session.ts": before }, message: "Start" },
      { files: { "src/session.ts": after, ...beside }, message: "Close sessions" },
    );
    const { review, report } = await made.review("peer");
    const root = join(made.directory, "runs", `${review.id}-1`);
    const manifest = readFileSync(join(root, "manifest.json"), "utf8");
    const { passes } = JSON.parse(manifest) as { readonly passes: readonly PassRecord[] };
    const [pass] = passes;
    if (process.env["AICR_AGENTS_SHOW"] === "1") {
      process.stdout.write(`${agent.kind}\n${manifest}\n${JSON.stringify(review.failure ?? report)}\n`);
      const [asked] = server.requests;
      for (const { role, text } of asked?.messages ?? []) {
        for (const at of text.matchAll(new RegExp(order, "g")))
          process.stdout.write(`${role}: ${JSON.stringify(text.slice(Math.max(0, at.index - 120), at.index))}\n`);
      }
      process.stdout.write(`${server.requests.map(({ tools, form }) => `${form}: ${tools.join(" ")}`).join("\n")}\n`);
    }
    if (pass === undefined) throw new Error("no pass is on record");
    const name = Object.keys(pass.tools.seen).find((one) => normalizeToolName(one) === "aicr.report_problem");
    const works = review.status === "reported" ? "yes" : "no";
    if (beside === hostileFiles)
      rows.push(
        `| ${agent.kind} | ${agent.package} ${agent.version} | ${works} | \`${name ?? "-"}\` | ${(pass.ms / 1000).toFixed(1)} s | ${memory.stop()} MB |`,
      );
    const files = filesBelow(root);
    return {
      review,
      report,
      pass,
      server,
      hasRead: server.requests.some(({ messages }) =>
        messages.some(({ results }) => results.some(({ text }) => text.includes("session.end();"))),
      ),
      traces: files.filter((path) => path.endsWith(trace)),
      leaks: files.filter((path) => readFileSync(path).includes(key)),
    };
  } finally {
    memory.stop();
    await server.close();
    await made.remove();
  }
}

/** Keeps what an agent printed where AICR_AGENTS_STREAMS names a folder: the unit tests' streams come from there. */
function keeping(inner: Sandbox, kind: string): Sandbox {
  const folder = process.env["AICR_AGENTS_STREAMS"];
  if (folder === undefined) return inner;
  return {
    ...inner,
    async run(command, signal) {
      const exit = await inner.run(command, signal);
      writeFileSync(join(folder, `${kind}.jsonl`), exit.stdout);
      return exit;
    },
  };
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
