// Messages that everybody in a place sees: into a channel, a thread of it, or a forum.
import type { Page } from "../../src/core/card.ts";
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import { type Attempt, channelError, codes } from "./faults.ts";
import type { Finding } from "./finding.ts";
import { type Forum, postedId } from "./forum.ts";
import type { Origin } from "./inbound.ts";
import { idsOf, nonceOf } from "./nonce.ts";
import type { Place, Places } from "./places.ts";
import { messageId, type SendMessage } from "./posting.ts";
import type { DiscordRest, RestAnswer } from "./rest.ts";
import type { Threads } from "./threads.ts";
import { componentTypes, type MessageBody } from "./wire.ts";

export interface Outgoing {
  /** For the name of a thread, and a forum's tags. */
  readonly page: Page;
  readonly key: string;
  readonly send: SendMessage;
  readonly needs?: readonly string[];
}

export interface PubliclyPorts {
  readonly rest: DiscordRest;
  readonly places: Places;
  readonly threads: Threads;
  readonly forum: Forum;
}

export interface Publicly {
  send(target: Target, outgoing: Outgoing): Promise<MessageRef>;
  /** Into one channel as it stands, without threads. @param reference the message that it answers */
  post(
    channel: string,
    outgoing: Outgoing,
    about?: { readonly origin?: Origin; readonly reference?: string },
  ): Promise<RestAnswer>;
  find(target: Target, key: string, since: number, finding: Finding): Promise<MessageRef | "absent" | "unknown">;
  /** The place that a conversation names. */
  whereIs(ref: Pick<MessageRef, "conversation">): Promise<Place>;
  /** The channel in which a message stands, for Discord: a thread is one of its own. */
  channelOf(ref: MessageRef): Promise<string>;
}

const POSTING = "send a message";

export function createPublicly({ rest, places, threads, forum }: PubliclyPorts): Publicly {
  async function send(target: Target, outgoing: Outgoing): Promise<MessageRef> {
    const { conversation, thread } = target;
    const place = await places.get(conversation.conversation);
    if (thread !== undefined) return inThread(target, place, thread, outgoing);
    if (place.kind === "forum") return inForum(target, place, outgoing);
    const answer = await post(place.id, outgoing);
    if (answer.ok) {
      const message = messageId(answer.value);
      threads.remember(message, outgoing.page.card.title);
      return { ...conversation, message };
    }
    // It became another kind of channel since we looked.
    const isForum = answer.refusal.code === codes.notATextChannel || answer.refusal.code === codes.threadNameRequired;
    const now = isForum ? await places.fresh(place.id) : place;
    if (now.kind === "forum") return inForum(target, now, outgoing);
    throw channelError(answer.refusal, attempt(outgoing, "Send Messages"));
  }

  async function inForum(target: Target, place: Place, outgoing: Outgoing): Promise<MessageRef> {
    const answer = await forum.post(place, outgoing.page, { ids: idsOf(outgoing.key) }, outgoing.send);
    if (!answer.ok) throw channelError(answer.refusal, attempt(outgoing, "Send Messages (create posts)"));
    return { ...target.conversation, message: postedId(answer.value) };
  }

  async function inThread(target: Target, place: Place, thread: string, outgoing: Outgoing): Promise<MessageRef> {
    const { conversation } = target;
    if (place.kind === "direct") {
      const answer = await post(place.id, outgoing, { reference: thread });
      if (!answer.ok) throw channelError(answer.refusal, attempt(outgoing, "Send Messages"));
      return { ...conversation, thread, message: messageId(answer.value) };
    }
    const said = await threads.into(place, thread, () => post(thread, outgoing));
    if (said.kind === "closed") return beside(target, place, thread, outgoing, said.exists);
    const { answer } = said;
    if (answer.ok) return { ...conversation, thread, message: messageId(answer.value) };
    const { code } = answer.refusal;
    // A deleted thread takes its root's place along; that is no reason to give the channel up.
    if (code === codes.unknownChannel) throw new ChannelError("gone", "The thread is gone.");
    throw channelError(answer.refusal, attempt(outgoing, "Send Messages in Threads"));
  }

  /** The thread takes nothing: an answer to its root in the channel, with a link to the thread if there is one. */
  async function beside(
    target: Target,
    place: Place,
    thread: string,
    outgoing: Outgoing,
    exists: boolean,
  ): Promise<MessageRef> {
    const linked: Outgoing = exists
      ? {
          ...outgoing,
          send: (options, call) => outgoing.send(options, (body, files) => call(withLink(body, thread), files)),
        }
      : outgoing;
    if (place.kind === "forum") return inForum(target, place, linked);
    const answer = await post(place.id, linked, { reference: thread });
    if (!answer.ok) throw channelError(answer.refusal, attempt(outgoing, "Send Messages"));
    return { ...target.conversation, message: messageId(answer.value) };
  }

  function post(
    channel: string,
    { key, send: render }: Outgoing,
    about: { readonly origin?: Origin; readonly reference?: string } = {},
  ): Promise<RestAnswer> {
    const { origin, reference } = about;
    // Fixed before anything is tried: every form and every repetition of this message has the same.
    const nonce = nonceOf(channel, key);
    return render({ ids: idsOf(key), ...(origin === undefined ? {} : { origin }) }, (body, files) =>
      rest.call({
        method: "POST",
        path: `/channels/${channel}/messages`,
        body: {
          ...body,
          nonce,
          enforce_nonce: true,
          ...(reference === undefined
            ? {}
            : { message_reference: { message_id: reference, fail_if_not_exists: false } }),
        },
        ...(files === undefined ? {} : { files }),
      }),
    );
  }

  async function channelOf(ref: MessageRef): Promise<string> {
    if (ref.thread !== undefined && ref.workspace !== "@me") return ref.thread;
    if (ref.workspace === "@me") return ref.conversation;
    // A forum's post is a thread, and its first message has the thread's id.
    return (await places.get(ref.conversation)).kind === "forum" ? ref.message : ref.conversation;
  }

  return {
    send,
    post,
    channelOf,
    whereIs: ({ conversation }) => places.get(conversation),
    async find({ conversation, thread }, key, since, finding) {
      const place = await places.get(conversation.conversation);
      const isPost = place.kind === "forum" && thread === undefined;
      const channel = thread !== undefined && place.kind !== "direct" ? thread : place.id;
      const found = isPost
        ? await finding.inForum(place, key, since)
        : await finding.inMessages(channel, key, since).catch((thrown: unknown) => missing(thrown, thread));
      if (found === "absent" || found === "unknown") return found;
      return { ...conversation, ...(thread === undefined ? {} : { thread }), message: found };
    },
  };
}

/** A thread that does not exist yet holds no message. */
function missing(thrown: unknown, thread: string | undefined): "absent" {
  const cause = thrown instanceof ChannelError ? thrown.cause : undefined;
  const isThere = typeof cause === "object" && cause !== null && "code" in cause && cause.code === codes.unknownChannel;
  if (thread !== undefined && isThere) return "absent";
  throw thrown;
}

function attempt({ needs = [] }: Outgoing, right: string): Attempt {
  return { doing: POSTING, needs: ["View Channel", right, ...needs] };
}

/** `<#id>` is a link to the thread, and no mention of anybody. */
function withLink(body: MessageBody, thread: string): MessageBody {
  const link = `<#${thread}>`;
  if (body.embeds !== undefined) return { ...body, content: [body.content ?? "", link].join(" ").trim() };
  return { ...body, components: [{ type: componentTypes.text, content: link }, ...body.components] };
}
