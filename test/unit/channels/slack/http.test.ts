// The signed endpoint: who may post, what is read, and what Slack is answered.
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Incoming } from "../../../../channels/slack/bolt.ts";
import { createEventsEndpoint } from "../../../../channels/slack/http.ts";
import { createSignatureGate } from "../../../../channels/slack/signature.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const secret = "8f742231b10e8888abcd99yyyzzz85a5";
const url = "https://bot.example.com/slack/events";
let clock: FakeClock;
let received: Incoming[];
let outcome: "done" | "failed";
let endpoint: (request: Request) => Promise<Response>;

beforeEach(() => {
  clock = createFakeClock(Date.UTC(2026, 0, 5, 12));
  received = [];
  outcome = "done";
  endpoint = createEventsEndpoint({
    gate: createSignatureGate({ secret, clock }),
    clock,
    logger: silentLogger,
    async receive(incoming) {
      received.push(incoming);
      if (outcome === "done") await incoming.answer(undefined);
      return outcome;
    },
  });
});

function sign(timestamp: string, body: string, key = secret): string {
  return `v0=${createHmac("sha256", key).update(`v0:${timestamp}:${body}`).digest("hex")}`;
}

interface Post {
  readonly at?: string;
  readonly signature?: string | null;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function post(body: string, { at, signature, type = "application/json", headers = {} }: Post = {}): Promise<Response> {
  const timestamp = at ?? String(Math.floor(clock.now() / 1_000));
  const signed = signature === undefined ? sign(timestamp, body) : signature;
  return endpoint(
    new Request(url, {
      method: "POST",
      headers: {
        "content-type": type,
        "x-slack-request-timestamp": timestamp,
        ...(signed === null ? {} : { "x-slack-signature": signed }),
        ...headers,
      },
      body,
    }),
  );
}

const event = JSON.stringify({ type: "event_callback", event: { type: "x" } });
const now = () => Math.floor(clock.now() / 1_000);

describe("signature", () => {
  it("takes what Slack signed", async () => {
    expect((await post(event)).status).toBe(200);
    expect(received).toHaveLength(1);
  });

  it("is the one of Slack's documentation", () => {
    const old = createFakeClock(1_531_420_618_000);
    const gate = createSignatureGate({ secret: "8f742231b10e8888abcd99yyyzzz85a5", clock: old });
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    expect(gate.check({ timestamp: "1531420618", signature }, Buffer.from(body))).toBe("good");
  });

  it.each([
    ["another key", { signature: sign("0", event, "other") }],
    ["no signature", { signature: null }],
    ["an empty one", { signature: "" }],
    ["nonsense", { signature: "v0=zz" }],
    ["another version", { signature: "v1=abc" }],
  ])("refuses %s", async (_name, given) => {
    expect((await post(event, given)).status).toBe(401);
    expect(received).toEqual([]);
  });

  it("refuses a body that was changed, by any bit", async () => {
    const timestamp = String(now());
    const signature = sign(timestamp, event);
    for (let at = 0; at < event.length; at += 3) {
      const changed = `${event.slice(0, at)}~${event.slice(at + 1)}`;
      expect((await post(changed, { at: timestamp, signature })).status).toBe(401);
    }
  });

  it.each([-301, 301, 3_600, -86_400])("refuses a request whose clock is %i seconds off", async (seconds) => {
    const at = String(now() + seconds);
    expect((await post(event, { at })).status).toBe(401);
  });

  it.each(["", "now", "1e9", "-5", "99999999999999"])("refuses %j as a time", async (at) => {
    expect((await post(event, { at, signature: sign(at, event) })).status).toBe(401);
  });

  it.each([-299, 299])("takes one that is %i seconds off, once, for as long as it would be good", async (seconds) => {
    const at = String(now() + seconds);
    expect((await post(event, { at })).status).toBe(200);
    expect((await post(event, { at })).status).toBe(401);
    clock.advance(1_000);
    expect((await post(event, { at })).status).toBe(401);
    clock.advance(590_000);
    expect((await post(event, { at })).status).toBe(401);
    expect(received).toHaveLength(1);
  });

  it("takes the same post again when it had no effect", async () => {
    outcome = "failed";
    expect((await post(event)).status).toBe(503);
    outcome = "done";
    expect((await post(event)).status).toBe(200);
  });

  it("forgets signatures when their time is over", () => {
    const gate = createSignatureGate({ secret, clock });
    for (let n = 0; n < 50; n++) {
      const timestamp = String(now());
      expect(gate.check({ timestamp, signature: sign(timestamp, event) }, Buffer.from(event))).toBe("good");
      clock.advance(60_000);
    }
  });
});

describe("bodies", () => {
  it("answers Slack's question who is there, only when it is signed", async () => {
    const question = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aBm2rZgRNFdxV" });
    expect(await (await post(question)).json()).toEqual({ challenge: "3eZbrw1aBm2rZgRNFdxV" });
    expect((await post(question, { signature: null })).status).toBe(401);
    expect(received).toEqual([]);
  });

  it("answers the look at the certificate", async () => {
    expect((await post("ssl_check=1&token=x", { type: "application/x-www-form-urlencoded" })).status).toBe(200);
    expect(received).toEqual([]);
  });

  it("reads commands and interactions from forms", async () => {
    const type = "application/x-www-form-urlencoded; charset=utf-8";
    await post("command=%2Freview&text=a+%26+b%2Bc", { type });
    await post(`payload=${encodeURIComponent('{"type":"block_actions"}')}`, { type });
    expect(received.map(({ body }) => body)).toEqual([
      { command: "/review", text: "a & b+c" },
      { type: "block_actions" },
    ]);
  });

  it("tells how often Slack has sent it", async () => {
    await post(event, { headers: { "x-slack-retry-num": "2", "x-slack-retry-reason": "http_timeout" } });
    expect(received).toMatchObject([{ retryNum: 2, retryReason: "http_timeout" }]);
  });

  it.each([
    ["[]", "application/json"],
    ["null", "application/json"],
    ['"x"', "application/json"],
    ["{", "application/json"],
    ["payload=%7B", "application/x-www-form-urlencoded"],
    ["payload=1", "application/x-www-form-urlencoded"],
    ["{}", "text/plain"],
    ["{}", ""],
  ])("refuses %j as %s", async (body, type) => {
    expect((await post(body, { type })).status).toBe(400);
    expect(received).toEqual([]);
  });

  it("refuses other methods", async () => {
    const answer = await endpoint(new Request(url));
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("refuses what is too large before it has read it", async () => {
    const declared = await post("x", { headers: { "content-length": String(5 * 1024 * 1024) } });
    expect(declared.status).toBe(413);
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read++;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const endless = new Request(url, { method: "POST", body, duplex: "half" } as RequestInit);
    expect((await endpoint(endless)).status).toBe(413);
    expect(read).toBeLessThan(8);
  });

  it("does not wait for ever for a body", async () => {
    const body = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    const answering = endpoint(new Request(url, { method: "POST", body, duplex: "half" } as RequestInit));
    await clock.advanceAsync(3_000);
    expect((await answering).status).toBe(408);
  });

  it("answers any bytes with a status, and hands on only signed objects", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, isSigned) => {
        clock.advance(1_000);
        const timestamp = String(now());
        const mac = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(bytes).digest("hex");
        const headers = {
          "content-type": "application/json",
          "x-slack-request-timestamp": timestamp,
          "x-slack-signature": isSigned ? `v0=${mac}` : "v0=0",
        };
        const answer = await endpoint(new Request(url, { method: "POST", headers, body: new Uint8Array(bytes) }));
        expect(isSigned ? [200, 400] : [401]).toContain(answer.status);
      }),
    );
  });
});
