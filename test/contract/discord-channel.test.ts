// Discord keeps the channel contract: the channel as it is composed, the real discord.js, and a small strict Discord on loopback.
import { discordChannelConfig } from "../../channels/discord/config.ts";
import { createDiscordChannel } from "../../channels/discord/index.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { nested } from "../fakes/discord/body-rules.ts";
import { startFakeDiscord } from "../fakes/discord/discord.ts";
import { readDiscordMarkdown } from "../fakes/discord/markdown-reader.ts";
import type { Happened } from "../fakes/discord/people.ts";
import { isThread, kinds, type WorldMessage } from "../fakes/discord/rest-world.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import { createScriptedInbox, plainPage } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { type ChannelHarness, channelContract, type ShownMessage } from "./channel.ts";

const texts = createTexts({ folders: [] });
const alice = "500000000000000001";

channelContract("discord", makeHarness);

async function makeHarness(): Promise<ChannelHarness> {
  const discord = await startFakeDiscord();
  const { world, rest, guild } = discord;
  const inbox = createScriptedInbox(({ text }) =>
    text.startsWith("answer") ? { page: plainPage(`You said ${text}`), visibility: "asker" } : null,
  );
  const channel = createDiscordChannel({
    config: discordChannelConfig.parse({ application_id: world.application, api_url: discord.apiUrl }),
    secret: () => world.token,
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
  await discord.until(() => world.commands.has(""));
  const conversation = { channel: "discord", workspace: guild, conversation: discord.channel };
  let last: Happened | undefined;

  /** Settles when the "thinking" message is filled or gone, and what came of it has been sent. */
  async function answered(happened: Happened): Promise<void> {
    await discord.done(happened);
    const { channel: place, original } = happened.interaction;
    const waits = () => original !== undefined && world.message(place, original)?.isThinking === true;
    await discord.until(() => !waits());
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** The channel in which a message stands, with its thread where it is one. */
  function shownIn(message: WorldMessage): ShownMessage {
    const place = world.channels.get(message.channel);
    const isDirect = place?.recipient !== undefined;
    const inThread = place !== undefined && isThread(place) && place.parent !== undefined ? { thread: place.id } : {};
    const where = isDirect ? { ...conversation, workspace: "@me", conversation: message.channel } : conversation;
    return {
      ref: { ...where, ...inThread, message: message.id },
      text: textOf(message),
      visibility: isDirect || message.onlyFor !== undefined ? "asker" : "everyone",
      from: message.author === world.bot ? "bot" : "person",
    };
  }

  return {
    channel,
    inbox,
    conversation,
    person: { channel: "discord", workspace: guild, person: alice },
    async shown() {
      const all = [...world.channels.values()].flatMap(({ messages }) => messages);
      return all.sort((a, b) => (BigInt(a.id) > BigInt(b.id) ? 1 : -1)).map(shownIn);
    },
    async say(text, thread) {
      if (thread !== undefined && !world.channels.has(thread)) {
        world.addChannel(guild, kinds.publicThread, { id: thread, parent: discord.channel, name: "Thread" });
      }
      const [, name = "", repo = "", rev] = text.split(/[/ ]/);
      const actor = { user: alice, channel: thread ?? discord.channel };
      last = discord.people.command(actor, name, { repo, ...(rev === undefined ? {} : { rev }) });
      await answered(last);
    },
    async sayAgain() {
      if (last === undefined) throw new Error("nothing was said");
      await answered(last);
    },
    async press(ref, token) {
      const message = world.message(ref.conversation, ref.message);
      if (message === undefined) throw new Error("there is no such message");
      // People press what a card shows: the contract's has no button, so this one gets it.
      const button = { type: 2, id: 900_001, style: 2, label: "Press", custom_id: token };
      message.components = [...message.components, { type: 1, id: 900_000, components: [button] }];
      const pressed = discord.people.press({ user: alice, channel: ref.conversation }, ref.message, token);
      await discord.done(pressed);
      await discord.until(() => inbox.actions.length > 0);
    },
    breakPlatform: () => void rest.close(),
    async stop() {
      await channel.stop();
      await discord.stop();
      if (rest.mistakes.length > 0) throw new Error(`bodies against the rules:\n${rest.mistakes.join("\n")}`);
    },
  };
}

/** What a person reads. */
function textOf({ components, embeds, content }: WorldMessage): string {
  const texts = nested(components).flatMap(({ content: text }) => (typeof text === "string" ? [text] : []));
  return [content, ...texts, ...embeds.map(({ title }) => String(title ?? ""))]
    .filter((text) => text !== "")
    .map((text) => readDiscordMarkdown(text).text)
    .join("\n");
}
