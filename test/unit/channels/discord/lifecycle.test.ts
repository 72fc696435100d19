// What becomes of servers and channels reaches the core, once each, also what happened while nobody listened.
import { describe, expect, it } from "vitest";
import { createLifecycle } from "../../../../channels/discord/lifecycle.ts";
import type { InboundLifecycle } from "../../../../src/ports/channel.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";
import { createScriptedInbox } from "../../../fakes/scripted-inbox.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const only = { shard: 0, of: 1 };

function rig(store = createMemoryChannelStore()) {
  const heard: InboundLifecycle[] = [];
  const forgotten: string[] = [];
  const inbox = { ...createScriptedInbox(), lifecycle: async (event: InboundLifecycle) => void heard.push(event) };
  const lifecycle = createLifecycle({
    store,
    applicationId: "1",
    forgetChannel: (channel) => forgotten.push(channel),
    logger: silentLogger,
  });
  const hear = (type: string, data: unknown, shard = only) => lifecycle.hear(type, data, shard, inbox);
  return { store, heard, forgotten, hear };
}

const installed = (workspace: string) => ({ kind: "installed", channel: "discord", workspace });
const uninstalled = (workspace: string) => ({ kind: "uninstalled", channel: "discord", workspace });

describe("a server", () => {
  it("is installed when the bot is invited, and once only, however often it becomes available", async () => {
    const { heard, hear } = rig();
    await hear("READY", { guilds: [{ id: "10", unavailable: true }] });
    await hear("GUILD_CREATE", { id: "10", channels: [] });
    await hear("GUILD_CREATE", { id: "11", channels: [] });
    await hear("GUILD_CREATE", { id: "11", channels: [] });
    expect(heard).toEqual([installed("10"), installed("11")]);
  });

  it("is uninstalled when the bot is removed, and not in an outage", async () => {
    const { heard, hear } = rig();
    await hear("READY", { guilds: [{ id: "10" }] });
    heard.splice(0);
    await hear("GUILD_DELETE", { id: "10", unavailable: true });
    expect(heard).toEqual([]);
    await hear("GUILD_DELETE", { id: "10" });
    expect(heard).toEqual([uninstalled("10")]);
  });

  it("that was left or joined while nobody listened is told at the next login", async () => {
    const { hear, store } = rig();
    await hear("READY", { guilds: [{ id: "10" }, { id: "11" }] });
    const later = rig(store);
    await later.hear("READY", { guilds: [{ id: "11" }, { id: "12" }] });
    expect(later.heard).toEqual([installed("12"), uninstalled("10")]);
  });

  it("of another shard is not taken for one that was left", async () => {
    const second = String(1n << 22n);
    const { hear, heard } = rig();
    await hear("READY", { guilds: [{ id: "10" }] }, { shard: 0, of: 2 });
    await hear("READY", { guilds: [{ id: second }] }, { shard: 1, of: 2 });
    expect(heard).toEqual([installed("10"), installed(second)]);
  });
});

describe("a channel", () => {
  it("that is renamed has another name; other changes are none", async () => {
    const { heard, forgotten, hear } = rig();
    await hear("GUILD_CREATE", { id: "10", channels: [{ id: "20", name: "general" }] });
    heard.splice(0);
    await hear("CHANNEL_UPDATE", { id: "20", guild_id: "10", name: "general" });
    expect(heard).toEqual([]);
    await hear("CHANNEL_UPDATE", { id: "20", guild_id: "10", name: "reviews" });
    const conversation = { channel: "discord", workspace: "10", conversation: "20" };
    expect(heard).toEqual([{ kind: "renamed", conversation, name: "reviews" }]);
    expect(forgotten).toEqual(["20", "20"]);
  });

  it("that is deleted is left", async () => {
    const { heard, forgotten, hear } = rig();
    await hear("CHANNEL_DELETE", { id: "20", guild_id: "10" });
    expect(heard).toEqual([
      { kind: "left", conversation: { channel: "discord", workspace: "10", conversation: "20" } },
    ]);
    expect(forgotten).toEqual(["20"]);
  });

  it("keeps what it is when one of its threads changes", async () => {
    const { heard, forgotten, hear } = rig();
    await hear("THREAD_UPDATE", { id: "30", guild_id: "10", thread_metadata: { archived: true } });
    await hear("THREAD_DELETE", { id: "30", guild_id: "10" });
    expect(heard).toEqual([]);
    expect(forgotten).toEqual(["30", "30"]);
  });
});

describe("events that are not as they should be", () => {
  it("stop none of the others", async () => {
    const { heard, hear } = rig();
    for (const data of [null, {}, [], { id: 7 }, { id: "x" }]) {
      for (const type of ["READY", "GUILD_CREATE", "GUILD_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "NEW_THING"]) {
        await hear(type, data);
      }
    }
    await hear("GUILD_CREATE", { id: "10" });
    expect(heard).toEqual([installed("10")]);
  });
});
