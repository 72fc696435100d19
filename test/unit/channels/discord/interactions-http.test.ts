// Interactions by HTTP: what Discord signed is answered in the same request; everything else is refused before it is read.
import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Acknowledge } from "../../../../channels/discord/interactions.ts";
import {
  createHttpInteractions,
  HEAD_START_MS,
  MAX_BODY_BYTES,
} from "../../../../channels/discord/interactions-http.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const raw = Buffer.from(String(publicKey.export({ format: "jwk" })["x"]), "base64url").toString("hex");
const url = "http://127.0.0.1/discord/interactions";

interface Forgery {
  readonly body?: string;
  readonly timestamp?: string;
  readonly signature?: string;
  readonly method?: string;
}

function rig(handle: (payload: unknown, acknowledge: Acknowledge) => Promise<void> = async () => undefined) {
  const clock = createFakeClock();
  const handled: unknown[] = [];
  const endpoint = createHttpInteractions({
    publicKey: raw,
    async handle(payload, acknowledge) {
      handled.push(payload);
      await handle(payload, acknowledge);
    },
    bodyOf: ({ kind }) => ({ type: kind }),
    clock,
    logger: silentLogger,
  });
  function post(payload: unknown, forged: Forgery = {}, ageMs = 0): Promise<Response> {
    const signed = typeof payload === "string" ? payload : JSON.stringify(payload);
    const time = String(Math.floor((clock.now() - ageMs) / 1_000));
    const signature = sign(null, Buffer.from(time + signed), privateKey).toString("hex");
    const { body = signed, timestamp = time, method = "POST" } = forged;
    const headers = { "x-signature-ed25519": forged.signature ?? signature, "x-signature-timestamp": timestamp };
    return endpoint(new Request(url, { method, headers, ...(method === "GET" ? {} : { body }) }));
  }
  return { clock, handled, post };
}

describe("a posted interaction", () => {
  it("that only looks whether we are there is answered with type 1", async () => {
    const answer = await rig().post({ type: 1 });
    expect([answer.status, await answer.json()]).toEqual([200, { type: 1 }]);
  });

  it("has its first answer as the answer to the request, and what follows waits until that has arrived", async () => {
    const order: string[] = [];
    const { clock, post } = rig(async (_payload, acknowledge) => {
      order.push(await acknowledge({ id: "1", token: "t" }, { kind: "defer", isPrivate: true }));
      order.push(await acknowledge({ id: "1", token: "t" }, { kind: "defer_update" }));
    });
    const answer = await post({ type: 2 });
    expect(await answer.json()).toEqual({ type: "defer" });
    await clock.advanceAsync(HEAD_START_MS - 1);
    expect(order).toEqual([]);
    await clock.advanceAsync(1);
    expect(order).toEqual(["done", "too_late"]);
  });

  it("is given up after Discord has", async () => {
    const taken: string[] = [];
    let go = (): void => {};
    const { clock, post } = rig(async (_payload, acknowledge) => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      taken.push(await acknowledge({ id: "1", token: "t" }, { kind: "defer_update" }));
    });
    const answering = post({ type: 3 });
    await clock.advanceAsync(2_800);
    expect((await answering).status).toBe(503);
    go();
    await clock.advanceAsync(0);
    expect(taken).toEqual(["too_late"]);
  });

  it("that nobody can answer is a bad request", async () => {
    expect((await rig().post({ type: 99 })).status).toBe(400);
    expect((await rig().post("[]")).status).toBe(400);
    expect((await rig().post("{")).status).toBe(400);
  });
});

describe("a request that Discord did not sign", () => {
  const other = sign(null, Buffer.from("other"), privateKey).toString("hex");
  it.each<[string, Forgery, number]>([
    ["another body", { body: '{"type":2,"forged":true}' }, 0],
    ["another time", { timestamp: "1704067201" }, 0],
    ["another signature", { signature: other }, 0],
    ["no signature", { signature: "" }, 0],
    ["half a signature", { signature: "ab" }, 0],
    ["a time that is none", { timestamp: "now" }, 0],
    ["an old recording", {}, 5 * 60_000 + 1_000],
    ["a request from the future", {}, -(5 * 60_000 + 1_000)],
  ])("%s is refused with 401, unread", async (_name, forged, ageMs) => {
    const { post, handled } = rig();
    const answer = await post({ type: 2 }, forged, ageMs);
    expect(answer.status).toBe(401);
    expect(handled).toEqual([]);
  });

  it("is not held in memory when it is large", async () => {
    const { post, handled } = rig();
    expect((await post("x".repeat(MAX_BODY_BYTES + 1))).status).toBe(413);
    expect((await post({}, { method: "GET" })).status).toBe(405);
    expect(handled).toEqual([]);
  });
});
