// Threads: made on the root's own message when the first reply comes, brought back when archived, unlocked where we may.
import { ChannelError } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { MAX_THREAD_NAME } from "./capabilities.ts";
import { cleanText } from "./escape.ts";
import { type Attempt, channelError, codes } from "./faults.ts";
import { object, type Place } from "./places.ts";
import type { DiscordRest, Refusal, RestAnswer } from "./rest.ts";

export interface ThreadsPorts {
  readonly rest: DiscordRest;
  readonly logger: Logger;
  /** The name of a thread whose root's title is not known. */
  readonly defaultName: () => Promise<string>;
  /** The bot's own user. */
  readonly self: () => Promise<string>;
}

/** Whether something was sent into the thread, or must go into its channel instead. */
export type InThread =
  | { readonly kind: "answer"; readonly answer: RestAnswer }
  /** The thread takes nothing: locked for good, full, or not to be made. It exists when it can be linked to. */
  | { readonly kind: "closed"; readonly exists: boolean };

export interface Threads {
  /** A root that was just sent: its thread, should it need one, has this name and does not exist yet. */
  remember(root: string, title: string): void;
  /**
   * Sends into the thread of a root, which is made if there is none.
   * Throws ChannelError `gone` when the root is deleted and had no thread.
   */
  into(parent: Place, root: string, send: () => Promise<RestAnswer>): Promise<InThread>;
  /** Edits in a thread; it is brought back first when it was archived. */
  within(thread: string, call: () => Promise<RestAnswer>): Promise<RestAnswer>;
}

const MOST = 2_000;
/** A week without a word, minutes: the longest that every server has. */
const ARCHIVE_MINUTES = 10_080;

const making: Attempt = { doing: "make a thread", needs: ["Create Public Threads"], isPreparation: true };

export function createThreads({ rest, logger, defaultName, self }: ThreadsPorts): Threads {
  /** Titles of roots that have no thread yet. */
  const titles = new Map<string, string>();

  return {
    remember(root, title) {
      titles.set(root, title);
      if (titles.size > MOST) titles.delete([...titles.keys()][0] ?? "");
    },
    async into(parent, root, send) {
      // What we sent ourselves just now has no thread yet; of everything else, the thread itself tells.
      if (titles.has(root)) {
        if (!(await make(parent, root))) return { kind: "closed", exists: false };
        return speak(root, send);
      }
      const first = await speak(root, send);
      const isMissing =
        first.kind === "answer" && !first.answer.ok && first.answer.refusal.code === codes.unknownChannel;
      if (!isMissing) return first;
      return (await make(parent, root)) ? speak(root, send) : { kind: "closed", exists: false };
    },
    async within(thread, call) {
      const first = await call();
      if (first.ok || first.refusal.code !== codes.archivedThread) return first;
      return (await change(thread, { archived: false })).ok ? call() : first;
    },
  };

  async function speak(thread: string, send: () => Promise<RestAnswer>): Promise<InThread> {
    const first = await send();
    if (first.ok) return { kind: "answer", answer: first };
    switch (first.refusal.code) {
      case codes.archivedThread: {
        if (!(await change(thread, { archived: false })).ok) return { kind: "closed", exists: true };
        return { kind: "answer", answer: await send() };
      }
      case codes.lockedThread: {
        // Only who may manage threads can unlock one; without that, the channel is where we can still speak.
        if (!(await change(thread, { archived: false, locked: false })).ok) return { kind: "closed", exists: true };
        logger.info("discord.thread_unlocked", { thread });
        const second = await send();
        const isStillLocked = !second.ok && second.refusal.code === codes.lockedThread;
        return isStillLocked ? { kind: "closed", exists: true } : { kind: "answer", answer: second };
      }
      case codes.threadFull:
        return { kind: "closed", exists: true };
      default:
        return { kind: "answer", answer: first };
    }
  }

  /** False where there can be no thread. */
  async function make(parent: Place, root: string): Promise<boolean> {
    const body = { name: threadName(await nameOf(parent, root)), auto_archive_duration: ARCHIVE_MINUTES };
    const path = `/channels/${parent.id}/messages/${root}/threads` as const;
    const first = await rest.call({ method: "POST", path, body });
    const answer =
      isTooMany(first) && (await archiveOldest(parent)) ? await rest.call({ method: "POST", path, body }) : first;
    if (answer.ok || isThere(answer.refusal)) {
      titles.delete(root);
      return true;
    }
    const { code } = answer.refusal;
    if (code === codes.tooManyThreads || code === codes.wrongChannelType) {
      logger.warn("discord.no_thread", { channel: parent.id, code });
      return false;
    }
    if (code === codes.autoModTitle || code === codes.autoMod) return makeNeutral(path, root);
    throw channelError(answer.refusal, making);
  }

  /** The server's filter takes no thread of that name. */
  async function makeNeutral(path: `/${string}`, root: string): Promise<boolean> {
    const body = { name: threadName(await defaultName()), auto_archive_duration: ARCHIVE_MINUTES };
    const answer = await rest.call({ method: "POST", path, body });
    if (!answer.ok && !isThere(answer.refusal)) throw channelError(answer.refusal, making);
    titles.delete(root);
    return true;
  }

  async function nameOf(parent: Place, root: string): Promise<string> {
    const title = titles.get(root);
    if (title !== undefined && cleanText(title).trim() !== "") return title;
    const answer = await rest.call({ method: "GET", path: `/channels/${parent.id}/messages/${root}` });
    if (!answer.ok && answer.refusal.code === codes.unknownMessage) {
      throw new ChannelError("gone", "The message that the thread belongs to is gone.");
    }
    return (answer.ok ? titleOf(answer.value) : null) ?? (await defaultName());
  }

  /** Our own thread in this channel that was silent longest makes room for a new one. */
  async function archiveOldest(parent: Place): Promise<boolean> {
    if (parent.guild === undefined) return false;
    const answer = await rest.call({ method: "GET", path: `/guilds/${parent.guild}/threads/active` });
    const threads = answer.ok ? object(answer.value)["threads"] : [];
    const here = (Array.isArray(threads) ? threads : []).map(object).filter((one) => one["parent_id"] === parent.id);
    const us = here.length === 0 ? "" : await self();
    const ours = here.filter((one) => one["owner_id"] === us);
    const [oldest] = ours.sort((a, b) => compareIds(lastWord(a), lastWord(b)));
    if (oldest === undefined) return false;
    const { ok } = await change(String(oldest["id"]), { archived: true });
    if (ok) logger.info("discord.thread_archived", { thread: String(oldest["id"]) });
    return ok;
  }

  function change(
    thread: string,
    body: { readonly archived?: boolean; readonly locked?: boolean },
  ): Promise<RestAnswer> {
    return rest.call({ method: "PATCH", path: `/channels/${thread}`, body });
  }
}

function isThere({ code }: Refusal): boolean {
  return code === codes.threadExists;
}

function isTooMany(answer: RestAnswer): boolean {
  return !answer.ok && answer.refusal.code === codes.tooManyThreads;
}

function lastWord(thread: Readonly<Record<string, unknown>>): string {
  const { last_message_id: last, id } = thread;
  return String(typeof last === "string" ? last : id);
}

export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** The first text of a message of ours, as a name. */
function titleOf(message: unknown): string | null {
  const { components, embeds } = object(message);
  const text = firstText(components) ?? (Array.isArray(embeds) ? object(embeds[0])["title"] : undefined);
  if (typeof text !== "string") return null;
  const [line = ""] = text.split("\n", 1);
  // Headings, links and escapes mean nothing in a name.
  const plain = line
    .replace(/^#+ /, "")
    .replace(/\[`?(.*?)`?\]\(https?:[^)]*\)/g, "$1")
    .replace(/\\(?=[^\p{L}\p{N}\s])/gu, "");
  return plain.trim() === "" ? null : plain;
}

function firstText(components: unknown): unknown {
  if (!Array.isArray(components)) return undefined;
  for (const one of components) {
    const { type, content, components: inner } = object(one);
    // A line of mentions stands before the card.
    if (type === 10 && typeof content === "string" && !/^(?:<@\d+> ?)+$/.test(content)) return content;
    const found = firstText(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** 1 to 100 signs; plain text, where nothing is Markdown. */
export function threadName(title: string): string {
  const line = cleanText(title).replace(/\s+/g, " ").trim();
  if (line === "") return "\u2026";
  if (line.length <= MAX_THREAD_NAME) return line;
  return `${line
    .slice(0, MAX_THREAD_NAME - 1)
    .replace(/\p{Surrogate}$/u, "")
    .trimEnd()}\u2026`;
}
