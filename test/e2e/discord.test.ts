// Discord from the slash command to the card: the channel as it is composed, the real discord.js, and a strict Discord on loopback.
import { generateKeyPairSync, sign } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { discordChannelConfig } from "../../channels/discord/config.ts";
import { createDiscordChannel } from "../../channels/discord/index.ts";
import { HEAD_START_MS } from "../../channels/discord/interactions-http.ts";
import type { Card } from "../../src/core/card.ts";
import type { AppError } from "../../src/core/errors.ts";
import type { Channel, InboundAction } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from "../fakes/discord/discord.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import { type Answer, createScriptedInbox, plainCard, plainPage, type ScriptedInbox } from "../fakes/scripted-inbox.ts";

const texts = createTexts();
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end();
});

interface Rig {
  readonly discord: FakeDiscord;
  readonly channel: Channel;
  readonly inbox: ScriptedInbox & { onAction?: (inbound: InboundAction) => Promise<void> };
  readonly logged: { readonly event: string; readonly fields: Record<string, unknown> }[];
  readonly fatal: AppError[];
  readonly conversation: { readonly channel: string; readonly workspace: string; readonly conversation: string };
  readonly alice: { readonly user: string; readonly channel: string; readonly roles: readonly string[] };
}

interface RigOptions extends FakeDiscordOptions {
  readonly answer?: Answer;
  readonly suggestions?: readonly string[];
  readonly config?: Record<string, unknown>;
  readonly store?: ChannelStore;
  readonly clock?: Clock;
  readonly discord?: FakeDiscord;
}

async function rig(options: RigOptions = {}): Promise<Rig> {
  // Time stands still unless a test turns it: no machine is too slow for Discord's three seconds.
  const { answer, suggestions, store = createMemoryChannelStore(), clock = createFakeClock(Date.now()) } = options;
  const discord = options.discord ?? (await startFakeDiscord({ now: () => clock.now() }));
  if (options.discord === undefined) {
    cleanUp.push(async () => {
      await discord.stop();
      expect(discord.rest.mistakes).toEqual([]);
    });
  }
  const logged: { event: string; fields: Record<string, unknown> }[] = [];
  const log = (event: string, fields: Record<string, unknown> = {}): void => void logged.push({ event, fields });
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  const fatal: AppError[] = [];
  const inbox: Rig["inbox"] = createScriptedInbox(answer, suggestions);
  const { action } = inbox;
  inbox.action = async (inbound) => {
    await action(inbound);
    await inbox.onAction?.(inbound);
  };
  const channel = createDiscordChannel({
    config: discordChannelConfig.parse({
      application_id: discord.world.application,
      api_url: discord.apiUrl,
      ...options.config,
    }),
    secret: (name) => (name === "DISCORD_BOT_TOKEN" ? discord.world.token : undefined),
    store,
    clock,
    ids: createFixedIds(),
    logger,
    commandName: "review",
    texts: async () => texts,
    fatal: (error) => fatal.push(error),
  });
  await channel.start(inbox);
  cleanUp.push(() => channel.stop());
  const guild = options.config?.["guild_commands"] === undefined ? "" : discord.guild;
  if (channel.health().state === "up") await discord.until(() => discord.world.commands.has(guild));
  return {
    discord,
    channel,
    inbox,
    logged,
    fatal,
    conversation: { channel: "discord", workspace: discord.guild, conversation: discord.channel },
    alice: { user: "500000000000000001", channel: discord.channel, roles: ["600000000000000001"] },
  };
}

/** Everything readable of a message, V2 or not. */
function readable(message: { readonly content: string; readonly components: readonly unknown[] } | undefined): string {
  return message === undefined ? "" : message.content + JSON.stringify(message.components);
}

function shown({ discord }: Rig, channel = discord.channel) {
  return discord.world.channels.get(channel)?.messages ?? [];
}

const withButton = (token: string): Card =>
  plainCard("Root", { blocks: [{ kind: "actions", actions: [{ label: "Dismiss", token, style: "default" }] }] });

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
    cleanUp.push(() => discord.stop());
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
