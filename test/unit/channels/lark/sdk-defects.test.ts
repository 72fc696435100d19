// What the SDK's own client does wrong, and why we do it ourselves: a new version that changes any of it shows up here.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import * as lark from "@larksuiteoapi/node-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { createFakeLarkApi, type FakeLarkApi } from "../../../fakes/lark/api.ts";
import { type LarkServer, listenLark } from "../../../fakes/lark/server.ts";

const appSecret = "sdk-secret-4d2f9a77";

interface Platform {
  readonly api: FakeLarkApi;
  readonly server: LarkServer;
}

let clock: FakeClock;
let platforms: Platform[] = [];
let apps = 0;
let appId: string;

beforeEach(() => {
  clock = createFakeClock();
  apps += 1;
  // The SDK's cache outlives a test, and knows apps by their id alone.
  appId = `cli_${String(apps).padStart(16, "0")}`;
});
afterEach(async () => {
  for (const { server } of platforms) await server.close();
  platforms = [];
});

async function platform(): Promise<Platform> {
  const api = createFakeLarkApi({ appId, appSecret, clock });
  api.addChat("oc_group", "group");
  const server = await listenLark([api]);
  const made = { api, server };
  platforms.push(made);
  return made;
}

interface Logged {
  readonly logger: Record<"error" | "warn" | "info" | "debug" | "trace", (...given: unknown[]) => void>;
  text(): string;
}

function recorder(): Logged {
  const given: unknown[] = [];
  const keep = (...all: unknown[]): void => void given.push(...all);
  return {
    logger: { error: keep, warn: keep, info: keep, debug: keep, trace: keep },
    text: () => JSON.stringify(given),
  };
}

function client(origin: string, secret = appSecret, logged: Logged = recorder(), cache?: lark.Cache): lark.Client {
  return new lark.Client({
    appId,
    appSecret: secret,
    domain: origin,
    logger: logged.logger,
    ...(cache === undefined ? {} : { cache }),
  });
}

const hello = {
  params: { receive_id_type: "chat_id" as const },
  data: { receive_id: "oc_group", msg_type: "text", content: JSON.stringify({ text: "Hi" }) },
};

const tokenCalls = ({ calls }: FakeLarkApi): number =>
  calls.filter(({ path }) => path.includes("tenant_access_token")).length;

describe("the SDK's client", () => {
  it("resolves with HTTP 200 and a code that refuses", async () => {
    const { api, server } = await platform();
    api.trouble(/POST .*\/messages$/, {
      kind: "answer",
      answer: { status: 200, body: { code: 230002, msg: "not in the group" } },
    });
    await expect(client(server.origin).im.v1.message.create(hello)).resolves.toMatchObject({ code: 230002 });
  });

  it("throws with HTTP 400, and the error carries the bearer token", async () => {
    const { api, server } = await platform();
    api.trouble(/POST .*\/messages$/, { kind: "answer", answer: { status: 400, body: { code: 230002, msg: "x" } } });
    const thrown: unknown = await client(server.origin)
      .im.v1.message.create(hello)
      .catch((error: unknown) => error);
    const token = api.calls.find(({ authorization }) => authorization !== undefined)?.authorization ?? "none";
    const { config } = thrown as { config: { headers: Record<string, unknown> } };
    expect(config.headers["Authorization"]).toBe(token);
  });

  it("asks for a token once for each of twenty first calls", async () => {
    const { api, server } = await platform();
    const one = client(server.origin);
    await Promise.all(
      Array.from({ length: 20 }, () => one.request({ method: "GET", url: "/open-apis/im/v1/chats/oc_group" })),
    );
    expect(tokenCalls(api)).toBe(20);
  });

  it("never drops a token that the platform refuses", async () => {
    const { api, server } = await platform();
    const one = client(server.origin);
    await one.im.v1.message.create(hello);
    api.revokeTokens();
    for (const _ of [1, 2]) {
      await expect(one.im.v1.message.create(hello)).rejects.toMatchObject({ response: { data: { code: 99991663 } } });
    }
    expect(tokenCalls(api)).toBe(1);
  });

  it("gives the token of one server to another: its cache is the process's, by the app's id alone", async () => {
    const first = await platform();
    const second = await platform();
    await client(first.server.origin).im.v1.message.create(hello);
    await expect(client(second.server.origin).im.v1.message.create(hello)).rejects.toMatchObject({
      response: { data: { code: 99991663 } },
    });
    expect(tokenCalls(second.api)).toBe(0);
    const own = client(second.server.origin, appSecret, recorder(), new lark.DefaultCache());
    await expect(own.im.v1.message.create(hello)).resolves.toMatchObject({ code: 0 });
  });

  it("has no deadline", () => {
    const { defaults } = lark.defaultHttpInstance as unknown as { defaults: { timeout: number } };
    expect(defaults.timeout).toBe(0);
  });

  it("doubles the slash at the end of a domain", async () => {
    const { api, server } = await platform();
    await client(`${server.origin}/`)
      .im.v1.message.create(hello)
      .catch(() => undefined);
    expect(api.calls.map(({ path }) => path)).not.toContain("/open-apis/auth/v3/tenant_access_token/internal");
  });

  it("writes the app's secret into the log when the token's address fails, and throws it", async () => {
    const { api, server } = await platform();
    api.trouble(/tenant_access_token/, { kind: "answer", answer: { status: 500, body: {} } });
    const logged = recorder();
    const thrown: unknown = await client(server.origin, appSecret, logged)
      .im.v1.message.create(hello)
      .catch((error: unknown) => error);
    expect(logged.text()).toContain(appSecret);
    expect(JSON.stringify((thrown as { config: unknown }).config)).toContain(appSecret);
  });

  it("answers an upload without the code that every other call has", async () => {
    const { api, server } = await platform();
    const body = { code: 0, msg: "success", data: { image_key: "img_v3_1" } };
    api.trouble(/\/images$/, { kind: "answer", answer: { status: 200, body } });
    const image = Buffer.from([1, 2, 3]);
    const answer = await client(server.origin).im.v1.image.create({ data: { image_type: "message", image } });
    expect(answer).toEqual({ image_key: "img_v3_1" });
  });

  it("sends calls to this machine through the environment's proxy", async () => {
    const { server } = await platform();
    const asked: (string | undefined)[] = [];
    const proxy = createServer((request: IncomingMessage, response) => {
      asked.push(request.url);
      response.writeHead(502).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const names = ["HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"] as const;
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) delete process.env[name];
    process.env["http_proxy"] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      await client(server.origin)
        .im.v1.message.create(hello)
        .catch(() => undefined);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    }
    expect(asked[0]).toContain(server.origin);
  });

  it("costs much to load: that is why it stands behind one file that is loaded late", async () => {
    const { readdirSync, readFileSync } = await import("node:fs");
    const folder = new URL("../../../../channels/lark/", import.meta.url);
    const importers = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => readFileSync(new URL(name, folder), "utf8").includes('from "@larksuiteoapi/node-sdk"'));
    expect(importers).toEqual(["sdk.ts"]);
  });
});
