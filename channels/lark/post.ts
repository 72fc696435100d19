// Puts one message where it belongs; the same key within an hour is the same message.
import { createHash } from "node:crypto";
import { ChannelError } from "../../src/ports/channel.ts";
import type { LarkApi } from "./api.ts";
import type { LarkCard } from "./card/elements.ts";
import type { Destination } from "./destination.ts";

export type Draft =
  | { readonly kind: "card"; readonly card: LarkCard }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly fileKey: string };

/** How long the platform knows a `uuid`, ms. */
export const UUID_LIFE_MS = 60 * 60_000;

/**
 * The platform's idempotency key: at most 50 characters.
 * @param parts what makes the message this one: its conversation, its key, and how it is written.
 */
export function uuidOf(...parts: readonly string[]): string {
  return `a${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40)}`;
}

/** @returns the id of the message. Throws ChannelError. */
export async function postMessage(api: LarkApi, to: Destination, draft: Draft, uuid: string): Promise<string> {
  if (to.kind === "ephemeral") return postEphemeral(api, to, draft);
  const message = { ...nativeOf(draft), uuid };
  const data =
    to.kind === "thread"
      ? await api.call({
          method: "POST",
          path: `/open-apis/im/v1/messages/${encodeURIComponent(to.message)}/reply`,
          body: { ...message, reply_in_thread: true },
        })
      : await api.call({
          method: "POST",
          path: "/open-apis/im/v1/messages",
          query: { receive_id_type: to.kind === "direct" ? "open_id" : "chat_id" },
          body: { ...message, receive_id: to.kind === "direct" ? to.person : to.chat },
        });
  return messageIdOf(data);
}

/** These cards have no `uuid`: whoever calls twice shows two. */
async function postEphemeral(
  api: LarkApi,
  { chat, person }: Extract<Destination, { kind: "ephemeral" }>,
  draft: Draft,
): Promise<string> {
  if (draft.kind !== "card") throw new ChannelError("rejected", "Only a card can be shown to one person of a group.");
  const body = { chat_id: chat, open_id: person, msg_type: "interactive", card: draft.card };
  return messageIdOf(await api.call({ method: "POST", path: "/open-apis/ephemeral/v1/send", body }));
}

function nativeOf(draft: Draft): { readonly msg_type: string; readonly content: string } {
  switch (draft.kind) {
    case "card":
      return { msg_type: "interactive", content: JSON.stringify(draft.card) };
    case "text":
      return { msg_type: "text", content: JSON.stringify({ text: draft.text }) };
    case "file":
      return { msg_type: "file", content: JSON.stringify({ file_key: draft.fileKey }) };
  }
}

function messageIdOf({ message_id: id }: Readonly<Record<string, unknown>>): string {
  if (typeof id === "string" && id !== "") return id;
  // It was taken, and nobody can say as what.
  throw new ChannelError("uncertain", "The platform's answer names no message.");
}
