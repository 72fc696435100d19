// A small Discord: servers, channels, threads, messages and interactions, with ids that tell their time as Discord's do.

export type Json = Readonly<Record<string, unknown>>;

/** Kinds of channels. */
export const kinds = { text: 0, dm: 1, voice: 2, announcement: 5, publicThread: 11, forum: 15, media: 16 } as const;

export const permissions = {
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  SendMessagesInThreads: 1n << 38n,
} as const;
export type Permission = keyof typeof permissions;

export interface WorldRole {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
}

export interface WorldGuild {
  readonly id: string;
  name: string;
  readonly roles: WorldRole[];
  /** Roles of each member beside everyone's; the bot is a member. */
  readonly members: Map<string, string[]>;
  /** Most threads that may be active at once. */
  maxThreads: number;
}

export interface WorldTag {
  readonly id: string;
  readonly name: string;
  readonly moderated: boolean;
}

export interface WorldChannel {
  readonly id: string;
  readonly type: number;
  /** Absent for a direct message. */
  readonly guild?: string;
  name: string;
  readonly parent?: string;
  readonly overwrites: { id: string; type: 0 | 1; allow: bigint; deny: bigint }[];
  readonly tags: WorldTag[];
  requiresTag: boolean;
  /** Of a thread. */
  archived: boolean;
  locked: boolean;
  readonly owner?: string;
  appliedTags: string[];
  /** Of a direct message. */
  readonly recipient?: string;
  /** Oldest first; deleted ones are gone. */
  readonly messages: WorldMessage[];
}

export interface WorldMessage {
  readonly id: string;
  readonly channel: string;
  readonly author: string;
  content: string;
  embeds: readonly Json[];
  components: readonly Json[];
  flags: number;
  attachments: { id: string; filename: string; contentType: string; data: Uint8Array; description?: string }[];
  readonly createdAt: number;
  editedAt?: number;
  readonly nonce?: string;
  /** Who alone sees it. */
  readonly onlyFor?: string;
  /** Who was notified of it; nobody where notifications were suppressed. */
  readonly pinged: readonly string[];
  /** The message that it answers. */
  readonly reference?: string;
  /** Whether it is still a deferral that nothing filled. */
  isThinking?: boolean;
}

export interface WorldInteraction {
  readonly id: string;
  readonly token: string;
  /** 2 command, 3 component, 4 autocomplete, 5 modal submit. */
  readonly type: 2 | 3 | 4 | 5;
  readonly channel: string;
  readonly user: string;
  readonly createdAt: number;
  /** The message whose button was pressed. */
  readonly message?: string;
  /** The first answer, once there was one. */
  answer?: Json;
  /** The original response's message. */
  original?: string;
}

const EPOCH = 1_420_070_400_000;

export interface World {
  readonly application: string;
  /** The bot's user; new applications share the id, older ones do not, so that nobody may take one for the other. */
  readonly bot: string;
  readonly token: string;
  readonly guilds: Map<string, WorldGuild>;
  readonly channels: Map<string, WorldChannel>;
  readonly interactions: Map<string, WorldInteraction>;
  readonly commands: Map<string, readonly Json[]>;
  /** People who take no direct messages. */
  readonly closedTo: Set<string>;
  now(): number;
  newId(): string;
  addGuild(name?: string): WorldGuild;
  addChannel(
    guild: string,
    type: number,
    about?: Partial<Pick<WorldChannel, "id" | "name" | "parent" | "owner" | "requiresTag">>,
  ): WorldChannel;
  addTag(channel: string, name: string, moderated?: boolean): WorldTag;
  addMessage(channel: string, message: Partial<WorldMessage> & Pick<WorldMessage, "author">): WorldMessage;
  openDm(user: string): WorldChannel;
  deny(channel: string, ...denied: Permission[]): void;
  grant(channel: string, ...granted: Permission[]): void;
  /** All rights of the bot in a channel; a thread has its parent's. */
  rights(channel: WorldChannel, user?: string): bigint;
  /** What a person does, and the client must answer. */
  openInteraction(
    about: Pick<WorldInteraction, "type" | "channel" | "user"> & { readonly message?: string },
  ): WorldInteraction;
  interactionBy(token: string): WorldInteraction | undefined;
  message(channel: string, id: string): WorldMessage | undefined;
}

/** @param now ms since the epoch; ids are made by it. */
export function createWorld(now: () => number = Date.now): World {
  let counter = 0;
  const newId = (): string => String((BigInt(Math.floor(now()) - EPOCH) << 22n) | BigInt(counter++ & 0x3fffff));
  const application = newId();
  const bot = newId();
  const guilds: World["guilds"] = new Map();
  const channels: World["channels"] = new Map();
  const interactions: World["interactions"] = new Map();

  const world: World = {
    application,
    bot,
    token: `${Buffer.from(bot).toString("base64url")}.fake.${"s".repeat(27)}`,
    guilds,
    channels,
    interactions,
    commands: new Map(),
    closedTo: new Set(),
    now,
    newId,
    addGuild(name = "Server") {
      const id = newId();
      const everyone = { id, name: "@everyone", permissions: permissions.ViewChannel | permissions.ReadMessageHistory };
      const role = { id: newId(), name: "AICR Bot", permissions: 309_237_763_072n };
      const guild: WorldGuild = {
        id,
        name,
        roles: [everyone, role],
        members: new Map([[bot, [role.id]]]),
        maxThreads: 1_000,
      };
      guilds.set(id, guild);
      return guild;
    },
    addChannel(guild, type, about = {}) {
      const channel = blankChannel({ id: newId(), type, guild, name: "general", ...about });
      channels.set(channel.id, channel);
      return channel;
    },
    addTag(channel, name, moderated = false) {
      const tag = { id: newId(), name, moderated };
      channels.get(channel)?.tags.push(tag);
      return tag;
    },
    addMessage(channel, about) {
      const blank = { content: "", embeds: [], components: [], flags: 0, attachments: [], pinged: [] };
      const message: WorldMessage = { id: newId(), channel, createdAt: now(), ...blank, ...about };
      channels.get(channel)?.messages.push(message);
      return message;
    },
    openDm(user) {
      const known = [...channels.values()].find(({ recipient }) => recipient === user);
      if (known !== undefined) return known;
      const channel = blankChannel({ id: newId(), type: kinds.dm, name: "", recipient: user });
      channels.set(channel.id, channel);
      return channel;
    },
    deny(channel, ...denied) {
      overwrite(channel).deny |= bitsOf(denied);
    },
    grant(channel, ...granted) {
      overwrite(channel).allow |= bitsOf(granted);
    },
    rights(channel, user = bot) {
      if (channel.guild === undefined) return ~0n;
      const parent = isThread(channel) ? channels.get(channel.parent ?? "") : undefined;
      return rightsIn(guilds.get(channel.guild), parent ?? channel, user);
    },
    openInteraction(about) {
      const id = newId();
      const interaction = { ...about, id, token: `tok-${id}-${"x".repeat(20)}`, createdAt: now() };
      interactions.set(id, interaction);
      return interaction;
    },
    interactionBy: (token) => [...interactions.values()].find((one) => one.token === token),
    message: (channel, id) => channels.get(channel)?.messages.find((one) => one.id === id),
  };
  return world;

  function overwrite(channel: string): { allow: bigint; deny: bigint } {
    const overwrites = channels.get(channel)?.overwrites ?? [];
    const known = overwrites.find(({ id }) => id === bot);
    if (known !== undefined) return known;
    const added = { id: bot, type: 1, allow: 0n, deny: 0n } as const;
    overwrites.push({ ...added });
    return overwrites.at(-1) ?? { ...added };
  }
}

export function isThread({ type }: Pick<WorldChannel, "type">): boolean {
  return type === 10 || type === 11 || type === 12;
}

function blankChannel(about: Partial<WorldChannel> & Pick<WorldChannel, "id" | "type" | "name">): WorldChannel {
  const state = { requiresTag: false, archived: false, locked: false };
  return { ...state, overwrites: [], tags: [], appliedTags: [], messages: [], ...about };
}

function bitsOf(names: readonly Permission[]): bigint {
  return names.reduce((bits, name) => bits | permissions[name], 0n);
}

/** As Discord computes them: everyone's, the roles', then the channel's overwrites for everyone, for the roles, for the member. */
function rightsIn(guild: WorldGuild | undefined, channel: WorldChannel, user: string): bigint {
  if (guild === undefined) return 0n;
  const mine = new Set(guild.members.get(user) ?? []);
  let bits = 0n;
  for (const role of guild.roles) if (role.id === guild.id || mine.has(role.id)) bits |= role.permissions;
  const layers = [
    channel.overwrites.filter(({ id }) => id === guild.id),
    channel.overwrites.filter(({ id, type }) => type === 0 && mine.has(id)),
    channel.overwrites.filter(({ id, type }) => type === 1 && id === user),
  ];
  for (const layer of layers) {
    for (const { deny } of layer) bits &= ~deny;
    for (const { allow } of layer) bits |= allow;
  }
  return bits;
}
