// Large changes, which the built model agent reads in several conversations: what they come to together.
import { describe, expect, it } from "vitest";
import { agent, done, fine, model, planted, product, promptOf, serve, skip } from "./model-reviews.ts";

describe("a large change", { timeout: 120_000 }, () => {
  it("is read in parts, and names what it could not read", async () => {
    const server = await serve((request) => {
      const prompt = promptOf(request);
      const isAnswered = request.messages.some(({ role }) => role === "tool");
      if (isAnswered) return done;
      return prompt.includes("this is part 1") ? { error: { status: 404 } } : skip;
    });
    const small = { context_tokens: 12_000, max_output_tokens: 500 };
    const lines = (name: string) =>
      Array.from({ length: 220 }, (_, n) => `export const ${name}${n} = ${n};\n`).join("");
    const made = await product({
      models: [model(server, "main", small)],
      agents: [agent({ limits: { parts: 2 }, fallback: "checks" })],
    });
    planted(made, { "src/b.ts": lines("b"), "src/c.ts": lines("c"), "src/d.ts": lines("d"), "src/e.ts": lines("e") });
    const { report: result } = await made.review("deep");
    const left = result?.notes?.find(({ kind }) => kind === "left_out");
    expect(left?.params["n"]).toBeGreaterThan(3);
    expect(result?.notes?.map(({ kind }) => kind)).toContain("taken_over");
  });

  it("is skipped only when every part was read, and gets one summary of all parts otherwise", async () => {
    let isTelling = false;
    const server = await serve((request) => {
      if (request.messages.some(({ role }) => role === "tool")) return done;
      return isTelling && promptOf(request).includes("this is part 2") ? fine : skip;
    });
    const small = { context_tokens: 12_000, max_output_tokens: 500 };
    const lines = (name: string) =>
      Array.from({ length: 260 }, (_, n) => `export const ${name}${n} = ${n};\n`).join("");
    const made = await product({ models: [model(server, "main", small)], agents: [agent()] });
    made.repository.commit(
      { files: { "README.md": "x\n" } },
      { files: { "src/b.ts": lines("b"), "src/c.ts": lines("c") } },
    );
    const skipped = await made.review("deep");
    expect(skipped.report).toEqual({ outcome: "skipped", reason: "lgtm", summaries: [] });
    expect(server.requests).toHaveLength(4);
    isTelling = true;
    expect((await made.review("deep")).report).toEqual({
      outcome: "clean",
      summaries: [{ markdown: "Constants move." }],
    });
  });
});
