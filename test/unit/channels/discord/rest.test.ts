// The REST port over discord.js's own client: one try a call, limits told instead of waited out, tokens only where they belong.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDiscordRest, type DiscordRest } from "../../../../channels/discord/rest.ts";
import { type DiscordRestFake, startRestFake } from "../../../fakes/discord/rest.ts";
import { NONCE_MS } from "../../../fakes/discord/rest-messages.ts";
import { createWorld, kinds, type World } from "../../../fakes/discord/rest-world.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";

let clock: FakeClock;
let world: World;
let fake: DiscordRestFake;
let rest: DiscordRest;
let channel: string;
beforeEach(async () => {
  clock = createFakeClock();
  world = createWorld(clock.now);
  fake = await startRestFake({ world });
  channel = world.addChannel(world.addGuild().id, kinds.text).id;
  rest = createDiscordRest({ token: world.token, apiUrl: fake.apiUrl });
});
afterEach(() => fake.close());

const body = (more: Record<string, unknown> = {}) => ({
  flags: 32_768,
  components: [{ type: 10, content: "Hello" }],
  allowed_mentions: { parse: [] },
  ...more,
});
const post = (more: Record<string, unknown> = {}) =>
  rest.call({ method: "POST", path: `/channels/${channel}/messages`, body: body(more) });

describe("a call", () => {
  it("says who we are, and sends the token where it belongs", async () => {
    await post();
    const [sent] = fake.requests;
    expect(sent?.headers["user-agent"]).toMatch(/^DiscordBot \(.*\) ?.*aicr-bot/);
    expect(sent?.headers.authorization).toBe(`Bot ${world.token}`);
    const { id, token } = world.openInteraction({ type: 2, channel, user: world.newId() });
    const path = `/interactions/${id}/${token}/callback` as const;
    const answer = await rest.call({ method: "POST", path, body: { type: 5 }, auth: false });
    expect(answer).toEqual({ ok: true, value: undefined });
    expect(fake.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  it.each([500, 502, 503])("answered with %i is tried once", async (status) => {
    fake.trouble({ times: 9, answer: { status } });
    expect(await post()).toMatchObject({ ok: false, refusal: { kind: "answered", status, code: 0 } });
    expect(fake.requests).toHaveLength(1);
  });

  it("that is cut, or gets no answer in time, is lost, after one try", async () => {
    fake.trouble({ silence: "cut" });
    expect(await post()).toMatchObject({ ok: false, refusal: { kind: "lost", status: 0 } });
    const impatient = createDiscordRest({ token: world.token, apiUrl: fake.apiUrl, timeoutMs: 50 });
    fake.trouble({ times: 9, silence: "hang" });
    const answer = await impatient.call({ method: "POST", path: `/channels/${channel}/messages`, body: body() });
    expect(answer).toMatchObject({ ok: false, refusal: { kind: "lost", status: 0 } });
    expect(fake.requests.length).toBeLessThanOrEqual(2);
  });

  it("to a closed door was not sent", async () => {
    await fake.close();
    expect(await post()).toMatchObject({ ok: false, refusal: { kind: "unsent" } });
  });

  it("that a proxy answers with a page of its own is answered without a code", async () => {
    fake.trouble({ answer: { status: 403, message: "blocked" } });
    expect(await post()).toMatchObject({ ok: false, refusal: { status: 403, code: 0 } });
  });

  it("tells where a body was wrong, and no address", async () => {
    const answer = await post({ bogus: 1 });
    expect(answer).toMatchObject({ ok: false, refusal: { code: 50035, message: expect.stringContaining("bogus") } });
    expect(JSON.stringify(answer)).not.toContain(fake.apiUrl);
  });
});

describe("limits", () => {
  it("of a channel are told, with the time to wait, and not asked again", async () => {
    fake.limitMessages(3, 60_000);
    for (let n = 0; n < 3; n++) expect((await post()).ok).toBe(true);
    const fourth = await post();
    expect(fourth).toMatchObject({ ok: false, refusal: { kind: "limited", status: 429 } });
    expect(fourth.ok ? 0 : fourth.refusal.retryAfterMs).toBeGreaterThanOrEqual(60_000);
    expect(world.channels.get(channel)?.messages).toHaveLength(3);
  });

  it("that have a code of their own are answers, not waits (30046)", async () => {
    fake.trouble({ answer: { status: 429, code: 30046, retryAfter: 600 } });
    expect(await post()).toMatchObject({ ok: false, refusal: { kind: "answered", code: 30046 } });
    expect(fake.requests).toHaveLength(1);
  });
});

describe("the bot's token", () => {
  it("is doubted from a 401 until a call succeeds", async () => {
    expect(rest.isTokenRefused()).toBe(false);
    fake.trouble({ answer: { status: 401 } });
    await post();
    expect(rest.isTokenRefused()).toBe(true);
    await post();
    expect(rest.isTokenRefused()).toBe(false);
  });

  it("is not doubted when an interaction's is refused (50027)", async () => {
    fake.trouble({ answer: { status: 401, code: 50027 } });
    const path = `/webhooks/${world.application}/tok` as const;
    const answer = await rest.call({ method: "POST", path, body: body(), auth: false });
    expect(answer).toMatchObject({ ok: false, refusal: { code: 50027 } });
    expect(rest.isTokenRefused()).toBe(false);
    expect((await post()).ok).toBe(true);
  });
});

describe("the small Discord", () => {
  const nonce = { nonce: "n1", enforce_nonce: true };
  const idOf = (answer: Awaited<ReturnType<typeof post>>) => (answer.ok ? (answer.value as { id: string }).id : "");

  it("remembers an enforced nonce for minutes, and then no more", async () => {
    const first = idOf(await post(nonce));
    expect(idOf(await post(nonce))).toBe(first);
    clock.advance(NONCE_MS);
    expect(idOf(await post(nonce))).not.toBe(first);
    expect(idOf(await post({ nonce: "n1" }))).not.toBe(first);
  });

  it("takes no wrong token, no other client's name, and no body against its rules", async () => {
    const stranger = createDiscordRest({ token: "a.b.c", apiUrl: fake.apiUrl });
    const path = `/channels/${channel}/messages` as const;
    expect(await stranger.call({ method: "POST", path, body: body() })).toMatchObject({ refusal: { status: 401 } });
    const url = `${fake.apiUrl}/v10${path}`;
    const headers = { authorization: `Bot ${world.token}`, "content-type": "application/json" };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body()) });
    expect(((await answer.json()) as { code: number }).code).toBe(40333);
    expect(await post({ components: [{ type: 10, content: "x".repeat(4_001) }] })).toMatchObject({
      refusal: { code: 50035 },
    });
    expect(fake.takeMistakes()).not.toEqual([]);
    expect(world.channels.get(channel)?.messages).toHaveLength(0);
  });

  it("breaks over V2 bodies of more than ten thousand bytes, as Discord does", async () => {
    const answer = await post({ components: [{ type: 10, content: "\u8bc4".repeat(3_400) }] });
    expect(answer).toMatchObject({ refusal: { status: 500 } });
  });
});
