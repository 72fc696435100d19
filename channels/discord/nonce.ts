// How a message is told from all others: a nonce for Discord's own window, and ids of components that stay in the message.
import { createHash } from "node:crypto";

/** Most characters of a nonce. */
const NONCE_LENGTH = 25;
const MAX_ID = 0x7fff_ffff;

/**
 * The same for the same message and place, whatever happened in between, so that a repetition within Discord's "past few minutes" gives
 * the first message again. A nonce counts for all of a bot's messages, so the place is part of it.
 */
export function nonceOf(place: string, key: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["nonce", place, key]))
    .digest("base64url")
    .slice(0, NONCE_LENGTH);
}

/**
 * Component ids that stand for a key: Discord keeps them in the message and shows them when it is read again, long after it has
 * forgotten the nonce. Two of 31 bits each, never 0, never the same.
 */
export function idsOf(key: string): readonly [number, number] {
  const hash = createHash("sha256")
    .update(JSON.stringify(["component", key]))
    .digest();
  const first = (hash.readUInt32BE(0) % (MAX_ID - 1_000)) + 1_000;
  const second = (hash.readUInt32BE(4) % (MAX_ID - 1_000)) + 1_000;
  return [first, second === first ? first - 1 : second];
}

/** Whether a message, as Discord shows it, was sent with these ids. */
export function carries(components: unknown, [first, second]: readonly [number, number]): boolean {
  const ids = allIds(components);
  return ids.includes(first) && (ids.includes(second) || !isContainer(components));
}

function isContainer(components: unknown): boolean {
  return Array.isArray(components) && components.some((one: unknown) => allIds([one]).length > 1);
}

function allIds(components: unknown): readonly number[] {
  if (!Array.isArray(components)) return [];
  return components.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null) return [];
    const own = "id" in one && typeof one.id === "number" ? [one.id] : [];
    return [...own, ...("components" in one ? allIds(one.components) : [])];
  });
}
