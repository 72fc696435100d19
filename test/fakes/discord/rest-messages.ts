// Messages of the small Discord: made, edited, listed and deleted by its rules.
import {
  breaksDiscord,
  COMPONENTS_V2,
  EPHEMERAL,
  messageMistakes,
  nested,
  SUPPRESS_NOTIFICATIONS,
} from "./body-rules.ts";
import { type Context, type Route, refuse, requireRights } from "./rest-route.ts";
import { specMistakes } from "./rest-spec.ts";
import { isThread, type Json, kinds, type World, type WorldChannel, type WorldMessage } from "./rest-world.ts";

/** How long a nonce is remembered, ms: "the past few minutes". */
export const NONCE_MS = 5 * 60_000;
/** After which age edits are counted, ms, and how many are then taken. */
const OLD_MS = 3_600_000;
const EDITS_OF_OLD = 5;
const MAX_FILE_BYTES = 10 * 1024 * 1024;

const sendable: ReadonlySet<number> = new Set([kinds.text, kinds.dm, kinds.voice, kinds.announcement, 10, 11, 12]);

export const messageRoutes: readonly Route[] = [
  ["POST", "/channels/:channel/messages", createMessage],
  ["GET", "/channels/:channel/messages", listMessages],
  ["GET", "/channels/:channel/messages/:message", getMessage],
  ["PATCH", "/channels/:channel/messages/:message", editMessage],
  ["DELETE", "/channels/:channel/messages/:message", deleteMessage],
];

function createMessage(context: Context): unknown {
  const { world, body } = context;
  const channel = channelOf(context, "ViewChannel");
  if (!sendable.has(channel.type)) refuse(400, 50008, "Cannot send messages in a non-text channel");
  requireRights(context, channel, isThread(channel) ? "SendMessagesInThreads" : "SendMessages");
  if (context.files.length > 0) requireRights(context, channel, "AttachFiles");
  if (channel.recipient !== undefined && world.closedTo.has(channel.recipient)) {
    refuse(403, 50007, "Cannot send messages to this user");
  }
  checkMessage(context, "MessageCreateRequest", body, { via: "bot" });
  const known = sameNonce(world, body);
  if (known !== undefined) return messageJson(world, known);
  if (channel.locked) refuse(400, 160005, "Thread is locked");
  const reference = (body["message_reference"] as Json | undefined)?.["message_id"];
  if (reference !== undefined && world.message(channel.id, String(reference)) === undefined) {
    if ((body["message_reference"] as Json)["fail_if_not_exists"] !== false) refuse(400, 50035, "Unknown message");
  }
  // Speaking in a thread brings it back.
  channel.archived = false;
  const message = storeMessage(context, channel.id, body, typeof reference === "string" ? { reference } : {});
  return { ...messageJson(world, message), ...(body["nonce"] === undefined ? {} : { nonce: body["nonce"] }) };
}

/** Refuses a body that Discord would refuse, or break over. */
export function checkMessage(
  context: Context,
  schema: string,
  body: Json,
  about: { readonly via: "bot" | "interaction"; readonly isEdit?: boolean },
): void {
  const files = context.files.map(({ name }) => name);
  const mistakes = [...specMistakes(schema, body), ...messageMistakes(body, { ...about, files })];
  context.check(mistakes);
  if (context.files.some(({ data }) => data.byteLength > MAX_FILE_BYTES))
    refuse(413, 40005, "Request entity too large");
  if (breaksDiscord(body)) refuse(500, 0, "Internal Server Error");
}

export function storeMessage(
  { world, files }: Context,
  channel: string,
  body: Json,
  about: Partial<WorldMessage> & { readonly id?: string } = {},
): WorldMessage {
  const flags = Number(body["flags"] ?? 0);
  const nonce = body["nonce"];
  return world.addMessage(channel, {
    author: world.bot,
    content: String(body["content"] ?? ""),
    embeds: (body["embeds"] as Json[] | undefined) ?? [],
    components: withIds((body["components"] as Json[] | undefined) ?? []),
    flags,
    attachments: files.map(({ name, contentType, data }, index) => {
      const listed = ((body["attachments"] as Json[] | undefined) ?? []).find(({ id }) => Number(id) === index);
      const description = listed?.["description"];
      const told = typeof description === "string" ? { description } : {};
      return { id: world.newId(), filename: name, contentType, data, ...told };
    }),
    pinged: (flags & SUPPRESS_NOTIFICATIONS) === 0 ? pingedBy(body) : [],
    ...(nonce === undefined ? {} : { nonce: String(nonce) }),
    ...about,
  });
}

function listMessages(context: Context): unknown {
  const { world, query } = context;
  const channel = channelOf(context, "ViewChannel");
  if ((world.rights(channel) & (1n << 16n)) === 0n) return [];
  const limit = Number(query.get("limit") ?? "50");
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) refuse(400, 50035, "limit: must be 1 to 100");
  const after = query.get("after");
  const before = query.get("before");
  if (after !== null && before !== null) refuse(400, 50035, "after and before exclude each other");
  const visible = channel.messages.filter(({ onlyFor }) => onlyFor === undefined);
  const newestFirst = [...visible].sort((a, b) => (BigInt(b.id) > BigInt(a.id) ? 1 : -1));
  const found = newestFirst.filter(({ id }) => before === null || BigInt(id) < BigInt(before));
  const chosen =
    after === null ? found.slice(0, limit) : found.filter(({ id }) => BigInt(id) > BigInt(after)).slice(-limit);
  return chosen.map((message) => messageJson(world, message));
}

function getMessage(context: Context): unknown {
  const channel = channelOf(context, "ViewChannel");
  requireRights(context, channel, "ReadMessageHistory");
  return messageJson(context.world, messageOf(context, channel));
}

function editMessage(context: Context): unknown {
  const { world, body } = context;
  const channel = channelOf(context, "ViewChannel");
  const message = messageOf(context, channel);
  if (message.author !== world.bot) refuse(403, 50005, "Cannot edit a message authored by another user");
  if (channel.archived) refuse(400, 50083, "Thread is archived");
  if (world.now() - message.createdAt > OLD_MS) {
    const edits = context.counted(`edits ${message.id}`);
    if (edits > EDITS_OF_OLD) {
      refuse(429, 30046, "Maximum number of edits to messages older than 1 hour reached. Try again later", 600);
    }
  }
  return applyEdit(context, message, body, "MessageEditRequestPartial", "bot");
}

export function applyEdit(
  context: Context,
  message: WorldMessage,
  body: Json,
  schema: string,
  via: "bot" | "interaction",
): unknown {
  const { world } = context;
  const flags = body["flags"] === undefined ? message.flags : Number(body["flags"]) | (message.flags & EPHEMERAL);
  if ((message.flags & COMPONENTS_V2) !== 0 && (flags & COMPONENTS_V2) === 0) {
    context.check(["a V2 message cannot go back"]);
  }
  const isConverted = (flags & COMPONENTS_V2) !== 0 && (message.flags & COMPONENTS_V2) === 0;
  const keptContent = body["content"] === undefined && message.content !== "";
  const keptEmbeds = body["embeds"] === undefined && message.embeds.length > 0;
  if (isConverted && (keptContent || keptEmbeds)) context.check(["a message with content or embeds cannot become V2"]);
  checkMessage(
    context,
    schema,
    { ...body, flags: Number(body["flags"] ?? message.flags) & ~EPHEMERAL },
    { via, isEdit: true },
  );
  if (body["content"] !== undefined) message.content = String(body["content"] ?? "");
  if (body["embeds"] !== undefined) message.embeds = (body["embeds"] as Json[] | null) ?? [];
  if (body["components"] !== undefined) message.components = withIds((body["components"] as Json[] | null) ?? []);
  message.flags = flags;
  // Files that an edit lists are kept, all others are dropped; an edit without a list keeps them all.
  const kept = body["attachments"] as Json[] | undefined;
  if (kept !== undefined)
    message.attachments = message.attachments.filter(({ id }) => kept.some((one) => one["id"] === id));
  message.editedAt = world.now();
  delete message.isThinking;
  return messageJson(world, message);
}

function deleteMessage(context: Context): undefined {
  const channel = channelOf(context, "ViewChannel");
  const message = messageOf(context, channel);
  if (message.author !== context.world.bot) requireRights(context, channel, "ManageMessages");
  channel.messages.splice(channel.messages.indexOf(message), 1);
}

export function channelOf(context: Context, ...rights: Parameters<typeof requireRights>[2][]): WorldChannel {
  const channel = context.world.channels.get(context.params["channel"] ?? "");
  if (channel === undefined) return refuse(404, 10003, "Unknown Channel");
  for (const right of rights) requireRights(context, channel, right);
  return channel;
}

function messageOf(context: Context, channel: WorldChannel): WorldMessage {
  const id = context.params["message"];
  const message = channel.messages.find((one) => one.id === id && one.onlyFor === undefined);
  return message ?? refuse(404, 10008, "Unknown Message");
}

/** By the same author, within the window; the original may have been deleted meanwhile. */
function sameNonce(world: World, body: Json): WorldMessage | undefined {
  const { nonce, enforce_nonce: isEnforced } = body;
  if (nonce === undefined || isEnforced !== true) return undefined;
  for (const { messages } of world.channels.values()) {
    const known = messages.find((one) => one.nonce === nonce && world.now() - one.createdAt < NONCE_MS);
    if (known !== undefined) return known;
  }
  return undefined;
}

function pingedBy(body: Json): readonly string[] {
  const allowed = (body["allowed_mentions"] as Json | undefined)?.["users"];
  const texts = nested((body["components"] as Json[] | undefined) ?? []).map(({ content }) => String(content ?? ""));
  const said = [String(body["content"] ?? ""), ...texts].join("\n");
  const named = new Set([...said.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id));
  return (Array.isArray(allowed) ? (allowed as string[]) : []).filter((id) => named.has(id));
}

/** Components without an id get one; those that have one keep it. */
export function withIds(components: readonly Json[]): readonly Json[] {
  const taken = new Set(nested(components).map(({ id }) => id));
  let next = 0;
  const fill = (given: readonly Json[]): readonly Json[] =>
    given.map((component) => {
      do next += 1;
      while (taken.has(next));
      const id = typeof component["id"] === "number" && component["id"] !== 0 ? component["id"] : next;
      const inner = component["components"];
      return { ...component, id, ...(Array.isArray(inner) ? { components: fill(inner as Json[]) } : {}) };
    });
  return fill(components);
}

export function messageJson(world: World, message: WorldMessage): Json {
  const { id, channel, author, content, embeds, components, flags, attachments, createdAt, editedAt } = message;
  const thread = world.channels.get(id);
  return {
    id,
    channel_id: channel,
    author: { id: author, username: author === world.bot ? "aicr-bot" : "person", bot: author === world.bot },
    content,
    embeds,
    components,
    flags,
    attachments: attachments.map(({ data, contentType, ...one }) => ({
      ...one,
      size: data.byteLength,
      content_type: contentType,
    })),
    timestamp: new Date(createdAt).toISOString(),
    edited_timestamp: editedAt === undefined ? null : new Date(editedAt).toISOString(),
    type: 0,
    mentions: [],
    ...(thread === undefined || thread.parent !== channel ? {} : { thread: { id: thread.id, name: thread.name } }),
  };
}
