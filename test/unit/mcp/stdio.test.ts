// The stdio server answers everything it can name, survives what it cannot read, and ends with its client.
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { serveStdio } from "../../../src/mcp/stdio.ts";
import { echoTools } from "../../fakes/echo-tools.ts";

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const call = (id: number, name: string, input: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: input },
});

type Reply = { id: unknown; result?: Record<string, unknown>; error?: { code: number; message: string } };

/** Feeds lines, ends stdin, and gives every reply by its id (`null` for those without). */
async function converse(lines: readonly (object | string)[], options: Parameters<typeof serveStdio>[1] = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(echoTools(), { stdin, stdout, ...options });
  for (const line of lines) stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  stdin.end();
  await served;
  const text = (stdout.read() as Buffer | null)?.toString() ?? "";
  const replies = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Reply);
  return new Map(replies.map((reply) => [reply.id, reply]));
}

describe("serveStdio", () => {
  it("answers all that was asked before stdin ended", async () => {
    const replies = await converse([initialize, call(1, "echo", { a: 1 }), call(2, "wait")]);
    expect(replies.get(0)?.result).toMatchObject({ serverInfo: { name: "echo-server" }, instructions: "Echo." });
    expect(replies.get(1)?.result).toMatchObject({ structuredContent: { input: { a: 1 } }, isError: false });
    expect(replies.get(2)?.result).toMatchObject({ structuredContent: { waited: true } });
  });

  it("answers a line that is no JSON, and goes on", async () => {
    const replies = await converse(["{nonsense", initialize]);
    expect(replies.get(null)?.error).toMatchObject({ code: -32700 });
    expect(replies.get(0)?.result).toBeDefined();
  });

  it.each([{ id: 7 }, { jsonrpc: "1.0", id: 7, method: "ping" }, { jsonrpc: "2.0", id: 7, method: 5 }])(
    "names the id of the malformed message %j",
    async (message) => {
      const replies = await converse([message, initialize]);
      expect(replies.get(7)?.error).toMatchObject({ code: -32600 });
      expect(replies.get(0)?.result).toBeDefined();
    },
  );

  it("drops a message over the cap, says so, and goes on", async () => {
    const replies = await converse([call(1, "echo", { pad: "x".repeat(2_000) }), initialize], {
      maxMessageBytes: 1_000,
    });
    expect(replies.get(null)?.error?.message).toContain("1000 bytes");
    expect(replies.get(0)?.result).toBeDefined();
  });

  it("refuses an unknown tool and a broken one as single calls", async () => {
    const replies = await converse([initialize, call(1, "nope"), call(2, "break"), call(3, "echo")]);
    expect(replies.get(1)?.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("nope") }],
    });
    expect(replies.get(2)?.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("out of order") }],
    });
    expect(replies.get(3)?.result).toMatchObject({ isError: false });
  });

  it("does not wait for a call that its client cancelled", async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const never = () => new Promise<void>(() => {});
    const served = serveStdio(echoTools("x", never), { stdin, stdout, graceMs: 60_000 });
    stdin.write(`${JSON.stringify(initialize)}\n${JSON.stringify(call(1, "wait"))}\n`);
    stdin.end(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })}\n`);
    await served;
  });

  it("ends when its reader is gone", async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(echoTools(), { stdin, stdout });
    stdout.destroy(new Error("EPIPE"));
    await served;
  });
});
