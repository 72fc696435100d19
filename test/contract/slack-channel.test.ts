// The Slack channel keeps the channel contract, over both of its transports; its platform is the strict Slack on loopback.
import type { MessageRef } from "../../src/core/delivery.ts";
import type { Body } from "../fakes/slack/payloads.ts";
import { readMessage } from "../fakes/slack/read-message.ts";
import type { EnvelopeKind } from "../fakes/slack/sockets.ts";
import type { FakeMessage } from "../fakes/slack/web-api-state.ts";
import { createSlackWorkspace } from "../fakes/slack/workspace.ts";
import { type ChannelHarness, channelContract, type ShownMessage } from "./channel.ts";

channelContract("slack over sockets", () => makeHarness("socket"));
channelContract("slack over HTTP", () => makeHarness("http"));

async function makeHarness(transport: "socket" | "http"): Promise<ChannelHarness> {
  const workspace = await createSlackWorkspace({ transport });
  const { channel, inbox, slack, conversation, person } = workspace;
  await workspace.start();
  let last: { readonly kind: EnvelopeKind; readonly body: Body } | undefined;

  function shown({ ts, thread, botId, onlyFor, text, blocks }: FakeMessage): ShownMessage {
    const ref: MessageRef = { ...conversation, ...(thread === undefined ? {} : { thread }), message: ts };
    const visibility = onlyFor === undefined ? "everyone" : "asker";
    return { ref, text: readMessage({ text, blocks }).text, visibility, from: botId === undefined ? "person" : "bot" };
  }

  return {
    channel,
    inbox,
    conversation,
    person,
    async shown() {
      const { messages = [] } = slack.team.conversations.get(conversation.conversation) ?? {};
      return messages.filter(({ isTombstone }) => !isTombstone).map(shown);
    },
    async say(text, thread) {
      // Slash commands do not exist in threads: there people mention the bot.
      last =
        thread === undefined
          ? { kind: "slash_commands", body: await workspace.slash(text.replace(/^\/review /, "")) }
          : { kind: "events_api", body: await workspace.mention(text.replace(/^\/review /, ""), thread) };
    },
    async sayAgain() {
      if (last === undefined) throw new Error("nobody said anything");
      await workspace.deliver(last.kind, last.body, 1);
    },
    async press(ref, token) {
      await workspace.press(ref, token);
    },
    breakPlatform: () => slack.break(),
    stop: () => workspace.stop(),
  };
}
