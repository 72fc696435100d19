// Where a target is on Slack: a conversation, a thread of it, or one person in it.
import type { ConversationRef, MessageRef, Target } from "../../src/core/delivery.ts";
import { ChannelError } from "../../src/ports/channel.ts";

export interface Place {
  readonly workspace: string;
  /** `C…`, `G…` or `D…`. */
  readonly channel: string;
  readonly thread?: string;
  /** The only person who may see it; absent in a direct conversation, which nobody else sees anyway. */
  readonly onlyFor?: string;
}

/** The direct conversation with a person. */
export type OpenDm = (workspace: string, person: string) => Promise<string>;

/** Throws ChannelError `rejected` for what is none of Slack's. */
export async function placeOf(target: Target, openDm: OpenDm): Promise<Place> {
  const { conversation, thread, onlyFor } = target;
  const { workspace } = conversation;
  const channel = await channelOf(conversation, openDm);
  const isDirect = channel.startsWith("D");
  // A thread's root is a message of the conversation; a direct conversation opened by the person's id has another.
  const inThread = thread === undefined || channel !== conversation.conversation ? {} : { thread: timestamp(thread) };
  if (onlyFor !== undefined && (onlyFor.channel !== "slack" || !isPerson(onlyFor.person))) {
    throw new ChannelError("rejected", "The person is none of Slack's.");
  }
  return {
    workspace,
    channel,
    ...inThread,
    ...(onlyFor === undefined || isDirect ? {} : { onlyFor: onlyFor.person }),
  };
}

export async function channelOf(conversation: ConversationRef, openDm: OpenDm): Promise<string> {
  const { channel, workspace, conversation: id } = conversation;
  if (channel !== "slack" || !/^[TE][A-Z0-9]+$/.test(workspace)) {
    throw new ChannelError("rejected", "The conversation is none of Slack's.");
  }
  if (isPerson(id)) return openDm(workspace, id);
  if (!/^[CGD][A-Z0-9]+$/.test(id)) throw new ChannelError("rejected", "The conversation is none of Slack's.");
  return id;
}

export function isPerson(id: string): boolean {
  return /^[UW][A-Z0-9]+$/.test(id);
}

/** Slack knows no message of an upload at once; its file's id stands in for it. */
export function isFile(message: string): boolean {
  return /^F[A-Z0-9]+$/.test(message);
}

/** Throws ChannelError `gone` for what can be no message of Slack's. */
export function timestamp(message: string): string {
  if (!/^\d{1,12}\.\d{1,9}$/.test(message)) throw new ChannelError("gone", "There is no such message on Slack.");
  return message;
}

export function refOf(place: Place, message: string): MessageRef {
  const { workspace, channel: conversation, thread } = place;
  return { channel: "slack", workspace, conversation, ...(thread === undefined ? {} : { thread }), message };
}

/** Calls that go to one conversation keep one pace. */
export function laneOf({ workspace, channel }: Pick<Place, "workspace" | "channel">): string {
  return `${workspace} ${channel}`;
}
