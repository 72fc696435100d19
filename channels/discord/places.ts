// What we know of channels: their kinds, the tags of forums, and the direct messages of people; asked once, and again after a while.
import { ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type Attempt, channelError } from "./faults.ts";
import type { DiscordRest, RestCall } from "./rest.ts";

export interface Tag {
  readonly id: string;
  readonly name: string;
  /** Only those who manage threads may give it. */
  readonly moderated: boolean;
}

export interface Place {
  readonly id: string;
  readonly kind: "channel" | "thread" | "forum" | "direct";
  readonly name: string;
  /** Absent in a direct message. */
  readonly guild?: string;
  /** The channel of a thread. */
  readonly parent?: string;
  /** Tags of a forum. */
  readonly tags: readonly Tag[];
  readonly requiresTag: boolean;
  readonly appliedTags: readonly string[];
  readonly lastMessage?: string;
  readonly isArchived: boolean;
}

export interface Places {
  /** Throws ChannelError `forbidden` when there is no such channel or we cannot see it. */
  get(channel: string): Promise<Place>;
  /** The same, asked anew. */
  fresh(channel: string): Promise<Place>;
  forget(channel: string): void;
  /** The channel of direct messages with a person. Throws ChannelError `forbidden`. */
  directTo(person: string): Promise<string>;
  /** The bot's own user. */
  self(): Promise<string>;
}

/** Channels seldom change; when they do, the gateway tells, and so does a refusal. */
const KNOWN_MS = 10 * 60_000;
const MOST = 2_000;

const threadTypes: ReadonlySet<unknown> = new Set([10, 11, 12]);
const forumTypes: ReadonlySet<unknown> = new Set([15, 16]);
const directTypes: ReadonlySet<unknown> = new Set([1, 3]);
const REQUIRE_TAG = 1 << 4;

export function createPlaces(rest: DiscordRest, clock: Clock): Places {
  const known = new Map<string, { readonly place: Place; readonly at: number }>();
  const direct = new Map<string, string>();
  let self: string | undefined;

  async function fresh(channel: string): Promise<Place> {
    const attempt = { doing: "show the channel", needs: ["View Channel"] };
    const place = readPlace(await prepared(rest, { method: "GET", path: `/channels/${channel}` }, attempt));
    known.delete(channel);
    known.set(channel, { place, at: clock.monotonic() });
    if (known.size > MOST) known.delete([...known.keys()][0] ?? "");
    return place;
  }

  return {
    fresh,
    async get(channel) {
      const found = known.get(channel);
      return found !== undefined && clock.monotonic() - found.at < KNOWN_MS ? found.place : fresh(channel);
    },
    forget: (channel) => void known.delete(channel),
    async directTo(person) {
      const found = direct.get(person);
      if (found !== undefined) return found;
      const call = { method: "POST", path: "/users/@me/channels", body: { recipient_id: person } } as const;
      const { id } = object(await prepared(rest, call, { doing: "open a direct message" }));
      const channel = String(id);
      direct.set(person, channel);
      if (direct.size > MOST) direct.delete([...direct.keys()][0] ?? "");
      return channel;
    },
    async self() {
      self ??= String(
        object(await prepared(rest, { method: "GET", path: "/users/@me" }, { doing: "tell who we are" }))["id"],
      );
      return self;
    },
  };
}

/** A call that is needed before the message can be sent. Throws ChannelError, never `uncertain`. */
async function prepared(rest: DiscordRest, call: RestCall, attempt: Attempt): Promise<unknown> {
  const answer = await rest.call(call);
  if (answer.ok) return answer.value;
  throw channelError(answer.refusal, { ...attempt, isPreparation: true });
}

export function readPlace(value: unknown): Place {
  const channel = object(value);
  const { id, type, name, guild_id: guild, parent_id: parent, last_message_id: last } = channel;
  if (typeof id !== "string") throw new ChannelError("rejected", "Discord's answer names no channel.");
  const tags = Array.isArray(channel["available_tags"]) ? channel["available_tags"].map(readTag) : [];
  const applied = channel["applied_tags"];
  return {
    id,
    kind: kindOf(type),
    name: typeof name === "string" ? name : "",
    ...(typeof guild === "string" ? { guild } : {}),
    ...(typeof parent === "string" && threadTypes.has(type) ? { parent } : {}),
    tags,
    requiresTag: forumTypes.has(type) && (Number(channel["flags"] ?? 0) & REQUIRE_TAG) !== 0,
    appliedTags: Array.isArray(applied) ? applied.map(String) : [],
    ...(typeof last === "string" ? { lastMessage: last } : {}),
    isArchived: object(channel["thread_metadata"])["archived"] === true,
  };
}

function kindOf(type: unknown): Place["kind"] {
  if (threadTypes.has(type)) return "thread";
  if (forumTypes.has(type)) return "forum";
  return directTypes.has(type) ? "direct" : "channel";
}

function readTag(value: unknown): Tag {
  const { id, name, moderated } = object(value);
  return { id: String(id), name: String(name), moderated: moderated === true };
}

export function object(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
