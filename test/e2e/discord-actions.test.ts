// Discord beside commands: suggestions, buttons and forms, servers that are not served, a stop, the other transport, the token.
import { generateKeyPairSync, sign } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { discordChannelConfig } from "../../channels/discord/config.ts";
import { createDiscordChannel } from "../../channels/discord/index.ts";
import { HEAD_START_MS } from "../../channels/discord/interactions-http.ts";
import { startFakeDiscord } from "../fakes/discord/discord.ts";
import { atEnd, endRigs, readable, rig, shown, withButton } from "../fakes/discord/rig.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { plainPage } from "../fakes/scripted-inbox.ts";

afterEach(endRigs);

describe("suggestions", () => {
  it("are the values that fit, within the limits, and come without a deferral", async () => {
    const one = await rig({ suggestions: ["review demo", "review depot", "review demo main", "demo"] });
    const asked = one.discord.people.typing(one.alice, "review", { repo: "de" });
    await one.discord.done(asked);
    const choices = ["demo", "depot"].map((value) => ({ name: value, value }));
    expect(asked.interaction.answer).toEqual({ type: 8, data: { choices } });
    const rev = one.discord.people.typing(one.alice, "review", { repo: "demo", rev: "m" });
    await one.discord.done(rev);
    expect(rev.interaction.answer).toEqual({ type: 8, data: { choices: [{ name: "main", value: "main" }] } });
    expect(one.inbox.commands).toEqual([]);
  });

  it("are none where they cannot be found in time, or at all", async () => {
    const clock = createFakeClock(Date.now());
    const one = await rig({ clock });
    let isAsked = false;
    one.inbox.suggest = () => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    const slow = one.discord.people.typing(one.alice, "review", { repo: "de" });
    one.discord.tell(slow);
    await one.discord.until(() => isAsked);
    clock.advance(2_000);
    await one.discord.until(() => slow.interaction.answer !== undefined);
    expect(slow.interaction.answer).toEqual({ type: 8, data: { choices: [] } });
    one.inbox.suggest = () => Promise.reject(new Error("broken"));
    const broken = one.discord.people.typing(one.alice, "review", { repo: "de" });
    await one.discord.done(broken);
    expect(broken.interaction.answer).toEqual({ type: 8, data: { choices: [] } });
  });
});

describe("a button", () => {
  it("reaches the core with its token, its message and the person's roles, and the card stays", async () => {
    const one = await rig();
    const ref = await one.channel.send({ conversation: one.conversation }, { card: withButton("v1:abc") }, "dl/0");
    const pressed = one.discord.people.press(one.alice, ref.message, "v1:abc");
    await one.discord.done(pressed);
    expect(pressed.interaction.answer).toEqual({ type: 6 });
    expect(one.inbox.actions).toEqual([
      expect.objectContaining({ token: "v1:abc", message: ref, groups: one.alice.roles, values: {} }),
    ]);
  });

  it("whose action asks is answered with a form, and the form's values come back under the same token", async () => {
    const one = await rig();
    const field = { name: "reason", label: "Reason", multiline: false, required: true };
    one.inbox.onAction = async (inbound) => {
      if (inbound.values["reason"] === undefined) {
        await one.channel.ask(inbound, { title: "Why is this no problem?", token: inbound.token, fields: [field] });
      }
    };
    const ref = await one.channel.send({ conversation: one.conversation }, { card: withButton("v1:abc") }, "dl/0");
    const pressed = one.discord.people.press(one.alice, ref.message, "v1:abc");
    await one.discord.done(pressed);
    expect(pressed.interaction.answer?.["type"]).toBe(9);
    const submitted = one.discord.people.submit(one.alice, pressed.interaction, { reason: "It is meant so" });
    await one.discord.done(submitted);
    expect(submitted.interaction.answer).toEqual({ type: 6 });
    expect(one.inbox.actions.map(({ values, message }) => [values, message.message])).toEqual([
      [{}, ref.message],
      [{ reason: "It is meant so" }, ref.message],
    ]);
  });

  it("whose action tells the person something alone does so in the channel, not by a direct message", async () => {
    const one = await rig();
    one.inbox.onAction = async ({ conversation, person, eventId }) => {
      await one.channel.send({ conversation, onlyFor: person }, plainPage("Not allowed"), `action/${eventId}/0`);
    };
    const ref = await one.channel.send({ conversation: one.conversation }, { card: withButton("v1:abc") }, "dl/0");
    await one.discord.done(one.discord.people.press(one.alice, ref.message, "v1:abc"));
    await one.discord.until(() => shown(one).length === 2);
    expect(shown(one)[1]?.onlyFor).toBe(one.alice.user);
    expect(readable(shown(one)[1])).toContain("Not allowed");
    // The card itself was not touched.
    expect(readable(shown(one)[0])).toContain("Root");
  });

  it("of another version of the bot, or of another bot's making, is told to be of no use", async () => {
    const one = await rig();
    const row = { type: 1, components: [{ type: 2, style: 2, label: "Old", custom_id: "ack:7" }] };
    const old = one.discord.world.addMessage(one.discord.channel, { author: one.discord.world.bot, components: [row] });
    const pressed = one.discord.people.press(one.alice, old.id, "ack:7");
    await one.discord.done(pressed);
    await one.discord.until(() => shown(one).length === 2);
    expect(readable(shown(one)[1])).toContain("no longer works");
    expect(one.inbox.actions).toEqual([]);
  });

  it("in a direct message reaches the core as the conversation that its card is about", async () => {
    const one = await rig();
    const person = { channel: "discord", workspace: one.discord.guild, person: one.alice.user };
    const target = { conversation: one.conversation, onlyFor: person };
    const ref = await one.channel.send(target, { card: withButton("v1:abc") }, "dl/0");
    const { guild, channel } = one.discord;
    const there = { user: one.alice.user, channel: ref.conversation };
    await one.discord.done(one.discord.people.press(there, ref.message, `v1:abc@${guild}.${channel}`));
    expect(one.inbox.actions).toEqual([
      expect.objectContaining({
        conversation: one.conversation,
        token: "v1:abc",
        message: ref,
        person: expect.objectContaining(person),
      }),
    ]);
  });
});

describe("servers", () => {
  it("that are not served get no answer but that, and the core never hears of them", async () => {
    const one = await rig({ config: { guilds: ["700000000000000001"] } });
    await one.discord.done(one.discord.people.command(one.alice, "review", { repo: "demo" }));
    await one.discord.until(() => readable(shown(one)[0]).includes("does not answer in this server"));
    await one.discord.done(one.discord.people.typing(one.alice, "review", { repo: "de" }));
    expect(one.inbox.commands).toEqual([]);
  });

  it("get their commands at once while the bot is developed", async () => {
    const discord = await startFakeDiscord();
    atEnd(() => discord.stop());
    const one = await rig({ discord, config: { guild_commands: [discord.guild] } });
    expect([...discord.world.commands.keys()]).toEqual([discord.guild]);
    await discord.done(discord.people.command(one.alice, "aicr status"));
    await discord.until(() => one.inbox.commands.length === 1);
  });
});

describe("a stop", () => {
  it("lets what is under way end before it says good-bye", async () => {
    let go = (): void => {};
    const one = await rig({
      answer: () =>
        new Promise((resolve) => {
          go = () => resolve({ page: plainPage("Accepted"), visibility: "asker" });
        }),
    });
    await one.discord.done(one.discord.people.command(one.alice, "review", { repo: "demo" }));
    await one.discord.until(() => one.inbox.commands.length === 1);
    const stopping = one.channel.stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(one.discord.gateway.codes).toEqual([]);
    go();
    await stopping;
    expect(readable(shown(one)[0])).toContain("Accepted");
    await one.discord.gateway.reached("closed", 1);
    expect(one.discord.gateway.codes).toEqual([1000]);
    expect(one.channel.health()).toEqual({ state: "down", detail: "stopped" });
  });
});

describe("the other transport", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = Buffer.from(String(publicKey.export({ format: "jwk" })["x"]), "base64url").toString("hex");

  it("answers in Discord's own requests, and sends by REST as ever", async () => {
    const clock = createFakeClock(Date.now());
    const one = await rig({
      clock,
      config: { transport: "http", public_key: key },
      answer: () => ({ page: plainPage("Accepted"), visibility: "asker" }),
    });
    expect(one.channel.routes).toEqual(["/discord/interactions"]);
    expect(one.channel.health()).toEqual({ state: "up" });
    expect(one.discord.gateway.count("connected")).toBe(0);
    const asked = one.discord.people.command(one.alice, "review", { repo: "demo" });
    const body = JSON.stringify(asked.packet);
    const time = String(Math.floor(clock.now() / 1_000));
    const signature = sign(null, Buffer.from(time + body), privateKey).toString("hex");
    const headers = { "x-signature-ed25519": signature, "x-signature-timestamp": time };
    const request = new Request("http://127.0.0.1/discord/interactions", { method: "POST", headers, body });
    const answer = await one.channel.webhook(request);
    const first = (await answer.json()) as Record<string, unknown>;
    expect(first).toEqual({ type: 5, data: { flags: 64 } });
    // Discord takes the answer, and shows what was deferred.
    asked.interaction.answer = first;
    const thinking = { author: one.discord.world.bot, onlyFor: one.alice.user, isThinking: true };
    asked.interaction.original = one.discord.world.addMessage(one.discord.channel, thinking).id;
    clock.advance(HEAD_START_MS);
    await one.discord.until(() => readable(shown(one)[0]).includes("Accepted"));
    expect(one.inbox.commands[0]?.text).toBe("demo");
    const forged = await one.channel.webhook(new Request(request.url, { method: "POST", headers, body: `${body} ` }));
    expect(forged.status).toBe(401);
  });

  it("says that it is not there where the gateway is used", async () => {
    const one = await rig();
    expect(one.channel.routes).toEqual([]);
    expect((await one.channel.webhook(new Request("http://127.0.0.1/discord/interactions"))).status).toBe(404);
  });
});

describe("a token", () => {
  it("that is missing refuses the start, with the variable's name", () => {
    const options = {
      config: discordChannelConfig.parse({ application_id: "100000000000000001" }),
      secret: () => undefined,
    };
    expect(() => createDiscordChannel(options as unknown as Parameters<typeof createDiscordChannel>[0])).toThrow(
      expect.objectContaining({ code: "config", message: expect.stringContaining("DISCORD_BOT_TOKEN") }),
    );
  });

  it("never stands in what is logged", async () => {
    const one = await rig({ answer: () => ({ page: plainPage("Accepted"), visibility: "asker" }) });
    const asked = one.discord.people.command(one.alice, "review", { repo: "demo" });
    one.discord.rest.trouble({ path: /callback$/, answer: { status: 500 } });
    await one.discord.done(asked);
    await one.discord.until(() => one.inbox.commands.length === 1);
    await one.channel.stop();
    const all = JSON.stringify(one.logged);
    expect(all).toContain("discord.not_acknowledged");
    expect(all).not.toContain(one.discord.world.token);
    expect(all).not.toContain(asked.interaction.token);
  });
});
