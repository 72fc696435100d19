// The long connection through a proxy on loopback: which hosts go through it, encrypted or not, and what a proxy may do wrong.
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLarkHttp } from "../../../../channels/lark/http.ts";
import { openSocket } from "../../../../channels/lark/open-socket.ts";
import { createProxyAgent } from "../../../../channels/lark/proxy-agent.ts";
import { createLarkDispatcher } from "../../../../channels/lark/sdk.ts";
import { createSystemClock } from "../../../../src/process/system-clock.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { appId, messageEvent } from "../../../fakes/lark/events.ts";
import { createFakeLongConnection } from "../../../fakes/lark/long-connection.ts";
import { listenLark } from "../../../fakes/lark/server.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

interface Asked {
  readonly target: string;
  readonly authorization: string | undefined;
}

let proxy: Server;
let address: string;
let asked: Asked[];
/** What the proxy does with a tunnel: leads to this port of loopback, whatever the target, or answers this status. */
let leadsTo: { port: number } | { status: number };
/** The first bytes that went through a tunnel. */
let seen: Buffer[];
let closing: (() => unknown)[];

beforeEach(async () => {
  asked = [];
  seen = [];
  closing = [];
  leadsTo = { status: 502 };
  proxy = createServer((_, response) => void response.writeHead(400).end());
  proxy.on("connect", (request, client) => {
    asked.push({ target: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    client.on("error", () => undefined);
    closing.push(() => client.destroy());
    if ("status" in leadsTo) {
      client.end(`HTTP/1.1 ${leadsTo.status} No\r\n\r\n`);
      return;
    }
    const target = connect(leadsTo.port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.once("data", (chunk: Buffer) => seen.push(chunk));
      client.pipe(target).pipe(client);
    });
    target.on("error", () => client.destroy());
    closing.push(() => target.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const close of closing) close();
  proxy.closeAllConnections();
  await new Promise<void>((resolve) => proxy.close(() => resolve()));
});

/** The platform says that it is at `lark.example`, a name that nobody but the proxy can reach. */
async function open(env: Readonly<Record<string, string>>) {
  const clock = createFakeClock();
  const platform = createFakeLongConnection({ appId, appSecret: "s", clock, host: "lark.example" });
  const server = await listenLark([platform]);
  const http = createLarkHttp({ clock: createSystemClock(), timeoutMs: 5_000, throwCodes: false, secrets: [] });
  const heard: string[] = [];
  const dispatcher = createLarkDispatcher({
    handlers: { "im.message.receive_v1": async () => void heard.push("message") },
    logger: silentLogger,
  });
  const facts = { appId, appSecret: "s", origin: server.origin, http, dispatcher, logger: silentLogger };
  await new Promise<void>((resolve) => {
    const socket = openSocket(
      { ...facts, env: (name) => env[name] },
      {
        onReady: () => resolve(),
        onReconnecting: () => undefined,
        onReconnected: () => undefined,
        onRefused: () => undefined,
        onError: () => undefined,
      },
    );
    closing.push(() => socket.close());
    leadsTo = { port: Number(new URL(server.origin).port) };
    void socket.start();
  });
  closing.push(() => platform.close(), server.close, http.close);
  return { platform, heard, port: new URL(server.origin).port };
}

describe("the long connection", () => {
  it("goes through the proxy, and events come back through it", async () => {
    const { platform, heard, port } = await open({ HTTP_PROXY: address });
    expect(asked).toEqual([{ target: `lark.example:${port}`, authorization: undefined }]);
    expect(await platform.push(messageEvent({ messageId: "om_1" }))).toMatchObject({ ack: { code: 200 } });
    expect(heard).toEqual(["message"]);
  });

  it("tells the proxy who it is, where the address says so", async () => {
    await open({ http_proxy: address.replace("http://", "http://bot:p%40ss@") });
    expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from("bot:p@ss").toString("base64")}`);
  });
});

describe("a connection", () => {
  interface Facts {
    readonly host: string;
    readonly port: number;
    readonly defaultPort?: number;
  }

  function ask(env: Readonly<Record<string, string>>, facts: Facts): Promise<string> {
    const agent = createProxyAgent((name) => env[name]);
    if (agent === undefined) throw new Error("there is no proxy");
    const { createConnection } = agent as unknown as {
      createConnection: (
        facts: Facts,
        done: (error: Error | null, socket?: { destroy(): void; on(event: string, run: () => void): void }) => void,
      ) => { destroy(): void; on(event: string, run: () => void): void } | undefined;
    };
    return new Promise((resolve) => {
      const direct = createConnection(facts, (error, socket) => {
        if (socket !== undefined) {
          socket.on("error", () => undefined);
          closing.push(() => socket.destroy());
        }
        resolve(error === null ? "tunnel" : error.message);
      });
      if (direct === undefined) return;
      direct.on("error", () => undefined);
      closing.push(() => direct.destroy());
      resolve("direct");
    });
  }

  const elsewhere = { host: "lark.example", port: 443, defaultPort: 443 };

  it("that is encrypted begins its encryption within the tunnel", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    leadsTo = { port: (server.address() as AddressInfo).port };
    const came = new Promise<void>((resolve) => server.once("clientError", () => resolve()));
    expect(await ask({ HTTPS_PROXY: address }, elsewhere)).toBe("tunnel");
    await came;
    // A handshake record of TLS, with the name of the host.
    expect(seen[0]?.[0]).toBe(0x16);
    expect(seen[0]?.includes("lark.example")).toBe(true);
    expect(asked[0]?.target).toBe("lark.example:443");
  });

  it.each([
    ["loopback", {}, "127.0.0.1"],
    ["a listed host", { NO_PROXY: "other.example, lark.example" }, "lark.example"],
    ["a host below a listed one", { no_proxy: ".example" }, "lark.example"],
    ["a listed host with its port", { NO_PROXY: "lark.example:443" }, "lark.example"],
    ["everything", { NO_PROXY: "*" }, "lark.example"],
  ])("to %s is direct", async (_, env, host) => {
    const proxies = { HTTPS_PROXY: address, HTTP_PROXY: address, ...env };
    expect(await ask(proxies, { host, port: 443, defaultPort: 443 })).toBe("direct");
    expect(asked).toEqual([]);
  });

  it.each([
    ["another port", "lark.example:8443"],
    ["a name that only ends alike", "ark.example"],
    ["nothing", ","],
  ])("goes through the proxy where %s is listed", async (_, listed) => {
    expect(await ask({ HTTPS_PROXY: address, NO_PROXY: listed }, elsewhere)).toBe("the proxy answers 502");
  });

  it("fails when the proxy cannot be reached", async () => {
    expect(await ask({ HTTPS_PROXY: "http://127.0.0.1:1" }, elsewhere)).toContain("ECONNREFUSED");
  });

  it("has no agent where no proxy is named, or one that is no HTTP proxy", () => {
    expect(createProxyAgent(() => undefined)).toBeUndefined();
    const socks: Readonly<Record<string, string>> = {
      HTTPS_PROXY: "socks5://127.0.0.1:1080",
      HTTP_PROXY: "not an address",
    };
    expect(createProxyAgent((name) => socks[name])).toBeUndefined();
  });
});
