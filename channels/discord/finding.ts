// Looks for a message that may have been sent: by the component ids that stand for its key, in what the bot can read.

import { type Attempt, channelError, codes } from "./faults.ts";
import { carries, idsOf } from "./nonce.ts";
import type { Place, Places } from "./places.ts";
import { object } from "./places.ts";
import type { DiscordRest } from "./rest.ts";
import { compareIds } from "./threads.ts";

export interface FindingPorts {
  readonly rest: DiscordRest;
  readonly places: Places;
}

export interface Finding {
  /** In a channel, a thread or a direct message: the message's id. @param since ms since the epoch */
  inMessages(channel: string, key: string, since: number): Promise<string | "absent" | "unknown">;
  /** Among the posts of a forum: the id that post and message share. */
  inForum(forum: Place, key: string, since: number): Promise<string | "absent" | "unknown">;
}

const DISCORD_EPOCH = 1_420_070_400_000;
/** Clocks differ: what was sent may look older than the try. */
const SLACK_MS = 60_000;
const PAGE = 100;
/** Pages that are read before nobody knows. */
const MOST_PAGES = 5;
/** Posts that are looked into. */
const MOST_POSTS = 25;

const looking: Attempt = {
  doing: "list messages",
  needs: ["View Channel", "Read Message History"],
  isPreparation: true,
};

export function createFinding({ rest, places }: FindingPorts): Finding {
  return {
    async inMessages(channel, key, since) {
      const ids = idsOf(key);
      const start = idAt(since - SLACK_MS);
      let after = start;
      let isDoubtful = false;
      for (let page = 0; page < MOST_PAGES; page++) {
        const messages = await list(`/channels/${channel}/messages`, { limit: String(PAGE), after });
        const found = messages.find((message) => carries(message["components"], ids));
        if (found !== undefined) return String(found["id"]);
        isDoubtful ||= await hasPlain(messages);
        if (messages.length < PAGE) {
          // Without the right to read the history, the list is empty and no error.
          const isBlind = messages.length === 0 && after === start && (await cannotRead(channel, start));
          return isDoubtful || isBlind ? "unknown" : "absent";
        }
        after = newest(messages);
      }
      return "unknown";
    },
    async inForum({ id: forum, guild }, key, since) {
      const ids = idsOf(key);
      const start = idAt(since - SLACK_MS);
      const threads = [
        ...(guild === undefined ? [] : await threadsAt(`/guilds/${guild}/threads/active`)),
        ...(await threadsAt(`/channels/${forum}/threads/archived/public`)),
      ];
      const recent = threads.filter((one) => one["parent_id"] === forum && compareIds(String(one["id"]), start) > 0);
      let isDoubtful = recent.length > MOST_POSTS;
      for (const thread of recent.slice(0, MOST_POSTS)) {
        const post = String(thread["id"]);
        const answer = await rest.call({ method: "GET", path: `/channels/${post}/messages/${post}` });
        if (!answer.ok) {
          // Somebody deleted the first message: it may have been ours.
          if (answer.refusal.code !== codes.unknownMessage) throw channelError(answer.refusal, looking);
          isDoubtful = true;
        } else if (carries(object(answer.value)["components"], ids)) return post;
        else isDoubtful ||= await hasPlain([object(answer.value)]);
      }
      return isDoubtful ? "unknown" : "absent";
    },
  };

  /** Our own messages in the plain form have no ids that could tell. */
  async function hasPlain(messages: readonly Readonly<Record<string, unknown>>[]): Promise<boolean> {
    const plain = messages.filter(({ embeds }) => Array.isArray(embeds) && embeds.length > 0);
    if (plain.length === 0) return false;
    const self = await places.self();
    return plain.some(({ author }) => object(author)["id"] === self);
  }

  async function cannotRead(channel: string, start: string): Promise<boolean> {
    const { lastMessage } = await places.fresh(channel);
    if (lastMessage === undefined || compareIds(lastMessage, start) <= 0) return false;
    const answer = await rest.call({ method: "GET", path: `/channels/${channel}/messages/${lastMessage}` });
    // The last message may have been deleted, or be for somebody else alone.
    return !answer.ok && answer.refusal.code !== codes.unknownMessage;
  }

  async function threadsAt(path: `/${string}`): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const answer = await rest.call({ method: "GET", path });
    if (!answer.ok) throw channelError(answer.refusal, looking);
    const threads = object(answer.value)["threads"];
    return Array.isArray(threads) ? threads.map(object) : [];
  }

  async function list(
    path: `/${string}`,
    query: Readonly<Record<string, string>>,
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const answer = await rest.call({ method: "GET", path, query });
    if (!answer.ok) throw channelError(answer.refusal, looking);
    return Array.isArray(answer.value) ? answer.value.map(object) : [];
  }
}

/** The smallest id that something made at a time can have. */
export function idAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - DISCORD_EPOCH)) << 22n);
}

function newest(messages: readonly Readonly<Record<string, unknown>>[]): string {
  return messages.map(({ id }) => String(id)).reduce((a, b) => (compareIds(a, b) >= 0 ? a : b), "0");
}
