// Threads and forum posts of the small Discord: a thread has the id of its message, and an archived or locked one has its own rules.
import { channelOf, checkMessage, messageJson, storeMessage } from "./rest-messages.ts";
import { type Context, type Route, refuse } from "./rest-route.ts";
import { specMistakes } from "./rest-spec.ts";
import { isThread, type Json, kinds, permissions, type World, type WorldChannel } from "./rest-world.ts";

const REQUIRE_TAG = 1 << 4;

export const threadRoutes: readonly Route[] = [
  ["POST", "/channels/:channel/messages/:message/threads", startThread],
  ["POST", "/channels/:channel/threads", startPost],
  ["GET", "/channels/:channel", (context) => channelJson(context.world, channelOf(context, "ViewChannel"))],
  ["PATCH", "/channels/:channel", changeThread],
  ["GET", "/guilds/:guild/threads/active", activeThreads],
  ["GET", "/channels/:channel/threads/archived/public", archivedThreads],
];

function startThread(context: Context): unknown {
  const { world, body, params } = context;
  const channel = channelOf(context, "ViewChannel", "CreatePublicThreads");
  if (channel.type !== kinds.text && channel.type !== kinds.announcement) {
    refuse(400, 50024, "Cannot execute action on this channel type");
  }
  context.check(specMistakes("CreateTextThreadWithMessageRequest", body));
  const message = channel.messages.find(({ id }) => id === params["message"]);
  if (message === undefined) return refuse(404, 10008, "Unknown Message");
  if (world.channels.has(message.id)) refuse(400, 160004, "A thread has already been created for this message");
  refuseTooMany(world, channel);
  return channelJson(world, addThread(world, channel, message.id, String(body["name"])));
}

function startPost(context: Context): unknown {
  const { world, body } = context;
  const forum = channelOf(context, "ViewChannel", "SendMessages");
  if (forum.type !== kinds.forum && forum.type !== kinds.media) {
    return refuse(400, 50024, "Cannot execute action on this channel type");
  }
  context.check(specMistakes("CreateForumThreadRequest", body));
  checkMessage(context, "BaseCreateMessageCreateRequest", body["message"] as Json, { via: "bot" });
  const tags = (body["applied_tags"] as string[] | undefined) ?? [];
  context.check(
    tags.filter((id) => !forum.tags.some((tag) => tag.id === id)).map((id) => `applied_tags: no tag ${id}`),
  );
  if (forum.requiresTag && tags.length === 0)
    refuse(400, 40067, "A tag is required to create a forum post in this channel");
  refuseTooMany(world, forum);
  const id = world.newId();
  const thread = addThread(world, forum, id, String(body["name"]));
  thread.appliedTags = [...tags];
  const message = storeMessage(context, id, body["message"] as Json, { id });
  return { ...channelJson(world, thread), message: messageJson(world, message) };
}

function addThread(world: World, parent: WorldChannel, id: string, name: string): WorldChannel {
  const guild = parent.guild ?? "";
  return world.addChannel(guild, kinds.publicThread, { id, name, parent: parent.id, owner: world.bot });
}

function refuseTooMany(world: World, { guild }: WorldChannel): void {
  const active = [...world.channels.values()].filter((one) => isThread(one) && !one.archived && one.guild === guild);
  const most = world.guilds.get(guild ?? "")?.maxThreads ?? 0;
  if (active.length >= most) refuse(400, 160006, "Maximum number of active threads reached");
}

function changeThread(context: Context): unknown {
  const { world, body } = context;
  const channel = channelOf(context, "ViewChannel");
  if (!isThread(channel)) return refuse(403, 50013, "Missing Permissions");
  context.check(specMistakes("UpdateThreadRequestPartial", body));
  const mayManage = (world.rights(channel) & permissions.ManageThreads) !== 0n;
  const { archived, locked, applied_tags: tags, name } = body;
  const unlocks = locked === false && channel.locked;
  const isOwn = channel.owner === world.bot;
  // Who may speak may bring a thread back that is not locked; its maker may archive, name and tag it; the rest is managing.
  if (!mayManage) {
    if (locked !== undefined && (unlocks || locked === true)) refuse(403, 50013, "Missing Permissions");
    if (channel.locked) refuse(403, 50013, "Missing Permissions");
    if (!isOwn && (archived === true || name !== undefined || tags !== undefined))
      refuse(403, 50013, "Missing Permissions");
  }
  if (channel.archived && archived !== false) refuse(400, 50083, "Thread is archived");
  if (typeof archived === "boolean") channel.archived = archived;
  if (typeof locked === "boolean") channel.locked = locked;
  if (typeof name === "string") channel.name = name;
  if (Array.isArray(tags)) channel.appliedTags = [...(tags as string[])];
  return channelJson(world, channel);
}

function activeThreads({ world, params }: Context): unknown {
  if (!world.guilds.has(params["guild"] ?? "")) return refuse(404, 10004, "Unknown Guild");
  const threads = threadsWhere(world, (one) => one.guild === params["guild"] && !one.archived);
  return { threads: threads.map((one) => channelJson(world, one)), members: [] };
}

function archivedThreads(context: Context): unknown {
  const { world } = context;
  const channel = channelOf(context, "ViewChannel", "ReadMessageHistory");
  const threads = threadsWhere(world, (one) => one.parent === channel.id && one.archived);
  return { threads: threads.map((one) => channelJson(world, one)), members: [], has_more: false };
}

/** Newest first. */
function threadsWhere(world: World, is: (channel: WorldChannel) => boolean): readonly WorldChannel[] {
  const threads = [...world.channels.values()].filter((one) => isThread(one) && is(one));
  return threads.sort((a, b) => (BigInt(b.id) > BigInt(a.id) ? 1 : -1));
}

export function channelJson(_world: World, channel: WorldChannel): Json {
  const { id, type, guild, name, parent, overwrites, tags, requiresTag, archived, locked, owner, messages } = channel;
  const isForum = type === kinds.forum || type === kinds.media;
  if (channel.recipient !== undefined) return { id, type, recipients: [{ id: channel.recipient }] };
  return {
    id,
    type,
    guild_id: guild,
    name,
    parent_id: parent ?? null,
    last_message_id: messages.at(-1)?.id ?? null,
    permission_overwrites: overwrites.map((one) => ({ ...one, allow: String(one.allow), deny: String(one.deny) })),
    ...(isForum ? { available_tags: tags, flags: requiresTag ? REQUIRE_TAG : 0 } : { flags: 0 }),
    ...(isThread(channel)
      ? { owner_id: owner, thread_metadata: { archived, locked }, applied_tags: channel.appliedTags }
      : {}),
  };
}
