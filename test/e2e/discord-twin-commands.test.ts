// A command, its private answer, the card and a button, at a Discord that nobody here wrote; what was sent is kept as a file to read.
import { DigitalDiscord } from "discord-digital-twin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { discordChannelConfig } from "../../channels/discord/config.ts";
import { createDiscordChannel } from "../../channels/discord/index.ts";
import type { Channel } from "../../src/ports/channel.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { asSeen } from "../fakes/discord/as-seen.ts";
import { type RecordingProxy, startRecordingProxy } from "../fakes/discord/recording-proxy.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import { replies, root, steps } from "../fakes/sample-cards.ts";
import { createScriptedInbox, plainPage, type ScriptedInbox } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

let twin: DigitalDiscord;
let proxy: RecordingProxy;
let channel: Channel;
let inbox: ScriptedInbox;
let place: string;
let alice: string;
/** The interaction that was deferred in private. */
let review: string;

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
    const [first, ...others] = steps.map((card) => ({ card }));
    const progress = await channel.send({ conversation, onlyFor: person }, first ?? plainPage(""), "rv_1/progress");
    for (const page of others) await channel.edit(progress, page);
    // The findings stand beside the root, not in its thread: at Discord a thread has the id of its message, at the twin another one.
    for (const [index, card] of [root, ...replies].entries()) {
      await channel.send({ conversation }, { card }, `dl_1/${index}`);
    }
    return { page: null, visibility: "asker" };
  });
  const { action } = inbox;
  inbox.action = async (inbound) => {
    await action(inbound);
    const { conversation, person, message, token, values } = inbound;
    const field = { name: "reason", label: "Reason", multiline: false, required: true };
    if (values["reason"] === undefined) {
      return channel.ask(inbound, { title: "Why is this no problem?", token, fields: [field] });
    }
    await channel.edit(message, plainPage(`Dismissed by alice: ${values["reason"]}`));
    await channel.send({ conversation, onlyFor: person }, plainPage("It is dismissed."), "action/1");
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
    review = asked.id;
    await called("POST", /\/messages$/, 1 + replies.length);
    expect(inbox.commands).toHaveLength(1);
    expect(inbox.commands[0]).toMatchObject({
      conversation: { channel: "discord", workspace: twin.guildId, conversation: place },
      person: { person: alice },
      text: "demo main",
    });
  });

  it("answers a button with a form, and edits its card when the form comes back", async () => {
    const shown = await twin.channel(place).getMessages();
    const card = shown.find((one) => JSON.stringify(one).includes("v1:dismiss0001"));
    const actor = twin.channel(place).user(alice);
    const pressed = await actor.clickButton({ messageId: card?.id ?? "", customId: "v1:dismiss0001" });
    const ack = await twin.channel(place).waitForInteractionAck({ interactionId: pressed.id });
    expect(ack).toMatchObject({ acknowledged: true, type: 9 });
    // The twin forgets which message a form came from, and Discord does not.
    await twin.simulateInteraction({
      type: 5,
      channelId: place,
      userId: alice,
      messageId: card?.id ?? "",
      data: {
        custom_id: "v1:dismiss0001",
        components: [{ type: 18, component: { type: 4, custom_id: "reason", value: "the provider repeats nothing" } }],
      },
    });
    await called("POST", /^\/webhooks\//, 1);
    expect(inbox.actions.map(({ token, message, values }) => [token, message.message, values])).toEqual([
      ["v1:dismiss0001", card?.id, {}],
      ["v1:dismiss0001", card?.id, { reason: "the provider repeats nothing" }],
    ]);
  });

  it("was asked for nothing but this, in this order", async () => {
    await called("POST", /\/callback$/, 3);
    const record = proxy.record().filter(({ method, path }) => method !== "GET" || !path.startsWith("/gateway"));
    await expect(`${JSON.stringify(record, null, 2)}\n`).toMatchFileSnapshot("../fixtures/discord/run.json");
  });

  it("looks so to who asked", async () => {
    // What was deferred in private stays so; the twin drops that with the first edit.
    const deferred = (await twin.channel(place).getInteractionResponse(review))?.messageId;
    const shown = (await twin.channel(place).getMessages()).map((one) =>
      one.id === deferred ? { ...one, flags: (one.flags ?? 0) | 64 } : one,
    );
    const seen = asSeen(shown);
    const asked = "alice used /review repo: demo rev: main";
    await expect(`${asked}\n\n${seen}\n`).toMatchFileSnapshot("../fixtures/discord/run.txt");
  });
});
