// Look-ups over the resolver's socket: answered, refused, or left for later, but never a fault of the call.
import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ResolverServer, serveResolver } from "../../../src/agents/resolver.ts";
import { executeTool } from "../../../src/report-tools/execute-tool.ts";
import { createReportTools } from "../../../src/report-tools/registry.ts";
import { createReportState } from "../../../src/report-tools/report-state.ts";
import { createResolverClient } from "../../../src/report-tools/resolver-client.ts";
import type { ContextResolver, LookUpQuestion } from "../../../src/report-tools/resolver-protocol.ts";
import { readState, stateFileName } from "../../../src/report-tools/state-file.ts";

const run = "rv_1-1.1";
const never = new AbortController().signal;
const asked: LookUpQuestion[] = [];
let server: ResolverServer | null = null;
let folder: string;

const answers: ContextResolver = {
  context(question) {
    asked.push(question);
    if (question.path === "gone.ts")
      return Promise.resolve({ kind: "refused", reason: "gone.ts does not exist there." });
    if (question.path === "later.ts") return Promise.resolve({ kind: "unreachable" });
    const text = question.path === "long.ts" ? `${"é".repeat(99)}\n`.repeat(2_000) : "const a = 1;\n";
    return Promise.resolve({
      kind: "answered",
      context: { path: question.path, text, firstLine: question.lines?.start ?? 1, totalLines: 9, truncated: false },
    });
  },
  attribution: ({ path }) =>
    Promise.resolve({
      kind: "answered",
      attribution: { path, status: "partial", entries: [{ line: 1, revision: "r9", author: "Alice", time: 5 }] },
    }),
};

beforeEach(async () => {
  asked.length = 0;
  folder = await mkdtemp(join(tmpdir(), "aicr-resolver-"));
});
afterEach(async () => {
  await server?.close();
  server = null;
  await rm(folder, { recursive: true, force: true });
});

async function open(resolver = answers): Promise<ResolverServer> {
  server = await serveResolver(resolver, (id) => id === run);
  if (server === null) throw new Error("no socket");
  return server;
}

function tools(path: string, runId = run) {
  const state = createReportState(join(folder, stateFileName), runId);
  return createReportTools({ state, resolver: createResolverClient({ path, runId, deadlineMs: 2_000 }), version: "1" });
}

function outcomes(): string[] {
  const read = readState(join(folder, stateFileName), run);
  return read.kind === "ok" ? read.state.contextRequests.map(({ path, outcome }) => `${path} ${outcome}`) : [read.kind];
}

describe("resolver", () => {
  it("answers inline, and the request is recorded all the same", async () => {
    const set = tools((await open()).path);
    const range = { start_line: 3 };
    const answer = await executeTool(set, "aicr.fetch_more_context", { path: "a.ts", reason: "r", range });
    expect(answer).toMatchObject({
      isError: false,
      structured: { path: "a.ts", text: "const a = 1;\n", firstLine: 3, totalLines: 9, truncated: false },
    });
    expect(asked).toEqual([{ path: "a.ts", reason: "r", lines: { start: 3, end: 2_147_483_647 } }]);
    expect(outcomes()).toEqual(["a.ts answered"]);
  });

  it("cuts a long answer at a line's end and says so", async () => {
    const set = tools((await open()).path);
    const { structured } = await executeTool(set, "aicr.fetch_more_context", { path: "long.ts", reason: "r" });
    const text = String(structured?.["text"]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1024);
    expect(Buffer.byteLength(text)).toBeGreaterThan(255 * 1024);
    expect(text.endsWith("é\n")).toBe(true);
    expect(structured?.["truncated"]).toBe(true);
  });

  it("gives blame without source", async () => {
    const set = tools((await open()).path);
    const answer = await executeTool(set, "aicr.try_blame", { path: "a.ts", reason: "r" });
    expect(answer.structured).toEqual({
      path: "a.ts",
      status: "partial",
      entries: [{ line: 1, revision: "r9", author: "Alice", time: 5 }],
    });
  });

  it("passes a refusal on, and leaves what cannot be answered now for later", async () => {
    const set = tools((await open()).path);
    expect(await executeTool(set, "aicr.fetch_more_context", { path: "gone.ts", reason: "r" })).toEqual({
      text: "gone.ts does not exist there.",
      isError: true,
    });
    expect(await executeTool(set, "aicr.fetch_more_context", { path: "later.ts", reason: "r" })).toMatchObject({
      structured: { accepted: true, pending: true },
    });
    expect(outcomes()).toEqual(["gone.ts refused", "later.ts pending"]);
  });

  it("refuses a pass that is over", async () => {
    const client = createResolverClient({ path: (await open()).path, runId: "rv_1-1.2" });
    expect(await client.context({ path: "a.ts", reason: "r" }, never)).toMatchObject({ kind: "refused" });
    expect(asked).toEqual([]);
  });

  it("keeps its socket to this user, at a short path, and takes it away again", async () => {
    const { path } = await open();
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    await server?.close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  it.each([
    ["no socket", () => join(folder, "none")],
    ["a path over 107 bytes", () => join(folder, "x".repeat(120))],
  ])("is unreachable with %s", async (_what, path) => {
    const client = createResolverClient({ path: path(), runId: run });
    expect(await client.context({ path: "a.ts", reason: "r" }, never)).toEqual({ kind: "unreachable" });
  });

  it.each([
    "",
    "nonsense\n",
    '{"kind":"context"}\n',
    '{"kind":"attribution","attribution":{"path":"a","status":"ok","entries":[]}}\n',
  ])("is unreachable when the other side says %j", async (says) => {
    const path = join(folder, "s");
    const other = createServer((socket) => socket.end(says));
    await new Promise<void>((resolve) => other.listen(path, resolve));
    const client = createResolverClient({ path, runId: run });
    expect(await client.context({ path: "a.ts", reason: "r" }, never)).toEqual({ kind: "unreachable" });
    other.close();
  });

  it("is unreachable when the answer does not come, or the call is given up", async () => {
    const silent: ContextResolver = { ...answers, context: () => new Promise(() => {}) };
    const { path } = await open(silent);
    const hasty = createResolverClient({ path, runId: run, deadlineMs: 20 });
    expect(await hasty.context({ path: "a.ts", reason: "r" }, never)).toEqual({ kind: "unreachable" });
    const givenUp = AbortSignal.abort();
    const patient = createResolverClient({ path, runId: run });
    expect(await patient.context({ path: "a.ts", reason: "r" }, givenUp)).toEqual({ kind: "unreachable" });
  });

  it("hangs up on what is no question", async () => {
    const { path } = await open();
    for (const line of ["nonsense\n", '{"version":2}\n', "x".repeat(100_000)]) {
      const socket = createConnection(path);
      const chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.on("error", () => {});
      socket.write(line);
      await new Promise((resolve) => socket.once("close", resolve));
      expect(Buffer.concat(chunks).toString()).toBe("");
    }
    expect(asked).toEqual([]);
  });
});
