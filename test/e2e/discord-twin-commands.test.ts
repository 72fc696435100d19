// A command, its private answer, the card and a button, at a Discord that nobody here wrote; what was sent is kept as a file to read.
import { DigitalDiscord } from "discord-digital-twin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { discordChannelConfig } from "../../channels/discord/config.ts";
import { createDiscordChannel } from "../../channels/discord/index.ts";
import type { Channel } from "../../src/ports/channel.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { type RecordingProxy, startRecordingProxy } from "../fakes/discord/recording-proxy.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import { createScriptedInbox, plainCard, plainPage, type ScriptedInbox } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

let twin: DigitalDiscord;
let proxy: RecordingProxy;
let channel: Channel;
let inbox: ScriptedInbox;
let place: string;
let alice: string;

const root = plainCard("Two problems in main", {
  tone: "danger",
  blocks: [
    { kind: "text", children: [{ kind: "text", text: "A value may be undefined here." }] },
    { kind: "actions", actions: [{ label: "Dismiss", token: "v1:dismiss1", style: "default" }] },
  ],
});

beforeAll(async () => {
  twin = new DigitalDiscord({
    guild: { name: "Studio" },
    channels: [{ name: "reviews", type: 0 }],
    users: [{ username: "alice" }],
  });
  await twin.start();
  proxy = await startRecordingProxy(twin.restUrl);
  place = (await twin.prisma.channel.findFirstOrThrow()).id;
  alice = (await twin.getFirstNonBotUserId()) ?? "";
  const texts = createTexts();
  inbox = createScriptedInbox(async ({ conversation, person }) => {
    const progress = await channel.send(
      { conversation, onlyFor: person },
      plainPage("Accepted: demo"),
      "rv_1/progress",
    );
    await channel.edit(progress, plainPage("Reviewed demo: 2 problems"));
    // No reply in its thread: at Discord a thread has the id of its message, at the twin another one.
    await channel.send({ conversation }, { card: root }, "dl_1/0");
    return { page: null, visibility: "asker" };
  });
  const { action } = inbox;
  inbox.action = async (inbound) => {
    await action(inbound);
    await channel.edit(inbound.message, { card: { ...root, title: "One problem in main" } });
  };
  channel = createDiscordChannel({
    config: discordChannelConfig.parse({ application_id: twin.botUserId, api_url: proxy.apiUrl }),
    secret: () => twin.botToken,
    store: createMemoryChannelStore(),
    clock: createSystemClock(),
    ids: createFixedIds(),
    logger: silentLogger,
    commandName: "review",
    texts: async () => texts,
    fatal: (error) => {
      throw error;
    },
  });
  await channel.start(inbox);
});
afterAll(async () => {
  await channel.stop();
  await proxy.close();
  await twin.stop();
});

/** Settles when a call was answered; looks at every turn of the event loop. */
async function called(method: string, path: RegExp, times = 1): Promise<void> {
  const count = () => proxy.record().filter((one) => one.method === method && path.test(one.path)).length;
  while (count() < times) await new Promise((resolve) => setImmediate(resolve));
}

describe("at the twin", () => {
  it("logs in, and registers the commands", async () => {
    expect(channel.health()).toEqual({ state: "up" });
    await called("PUT", /\/commands$/);
  });

  it("answers /review: deferred in private, answered there, and the card by the bot", async () => {
    const actor = twin.channel(place).user(alice);
    const options = [
      { name: "repo", type: 3, value: "demo" },
      { name: "rev", type: 3, value: "main" },
    ];
    const asked = await actor.runSlashCommand({ name: "review", options });
    const ack = await twin.channel(place).waitForInteractionAck({ interactionId: asked.id });
    expect(ack).toMatchObject({ acknowledged: true, type: 5 });
    await twin.channel(place).waitForMessage({ predicate: (one) => JSON.stringify(one).includes("Two problems") });
    expect(inbox.commands).toHaveLength(1);
    expect(inbox.commands[0]).toMatchObject({
      conversation: { channel: "discord", workspace: twin.guildId, conversation: place },
      person: { person: alice },
      text: "demo main",
    });
    const shown = await twin.channel(place).getMessages();
    expect(JSON.stringify(shown)).toContain("Two problems in main");
    expect(JSON.stringify(shown)).toContain("Reviewed demo: 2 problems");
  });

  it("answers a button, and edits its card", async () => {
    const shown = await twin.channel(place).getMessages();
    const card = shown.find((one) => JSON.stringify(one).includes("Two problems in main"));
    const actor = twin.channel(place).user(alice);
    const pressed = await actor.clickButton({ messageId: card?.id ?? "", customId: "v1:dismiss1" });
    const ack = await twin.channel(place).waitForInteractionAck({ interactionId: pressed.id });
    expect(ack).toMatchObject({ acknowledged: true, type: 6 });
    expect(inbox.actions[0]).toMatchObject({ token: "v1:dismiss1", message: { message: card?.id } });
    const after = await twin.channel(place).getMessages();
    expect(JSON.stringify(after)).toContain("One problem in main");
  });

  it("was asked for nothing but this, in this order", async () => {
    await called("POST", /\/callback$/, 2);
    const record = proxy.record().filter(({ method, path }) => method !== "GET" || !path.startsWith("/gateway"));
    await expect(`${JSON.stringify(record, null, 2)}\n`).toMatchFileSnapshot("../fixtures/discord/run.json");
  });
});
