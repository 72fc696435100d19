// Native → inbound, pure: which conversation, thread, person and button an interaction is about.
import type { ConversationRef, MessageRef, PersonRef } from "../../src/core/delivery.ts";
import type { Role } from "../../src/core/roles.ts";
import type { InboundAction, InboundCommand } from "../../src/ports/channel.ts";
import type { ActedInteraction, FormInteraction, PressInteraction } from "./interaction.ts";

/** Threads of announcement, public and private kind. */
const threadTypes: ReadonlySet<number> = new Set([10, 11, 12]);

/** The workspace of direct messages, as Discord's own addresses name it. */
const DIRECT = "@me";

const ADMINISTRATOR = 1n << 3n;

/** Who acted where. */
export interface Actor {
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  readonly thread?: string;
  readonly locale?: string;
  readonly roles: readonly Role[];
  readonly groups: readonly string[];
}

export interface ActorRules {
  /** Whether administrators of a server are admins of the bot. */
  readonly guildAdmins: boolean;
}

/**
 * Null for what came from no server, where nobody may be answered: commands are offered in servers alone.
 * A press on a button in a direct message belongs to the conversation that the button names (see `readCustomId`).
 */
export function actorOf(interaction: ActedInteraction, rules: ActorRules, origin?: Origin): Actor | null {
  const { guild_id, channel_id, channel, member, locale } = interaction;
  const user = member?.user ?? interaction.user;
  const workspace = guild_id ?? origin?.guild;
  const place = guild_id === undefined ? origin?.channel : (channel_id ?? channel?.id);
  if (user === undefined || workspace === undefined || place === undefined) return null;
  const isThread = guild_id !== undefined && threadTypes.has(channel?.type ?? 0);
  const parent = isThread ? (channel?.parent_id ?? undefined) : undefined;
  const name = member?.nick ?? user.global_name ?? user.username;
  const isAdmin = rules.guildAdmins && (BigInt(member?.permissions ?? "0") & ADMINISTRATOR) !== 0n;
  return {
    conversation: { channel: "discord", workspace, conversation: parent ?? place },
    person: { channel: "discord", workspace, person: user.id, ...(name === undefined ? {} : { name }) },
    ...(parent === undefined ? {} : { thread: place }),
    ...(locale === undefined ? {} : { locale }),
    roles: isAdmin ? ["admin"] : [],
    groups: member?.roles ?? [],
  };
}

export function inboundCommand(interaction: ActedInteraction, actor: Actor, text: string): InboundCommand {
  return { ...actor, eventId: interaction.id, text };
}

/** A press or a submitted form; null when its message is unknown. */
export function inboundAction(
  interaction: PressInteraction | FormInteraction,
  actor: Actor,
  token: string,
  values: Readonly<Record<string, string>>,
): InboundAction | null {
  if (interaction.message === undefined) return null;
  const { conversation, person, thread, roles, groups } = actor;
  // The message that a thread hangs on, and a forum post's first one, have the thread's own id.
  const isRoot = interaction.message.id === thread;
  const { guild_id, channel_id } = interaction;
  const place =
    guild_id === undefined && channel_id !== undefined
      ? { channel: "discord", workspace: DIRECT, conversation: channel_id }
      : { ...conversation, ...(thread === undefined || isRoot ? {} : { thread }) };
  const message: MessageRef = { ...place, message: interaction.message.id };
  return { conversation, person, eventId: interaction.id, token, message, values, roles, groups };
}

/** Where a card belongs that was sent as a direct message. */
export interface Origin {
  readonly guild: string;
  readonly channel: string;
}

export interface CustomId {
  /** `v1:<token>`, as the core made it. */
  readonly token: string;
  readonly origin?: Origin;
}

const customId = /^(v1:[0-9A-Za-z]{1,60})(?:@(\d{1,20})\.(\d{1,20}))?$/;

/** Buttons outlive deploys: what has no prefix of ours is null, and is told so. */
export function readCustomId(text: string): CustomId | null {
  const [, token, guild, channel] = customId.exec(text) ?? [];
  if (token === undefined) return null;
  return guild === undefined || channel === undefined ? { token } : { token, origin: { guild, channel } };
}

/** At most 89 characters; Discord takes 100. */
export function writeCustomId({ token, origin }: CustomId): string {
  return origin === undefined ? token : `${token}@${origin.guild}.${origin.channel}`;
}
