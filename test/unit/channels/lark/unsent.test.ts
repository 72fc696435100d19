// What fails before a message leaves: it was certainly not sent, so that it is sent again, however long the trouble lasts.
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { QUOTA_PAUSE_MS } from "../../../../channels/lark/faults.ts";
import { createLarkHttp, LarkHttpError } from "../../../../channels/lark/http.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { asker, type ClientOnFake, createClientOnFake, group } from "../../../fakes/lark/api-client.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let on: ClientOnFake;
beforeEach(async () => {
  on = await createClientOnFake();
});
afterEach(() => on.stop());

const tokenPath = /tenant_access_token/;
const onlyAsker = { conversation: group, onlyFor: asker };

async function faultOf(call: Promise<unknown>): Promise<string> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  return thrown instanceof ChannelError ? thrown.fault : String(thrown);
}

describe("a message that could not even begin", () => {
  it.each([
    ["the token's answer is lost", tokenPath, { kind: "lost" }],
    ["the token's address is out of order", tokenPath, { kind: "answer", answer: { status: 502, body: {} } }],
    ["its chat cannot be looked at", /GET .*\/chats\//, { kind: "lost" }],
  ] as const)("was not sent when %s, and is shown once when it is sent again", async (_, path, trouble) => {
    on.api.trouble(path, trouble);
    expect(await faultOf(on.client.send(onlyAsker, plainPage("Psst"), "dl_1/0"))).toBe("not_sent");
    expect(on.api.shown()).toEqual([]);
    await on.client.send(onlyAsker, plainPage("Psst"), "dl_1/0");
    expect(on.api.shown()).toHaveLength(1);
  });

  it("was not sent when the new token that it needs does not come", async () => {
    await on.client.send({ conversation: group }, plainPage("First"), "dl_1/0");
    on.api.revokeTokens();
    on.api.trouble(tokenPath, { kind: "lost" });
    expect(await faultOf(on.client.send({ conversation: group }, plainPage("Second"), "dl_2/0"))).toBe("not_sent");
  });

  it.each([
    ["a picture", /images$/, { name: "a.png", mediaType: "image/png", base64: "iVBORw==", alt: "A chart" }],
    ["a file", /files$/, { name: "a.md", mediaType: "text/markdown", text: "# A" }],
  ] as const)("was not sent when its upload is lost: %s", async (_, path, file) => {
    on.api.trouble(path, { kind: "lost" });
    expect(await faultOf(on.client.attach({ conversation: group }, file, "dl_1/1"))).toBe("not_sent");
    await on.client.attach({ conversation: group }, file, "dl_1/1");
    expect(on.api.shown()).toHaveLength(1);
  });

  it("waits for the quota, which may be refused with the token as well", async () => {
    on.api.trouble(tokenPath, { kind: "answer", answer: { status: 400, body: { code: 99991403, msg: "quota" } } });
    expect(await faultOf(on.client.send({ conversation: group }, plainPage("Hi"), "dl_1/0"))).toBe("rate_limited");
    expect(on.client.api.pausedUntil()).toBe(on.clock.now() + QUOTA_PAUSE_MS);
    expect(on.refusals).toEqual([]);
  });
});

describe("a message that perhaps was sent", () => {
  it("is not sent again when the platform has forgotten it: it would show twice", async () => {
    const messages = /POST .*\/messages$/;
    on.api.trouble(messages, { kind: "lost" });
    const send = () => on.client.send({ conversation: group }, plainPage("Hi"), "dl_1/0");
    expect(await faultOf(send())).toBe("uncertain");
    on.clock.advance(30_000);
    // Refused for now: whoever waits for the pace may come back too late.
    on.api.trouble(messages, { kind: "answer", answer: { status: 400, body: { code: 230020, msg: "limit" } } });
    expect(await faultOf(send())).toBe("rate_limited");
    on.clock.advance(3_600_000);
    expect(await faultOf(send())).toBe("uncertain");
    expect(await on.client.find({ conversation: group }, "dl_1/0", 0)).toBe("unknown");
    expect(on.api.shown()).toHaveLength(1);
  });
});

describe("looking for a message", () => {
  it.each([
    ["a scope is missing", 99991672],
    ["the bot is outside the group", 232011],
  ])("finds it absent when the platform answers with a refusal: %s", async (_, code) => {
    on.api.trouble(/GET .*\/chats\//, { kind: "answer", answer: { status: 400, body: { code, msg: "no" } } });
    expect(await on.client.find({ conversation: group }, "dl_1/0", on.clock.now())).toBe("absent");
  });
});

describe("a way that does not open", () => {
  let server: Server;
  const sockets = new Set<Socket>();
  const env = ["https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"].map((name) => [name, process.env[name]] as const);

  beforeEach(async () => {
    server = createServer();
    server.on("connection", (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    for (const [name, value] of env) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  async function stageOf(url: string): Promise<unknown> {
    const http = createLarkHttp({ clock: createFakeClock(), timeoutMs: 5_000, throwCodes: true, secrets: [] });
    try {
      await http.post(url, { text: "Hi" });
      return "sent";
    } catch (thrown) {
      return thrown instanceof LarkHttpError ? thrown.stage : thrown;
    } finally {
      await http.close();
    }
  }

  const port = (): number => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  };

  it("sends nothing where no encryption is agreed on", async () => {
    expect(await stageOf(`https://127.0.0.1:${port()}/open-apis/im/v1/messages`)).toBe("unsent");
  });

  it("sends nothing through a proxy that makes no tunnel", async () => {
    server.on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    for (const [name] of env) delete process.env[name];
    process.env["https_proxy"] = `http://127.0.0.1:${port()}`;
    expect(await stageOf("https://open.feishu.invalid/open-apis/im/v1/messages")).toBe("unsent");
  });
});
