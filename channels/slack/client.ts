// The Slack client: every call that goes to Slack's Web API, shaped for the channel port.
import * as z from "zod";
import type { MessageRef } from "../../src/core/delivery.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { SlackClient, SlackClientOptions } from "./client-types.ts";
import { createDirectory } from "./directory.ts";
import { createFindMessage } from "./find-message.ts";
import { createLanes } from "./lane.ts";
import { channelOf, isFile, laneOf, placeOf, timestamp } from "./places.ts";
import { createPostMessage, understood } from "./post-message.ts";
import { createReact } from "./reactions.ts";
import { createSentMessages } from "./sent-messages.ts";
import { createUpload } from "./upload.ts";
import { createViews } from "./views.ts";
import { createWebCalls, orNull } from "./web-calls.ts";

export type * from "./client-types.ts";

const linked = z.looseObject({ permalink: z.url() });
const fileInfo = z.looseObject({ file: z.looseObject({ permalink: z.url() }) });

export function createSlackClient(options: SlackClientOptions): SlackClient {
  const { clock, logger } = options;
  const calls = createWebCalls(options);
  const lanes = createLanes({ clock });
  const directory = createDirectory({ calls, clock });
  const { openDm } = directory;
  const messages = createPostMessage({ calls, lanes, openDm, logger });
  const upload = createUpload({ ...options, calls, lanes });
  const findMessage = createFindMessage(calls);
  const react = createReact({ calls, logger });
  const sent = createSentMessages();

  async function remove(ref: MessageRef): Promise<void> {
    const { workspace, message } = ref;
    const channel = await channelOf(ref, openDm);
    if (isFile(message)) {
      await unless(["file_not_found", "file_deleted"], () => calls.write(workspace, "files.delete", { file: message }));
    } else {
      const given = { channel, ts: timestamp(message) };
      await lanes.run(laneOf({ workspace, channel }), () =>
        unless(["message_not_found"], () => calls.write(workspace, "chat.delete", given)),
      );
    }
    sent.forget(ref);
  }

  return {
    send: (target, page, key) =>
      sent.once(target.conversation, key, async () => messages.post(await placeOf(target, openDm), page, key)),
    async edit(ref, page) {
      const { workspace, message, thread } = ref;
      if (sent.isEphemeral(ref)) throw new ChannelError("gone", "Slack edits no message that only one person sees.");
      if (isFile(message)) throw new ChannelError("rejected", "A file on Slack cannot be edited.");
      const place = { workspace, channel: await channelOf(ref, openDm), ...(thread === undefined ? {} : { thread }) };
      await messages.update(place, timestamp(message), page);
    },
    remove,
    attach: (target, file, key) =>
      sent.once(target.conversation, key, async () => {
        const { onlyFor, ...place } = await placeOf(target, openDm);
        if (onlyFor === undefined) return upload(place, file, key);
        // A file cannot be shown to one person of a conversation.
        return upload({ workspace: place.workspace, channel: await openDm(place.workspace, onlyFor) }, file, key);
      }),
    async react(ref, kind) {
      await react({ ...ref, conversation: await channelOf(ref, openDm) }, kind);
    },
    async permalink(ref) {
      const { workspace, message } = ref;
      const channel = await channelOf(ref, openDm);
      return orNull(["message_not_found", "channel_not_found", "file_not_found", "missing_scope"], async () => {
        if (isFile(message)) {
          const answer = await calls.read(workspace, "files.info", { file: message });
          return understood(fileInfo, answer, "files.info").file.permalink;
        }
        const given = { channel, message_ts: timestamp(message) };
        return understood(linked, await calls.read(workspace, "chat.getPermalink", given), "chat.getPermalink")
          .permalink;
      });
    },
    async find(target, key, since) {
      const remembered = await sent.find(target.conversation, key);
      return remembered ?? findMessage(await placeOf(target, openDm), key, since);
    },

    async postEphemeral(target, page) {
      const place = await placeOf(target, openDm);
      const { onlyFor } = place;
      // A direct conversation is private as it is.
      if (onlyFor === undefined) return (await messages.post(place, page, "ephemeral")).ref;
      return (await messages.postEphemeral({ ...place, onlyFor }, page)).ref;
    },
    ...createViews({ ...options, calls }),
    openDm,
    usersInfo: directory.person,
    conversationInfo: directory.conversation,
    usergroupsOf: directory.groupsOf,
    authTest: directory.identify,
  };
}

async function unless(codes: readonly string[], call: () => Promise<unknown>): Promise<void> {
  await orNull(codes, call);
}
