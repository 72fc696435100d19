// The HTTP server keeps sessions apart, caps what it takes, refuses what it must, and closes without cutting calls.
import { request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, describe, expect, it } from "vitest";
import { type HttpOptions, type HttpServer, serveHttp } from "../../../src/mcp/http.ts";
import { echoTools } from "../../fakes/echo-tools.ts";

const servers: HttpServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function start(options: Partial<HttpOptions> = {}): Promise<HttpServer> {
  const server = await serveHttp({ host: "127.0.0.1", port: 0, makeToolSet: (id) => echoTools(id), ...options });
  servers.push(server);
  return server;
}

async function connect(server: HttpServer): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(server.url));
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});

function post(server: HttpServer, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url, { method: "POST", headers: { ...json, ...headers }, body });
}

/** `fetch` does not let its caller choose Host. */
function statusFor(server: HttpServer, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(server.url, { method: "POST", headers: { ...json, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", reject);
    sent.end(initialize);
  });
}

describe("serveHttp", () => {
  it("gives every client a tool set of its own", async () => {
    const server = await start();
    const clients = await Promise.all(Array.from({ length: 8 }, () => connect(server)));
    const answers = await Promise.all(clients.map((client) => client.callTool({ name: "echo", arguments: {} })));
    const labels = answers.map((answer) => (answer.structuredContent as { label: string }).label);
    expect(new Set(labels).size).toBe(8);
    await Promise.all(clients.map((client) => client.close()));
  });

  it("releases a session that its client ends, and refuses its id afterwards", async () => {
    const released: string[] = [];
    const server = await start({ makeToolSet: (id) => ({ toolSet: echoTools(id), release: () => released.push(id) }) });
    const opened = await post(server, initialize);
    const id = opened.headers.get("mcp-session-id") ?? "";
    await opened.text();
    expect((await fetch(server.url, { method: "DELETE", headers: { "mcp-session-id": id } })).status).toBe(200);
    expect(released).toEqual([id]);
    expect((await post(server, initialize, { "mcp-session-id": id })).status).toBe(404);
  });

  it.each([
    [
      "an unknown session",
      () => ({ init: { method: "POST", body: initialize, headers: { ...json, "mcp-session-id": "x" } }, status: 404 }),
    ],
    [
      "a call without session",
      () => ({
        init: { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', headers: json },
        status: 400,
      }),
    ],
    ["a body that is no JSON", () => ({ init: { method: "POST", body: "{", headers: json }, status: 400 })],
    [
      "a stream without session",
      () => ({ init: { method: "GET", headers: { accept: "text/event-stream" } }, status: 400 }),
    ],
    ["another method", () => ({ init: { method: "PUT", body: "{}", headers: json }, status: 405 })],
  ])("answers %s with a status of its own", async (_what, make) => {
    const server = await start();
    const { init, status } = make();
    const response = await fetch(server.url, init);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) } });
  });

  it("serves nothing beside /mcp", async () => {
    const server = await start();
    expect(
      (await fetch(server.url.replace("/mcp", "/"), { method: "POST", headers: json, body: initialize })).status,
    ).toBe(404);
  });

  it("refuses a body over the cap, whether its length was told or not", async () => {
    const server = await start({ maxBodyBytes: 1_000 });
    expect((await post(server, `"${"x".repeat(2_000)}"`)).status).toBe(413);
    const chunks = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 20; index++) controller.enqueue(Buffer.from("x".repeat(100)));
        controller.close();
      },
    });
    const init: RequestInit & { duplex: "half" } = { method: "POST", headers: json, body: chunks, duplex: "half" };
    expect((await fetch(server.url, init)).status).toBe(413);
    expect((await post(server, initialize)).status).toBe(200);
  });

  it("refuses a foreign Host or Origin before anything is opened", async () => {
    const server = await start();
    expect(await statusFor(server, { host: "evil.example" })).toBe(403);
    expect(await statusFor(server, { origin: "https://evil.example" })).toBe(403);
    expect(await statusFor(server, { host: `localhost:${server.port}` })).toBe(200);
  });

  it("caps the number of sessions, and ends idle ones to make room", async () => {
    let now = 0;
    const server = await start({ maxSessions: 1, idleMs: 100, now: () => now });
    expect((await post(server, initialize)).status).toBe(200);
    const refused = await post(server, initialize);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    now = 101;
    expect((await post(server, initialize)).status).toBe(200);
  });

  it("will not listen beyond this machine without a token", async () => {
    await expect(start({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "config" });
    const server = await start({ host: "0.0.0.0", bearerToken: "t" });
    expect((await post({ ...server, url: `http://127.0.0.1:${server.port}/mcp` }, initialize)).status).toBe(401);
  });

  it("says when its port is taken", async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toMatchObject({
      code: "unavailable",
      remedy: expect.stringContaining("--port"),
    });
  });

  it("lets an open call finish before it closes", async () => {
    let open = () => {};
    let entered = () => {};
    const inCall = new Promise<void>((resolve) => (entered = resolve));
    const gate = new Promise<void>((resolve) => (open = resolve));
    const hold = () => {
      entered();
      return gate;
    };
    const server = await start({ makeToolSet: () => echoTools("x", hold) });
    const client = await connect(server);
    const answer = client.callTool({ name: "wait", arguments: {} });
    await inCall;
    const closed = server.close();
    open();
    expect(await answer).toMatchObject({ structuredContent: { waited: true } });
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
  });
});
