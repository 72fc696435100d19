// The model's loop against a scripted endpoint: every wire form, every bound, every refusal, and what remains of the report.
import { afterEach, describe, expect, it } from "vitest";
import type { ModelKind } from "../../../../src/agents/model/settings.ts";
import type { TaskUsage } from "../../../../src/agents/model/task.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { type Script, type Turn, turns } from "../../../fakes/model-server/script.ts";
import { endpoint, modelTask, problem, type Recorded, run } from "./model-task.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(script: Script, options: { readonly models?: readonly string[] } = {}): Promise<ModelServer> {
  const server = await startModelServer({ script, ...options });
  servers.push(server);
  return server;
}

const report: Turn = { calls: [{ name: "aicr_report_problem", input: problem }] };
const summary: Turn = { calls: [{ name: "aicr_publish_summary", input: { markdown: "It closes twice." } }] };
const skip: Turn = { calls: [{ name: "aicr_skip", input: { reason: "lgtm" } }] };
const lookUp: Turn = { calls: [{ name: "aicr_fetch_more_context", input: { path: "src/b.ts", reason: "needed" } }] };
const done: Turn = { text: "Done." };

const usageOf = ({ events }: Recorded): TaskUsage | undefined =>
  events.flatMap((event) => ("usage" in event ? [event.usage] : [])).at(-1);
const names = ({ calls }: Recorded): string[] => calls.map(([name]) => name);

describe.each<ModelKind>(["openai-compatible", "anthropic", "google"])("a model of the kind %s", (kind) => {
  it("reports through the tools, and tells what it used and who has read the code", async () => {
    const used = { usage: { input: 900, output: 40, cached: 500, reasoning: 7 } };
    const server = await serve(turns({ ...report, ...used }, { ...summary, ...used }, { ...done, ...used }));
    const result = await run(modelTask([endpoint(server.origin, kind)]));
    expect(server.refusals).toEqual([]);
    expect(result.end).toEqual({ kind: "done", text: "Done." });
    expect(names(result)).toEqual(["aicr_report_problem", "aicr_publish_summary"]);
    expect(result.calls[0]?.[1]).toEqual(problem);
    const total = usageOf(result);
    expect(total).toMatchObject({ inputTokens: 2700, outputTokens: 120, cachedInputTokens: 1500, requests: 3 });
    expect(total?.reasoningTokens).toBe(kind === "anthropic" ? 0 : 21);
    expect(result.events).toContainEqual({ model: "main-model" });
    expect(server.requests.every(({ stream }) => stream)).toBe(true);
    expect(server.requests[0]?.messages[0]).toMatchObject({ role: "system", text: "You review." });
    expect(server.requests[0]?.tools).toContain("aicr_report_problem");
    // The results went back to it.
    expect(server.requests[1]?.messages.at(-1)?.results[0]?.text).toContain("accepted");
  });
});

describe("bounds", () => {
  it("stop a model that calls without end, and keep what it reported", async () => {
    const server = await serve((_, n) => (n === 0 ? report : lookUp));
    const task = modelTask([endpoint(server.origin)]);
    const result = await run({ ...task, limits: { ...task.limits, steps: 7 } });
    expect(result.end).toEqual({ kind: "limit", limit: "steps" });
    expect(server.requests).toHaveLength(7);
    expect(names(result)[0]).toBe("aicr_report_problem");
  });

  it("stop before a request that would take too many tokens", async () => {
    const server = await serve(() => ({ ...lookUp, usage: { input: 4_000, output: 100 } }));
    const task = modelTask([endpoint(server.origin)]);
    const result = await run({ ...task, limits: { ...task.limits, tokens: 12_000 } });
    expect(result.end).toEqual({ kind: "limit", limit: "tokens" });
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.maxOutputTokens).toBeLessThan(4_000);
  });

  it("stop an answer that goes on and on, while it comes", async () => {
    const server = await serve(() => ({ text: "word ".repeat(20_000), hang: "after" as const }));
    const task = modelTask([endpoint(server.origin)]);
    const result = await run({ ...task, limits: { ...task.limits, tokens: 3_000 } });
    expect(result.end).toEqual({ kind: "limit", limit: "tokens" });
  });

  it("stop at the money, at the prices of the model that answered", async () => {
    const server = await serve(() => ({ ...lookUp, usage: { input: 1_000_000, output: 0, cached: 500_000 } }));
    const priced = { ...endpoint(server.origin), prices: { input: 2, output: 10, cachedInput: 0.5 } };
    const task = modelTask([priced]);
    const result = await run({ ...task, limits: { ...task.limits, tokens: 1e9, money: 3 } });
    expect(result.end).toEqual({ kind: "limit", limit: "money" });
    expect(server.requests).toHaveLength(3);
    expect(usageOf(result)?.money).toBeCloseTo(3.75);
  });

  it("stop at the time, in the middle of an answer", async () => {
    const clock = createFakeClock();
    const server = await serve(() => ({ text: "Hmm", hang: "after" as const }));
    const task = modelTask([endpoint(server.origin)]);
    const running = run({ ...task, limits: { ...task.limits, ms: 4_000, idleMs: 60_000 } }, { clock });
    await server.seen(1);
    await clock.advanceAsync(4_000);
    expect((await running).end).toEqual({ kind: "limit", limit: "time" });
  });

  it("stop at once when the run is aborted", async () => {
    const abort = new AbortController();
    const server = await serve(() => ({ hang: "before" as const }));
    const running = run(modelTask([endpoint(server.origin)]), { signal: abort.signal });
    await server.seen(1);
    abort.abort();
    expect((await running).end).toEqual({ kind: "limit", limit: "time" });
  });

  it("count an estimate where the provider tells nothing", async () => {
    const server = await serve(turns({ ...skip, usage: null }, { ...done, usage: null }));
    const result = await run(modelTask([endpoint(server.origin)]));
    expect(usageOf(result)?.inputTokens).toBeGreaterThan(10);
    expect(usageOf(result)?.requests).toBe(2);
  });
});

describe("an endpoint that fails", () => {
  /** Runs with a clock that is turned by so much whenever a retry is announced. */
  async function withWaits(task: Parameters<typeof run>[0], waits: readonly number[]): Promise<Recorded> {
    const clock = createFakeClock();
    const left = [...waits];
    return run(task, {
      clock,
      onEvent(event) {
        if (!("progress" in event) || !event.progress.includes("again in")) return;
        const wait = left.shift() ?? 0;
        setImmediate(() => clock.advance(wait));
      },
    });
  }

  it("is asked again, Retry-After being a minimum", async () => {
    const limited = (headers: Record<string, string>): Turn => ({ error: { status: 429, headers } });
    const server = await serve(turns(limited({ "retry-after": "7" }), { error: { status: 503 } }, skip, done));
    const result = await withWaits(modelTask([endpoint(server.origin)]), [7_000, 3_000]);
    expect(result.end.kind).toBe("done");
    const waits = result.events.flatMap((event) => ("progress" in event ? [event.progress] : []));
    expect(waits).toEqual([expect.stringContaining("again in 7 s"), expect.stringContaining("again in 3 s")]);
    expect(usageOf(result)?.requests).toBe(4);
  });

  it("is not asked before the time that it named", async () => {
    const clock = createFakeClock();
    const server = await serve(turns({ error: { status: 429, headers: { "retry-after": "10" } } }, skip, done));
    let announced: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      announced = resolve;
    });
    const running = run(modelTask([endpoint(server.origin)]), {
      clock,
      onEvent: (event) => "progress" in event && announced(),
    });
    await waiting;
    await clock.advanceAsync(9_999);
    expect(server.requests).toHaveLength(1);
    await clock.advanceAsync(1);
    expect((await running).end.kind).toBe("done");
    expect(server.requests).toHaveLength(3);
  });

  it("gives way to the next model after its tries, for good", async () => {
    const down = await serve(() => ({ error: { status: 500 } }));
    const up = await serve(turns(lookUp, skip, done));
    const task = modelTask([endpoint(down.origin), endpoint(up.origin, "anthropic", "backup")]);
    const result = await withWaits(task, [1_000, 3_000, 9_000]);
    expect(result.end.kind).toBe("done");
    expect(down.requests).toHaveLength(4);
    expect(up.requests).toHaveLength(3);
    expect(result.events.filter((event) => "model" in event)).toEqual([{ model: "backup-model" }]);
  });

  it("gives way at once when it refuses the key, or lacks the model", async () => {
    const refusing = await startModelServer({ script: () => skip, key: "another" });
    servers.push(refusing);
    const lacking = await serve(() => skip, { models: ["other"] });
    const up = await serve(turns(skip, done));
    const task = modelTask([
      endpoint(refusing.origin),
      endpoint(lacking.origin, "google", "b"),
      endpoint(up.origin, "google", "c"),
    ]);
    const result = await run(task);
    expect(result.end.kind).toBe("done");
    expect(up.requests).toHaveLength(2);
  });

  it("gives way at once when it wants a longer wait than there is patience for", async () => {
    const busy = await serve(() => ({ error: { status: 429, headers: { "retry-after": "3600" } } }));
    const up = await serve(turns(skip, done));
    const result = await run(modelTask([endpoint(busy.origin), endpoint(up.origin, "openai-compatible", "b")]));
    expect(result.end.kind).toBe("done");
    expect(busy.requests).toHaveLength(1);
  });

  it("ends the run when it is the only one and wants more time than there is", async () => {
    const busy = await serve(() => ({ error: { status: 429, headers: { "retry-after": "3600" } } }));
    expect((await run(modelTask([endpoint(busy.origin)]))).end).toEqual({ kind: "limit", limit: "time" });
  });

  it.each<[string, Turn, object]>([
    ["a wrong key", { error: { status: 401 } }, { kind: "trouble", trouble: "auth" }],
    [
      "an empty account",
      { error: { status: 402, message: "Insufficient Balance" } },
      { kind: "trouble", trouble: "auth" },
    ],
    ["a request it does not take", { error: { status: 400 } }, { kind: "trouble", trouble: "refused" }],
    [
      "the budget of the proxy",
      { error: { status: 402, message: "The budget of 5000 tokens is used up." } },
      { kind: "limit", limit: "tokens" },
    ],
  ])("says so: %s", async (_, turn, end) => {
    const server = await serve(() => turn);
    expect((await run(modelTask([endpoint(server.origin)]))).end).toMatchObject(end);
    expect(server.requests).toHaveLength(1);
  });

  it("is unreachable when nothing listens", async () => {
    const server = await startModelServer({ script: () => done });
    await server.close();
    const result = await withWaits(modelTask([endpoint(server.origin)]), [1_000, 3_000, 9_000]);
    expect(result.end).toMatchObject({ kind: "trouble", trouble: "unreachable" });
  });

  it("counts as silent when it hangs, and is asked again", async () => {
    const clock = createFakeClock();
    const server = await serve(turns({ hang: "before" }, skip, done));
    const running = run(modelTask([endpoint(server.origin)]), {
      clock,
      onEvent: (event) => "progress" in event && setImmediate(() => clock.advance(1_000)),
    });
    await server.seen(1);
    await clock.advanceAsync(5_000);
    expect((await running).end.kind).toBe("done");
    expect(server.requests).toHaveLength(3);
  });

  it("is asked again when its answer breaks off", async () => {
    const server = await serve(turns({ ...report, malformed: true }, report, done));
    const result = await withWaits(modelTask([endpoint(server.origin)]), [1_000]);
    expect(result.end.kind).toBe("done");
    expect(names(result)).toEqual(["aicr_report_problem"]);
  });
});

describe("what the model does wrong", () => {
  it("costs one refused call where it names a tool that there is not", async () => {
    const server = await serve(
      turns({ calls: [{ name: "run_shell", input: { command: "id" } }, ...(report.calls ?? [])] }, done),
    );
    const result = await run(modelTask([endpoint(server.origin)]));
    expect(result.end.kind).toBe("done");
    expect(names(result)).toEqual(["aicr_report_problem"]);
    expect(server.requests[1]?.messages.flatMap(({ results }) => results)).toHaveLength(2);
  });

  it("is understood where it mangles a name", async () => {
    const server = await serve(
      turns({ calls: [{ name: "mcp__aicr-output__aicr_skip", input: { reason: "lgtm" } }] }, done),
    );
    expect(names(await run(modelTask([endpoint(server.origin)])))).toEqual(["aicr_skip"]);
  });

  it("is told to go on when its answer was cut", async () => {
    const server = await serve(turns({ text: "I thi", isCut: true }, skip, done));
    expect(names(await run(modelTask([endpoint(server.origin)])))).toEqual(["aicr_skip"]);
    expect(server.requests[1]?.messages.at(-1)?.text).toContain("cut at its most tokens");
  });

  it("loses the oldest look-ups when the conversation grows too long", async () => {
    const server = await serve((_, n) => (n < 6 ? lookUp : done));
    const context = "const value = compute(1, 2, 3);\n".repeat(500);
    const result = await run(modelTask([endpoint(server.origin)]), { context });
    expect(result.end.kind).toBe("done");
    const last = server.requests.at(-1)?.messages.flatMap(({ results }) => results) ?? [];
    expect(last).toHaveLength(6);
    expect(last[0]?.text).toContain("taken away to save room");
    expect(last.at(-1)?.text).toContain("compute");
  });
});

describe("a change in parts", () => {
  const parts = ["part one", "part two", "part three"];

  it("is skipped only when every part was", async () => {
    const alternating = await serve((_, n) => (n % 2 === 0 ? skip : done));
    const result = await run(modelTask([endpoint(alternating.origin)], { parts }));
    expect(result.calls).toEqual([["aicr.skip", { reason: "lgtm" }]]);
    expect(result.events.filter((event) => "part" in event)).toEqual([{ part: 0 }, { part: 1 }, { part: 2 }]);
  });

  it("is not skipped when one part could not be read", async () => {
    const server = await serve((_, n) => (n < 2 ? (n === 0 ? skip : done) : { error: { status: 401 } }));
    const result = await run(modelTask([endpoint(server.origin)], { parts }));
    expect(result.end).toMatchObject({ kind: "trouble", trouble: "auth" });
    expect(result.calls).toEqual([]);
  });

  it("gets one summary of what was said about each part", async () => {
    const server = await serve((_, n) => [report, summary, done, skip, done, summary, done][n] ?? null);
    const result = await run(modelTask([endpoint(server.origin)], { parts }));
    expect(result.calls).toEqual([
      ["aicr_report_problem", problem],
      ["aicr.publish_summary", { markdown: "It closes twice.\n\nIt closes twice." }],
    ]);
  });

  it("is told once to speak, and counts as unread when it does not", async () => {
    const server = await serve(() => done);
    const result = await run(modelTask([endpoint(server.origin)], { parts }));
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.messages.at(-1)?.text).toContain("called no tool that reports");
    expect(result.end).toMatchObject({ kind: "trouble", message: expect.stringContaining("part 1") });
  });

  it("keeps the conversations apart", async () => {
    const server = await serve((_, n) => (n % 2 === 0 ? skip : done));
    await run(modelTask([endpoint(server.origin)], { parts }));
    const firsts = server.requests.map(({ messages }) => messages.find(({ role }) => role === "user")?.text);
    expect(firsts).toEqual(["part one", "part one", "part two", "part two", "part three", "part three"]);
  });
});

describe("an answer of 10,000 calls", () => {
  it("ends the run after as many as any review needs, and keeps the first", async () => {
    const calls = [
      ...(report.calls ?? []),
      ...Array.from({ length: 10_000 }, () => (lookUp.calls ?? [])[0] ?? { name: "", input: {} }),
    ];
    const server = await serve(() => ({ calls }));
    const task = modelTask([endpoint(server.origin)]);
    const result = await run({ ...task, limits: { ...task.limits, tokens: 1e9 } });
    expect(result.end).toEqual({ kind: "limit", limit: "steps" });
    expect(server.requests).toHaveLength(1);
    expect(names(result)[0]).toBe("aicr_report_problem");
  });
});
