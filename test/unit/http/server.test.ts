// The HTTP server on loopback: who may come in, what is too large or too slow, what every answer carries, how it ends.

import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { peerHeader } from "../../../channels/kit/peer.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { HttpServerOptions } from "../../../src/http/http-options.ts";
import { createHttpServer, type HttpServer } from "../../../src/http/server.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const echo = {
  name: "echo",
  routes: ["/api/echo/*"],
  async webhook(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/throw")) throw new TypeError("inner secret");
    if (pathname.endsWith("/hang")) return new Promise<Response>(() => undefined);
    if (pathname.endsWith("/stream")) {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(": open\n\n")),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }
    return Response.json({ peer: request.headers.get(peerHeader), body: await request.text() });
  },
};

async function serve(
  options: Partial<HttpServerOptions> = {},
): Promise<{ url: string; port: number; server: HttpServer }> {
  const page = { mediaType: "text/html; charset=utf-8", body: Buffer.from("<!doctype html>"), etag: '"1"' };
  const server = createHttpServer({
    host: "127.0.0.1",
    port: 0,
    channels: [echo],
    readiness: async () => ({ ok: true, detail: { store: "up" } }),
    asset: async (path) => (path === "/" ? page : null),
    logger: silentLogger,
    ...options,
  });
  servers.push(server);
  return { ...(await server.listen()), server };
}

/** With headers that `fetch` would not let us set. */
function raw(port: number, path: string, headers: Record<string, string>, method = "GET", body = "") {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends bytes as they are; resolves with all that comes back when the server closes the connection. */
function socket(port: number, ...parts: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const client = connect(port, "127.0.0.1");
    let text = "";
    client.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    client.on("error", () => undefined).on("close", () => resolve(text));
    for (const part of parts) client.write(part);
  });
}

describe("answers", () => {
  it("tell health, readiness and the page", async () => {
    const { url } = await serve();
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ ok: true });
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ok: true, detail: { store: "up" } });
    const page = await fetch(url);
    expect([page.status, page.headers.get("content-type"), page.headers.get("cache-control")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-cache",
    ]);
    expect((await fetch(url, { headers: { "if-none-match": '"1"' } })).status).toBe(304);
    expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(405);
  });

  it("say 503 while not ready", async () => {
    const { url } = await serve({ readiness: async () => ({ ok: false, detail: "the database is locked" }) });
    const answer = await fetch(`${url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([503, { ok: false, detail: "the database is locked" }]);
  });

  it("say 503 when readiness itself fails, and nothing of what is inside", async () => {
    const { url } = await serve({ readiness: () => Promise.reject(new Error("inner secret")) });
    const answer = await fetch(`${url}/readyz`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.text()).not.toContain("secret");
  });

  it("carry the headers that keep the page to itself, also when they refuse", async () => {
    const { url } = await serve();
    for (const path of ["/", "/nothing", "/api/echo/x", "/healthz"]) {
      const { headers } = await fetch(url + path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
    }
    const refused = await fetch(`${url}/api/echo/x`, { headers: { origin: "http://evil.example" } });
    expect([refused.status, refused.headers.get("x-content-type-options")]).toEqual([403, "nosniff"]);
  });

  it("are JSON with a remedy when nothing is there or something broke, and say nothing of what is inside", async () => {
    const { url } = await serve();
    const missing = await fetch(`${url}/%2e%2e/package.json`);
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
    const broken = await fetch(`${url}/api/echo/throw`);
    const text = await broken.text();
    expect(broken.status).toBe(500);
    expect(text).not.toMatch(/secret|TypeError/);
    expect(JSON.parse(text)).toMatchObject({ error: { code: "internal", remedy: expect.stringMatching(/\.$/) } });
  });
});

describe("the gate", () => {
  it.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "169.254.169.254", "2130706433.x"])(
    "turns the host %s away, but not from health",
    async (host) => {
      const { port } = await serve();
      expect((await raw(port, "/", { host })).status).toBe(403);
      expect((await raw(port, "/api/echo/x", { host })).status).toBe(403);
      expect((await raw(port, "/healthz", { host })).status).toBe(200);
    },
  );

  it.each(["localhost", "LOCALHOST:1", "127.0.0.1:8787", "[::1]:8787", "bot.example.org", "review.example.org"])(
    "lets the host %s in",
    async (host) => {
      const { port } = await serve({ allowedHosts: ["Bot.example.org"], publicUrl: "https://review.example.org" });
      expect((await raw(port, "/api/echo/x", { host })).status).toBe(200);
    },
  );

  it("lets only its own pages in", async () => {
    const { port } = await serve({ publicUrl: "https://review.example.org" });
    const host = `127.0.0.1:${port}`;
    const status = async (headers: Record<string, string>) =>
      (await raw(port, "/api/echo/x", { host, ...headers }, "POST", "{}")).status;
    expect(await status({})).toBe(200);
    expect(await status({ origin: `http://127.0.0.1:${port}` })).toBe(200);
    expect(await status({ origin: "https://review.example.org" })).toBe(200);
    for (const origin of [
      "null",
      "http://evil.example",
      "http://127.0.0.1:1",
      `http://localhost:${port}`,
      "file://",
      "",
    ]) {
      expect(await status({ origin }), origin).toBe(403);
    }
    expect(await status({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).toBe(403);
    expect(await status({ "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" })).toBe(403);
    expect(await status({ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" })).toBe(200);
    expect((await raw(port, "/", { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" })).status).toBe(
      200,
    );
  });

  it("tells who speaks from this machine, whatever a peer claims", async () => {
    const { port } = await serve();
    const peer = async (headers: Record<string, string>) =>
      (JSON.parse((await raw(port, "/api/echo/x", headers)).body) as { peer: string }).peer;
    const host = `127.0.0.1:${port}`;
    expect(await peer({ host })).toBe("loopback");
    expect(await peer({ host, "x-forwarded-for": "8.8.8.8", [peerHeader]: "loopback" })).toBe("remote");
    const fronted = await serve({ publicUrl: "https://review.example.org" });
    const behind = await raw(fronted.port, "/api/echo/x", { host: "review.example.org", [peerHeader]: "loopback" });
    expect(JSON.parse(behind.body)).toMatchObject({ peer: "remote" });
  });
});

describe("limits", () => {
  it("refuse a body that says it is too large before it is read", async () => {
    const { port } = await serve({ limits: { maxBodyBytes: 1_000 } });
    const head = `POST /api/echo/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 27262976\r\n\r\n`;
    expect(await socket(port, head)).toMatch(/^HTTP\/1.1 413 /);
  });

  it("refuse compressed bodies", async () => {
    const { port } = await serve();
    const headers = { host: "127.0.0.1", "content-encoding": "gzip" };
    expect((await raw(port, "/api/echo/x", headers, "POST", "x")).status).toBe(415);
  });

  it("end a request that never arrives, and one that is never answered", async () => {
    const { port, url } = await serve({ limits: { headersMs: 100, requestMs: 200, answerMs: 800 } });
    const slow = socket(port, "POST /api/echo/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n", "x");
    const headless = socket(port, "POST /api/echo/x HTTP/1.1\r\nHost: 127");
    const hanging = await fetch(`${url}/api/echo/hang`);
    expect(hanging.status).toBe(504);
    expect(await slow).toMatch(/^HTTP\/1.1 408 /);
    expect(await headless).toMatch(/^HTTP\/1.1 408 /);
  });

  it("refuse headers over 16 KiB", async () => {
    const { port } = await serve();
    expect((await raw(port, "/", { host: "127.0.0.1", cookie: "x".repeat(20_000) })).status).toBe(431);
  });
});

describe("start and end", () => {
  it("say that the port is taken, and what to do", async () => {
    const { port } = await serve();
    const fault = await serve({ port }).catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(AppError);
    expect(fault).toMatchObject({ code: "config", reason: "port_busy", params: { host: "127.0.0.1", port } });
    expect((fault as AppError).message).toContain(String(port));
    expect((fault as AppError).remedy).toContain("server.port");
  });

  it("say that the host is none of this machine", async () => {
    const fault = await serve({ host: "192.0.2.1" }).catch((thrown: unknown) => thrown);
    expect(fault).toMatchObject({ code: "config", reason: "host_unavailable" });
  });

  it("close at once although streams and idle connections are open", async () => {
    const { url, server } = await serve();
    const stream = await fetch(`${url}/api/echo/stream`);
    const read = stream.text().catch(() => "cut");
    await (await fetch(`${url}/healthz`)).text();
    const started = performance.now();
    await server.close();
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(await read).toBe(": open\n\n");
    await server.close();
  });

  it("cut what does not end within the grace time", async () => {
    const { url, server } = await serve({ limits: { graceMs: 100 } });
    const hanging = fetch(`${url}/api/echo/hang`).catch(() => "cut");
    await fetch(`${url}/healthz`);
    await server.close();
    expect(await hanging).toBe("cut");
  });
});
