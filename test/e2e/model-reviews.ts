// What the tests of the built model agent share: a scripted endpoint with a key, the product around it, and turns of the model.
import { afterEach } from "vitest";
import { type AgentProduct, type AgentProductOptions, createAgentProduct } from "../fakes/agent-product.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server/model-server.ts";
import type { Script, SeenRequest, Turn } from "../fakes/model-server/script.ts";

export const key = "sk-the-real-key-of-the-bot";
const env = { MODEL_KEY: key };

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

export async function serve(script: Script, options: { readonly key?: string } = {}): Promise<ModelServer> {
  const server = await startModelServer({ script, key, ...options });
  opened.push(server.close);
  return server;
}

export async function product(options: AgentProductOptions): Promise<AgentProduct> {
  const made = await createAgentProduct({ env, ...options });
  opened.push(made.remove);
  return made;
}

const before = "export function close(session: Session): void {\n  session.end();\n}\n";
const after =
  "export function close(session: Session): void {\n  session.end();\n  session.end();\n  const n: number = 'x';\n}\n";

export function planted(made: AgentProduct, files: Readonly<Record<string, string>> = {}): void {
  made.repository.commit(
    { files: { "src/session.ts": before, "AGENTS.md": "Always close sessions once.\n" }, message: "Start" },
    { files: { "src/session.ts": after, ...files }, message: "Close sessions" },
  );
}

export const found = {
  file: "src/session.ts",
  line: 3,
  severity: "high",
  category: "correctness",
  message: "It ends twice.",
};
export const report: Turn = { calls: [{ name: "aicr_report_problem", input: found }] };
export const summary: Turn = { calls: [{ name: "aicr_publish_summary", input: { markdown: "One problem." } }] };
export const skip: Turn = { calls: [{ name: "aicr_skip", input: { reason: "lgtm" } }] };
export const fine: Turn = { calls: [{ name: "aicr_publish_summary", input: { markdown: "Constants move." } }] };
export const done: Turn = { text: "Done." };
export const script =
  (...turns: readonly Turn[]): Script =>
  (_, n) =>
    turns[n] ?? done;

export const model = (server: ModelServer, name = "main", more: object = {}): object => ({
  name,
  kind: "openai-compatible",
  model: `${name}-1`,
  base_url: `${server.origin}/v1`,
  api_key_env: "MODEL_KEY",
  ...more,
});
export const agent = (more: object = {}): object => ({ name: "deep", kind: "model", models: ["main"], ...more });

export const promptOf = (request: SeenRequest | undefined): string =>
  (request?.messages ?? []).map(({ text }) => text).join("\n");
