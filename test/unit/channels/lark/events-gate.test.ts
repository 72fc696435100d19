// The webhook's gate: what is genuine passes once, and everything else gets its answer before it is believed.
import { beforeEach, describe, expect, it } from "vitest";
import { type Admission, createEventsGate, type EventsGate } from "../../../../channels/lark/events-gate.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { messageEvent, verificationToken } from "../../../fakes/lark/events.ts";
import { encrypt, encryptKey, type WebhookFacts, webhookRequest } from "../../../fakes/lark/webhook.ts";

let clock: FakeClock;
let gate: EventsGate;

beforeEach(() => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  gate = createEventsGate({ encryptKey, verificationToken, clock });
});

const event = messageEvent({ messageId: "om_1", text: "/review demo" });

function request(inner: unknown = event, facts: Omit<WebhookFacts, "clock"> = {}): Request {
  return webhookRequest(inner, { clock, ...facts });
}

function refusal(admission: Admission): { status: number; why: string } {
  if (admission.kind !== "answered") throw new Error("it was let through");
  return { status: admission.response.status, why: admission.why };
}

describe("what is genuine", () => {
  it("passes, decrypted", async () => {
    expect(await gate.admit(request())).toMatchObject({ kind: "event", body: event });
  });

  it("passes with a body that is written with spaces: the raw bytes are signed", async () => {
    expect(await gate.admit(request(event, { isSpaced: true }))).toMatchObject({ kind: "event" });
  });

  it("passes with a clock that differs by less than five minutes", async () => {
    expect(await gate.admit(request(event, { skewMs: -299_000 }))).toMatchObject({ kind: "event" });
    expect(await gate.admit(request(event, { skewMs: 299_000 }))).toMatchObject({ kind: "event" });
  });

  it("passes again after it failed, and is answered without being handled once it was taken", async () => {
    const first = await gate.admit(request());
    expect(await gate.admit(request())).toMatchObject({ kind: "event" });
    if (first.kind === "event") gate.remember(first.replayKey);
    const replayed = await gate.admit(request());
    expect(refusal(replayed)).toEqual({ status: 200, why: "replay" });
    expect(replayed.kind === "answered" && (await replayed.response.json())).toEqual({});
    expect(await gate.admit(request(event, { nonce: "nonce-2" }))).toMatchObject({ kind: "event" });
  });

  it("is remembered among more than twenty thousand others, the oldest of which are forgotten", async () => {
    for (let count = 0; count < 20_100; count += 1) gate.remember(`signature-${count}`);
    clock.advance(11 * 60_000);
    const fresh = await gate.admit(request());
    if (fresh.kind === "event") gate.remember(fresh.replayKey);
    expect(refusal(await gate.admit(request())).why).toBe("replay");
  });
});

describe("what is not", () => {
  it.each<[string, Omit<WebhookFacts, "clock">, string]>([
    ["a body changed after it was signed", { tamper: (body) => `${body} ` }, "signature"],
    ["another key", { key: "stolen" }, "signature"],
    ["no signature", { isSigned: false }, "unsigned"],
    ["half a signature", { headers: { "x-lark-signature": null } }, "signature"],
    ["a signature that is none", { headers: { "x-lark-signature": "00" } }, "signature"],
    ["a nonce that was not signed", { headers: { "x-lark-request-nonce": "other" } }, "signature"],
    ["an age of ten days", { skewMs: -10 * 86_400_000 }, "stale"],
    ["an age of five minutes and a second", { skewMs: -301_000 }, "stale"],
    ["a time that is yet to come", { skewMs: 301_000 }, "stale"],
  ])("is refused with 401: %s", async (_, facts, why) => {
    expect(refusal(await gate.admit(request(event, facts)))).toEqual({ status: 401, why });
  });

  it("is refused when its token is another's, however well it is signed", async () => {
    const forged = { ...event, header: { ...event.header, token: "other" } };
    expect(refusal(await gate.admit(request(forged)))).toEqual({ status: 401, why: "token" });
  });

  it("is refused in plain text", async () => {
    const plain = new Request("http://127.0.0.1/lark/events", { method: "POST", body: JSON.stringify(event) });
    expect(refusal(await gate.admit(plain))).toEqual({ status: 401, why: "malformed" });
  });

  it("is refused over its size, declared or not, before it is read to the end", async () => {
    const big = (headers: Record<string, string>): Request =>
      new Request("http://127.0.0.1/lark/events", { method: "POST", headers, body: "x".repeat(1024 * 1024 + 1) });
    expect(refusal(await gate.admit(big({})))).toEqual({ status: 413, why: "too_large" });
    expect(refusal(await gate.admit(big({ "content-length": "9999999" })))).toEqual({ status: 413, why: "too_large" });
  });

  it("is refused when it is no post", async () => {
    expect(refusal(await gate.admit(new Request("http://127.0.0.1/lark/events")))).toEqual({
      status: 405,
      why: "method",
    });
  });

  it("is refused when it is signed and no event of the second schema", async () => {
    expect(refusal(await gate.admit(request({ event: { type: "message" } })))).toEqual({
      status: 400,
      why: "malformed",
    });
  });

  it("tells nobody which check failed", async () => {
    const texts = [];
    for (const facts of [{ key: "stolen" }, { skewMs: -1e9 }, { isSigned: false }]) {
      const admission = await gate.admit(request(event, facts));
      texts.push(admission.kind === "answered" && (await admission.response.text()));
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).not.toContain(encryptKey);
  });
});

describe("the challenge", () => {
  const question = { type: "url_verification", challenge: "c-123", token: verificationToken };

  it("is answered at once, unsigned as it comes", async () => {
    const admission = await gate.admit(request(question, { isSigned: false }));
    expect(refusal(admission)).toEqual({ status: 200, why: "challenge" });
    expect(admission.kind === "answered" && (await admission.response.json())).toEqual({ challenge: "c-123" });
    expect(clock.monotonic()).toBe(0);
  });

  it("is refused with another token", async () => {
    const admission = await gate.admit(request({ ...question, token: "other" }, { isSigned: false }));
    expect(refusal(admission)).toEqual({ status: 401, why: "token" });
  });

  it("is refused in plain text, and under another key", async () => {
    const plain = new Request("http://127.0.0.1/lark/events", { method: "POST", body: JSON.stringify(question) });
    expect(refusal(await gate.admit(plain)).status).toBe(401);
    const other = await gate.admit(request(question, { isSigned: false, key: "stolen" }));
    expect(refusal(other)).toEqual({ status: 401, why: "undecipherable" });
  });

  it("is refused when what is encrypted is too short to be anything", async () => {
    const body = JSON.stringify({ encrypt: encrypt("").slice(0, 8) });
    const short = new Request("http://127.0.0.1/lark/events", { method: "POST", body });
    expect(refusal(await gate.admit(short))).toEqual({ status: 401, why: "undecipherable" });
  });
});
