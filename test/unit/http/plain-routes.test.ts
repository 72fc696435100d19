// Routes without the Web's objects stand behind the same gate, within the same limits, and answer with the same headers.
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { plainJson } from "../../../channels/kit/answers.ts";
import type { PlainAnswer, PlainRequest } from "../../../channels/kit/plain.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { HttpServerOptions } from "../../../src/http/http-options.ts";
import { createHttpServer, type HttpServer } from "../../../src/http/server.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  receive: (request: PlainRequest) => Promise<PlainAnswer>,
  options: Partial<HttpServerOptions> = {},
): Promise<{ url: string; port: number }> {
  const server = createHttpServer({
    host: "127.0.0.1",
    port: 0,
    channels: [{ name: "plain", routes: ["/in"], receive }],
    readiness: async () => ({ ok: true, detail: {} }),
    asset: async () => null,
    logger: silentLogger,
    ...options,
  });
  servers.push(server);
  return server.listen();
}

async function echo({ method, path, headers, peer, readBody }: PlainRequest): Promise<PlainAnswer> {
  const chunks: Uint8Array[] = [];
  await readBody((chunk) => chunks.push(chunk) > 0);
  const given = { one: headers.get("x-one"), none: headers.get("x-none"), has: headers.has("x-one") };
  return plainJson(200, { method, path, peer, ...given, body: Buffer.concat(chunks).toString() });
}

/** Sends bytes as they are; resolves with all that comes back until the connection is closed. */
function exchange(port: number, sent: string, isEnd = false): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const client = connect(port, "127.0.0.1", () => (isEnd ? client.end(sent) : client.write(sent)));
    client.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    client.on("error", () => undefined).on("close", () => resolve(text));
  });
}

const head = "Host: 127.0.0.1\r\nConnection: close\r\n";

describe("a plain route", () => {
  it("is told what was sent, and answers with every header that the server gives", async () => {
    const { url } = await serve(echo);
    const answer = await fetch(`${url}/in?a=/b`, { method: "POST", body: "zwölf", headers: { "x-one": "1" } });
    expect(await answer.json()).toEqual({
      ...{ method: "POST", path: "/in", peer: "loopback", one: "1", none: null, has: true, body: "zwölf" },
    });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect((await fetch(`${url}/in/deeper`)).status).toBe(404);
  });

  it("takes bodies in chunks, headers sent twice, and an address in full", async () => {
    const { port } = await serve(echo);
    const lines = `${head}X-One: 1\r\nX-One: 2\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answer = await exchange(
      port,
      `POST http://127.0.0.1/in HTTP/1.1\r\n${lines}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
    );
    expect(answer).toContain('"path":"/in"');
    expect(answer).toContain('"one":"1, 2"');
    expect(answer).toContain('"body":"abcde"');
  });

  it.each([
    ["another host", 403, { host: "evil.example" }],
    ["another site's page", 403, { origin: "http://evil.example" }],
    ["a compressed body", 415, { "content-encoding": "gzip" }],
    ["a body said to be too large", 413, { "content-length": "1001" }],
  ])("is closed to %s", async (_, status, headers) => {
    let calls = 0;
    const count = async (request: PlainRequest): Promise<PlainAnswer> => {
      calls += 1;
      return echo(request);
    };
    const { port } = await serve(count, { limits: { maxBodyBytes: 1_000 } });
    const lines = Object.entries({ host: "127.0.0.1", connection: "close", ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    expect(await exchange(port, `POST /in HTTP/1.1\r\n${lines}\r\n`)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(calls).toBe(0);
  });

  it("answers although it read nothing, or only a part", async () => {
    const nothing = await serve(async () => plainJson(401, {}, { connection: "close" }));
    expect((await fetch(`${nothing.url}/in`, { method: "POST", body: "x" })).status).toBe(401);
    const part = await serve(async ({ readBody }) => {
      await readBody(() => false);
      return plainJson(413, {}, { connection: "close" });
    });
    expect(await exchange(part.port, "POST /in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nx")).toMatch(
      /^HTTP\/1.1 413 /,
    );
  });

  it("learns that a body broke off", async () => {
    let reason: unknown;
    const broken = new Promise<void>((resolve) => {
      void serve(async ({ readBody }) => {
        await readBody(() => true).catch((thrown: unknown) => {
          reason = thrown;
        });
        resolve();
        return plainJson(400, {});
      }).then(({ port }) => exchange(port, "POST /in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nx", true));
    });
    await broken;
    expect(reason).toBeInstanceOf(Error);
  });

  it("says what to do when something broke, and nothing of what is inside", async () => {
    const fault = new AppError("unavailable", "The disk is full.", { remedy: "Free some space.", retryable: true });
    const full = await serve(() => Promise.reject(fault));
    const answer = await fetch(`${full.url}/in`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    const odd = await serve(() => Promise.reject(new TypeError("inner secret")));
    const text = await (await fetch(`${odd.url}/in`)).text();
    expect(text).not.toMatch(/secret|TypeError/);
    expect(JSON.parse(text)).toMatchObject({ error: { code: "internal" } });
  });

  it("that never answers is answered for", async () => {
    const { url } = await serve(() => new Promise(() => undefined), { limits: { answerMs: 50 } });
    expect((await fetch(`${url}/in`)).status).toBe(504);
  });
});
