// The sending half at a Discord that nobody here wrote: cards, edits, threads, searches and what cannot be done there.
import { DigitalDiscord } from "discord-digital-twin";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDiscordClient } from "../../channels/discord/client.ts";
import { discordChannelConfig } from "../../channels/discord/config.ts";
import { createDiscordChannel } from "../../channels/discord/index.ts";
import { createOpenInteractions } from "../../channels/discord/open-interactions.ts";
import { createDiscordRest } from "../../channels/discord/rest.ts";
import type { ConversationRef } from "../../src/core/delivery.ts";
import { type Channel, ChannelError } from "../../src/ports/channel.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import { replies, root } from "../fakes/sample-cards.ts";
import { createScriptedInbox, plainPage } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

let twin: DigitalDiscord;
let channel: Channel;
let conversation: ConversationRef;
const started = Date.now();

beforeAll(async () => {
  twin = new DigitalDiscord({
    guild: { name: "Studio" },
    channels: [{ name: "reviews", type: 0 }],
    users: [{ username: "alice" }],
  });
  await twin.start();
  conversation = {
    channel: "discord",
    workspace: twin.guildId,
    conversation: (await twin.prisma.channel.findFirstOrThrow()).id,
  };
  const texts = createTexts({ folders: [] });
  channel = createDiscordChannel({
    config: discordChannelConfig.parse({ application_id: twin.botUserId, api_url: twin.restUrl }),
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
  await channel.start(createScriptedInbox());
});
afterAll(async () => {
  await channel.stop();
  await twin.stop();
});

const shown = () => twin.channel(conversation.conversation).getMessages();

it("shows a card with its colour, texts and buttons, and edits it in place", async () => {
  const ref = await channel.send({ conversation }, { card: root }, "dl_1/0");
  const [message, ...others] = (await shown()).filter(({ id }) => id === ref.message);
  expect(others).toEqual([]);
  const components = JSON.stringify(message?.components);
  expect(components).toContain("2 problems in demo");
  expect(components).toContain('"accent_color":12986408');
  expect(components).toContain("Open change");
  await channel.edit(ref, { card: { ...root, title: "1 problem in demo" } });
  const edited = (await shown()).find(({ id }) => id === ref.message);
  expect(JSON.stringify(edited?.components)).toContain("1 problem in demo");
  expect(await channel.permalink(ref)).toContain(`/${ref.message}`);
});

it("speaks in a thread, and its reply has the buttons of a finding", async () => {
  const starter = await channel.send({ conversation }, plainPage("Root"), "dl_2/0");
  // Here, a thread has an id of its own; at Discord it has its message's.
  const thread = await threadOn(starter.message);
  const [card = root] = replies;
  const reply = await channel.send({ conversation, thread }, { card }, "dl_2/1");
  expect(reply).toEqual({ ...conversation, thread, message: reply.message });
  const inThread = await twin.channel(thread).getMessages();
  const components = JSON.stringify(inThread.find(({ id }) => id === reply.message)?.components);
  expect(components).toContain("v1:acknowledge0001");
  await channel.edit(reply, plainPage("Dismissed"));
  expect(JSON.stringify(await twin.channel(thread).getMessages())).toContain("Dismissed");
});

/** A person opens a thread on a message. */
async function threadOn(message: string): Promise<string> {
  const response = await fetch(
    `${twin.restUrl}/v10/channels/${conversation.conversation}/messages/${message}/threads`,
    {
      method: "POST",
      headers: { authorization: `Bot ${twin.botToken}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "A thread", auto_archive_duration: 10_080 }),
    },
  );
  return ((await response.json()) as { readonly id: string }).id;
}

it("finds by its key what it has sent, and knows what it has not", async () => {
  const ref = await channel.send({ conversation }, plainPage("Here"), "dl_3/0");
  const clock = createSystemClock();
  // Another process, which remembers nothing: it has to read what stands there.
  const other = createDiscordClient({
    rest: createDiscordRest({ token: twin.botToken, apiUrl: twin.restUrl }),
    applicationId: twin.botUserId,
    interactions: createOpenInteractions(clock),
    clock,
    logger: silentLogger,
    texts: async () => createTexts({ folders: [] }),
  });
  expect(await other.find({ conversation }, "dl_3/0", started)).toEqual(ref);
  expect(await other.find({ conversation }, "dl_3/9", started)).toBe("absent");
});

it("removes, and says that what was removed is gone", async () => {
  const ref = await channel.send({ conversation }, plainPage("Oops"), "dl_4/0");
  await channel.remove(ref);
  await channel.remove(ref);
  const thrown = await channel.edit(ref, plainPage("Late")).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ChannelError);
  expect(thrown).toMatchObject({ fault: "gone" });
});

it("says that a channel which does not exist may not be written to", async () => {
  const nowhere = { ...conversation, conversation: "100000000000000001" };
  await expect(channel.send({ conversation: nowhere }, plainPage("Lost"), "dl_5/0")).rejects.toMatchObject({
    fault: "forbidden",
  });
});
