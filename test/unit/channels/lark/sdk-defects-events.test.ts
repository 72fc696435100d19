// What the SDK's dispatcher does wrong with events, and what we rely on: a new version that differs shows here.
import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
import * as lark from "@larksuiteoapi/node-sdk";
import { beforeEach, describe, expect, it } from "vitest";
import { botOpenId, clickEvent, messageEvent, verificationToken } from "../../../fakes/lark/events.ts";
import { encrypt, encryptKey } from "../../../fakes/lark/webhook.ts";

const event = messageEvent({ messageId: "om_1", text: "/review demo" });
const quiet = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };

describe("the SDK's dispatcher", () => {
  let handled: unknown[];

  beforeEach(() => {
    handled = [];
  });

  function dispatcher(options: { encryptKey?: string } = {}): lark.EventDispatcher {
    return new lark.EventDispatcher({ verificationToken, logger: quiet, ...options }).register({
      "im.message.receive_v1": async (data) => void handled.push(data),
    });
  }

  function signed(body: string, seconds = Math.floor(Date.now() / 1_000)): object {
    const timestamp = String(seconds);
    const signature = createHash("sha256").update(`${timestamp}n${encryptKey}${body}`).digest("hex");
    const headers = {
      "x-lark-request-timestamp": timestamp,
      "x-lark-request-nonce": "n",
      "x-lark-signature": signature,
    };
    return Object.assign(Object.create({ headers }) as object, JSON.parse(body));
  }

  const cipher = encrypt(JSON.stringify(event));

  it("signs what it wrote itself: a genuine body with one more space is refused (our gate signs the raw bytes)", async () => {
    await dispatcher({ encryptKey }).invoke(signed(`{"encrypt":"${cipher}"}`));
    expect(handled).toHaveLength(1);
    await dispatcher({ encryptKey }).invoke(signed(`{"encrypt": "${cipher}"}`));
    expect(handled).toHaveLength(1);
  });

  it("takes a request of ten days ago (our gate wants five minutes)", async () => {
    await dispatcher({ encryptKey }).invoke(
      signed(`{"encrypt":"${cipher}"}`, Math.floor(Date.now() / 1_000) - 864_000),
    );
    expect(handled).toHaveLength(1);
  });

  it("never looks at the verification token: without an encrypt key anybody is believed (ours needs both)", async () => {
    await dispatcher().invoke({ ...event, header: { ...event.header, token: "forged" } });
    expect(handled).toHaveLength(1);
  });

  it("answers a plain challenge with any token, on an app that encrypts (ours is silent)", () => {
    const forged = { type: "url_verification", challenge: "c", token: "forged" };
    expect(lark.generateChallenge(forged, { encryptKey })).toEqual({
      isChallenge: true,
      challenge: { challenge: "c" },
    });
  });

  it("lets the same event through twice (ours is claimed)", async () => {
    const both = dispatcher();
    await both.invoke(event, { needCheck: false });
    await both.invoke(event, { needCheck: false });
    expect(handled).toHaveLength(2);
  });

  it("answers a sentence where nobody listens (ours answers an object)", async () => {
    expect(await dispatcher().invoke(clickEvent({ value: {}, message: "om_1" }), { needCheck: false })).toBe(
      "no card.action.trigger event handle",
    );
  });

  it("puts header and event into one object, where the event's words win", async () => {
    await dispatcher().invoke(event, { needCheck: false });
    expect(handled).toMatchObject([{ event_id: event.header["event_id"], message: { message_id: "om_1" } }]);
  });

  class FakeResponse {
    ended: string | undefined;
    statusCode = 200;
    end(text?: string): void {
      this.ended = text ?? "";
    }
  }

  async function post(adapted: unknown, url: string, body: unknown): Promise<FakeResponse> {
    const request = Object.assign(new EventEmitter(), { url, headers: {} });
    const response = new FakeResponse();
    const answering = (adapted as (req: unknown, res: unknown) => Promise<void>)(request, response);
    request.emit("data", JSON.stringify(body));
    request.emit("end");
    await answering;
    return response;
  }

  it("answers 200 to a bad signature (ours answers 401)", async () => {
    const adapted = lark.adaptDefault("/lark/events", dispatcher({ encryptKey }));
    const response = await post(adapted, "/lark/events", { encrypt: cipher });
    expect([response.statusCode, response.ended, handled.length]).toEqual([200, "", 0]);
  });

  it("leaves other paths, and its own with a query, without an answer", async () => {
    const adapted = lark.adaptDefault("/lark/events", dispatcher());
    expect((await post(adapted, "/other", event)).ended).toBeUndefined();
    expect((await post(adapted, "/lark/events?a=1", event)).ended).toBeUndefined();
  });

  it("rejects and hangs when a handler throws (ours answers 503)", async () => {
    const throwing = new lark.EventDispatcher({ logger: quiet }).register({
      "im.message.receive_v1": () => Promise.reject(new Error("no")),
    });
    await expect(post(lark.adaptDefault("/lark/events", throwing), "/lark/events", event)).rejects.toThrow("no");
  });

  it("reads @_user_10 as @_user_1 and a nought (ours reads whole keys)", async () => {
    const mentions = [
      { key: "@_user_1", id: { open_id: botOpenId }, name: "AICR" },
      { key: "@_user_10", id: { open_id: "ou_10" }, name: "Ten" },
    ];
    const { event: raw } = messageEvent({ messageId: "om_1" });
    const message = { ...(raw["message"] as object), content: JSON.stringify({ text: "@_user_10 hi" }), mentions };
    const given = { ...raw, message } as unknown as Parameters<typeof lark.normalize>[0];
    const { content } = await lark.normalize(given, {
      botIdentity: { openId: botOpenId, name: "AICR" },
    } as Parameters<typeof lark.normalize>[1]);
    expect(content).not.toContain("Ten");
  });
});
