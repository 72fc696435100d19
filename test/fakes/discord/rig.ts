// A started Discord channel with a scripted core, at the small Discord: for tests of what people do and see.
import { expect } from "vitest";
import { discordChannelConfig } from "../../../channels/discord/config.ts";
import { createDiscordChannel } from "../../../channels/discord/index.ts";
import type { Card } from "../../../src/core/card.ts";
import type { AppError } from "../../../src/core/errors.ts";
import type { Channel, InboundAction } from "../../../src/ports/channel.ts";
import type { ChannelStore } from "../../../src/ports/channel-store.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { createFakeClock } from "../fake-clock.ts";
import { createFixedIds } from "../fixed-ids.ts";
import { createMemoryChannelStore } from "../memory-channel-store.ts";
import { type Answer, createScriptedInbox, plainCard, type ScriptedInbox } from "../scripted-inbox.ts";
import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from "./discord.ts";

const texts = createTexts();
const cleanUp: (() => Promise<void>)[] = [];

/** To be awaited after each test: ends what it began, and fails when Discord was sent something that it refuses by its own rules. */
export async function endRigs(): Promise<void> {
  for (const end of cleanUp.splice(0).reverse()) await end();
}

/** Runs when the test ends. */
export function atEnd(end: () => Promise<void>): void {
  cleanUp.push(end);
}

export interface Rig {
  readonly discord: FakeDiscord;
  readonly channel: Channel;
  readonly inbox: ScriptedInbox & { onAction?: (inbound: InboundAction) => Promise<void> };
  readonly logged: { readonly event: string; readonly fields: Record<string, unknown> }[];
  readonly fatal: AppError[];
  readonly conversation: { readonly channel: string; readonly workspace: string; readonly conversation: string };
  readonly alice: { readonly user: string; readonly channel: string; readonly roles: readonly string[] };
}

export interface RigOptions extends FakeDiscordOptions {
  readonly answer?: Answer;
  readonly suggestions?: readonly string[];
  readonly config?: Record<string, unknown>;
  readonly store?: ChannelStore;
  readonly clock?: Clock;
  readonly discord?: FakeDiscord;
}

export async function rig(options: RigOptions = {}): Promise<Rig> {
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
export function readable(
  message: { readonly content: string; readonly components: readonly unknown[] } | undefined,
): string {
  return message === undefined ? "" : message.content + JSON.stringify(message.components);
}

export function shown({ discord }: Rig, channel = discord.channel) {
  return discord.world.channels.get(channel)?.messages ?? [];
}

export const withButton = (token: string): Card =>
  plainCard("Root", { blocks: [{ kind: "actions", actions: [{ label: "Dismiss", token, style: "default" }] }] });
