// Where a message goes on the platform: into a chat, into a thread, to one person within a group, or into a direct chat.
import type { Target } from "../../src/core/delivery.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import { isOpenId } from "./card/build-card.ts";
import type { Chats } from "./chats.ts";

export type Destination =
  | { readonly kind: "chat"; readonly chat: string }
  /** A reply to that message, in its thread. */
  | { readonly kind: "thread"; readonly message: string }
  /** A card in a group that one person sees. */
  | { readonly kind: "ephemeral"; readonly chat: string; readonly person: string }
  | { readonly kind: "direct"; readonly person: string };

/**
 * One person is told in the group itself where that is possible: not in threads and groups of topics, which have no such
 * cards, and not for files. There the person's direct chat is used, and a direct chat is quiet by itself.
 * Throws ChannelError.
 */
export async function destinationOf(target: Target, chats: Chats, isCard: boolean): Promise<Destination> {
  const { conversation, thread, onlyFor } = target;
  const chat = conversation.conversation;
  if (isOpenId(chat)) return { kind: "direct", person: chat };
  if (onlyFor === undefined) return thread === undefined ? { kind: "chat", chat } : { kind: "thread", message: thread };
  const mode = await chats.mode(chat);
  if (mode === "p2p") return thread === undefined ? { kind: "chat", chat } : { kind: "thread", message: thread };
  if (mode === "group" && thread === undefined && isCard) return { kind: "ephemeral", chat, person: onlyFor.person };
  return { kind: "direct", person: onlyFor.person };
}

/** Throws ChannelError `rejected` for a place that is none of this channel's. */
export function checkTarget({ conversation, thread, onlyFor }: Target, channel: string, workspace?: string): void {
  const foreign = (ref: { readonly channel: string; readonly workspace: string }): boolean =>
    ref.channel !== channel || (workspace !== undefined && ref.workspace !== workspace);
  const isChat = /^oc_[0-9A-Za-z]{1,64}$/.test(conversation.conversation) || isOpenId(conversation.conversation);
  if (foreign(conversation) || !isChat) throw new ChannelError("rejected", "The conversation is none of Lark.");
  if (onlyFor !== undefined && (foreign(onlyFor) || !isOpenId(onlyFor.person))) {
    throw new ChannelError("rejected", "The person is none of Lark.");
  }
  if (thread !== undefined && !isMessageId(thread)) throw new ChannelError("gone", "The thread is none of Lark.");
}

export function isMessageId(id: string): boolean {
  return /^om_[0-9A-Za-z_-]{1,64}$/.test(id);
}
