// The doctor of Lark against the platform on loopback: what works, what is wrong and what to do, and nothing left behind.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { larkChannelConfig } from "../../channels/lark/config.ts";
import { type LarkCheckOutcome, larkDoctor } from "../../channels/lark/doctor.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { appId, clickEvent } from "../fakes/lark/events.ts";
import {
  appSecret,
  createMovableClock,
  type FakePlatform,
  type MovableClock,
  openPlatform,
} from "../fakes/lark/platform.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

let clock: MovableClock;
let platform: FakePlatform;
let store: ChannelStore;

beforeEach(async () => {
  clock = createMovableClock();
  store = createMemoryChannelStore();
  platform = await openPlatform(clock);
  platform.api.addChat("oc_main", "group");
});

afterEach(() => platform.close());

interface Given {
  readonly to?: string;
  readonly clickSeconds?: number;
  readonly secret?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Runs when the named check begins. */
  readonly during?: readonly [check: string, run: () => Promise<void>];
}

async function doctor({ secret = appSecret, settings = {}, during, ...rest }: Given = {}) {
  const config = larkChannelConfig.parse({
    app_id: appId,
    app_secret_env: "LARK_APP_SECRET",
    domain: platform.origin,
    ...settings,
  });
  const ids = createFixedIds();
  const { checks, close } = larkDoctor({
    config,
    secret: () => secret,
    store,
    clock,
    ids,
    logger: silentLogger,
    ...rest,
  });
  const found: Record<string, LarkCheckOutcome> = {};
  for (const { name, run } of checks) {
    const running = run();
    if (during?.[0] === name) await during[1]();
    found[name] = await running;
  }
  await close();
  return found;
}

describe("a bot that is set up well", () => {
  it("has a token, a name and a connection, and its test card is recalled", async () => {
    const found = await doctor({ to: "oc_main" });
    expect(Object.entries(found).map(([name, { state }]) => [name, state])).toEqual([
      ["lark:token", "ok"],
      ["lark:bot", "ok"],
      ["lark:socket", "ok"],
      ["lark:card", "ok"],
    ]);
    expect(found["lark:bot"]?.detail).toContain("AICR");
    expect([...platform.api.state.messages.values()]).toMatchObject([{ isRecalled: true }]);
    await platform.socket.connected(0);
    expect(await store.acquireLease({ name: `lark/${appId}`, owner: "x", ttlMs: 1, now: clock.now() })).toBe(true);
  });

  it("hears the click on its test card", async () => {
    const found = await doctor({
      to: "oc_main",
      clickSeconds: 30,
      during: [
        "lark:click",
        async () => {
          const [message] = platform.api.shown();
          const value = { token: "v1:doctor", chat: "oc_main" };
          const pushed = await platform.socket.push(clickEvent({ value, message: message?.id ?? "" }));
          expect(pushed.ack).toEqual({ code: 200, data: { toast: { type: "success", content: "OK" } } });
        },
      ],
    });
    expect(found["lark:click"]).toEqual({ state: "ok", detail: "the click arrived" });
    expect(platform.api.shown()).toEqual([]);
    expect(platform.socket.mistakes).toEqual([]);
  });

  it("is not told to take the connection of the running one", async () => {
    await store.acquireLease({ name: `lark/${appId}`, owner: "server", ttlMs: 60_000, now: clock.now() });
    const found = await doctor({ to: "oc_main", clickSeconds: 30 });
    expect(found["lark:socket"]).toEqual({ state: "ok", detail: "the running bot holds the one connection" });
    expect(found["lark:click"]).toMatchObject({ state: "warn" });
    expect(platform.socket.endpointCalls()).toBe(0);
    expect(platform.api.shown()).toEqual([]);
  });
});

describe("a bot that is not", () => {
  it("is told of a secret that the platform refuses, without the secret", async () => {
    const found = await doctor({ secret: "wrong-secret-123" });
    expect(found["lark:token"]).toMatchObject({ state: "fail", remedy: expect.stringContaining("app_id") });
    expect(JSON.stringify(found)).not.toContain("wrong-secret-123");
  });

  it("is told of the wrong cloud", async () => {
    platform.socket.refuse(1000040351, { msg: "wrong domain", data: null });
    const found = await doctor();
    expect(found["lark:socket"]).toEqual({
      state: "fail",
      detail: "No long connection: wrong domain (code 1000040351).",
      remedy: "Set domain to the cloud where the app was made: feishu or lark.",
    });
  });

  it("is told of a chat that it is not in", async () => {
    const chat = platform.api.state.chats.get("oc_main");
    if (chat !== undefined) chat.isBotMember = false;
    const found = await doctor({ to: "oc_main" });
    expect(found["lark:card"]).toMatchObject({
      state: "fail",
      detail: expect.stringContaining("add the bot to the group"),
    });
  });

  it("is told of callbacks that do not come, and its card is recalled all the same", async () => {
    const found = await doctor({ to: "oc_main", clickSeconds: 0.05 });
    expect(found["lark:click"]).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("card.action.trigger"),
    });
    expect(platform.api.shown()).toEqual([]);
  });

  it("is told that nothing was sent where nobody said where to", async () => {
    const found = await doctor();
    expect(found["lark:card"]).toMatchObject({ state: "warn" });
  });
});

it("has nothing to look at where custom bots alone are configured", async () => {
  const settings = { app_id: undefined, app_secret_env: undefined, webhooks: [{ name: "games", url_env: "URL" }] };
  expect(await doctor({ settings })).toEqual({});
});
