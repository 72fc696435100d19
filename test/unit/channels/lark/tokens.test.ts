// The tenant's token: fetched once for all, kept, dropped when it is refused; and no secret or token in any log or error.
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { createLarkHttp, isLoopback, LarkHttpError } from "../../../../channels/lark/http.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { appSecret, type ClientOnFake, createClientOnFake, group } from "../../../fakes/lark/api-client.ts";
import { everythingOf } from "../../../fakes/line-logger.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let on: ClientOnFake | undefined;
afterEach(async () => {
  await on?.stop();
  on = undefined;
});

const tokenPath = /tenant_access_token/;
const look = { method: "GET", path: "/open-apis/im/v1/chats/oc_group" } as const;

function tokenCalls(given: ClientOnFake): number {
  return given.api.calls.filter(({ path }) => tokenPath.test(path)).length;
}

async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}

describe("the token", () => {
  it("is fetched once for twenty first calls at the same time", async () => {
    on = await createClientOnFake();
    const { client } = on;
    await Promise.all(Array.from({ length: 20 }, () => client.api.call(look)));
    expect(tokenCalls(on)).toBe(1);
  });

  it("is fetched again three minutes before its end, not sooner", async () => {
    on = await createClientOnFake();
    await on.client.api.call(look);
    on.clock.advance(7_200_000 - 180_000 - 1);
    await on.client.api.call(look);
    expect(tokenCalls(on)).toBe(1);
    on.clock.advance(1);
    await on.client.api.call(look);
    expect(tokenCalls(on)).toBe(2);
  });

  it.each([99991661, 99991663, 99991664, 99991668, 99991671, 99991677])(
    "is dropped and fetched again once when it is refused (%i)",
    async (code) => {
      on = await createClientOnFake();
      await on.client.api.call(look);
      on.api.trouble(/GET .*\/chats/, {
        kind: "answer",
        answer: { status: 400, body: { code, msg: "Invalid access token" } },
      });
      await on.client.api.call(look);
      expect(tokenCalls(on)).toBe(2);
    },
  );

  it("is fetched once more for many calls that are refused at the same time", async () => {
    on = await createClientOnFake();
    const { client } = on;
    await client.api.call(look);
    on.api.revokeTokens();
    await Promise.all(Array.from({ length: 10 }, () => client.api.call(look)));
    expect(tokenCalls(on)).toBeLessThanOrEqual(3);
    expect(on.api.calls.filter(({ path }) => path.includes("/chats/")).length).toBeLessThanOrEqual(21);
  });

  it("that is refused twice is a matter of the credentials, and is asked for no third time", async () => {
    on = await createClientOnFake();
    on.api.trouble(
      /GET .*\/chats/,
      { kind: "answer", answer: { status: 400, body: { code: 99991663, msg: "Invalid" } } },
      9,
    );
    expect(await thrownBy(on.client.api.call(look))).toMatchObject({ fault: "auth" });
    expect(tokenCalls(on)).toBe(2);
  });

  it("that is not given for these credentials is told at once, with the code and the remedy", async () => {
    on = await createClientOnFake({ secret: "wrong-secret-9c1b" });
    expect(await thrownBy(on.client.api.call(look))).toMatchObject({ fault: "auth" });
    expect(on.refusals).toMatchObject([{ code: "config", retryable: false }]);
    expect(on.refusals[0]?.message).toContain("10014");
    expect(on.refusals[0]?.remedy).toContain("channels.lark");
  });

  it.each([
    ["a broken line", { kind: "lost" } as const],
    ["a busy platform", { kind: "answer", answer: { status: 503, body: {} } } as const],
    ["a rate limit", { kind: "answer", answer: { status: 429, body: { code: 99991400, msg: "x" } } } as const],
  ])("that does not come for %s is no matter of the credentials, and is asked for again", async (_, trouble) => {
    on = await createClientOnFake();
    on.api.trouble(tokenPath, trouble);
    const thrown = await thrownBy(on.client.api.call(look));
    expect(thrown).toBeInstanceOf(ChannelError);
    expect((thrown as ChannelError).fault).not.toBe("auth");
    expect(on.refusals).toEqual([]);
    await on.client.api.call(look);
  });

  it("asks the platform at one slash, whatever the configured address ends with", async () => {
    on = await createClientOnFake({ domainSlash: true });
    await on.client.api.call(look);
    expect(on.api.calls.every(({ path }) => !path.includes("//"))).toBe(true);
  });

  it("is not shared between two clients", async () => {
    on = await createClientOnFake();
    const other = await createClientOnFake();
    try {
      await on.client.api.call(look);
      await other.client.api.call(look);
      expect([tokenCalls(on), tokenCalls(other)]).toEqual([1, 1]);
    } finally {
      await other.stop();
    }
  });
});

describe("HTTP", () => {
  it("takes no proxy to this machine, whatever the environment says", async () => {
    const before = { http: process.env["HTTP_PROXY"], lower: process.env["http_proxy"] };
    process.env["HTTP_PROXY"] = "http://127.0.0.1:9";
    process.env["http_proxy"] = "http://127.0.0.1:9";
    try {
      on = await createClientOnFake();
      await on.client.api.call(look);
    } finally {
      for (const [name, value] of [
        ["HTTP_PROXY", before.http],
        ["http_proxy", before.lower],
      ] as const) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    expect(["127.0.0.1", "127.9.9.9", "localhost", "[::1]"].every(isLoopback)).toBe(true);
    expect(["127.0.0.1.example.org", "open.feishu.cn", "10.0.0.1"].some(isLoopback)).toBe(false);
  });

  it("goes through the environment's proxy to everywhere else", async () => {
    const { createServer } = await import("node:http");
    const asked: (string | undefined)[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, socket) => {
      asked.push(request.url);
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    const names = ["https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) delete process.env[name];
    process.env["https_proxy"] =
      `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const http = createLarkHttp({ clock: createFakeClock(), timeoutMs: 5_000, throwCodes: true, secrets: [] });
    try {
      expect(await thrownBy(http.get("https://open.feishu.invalid/open-apis/x"))).toBeInstanceOf(LarkHttpError);
      expect(asked).toEqual(["open.feishu.invalid:443"]);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await http.close();
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it("does not keep a call waiting when the answer begins and never ends", async () => {
    const { createServer } = await import("node:http");
    const server = createServer((_, response) => void response.writeHead(200).write('{"code":'));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const clock = createFakeClock();
    const http = createLarkHttp({ clock, timeoutMs: 1_000, throwCodes: true, secrets: [] });
    try {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const thrown = thrownBy(http.get(`http://127.0.0.1:${port}/open-apis/x`));
      await new Promise<void>((resolve) => server.once("request", () => resolve()));
      clock.advance(1_000);
      expect(await thrown).toMatchObject({ stage: "lost" });
    } finally {
      server.closeAllConnections();
      server.close();
      await http.close();
    }
  });
});

describe("secrets", () => {
  const secretShapes = fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/);

  it("stand in no log and no error, however a call fails and whatever the platform repeats of them", async () => {
    await fc.assert(
      fc.asyncProperty(
        secretShapes,
        fc.constantFrom("token", "message"),
        fc.constantFrom("echo", "lost", "odd", "html"),
        async (secret, where, how) => {
          const given = await createClientOnFake({ secret: where === "token" ? secret : appSecret });
          const planted = where === "token" ? secret : appSecret;
          const pattern = where === "token" ? tokenPath : /\/messages$/;
          try {
            const echo = { code: 10014, msg: `app_secret ${planted} invalid, Bearer t-0000000000000001` };
            if (how === "lost") given.api.trouble(pattern, { kind: "lost" });
            if (how === "echo") given.api.trouble(pattern, { kind: "answer", answer: { status: 400, body: echo } });
            if (how === "odd")
              given.api.trouble(pattern, { kind: "answer", answer: { status: 500, body: { secret: planted } } });
            const thrown = await thrownBy(given.client.send({ conversation: group }, plainPage("Hi"), "dl_1/0"));
            const seen = JSON.stringify([
              everythingOf(thrown),
              given.refusals.map((error) => everythingOf(error)),
              given.logger.text(),
            ]);
            expect(seen).not.toContain(planted);
            const tokens = given.api.calls.flatMap(({ authorization }) => authorization?.replace("Bearer ", "") ?? []);
            for (const token of [...tokens, "t-0000000000000001"]) expect(seen).not.toContain(token);
          } finally {
            await given.stop();
          }
        },
      ),
      { numRuns: 24 },
    );
  });

  it("are hidden in the path of a call as well: a custom bot's address is one", async () => {
    const http = createLarkHttp({
      clock: createFakeClock(),
      timeoutMs: 1_000,
      throwCodes: true,
      secrets: ["hook-secret-77aa"],
    });
    const thrown = await thrownBy(http.post("http://127.0.0.1:9/open-apis/bot/v2/hook/hook-secret-77aa", {}));
    await http.close();
    expect(thrown).toBeInstanceOf(LarkHttpError);
    expect(JSON.stringify(everythingOf(thrown))).not.toContain("hook-secret-77aa");
  });
});
