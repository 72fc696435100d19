// Posting and editing: the newest blocks first, classic ones when Slack refuses those, text when it refuses both.
import * as z from "zod";
import type { Page } from "../../src/core/card.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Lanes } from "./lane.ts";
import { laneOf, type OpenDm, type Place, refOf } from "./places.ts";
import { renderClassic, renderPage, renderText, type SlackMessage } from "./render.ts";
import type { SentMessage } from "./sent-messages.ts";
import { SlackCallError, type WebCalls } from "./web-calls.ts";

/** `event_type` of the metadata by which a message is found again; its payload holds the key alone. */
export const deliveryEvent = "aicr_delivery";

export interface PostMessage {
  post(place: Place, page: Page, key: string): Promise<SentMessage>;
  /** Without a key: it can neither be found nor edited. */
  postEphemeral(place: Place & { readonly onlyFor: string }, page: Page): Promise<SentMessage>;
  update(place: Place, message: string, page: Page): Promise<void>;
}

export interface PostMessagePorts {
  readonly calls: WebCalls;
  readonly lanes: Lanes;
  readonly openDm: OpenDm;
  readonly logger: Logger;
}

/** Names and addresses in texts stay what they are. `chat.update` would otherwise read them as a person's own text. */
const asWritten = { parse: "none", link_names: false } as const;
const quietly = { ...asWritten, unfurl_links: false, unfurl_media: false, mrkdwn: true } as const;

const posted = z.looseObject({
  channel: z.string(),
  ts: z.string(),
  message: z.looseObject({ thread_ts: z.string().optional() }).optional(),
});
const postedEphemeral = z.looseObject({ message_ts: z.string() });

/** Where an ephemeral message cannot be shown, a direct one can. */
const notThere: ReadonlySet<string | undefined> = new Set([
  "not_in_channel",
  "channel_not_found",
  "user_not_in_channel",
]);

export function createPostMessage({ calls, lanes, openDm, logger }: PostMessagePorts): PostMessage {
  const inForms = createInForms(logger);

  async function post(place: Place, page: Page, key: string): Promise<SentMessage> {
    const { workspace, channel, thread } = place;
    const metadata = { event_type: deliveryEvent, event_payload: { key } };
    const inThread = thread === undefined ? {} : { thread_ts: thread, reply_broadcast: false };
    const answer = await lanes.run(laneOf(place), () =>
      inForms(page, ({ text, blocks }) =>
        calls.write(workspace, "chat.postMessage", {
          channel,
          text,
          ...(blocks.length === 0 ? {} : { blocks }),
          ...inThread,
          metadata,
          ...quietly,
        }),
      ),
    );
    const { ts, message } = understood(posted, answer, "chat.postMessage");
    // Slack decides what a reply to a lost root becomes; the ref says where the message stands.
    const isReply = thread !== undefined && (message === undefined || message.thread_ts === thread);
    return { ref: refOf(isReply ? place : { workspace, channel }, ts) };
  }

  async function postEphemeral(place: Place & { readonly onlyFor: string }, page: Page): Promise<SentMessage> {
    const { workspace, channel, thread, onlyFor } = place;
    const answer = await lanes.run(laneOf(place), () =>
      inForms(page, ({ text, blocks }) =>
        calls.write(workspace, "chat.postEphemeral", {
          channel,
          user: onlyFor,
          text,
          ...(blocks.length === 0 ? {} : { blocks }),
          ...(thread === undefined ? {} : { thread_ts: thread }),
          ...asWritten,
        }),
      ),
    );
    const { message_ts: ts } = understood(postedEphemeral, answer, "chat.postEphemeral");
    return { ref: refOf(place, ts), isEphemeral: true };
  }

  async function privately(place: Place & { readonly onlyFor: string }, page: Page, key: string): Promise<SentMessage> {
    try {
      return await postEphemeral(place, page);
    } catch (thrown) {
      if (!(thrown instanceof SlackCallError) || !notThere.has(thrown.code)) throw thrown;
      const { workspace, onlyFor } = place;
      return post({ workspace, channel: await openDm(workspace, onlyFor) }, page, key);
    }
  }

  return {
    post(place, page, key) {
      const { onlyFor } = place;
      return onlyFor === undefined ? post(place, page, key) : privately({ ...place, onlyFor }, page, key);
    },
    postEphemeral: (place, page) => privately(place, page, "ephemeral"),
    async update(place, message, page) {
      const { workspace, channel } = place;
      await lanes.run(
        laneOf(place),
        () =>
          inForms(page, ({ text, blocks }) =>
            // The metadata stays, as it is not mentioned; blocks of before would not.
            calls.write(workspace, "chat.update", { channel, ts: message, text, blocks, ...asWritten }),
          ),
        `edit ${message}`,
      );
    },
  };
}

export type InForms = <T>(page: Page, call: (message: SlackMessage) => Promise<T>) => Promise<T>;

const forms = [
  ["newest", renderPage],
  ["classic", renderClassic],
  ["text", renderText],
] as const;
const refusals: ReadonlySet<string | undefined> = new Set(["invalid_blocks", "invalid_blocks_format"]);

export function createInForms(logger: Logger): InForms {
  return async (page, call) => {
    let last: unknown;
    for (const [form, render] of forms) {
      try {
        return await call(render(page));
      } catch (thrown) {
        if (!(thrown instanceof SlackCallError) || !refusals.has(thrown.code)) throw thrown;
        logger.warn("slack.blocks_refused", { form, pointers: thrown.pointers });
        last = thrown;
      }
    }
    throw last;
  };
}

/** An answer that says it is well, and is not what was asked for: the call was done, and its message is not known. */
export function understood<T>(schema: z.ZodType<T>, answer: unknown, method: string): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new ChannelError("uncertain", `Slack's answer to ${method} lacks what it should hold.`);
}
