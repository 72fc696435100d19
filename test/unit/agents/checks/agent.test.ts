// The adapter that starts the checks agent: its environment, its exits, its progress lines.
import { describe, expect, it } from "vitest";
import { createChecksAgent } from "../../../../src/agents/checks/agent.ts";
import type { AgentPass } from "../../../../src/ports/agent.ts";
import type { Sandbox } from "../../../../src/ports/sandbox.ts";
import { fakeSandbox } from "../../../fakes/fake-sandbox.ts";

const pass: AgentPass = {
  runId: "rv_1-1.1",
  kind: "initial",
  paths: {
    root: "/r",
    change: "/r/change.json",
    source: "/r/source",
    base: "/r/base",
    agent: "/r/agent",
    tmp: "/r/tmp",
    state: "/r/agent/state.json",
  },
  resolver: "/tmp/r.sock",
  locale: "en",
  deadlineMs: 5_000,
};

const signal = new AbortController().signal;
const make = (sandbox: Sandbox) =>
  createChecksAgent({
    sandbox,
    entry: "/dist/agent-checks.mjs",
    toolServer: "/dist/mcp-output.mjs",
    node: "/bin/node",
  });

describe("createChecksAgent", () => {
  it("E20: the agent's environment holds only what it needs", async () => {
    process.env["AICR_TEST_SECRET"] = "hidden";
    const { sandbox, commands } = fakeSandbox({});
    await make(sandbox).run(pass, signal);
    delete process.env["AICR_TEST_SECRET"];
    expect(commands[0]?.env).toEqual({
      PATH: process.env["PATH"],
      HOME: "/r/tmp/home",
      LANG: "C.UTF-8",
      TMPDIR: "/r/tmp",
      AICR_CHANGE_PATH: "/r/change.json",
      AICR_RUN_ID: "rv_1-1.1",
      AICR_OUTPUT_STATE_PATH: "/r/agent/state.json",
      AICR_RESOLVER: "/tmp/r.sock",
    });
  });

  it("works in the agent's own directory, without input, within the deadline", async () => {
    const { sandbox, commands } = fakeSandbox({});
    await make(sandbox).run(pass, signal);
    expect(commands).toMatchObject([
      { argv: ["/bin/node", "/dist/agent-checks.mjs", "/dist/mcp-output.mjs"], cwd: "/r/agent", deadlineMs: 5_000 },
    ]);
    expect(commands[0]?.stdin).toBeUndefined();
  });

  it.each([
    [
      { reason: "exited", code: 1, stderr: Buffer.from("change.json: no such file\n") },
      { exit: "failed", diagnostics: "change.json: no such file" },
    ],
    [{ reason: "timeout", code: null }, { exit: "timeout" }],
    [{ reason: "cancelled", code: null }, { exit: "cancelled" }],
    [{ reason: "output_exceeded", code: null }, { exit: "failed" }],
    [
      { reason: "spawn_failed", code: null, stderr: Buffer.from("ENOENT") },
      { exit: "failed", diagnostics: "ENOENT" },
    ],
  ] as const)("tells how it ended: %o", async (exit, result) => {
    expect(await make(fakeSandbox(exit).sandbox).run(pass, signal)).toMatchObject(result);
  });

  it("passes progress on, however its lines are cut, and ignores anything else", async () => {
    const bytes = Buffer.from('{"progress":"đang kiểm tra"}\nnoise\n{"other":1}\n{"progress":"secrets"}\n');
    const notes: string[] = [];
    const { sandbox } = fakeSandbox(
      {},
      [...bytes].map((byte) => Buffer.from([byte])),
    );
    await make(sandbox).run({ ...pass, onProgress: (note) => void notes.push(note) }, signal);
    expect(notes).toEqual(["đang kiểm tra", "secrets"]);
  });

  it("has nothing to do in later passes", async () => {
    const { sandbox, commands } = fakeSandbox({});
    expect(await make(sandbox).run({ ...pass, kind: "follow_up" }, signal)).toEqual({ exit: "ok" });
    expect(commands).toEqual([]);
    expect(make(sandbox).repairable).toBe(false);
  });
});
