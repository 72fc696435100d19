// Discord from the slash command to its answer: the channel as it is composed, the real discord.js, and a strict Discord on loopback.
import { afterEach, describe, expect, it } from "vitest";
import { endRigs, type Rig, readable, rig, shown } from "../fakes/discord/rig.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import { plainPage } from "../fakes/scripted-inbox.ts";

afterEach(endRigs);

describe("/review", () => {
  it("is deferred in private before anything is looked up, and the answer fills what was deferred", async () => {
    const one = await rig({ answer: () => ({ page: plainPage("Accepted"), visibility: "asker" }) });
    const { discord, inbox, alice, conversation } = one;
    const asked = discord.people.command(alice, "review", { repo: "demo", rev: "HEAD" });
    await discord.done(asked);
    expect(asked.interaction.answer).toEqual({ type: 5, data: { flags: 64 } });
    await discord.until(() => readable(shown(one)[0]).includes("Accepted"));
    expect(inbox.commands).toEqual([
      {
        conversation,
        person: { channel: "discord", workspace: discord.guild, person: alice.user, name: `user${alice.user}` },
        eventId: asked.interaction.id,
        text: "demo HEAD",
        locale: "en-US",
        roles: [],
        groups: alice.roles,
      },
    ]);
    expect(shown(one)).toHaveLength(1);
    expect(shown(one)[0]?.onlyFor).toBe(alice.user);
  });

  it("shows progress to the asker alone, and the root to everybody, by the bot itself", async () => {
    const one: Rig = await rig({
      async answer({ conversation, person }) {
        const progress = await one.channel.send({ conversation, onlyFor: person }, plainPage("Queued"), "rv/progress");
        await one.channel.edit(progress, plainPage("Reviewing"));
        await one.channel.send({ conversation }, plainPage("Two problems"), "dl/0");
        return { page: null, visibility: "asker" };
      },
    });
    await one.discord.done(one.discord.people.command(one.alice, "review", { repo: "demo" }));
    await one.discord.until(() => shown(one).length === 2 && readable(shown(one)[0]).includes("Reviewing"));
    expect(shown(one).map(({ onlyFor }) => onlyFor)).toEqual([one.alice.user, undefined]);
  });

  it("leaves no thinking message where the core says nothing", async () => {
    const one = await rig();
    await one.discord.done(one.discord.people.command(one.alice, "review", { repo: "demo" }));
    await one.discord.until(() => shown(one).length === 0);
  });

  it("in a thread names the thread, and its channel as the conversation", async () => {
    const one = await rig();
    const thread = one.discord.world.addChannel(one.discord.guild, 11, { parent: one.discord.channel });
    await one.discord.done(
      one.discord.people.command({ ...one.alice, channel: thread.id }, "review", { repo: "demo" }),
    );
    await one.discord.until(() => one.inbox.commands.length === 1);
    expect(one.inbox.commands[0]).toMatchObject({ conversation: one.conversation, thread: thread.id });
  });

  it("that fails inside says so to the asker, in their language", async () => {
    const one = await rig({ answer: () => Promise.reject(new Error("broken")) });
    const vi = { ...one.alice, locale: "vi" };
    await one.discord.done(one.discord.people.command(vi, "review", { repo: "demo" }));
    await one.discord.until(() => readable(shown(one)[0]).includes("không thành công"));
  });

  it("with a reply that is for everybody is a message of its own, and nothing is left of the deferral", async () => {
    const one = await rig({ answer: () => ({ page: plainPage("Subscribed"), visibility: "everyone" }) });
    await one.discord.done(one.discord.people.command(one.alice, "aicr subscribe", { repo: "demo", mode: "audit" }));
    await one.discord.until(() => shown(one).length === 1 && shown(one)[0]?.onlyFor === undefined);
    expect(one.inbox.commands[0]?.text).toBe("subscribe demo mode:audit");
  });

  it("with an answer that is longer than a message takes several, all of them private", async () => {
    const text = (index: number) => `Line ${index} ${"words ".repeat(60)}`;
    const blocks = Array.from({ length: 30 }, (_, index) => ({
      kind: "text" as const,
      children: [{ kind: "text" as const, text: text(index) }],
    }));
    const one = await rig({ answer: () => ({ page: plainPage("Long", { blocks }), visibility: "asker" }) });
    await one.discord.done(one.discord.people.command(one.alice, "aicr help"));
    await one.discord.until(() => shown(one).map(readable).join("").includes("Line 29"));
    expect(shown(one).length).toBeGreaterThan(2);
    expect(shown(one).every(({ onlyFor }) => onlyFor === one.alice.user)).toBe(true);
  });
});

describe("an interaction that comes too late or twice", () => {
  it("10062: the work is done all the same, its age is logged, and the answer comes as a direct message", async () => {
    const one = await rig({ answer: () => ({ page: plainPage("Accepted"), visibility: "asker" }) });
    const asked = one.discord.people.command(one.alice, "review", { repo: "demo" });
    one.discord.rest.trouble({
      path: /callback$/,
      answer: { status: 404, code: 10062, message: "Unknown interaction" },
    });
    await one.discord.done(asked);
    const dm = one.discord.world.openDm(one.alice.user);
    await one.discord.until(() => readable(dm.messages[0]).includes("Accepted"));
    expect(one.inbox.commands).toHaveLength(1);
    const late = one.logged.find(({ event }) => event === "discord.acknowledged_late");
    expect(late?.fields["ageMs"]).toBeTypeOf("number");
    expect(one.discord.rest.requests.filter(({ path }) => path.endsWith("/callback"))).toHaveLength(1);
  });

  it("40060: counts as acknowledged, and warns of a second process", async () => {
    const one = await rig({ answer: () => ({ page: plainPage("Accepted"), visibility: "asker" }) });
    const asked = one.discord.people.command(one.alice, "review", { repo: "demo" });
    // Somebody else was faster, with the same answer.
    const path = `${one.discord.apiUrl}/v10/interactions/${asked.interaction.id}/${asked.interaction.token}/callback`;
    await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "DiscordBot (https://example.org, 1)" },
      body: JSON.stringify({ type: 5, data: { flags: 64 } }),
    });
    one.discord.tell(asked);
    await one.discord.until(() => readable(shown(one)[0]).includes("Accepted"));
    expect(one.logged.some(({ event }) => event === "discord.acknowledged_twice")).toBe(true);
    expect(one.inbox.commands).toHaveLength(1);
  });

  it("the same once more is done once, also by a second process with the same store", async () => {
    const store = createMemoryChannelStore();
    const one = await rig({ store, answer: () => ({ page: plainPage("Accepted"), visibility: "asker" }) });
    const asked = one.discord.people.command(one.alice, "review", { repo: "demo" });
    await one.discord.done(asked);
    await one.discord.until(() => readable(shown(one)[0]).includes("Accepted"));
    await one.discord.done(asked);
    await one.discord.until(() => one.logged.some(({ event }) => event === "discord.repeated"));
    expect(one.inbox.commands).toHaveLength(1);
    expect(shown(one)).toHaveLength(1);
  });

  it("one that a process died over is done by the next, in the message that was deferred", async () => {
    const store = createMemoryChannelStore();
    const clock = createFakeClock(Date.now());
    const one = await rig({ store, clock, answer: () => ({ page: plainPage("Accepted"), visibility: "asker" }) });
    const asked = one.discord.people.command(one.alice, "review", { repo: "demo" });
    await store.claimEvent({ channel: "discord", key: `interaction/${asked.interaction.id}` }, clock.now());
    await one.discord.done(asked);
    await one.discord.until(() => one.logged.some(({ event }) => event === "discord.repeated"));
    expect(one.inbox.commands).toEqual([]);
    clock.advance(61_000);
    await one.discord.until(() => readable(shown(one)[0]).includes("Accepted"));
    expect(one.inbox.commands).toHaveLength(1);
    expect(shown(one)).toHaveLength(1);
  });

  it("50027: what is ready after a quarter of an hour goes to the person without the interaction", async () => {
    const clock = createFakeClock(Date.now());
    const one = await rig({ clock, answer: () => null });
    const { conversation } = one;
    const person = { channel: "discord", workspace: one.discord.guild, person: one.alice.user };
    one.inbox.command = async () => {
      await one.channel.send({ conversation, onlyFor: person }, plainPage("Working"), "rv/progress");
      return { page: null, visibility: "asker" };
    };
    await one.discord.done(one.discord.people.command(one.alice, "review", { repo: "demo" }));
    await one.discord.until(() => readable(shown(one)[0]).includes("Working"));
    const progress = { ...conversation, message: shown(one)[0]?.id ?? "" };
    clock.advance(15 * 60_000 + 1_000);
    await expect(one.channel.edit(progress, plainPage("Clean"))).rejects.toMatchObject({ fault: "gone" });
    const ref = await one.channel.send({ conversation, onlyFor: person }, plainPage("Clean"), "rv/0");
    const dm = one.discord.world.openDm(one.alice.user);
    expect(readable(dm.messages[0])).toContain("Clean");
    expect(ref).toMatchObject({ conversation: dm.id, message: dm.messages[0]?.id });
  });
});
