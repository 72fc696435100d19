// What a person wrote, out of a message's native content: plain words without the bot's name, other people by theirs.
import * as z from "zod";

/** As in the event of a received message. */
export const larkMention = z.object({
  /** How the text refers to the person: `@_user_1`. */
  key: z.string().min(1).max(64),
  id: z.object({ open_id: z.string().nullish() }).nullish(),
  name: z.string().nullish(),
});

export type LarkMention = z.output<typeof larkMention>;

export interface NativeText {
  readonly type: string;
  /** JSON, as the platform sends it. */
  readonly content: string;
  readonly mentions: readonly LarkMention[];
}

export interface ReadText {
  readonly text: string;
  readonly mentionsBot: boolean;
}

/** Longest text that is read, UTF-16 code units; a command is far shorter. */
const MAX_TEXT = 8_000;
const MAX_NAME = 64;

const textContent = z.object({ text: z.string() });

const postElement = z.object({
  tag: z.string(),
  text: z.string().nullish(),
  href: z.string().nullish(),
  user_id: z.string().nullish(),
});
const post = z.object({ title: z.string().nullish(), content: z.array(z.array(postElement)) });
/** A post may come once a language (`zh_cn`, `en_us`, …): all say the same. */
const localisedPost = z.record(z.string(), post);

type PostElement = z.output<typeof postElement>;

/** Null for messages without words (images, stickers, cards) and for content that cannot be read. */
export function readText(native: NativeText, botOpenId: string): ReadText | null {
  const names = namesOf(native.mentions, botOpenId);
  const content = parsed(native.content);
  if (native.type === "text") {
    const read = textContent.safeParse(content);
    return read.success ? names.read(read.data.text.slice(0, MAX_TEXT)) : null;
  }
  if (native.type !== "post") return null;
  const body = postOf(content);
  if (body === null) return null;
  const parts = body.content.map((line) => line.map((element) => elementText(element, names)));
  const lines = parts.map((line) => line.map(({ text }) => text).join(""));
  const text = lines.some((line) => line.trim() !== "") ? lines.join("\n") : (body.title ?? "");
  return { text: text.slice(0, MAX_TEXT), mentionsBot: parts.flat().some(({ mentionsBot }) => mentionsBot) };
}

function postOf(content: unknown): z.output<typeof post> | null {
  const plain = post.safeParse(content);
  if (plain.success) return plain.data;
  const localised = localisedPost.safeParse(content);
  return localised.success ? (Object.values(localised.data)[0] ?? null) : null;
}

function elementText(element: PostElement, names: Names): ReadText {
  const text = element.text ?? "";
  switch (element.tag) {
    case "text":
    case "md":
    case "code_block":
      return names.read(text.slice(0, MAX_TEXT));
    case "at":
      return names.one(element.user_id ?? "");
    case "a":
      return names.read(linkText(text, element.href ?? ""));
    default:
      return { text: "", mentionsBot: false };
  }
}

/** Clients turn pasted addresses, and words like `main.ts`, into links: what was typed counts, and the address behind a title. */
function linkText(text: string, href: string): string {
  if (href === "" || /^https?:\/\//i.test(text)) return text;
  const bare = href.replace(/^https?:\/\//i, "").replace(/\/$/, "");
  return text.trim() === "" || bare !== text.trim().replace(/\/$/, "") ? href : text;
}

interface Names {
  /** The text with every key of a mention in its person's name; the bot's and everybody's (`@_all`) are dropped. */
  read(text: string): ReadText;
  /** A mention by itself: a key, or an open id. */
  one(id: string): ReadText;
}

function namesOf(mentions: readonly LarkMention[], botOpenId: string): Names {
  const byKey = new Map(mentions.map((mention) => [mention.key, mention]));
  // Longest first, and no digit behind: `@_user_1` is not the beginning of `@_user_10`.
  const keys = [...byKey.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`(?:${["@_all(?![0-9A-Za-z_])", ...keys.map((key) => `${key}(?!\\d)`)].join("|")})`, "g");

  function spoken(mention: LarkMention | undefined): ReadText {
    if (mention === undefined) return { text: " ", mentionsBot: false };
    const openId = mention.id?.open_id ?? "";
    if (botOpenId !== "" && openId === botOpenId) return { text: " ", mentionsBot: true };
    const name = (mention.name ?? "").replace(/[\p{Cc}\s]+/gu, " ").trim();
    return { text: name === "" ? " " : `@${name.slice(0, MAX_NAME)}`, mentionsBot: false };
  }

  return {
    read(text) {
      let mentionsBot = false;
      const replaced = text.replace(pattern, (key) => {
        const one = spoken(byKey.get(key));
        mentionsBot ||= one.mentionsBot;
        return one.text;
      });
      return { text: replaced, mentionsBot };
    },
    one: (id) => spoken(byKey.get(id) ?? mentions.find((mention) => id !== "" && mention.id?.open_id === id)),
  };
}

function escaped(key: string): string {
  return key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}
