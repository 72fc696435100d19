// What the model agent's process tells, however its output is cut, and what is made of how it ended.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../../../src/agents/model/classify-fault.ts";
import { concludePass, type PassEvidence } from "../../../../src/agents/model/conclude-pass.ts";
import { budgetFault } from "../../../../src/agents/model/faults.ts";
import { readEvents } from "../../../../src/agents/model/read-events.ts";
import type { TaskEnd, TaskEvent } from "../../../../src/agents/model/task.ts";
import type { SandboxExit } from "../../../../src/ports/sandbox.ts";
import { createRedactor } from "../../../../src/telemetry/redact.ts";

const events: readonly TaskEvent[] = [
  { progress: "第一部分 1/2" },
  { model: "m-1" },
  { usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0, requests: 1 } },
  { part: 0 },
  { end: { kind: "done", text: "Fertig – ok." } },
];
const output = Buffer.from(
  ["not json", '{"end":{"kind":"unknown"}}', ...events.map((event) => JSON.stringify(event)), '{"half'].join("\n"),
);

describe("the events of the process", () => {
  it("are read whatever way the output is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(output.length), { maxLength: 20 }), (given) => {
        const cuts = [0, ...given.sort((a, b) => a - b), output.length];
        const notes: string[] = [];
        const reading = readEvents((note) => notes.push(note));
        for (let at = 1; at < cuts.length; at++) reading.add(output.subarray(cuts[at - 1], cuts[at]));
        expect(notes).toEqual(["第一部分 1/2"]);
        expect([...reading.models]).toEqual(["m-1"]);
        expect([...reading.parts]).toEqual([0]);
        expect(reading.end()).toEqual({ kind: "done", text: "Fertig – ok." });
      }),
    );
  });

  it("are not looked for in a line without end", () => {
    const reading = readEvents(() => {});
    for (let n = 0; n < 20; n++) reading.add(Buffer.alloc(64 * 1024, "x"));
    reading.add(Buffer.from('\n{"part":3}\n'));
    expect([...reading.parts]).toEqual([3]);
  });
});

describe("the end of a pass", () => {
  const secret = "correct-horse-battery";
  const exit = (reason: SandboxExit["reason"], stderr = ""): SandboxExit => ({
    reason,
    code: reason === "exited" ? 0 : null,
    stdout: Buffer.alloc(0),
    stderr: Buffer.from(stderr),
  });
  const conclude = (end: TaskEnd | undefined, more: Partial<PassEvidence> = {}) =>
    concludePass({
      agent: "deep",
      exit: exit("exited"),
      end,
      usage: { inputTokens: 1, outputTokens: 1 },
      unread: [],
      models: [],
      redactor: createRedactor([secret]),
      ...more,
    });

  it("names what was not read and who has read the rest", () => {
    const result = conclude({ kind: "done", text: "ok" }, { unread: ["a.ts", "b.ts"], models: ["m-1", "m-2"] });
    expect(result).toMatchObject({ exit: "ok", finalText: "ok" });
    expect(result.notes).toEqual([
      { kind: "model", params: { models: "m-1, m-2" } },
      { kind: "left_out", params: { n: 2, paths: "a.ts, b.ts" } },
    ]);
  });

  it.each<[TaskEnd | undefined, SandboxExit["reason"], string, string | undefined]>([
    [{ kind: "limit", limit: "time" }, "exited", "timeout", "agent_limit"],
    [{ kind: "limit", limit: "steps" }, "exited", "failed", "agent_limit"],
    [{ kind: "limit", limit: "time" }, "cancelled", "cancelled", undefined],
    [{ kind: "trouble", trouble: "unreachable", message: "m" }, "exited", "failed", "model_unreachable"],
    [{ kind: "trouble", trouble: "auth", message: "m" }, "exited", "failed", "model_auth"],
    [{ kind: "trouble", trouble: "refused", message: "m" }, "exited", "failed", "model_refused"],
    [{ kind: "no_tools", message: "m" }, "exited", "failed", undefined],
    [undefined, "timeout", "timeout", undefined],
    [undefined, "cancelled", "cancelled", undefined],
    [undefined, "memory_exceeded", "failed", undefined],
    [undefined, "exited", "failed", undefined],
  ])("of %j after %s is %s", (end, reason, how, fault) => {
    const result = conclude(end, { exit: exit(reason) });
    expect(result.exit).toBe(how);
    expect(result.fault?.reason).toBe(fault);
  });

  it("is an outage that may pass where no model answered, and the day's bound where that was the tighter", () => {
    expect(conclude({ kind: "trouble", trouble: "unreachable", message: "m" }).fault?.retryable).toBe(true);
    const dayFault = budgetFault("deep", "game");
    expect(conclude({ kind: "limit", limit: "money" }, { dayFault }).fault).toBe(dayFault);
    expect(conclude({ kind: "limit", limit: "steps" }, { dayFault }).fault?.reason).toBe("agent_limit");
  });

  it("tells no secret that an endpoint or a program repeats", () => {
    const end: TaskEnd = { kind: "trouble", trouble: "auth", message: `401: the key ${secret} is wrong` };
    const result = conclude(end, { exit: exit("exited", `stack ${secret}`) });
    expect(result.diagnostics).not.toContain(secret);
    expect(result.fault?.detail).not.toContain(secret);
    expect(result.diagnostics).toContain("401");
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, 60_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after-ms": "120", "retry-after": "9" }, 120],
    [{ "retry-after": "soon" }, 0],
    [{ "retry-after": "-5" }, 0],
    [{}, 0],
  ])("of %j is %d ms", (headers, ms) => expect(retryAfterMs(headers, now)).toBe(ms));
});
