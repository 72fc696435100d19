// Who may begin a session at Discord's gateway, and how often: the budget over restarts, and one owner among several processes.
import { afterEach, describe, expect, it } from "vitest";
import { OWNER_MS } from "../../../../channels/discord/gateway.ts";
import { LEASE_MS } from "../../../../channels/discord/session-owner.ts";
import {
  applicationId,
  endGateways,
  fakeGateway,
  gatewayRig,
  guild,
  turn,
} from "../../../fakes/discord/gateway-rig.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";

afterEach(endGateways);

describe("the budget of sessions", () => {
  it("is left alone when nearly all of it is used up", async () => {
    const discord = await fakeGateway({ remaining: 20 });
    const { gateway } = gatewayRig(discord);
    await gateway.start();
    expect(gateway.health()).toEqual({
      state: "down",
      detail: expect.stringContaining("only 20 of 1000 sessions"),
    });
    expect(discord.count("connected")).toBe(0);
  });

  it("lets a bot that crashes again and again wait longer each time", async () => {
    const discord = await fakeGateway();
    const store = createMemoryChannelStore();
    const clock = createFakeClock();
    for (const attempt of [1, 2, 3]) {
      const { gateway } = gatewayRig(discord, { store, clock, owner: `process ${attempt}` });
      await gateway.start();
      expect(gateway.health().state).toBe("up");
      await gateway.stop();
    }
    const fourth = gatewayRig(discord, { store, clock, owner: "process 4" });
    const starting = fourth.gateway.start();
    await discord.reached("asked", 4);
    await clock.advanceAsync(4_900);
    expect(discord.count("connected")).toBe(3);
    await clock.advanceAsync(100);
    await starting;
    await fourth.became("up");
    expect(discord.remaining()).toBe(996);
  });

  it("is not touched by a process that follows a dead one: it resumes, and hears what was missed", async () => {
    const discord = await fakeGateway();
    const store = createMemoryChannelStore();
    const clock = createFakeClock();
    const first = gatewayRig(discord, { store, clock, owner: "first" });
    await first.gateway.start();
    await clock.advanceAsync(5_000);
    discord.cut();
    discord.dispatch("CHANNEL_DELETE", { id: "8", guild_id: guild });
    // The first process is gone without a word: its lease runs out.
    await store.releaseLease(`discord/gateway/${applicationId}`, "first");
    const second = gatewayRig(discord, { store, clock, owner: "second" });
    await second.gateway.start();
    while (!second.events.some(({ type }) => type === "CHANNEL_DELETE")) await turn();
    expect(discord.remaining()).toBe(999);
  });
});

describe("the owner of the session", () => {
  it("is one process: a second waits and says so, and takes over when the first ends", async () => {
    const discord = await fakeGateway();
    const store = createMemoryChannelStore();
    const clock = createFakeClock();
    const first = gatewayRig(discord, { store, clock, owner: "first" });
    const second = gatewayRig(discord, { store, clock, owner: "second" });
    await first.gateway.start();
    await second.gateway.start();
    expect(second.gateway.health()).toEqual({ state: "starting", detail: expect.stringContaining("another process") });
    await clock.advanceAsync(2 * LEASE_MS);
    expect(discord.count("connected")).toBe(1);
    await first.gateway.stop();
    await clock.advanceAsync(OWNER_MS);
    await second.became("up");
    expect(discord.count("connected")).toBe(2);
  });

  it("lets go at once of a session that somebody else has taken", async () => {
    const discord = await fakeGateway();
    const store = createMemoryChannelStore();
    const clock = createFakeClock();
    const { gateway, became } = gatewayRig(discord, { store, clock, owner: "first" });
    await gateway.start();
    await store.releaseLease(`discord/gateway/${applicationId}`, "first");
    const name = `discord/gateway/${applicationId}`;
    await store.acquireLease({ name, owner: "another", ttlMs: 10 * LEASE_MS, now: clock.now() });
    await clock.advanceAsync(LEASE_MS / 3);
    expect(await became("starting")).toContain("another process");
    await discord.reached("closed", 1);
  });
});
