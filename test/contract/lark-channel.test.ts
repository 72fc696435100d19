// Lark and Feishu keep the channel contract, by the real SDK over loopback: in a group, in a direct chat, and by a custom bot.

import { ephemeralId } from "../../channels/lark/card/button-value.ts";
import { larkChannelConfig } from "../../channels/lark/config.ts";
import { createLarkWebhookChannel } from "../../channels/lark/webhook-bot.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import type { FakeMessage } from "../fakes/lark/api-state.ts";
import { clickEvent, messageEvent, type NativeBody, tenantKey } from "../fakes/lark/events.ts";
import { createFakeHooks } from "../fakes/lark/hook.ts";
import { connectChannel, createMovableClock, openPlatform } from "../fakes/lark/platform.ts";
import { listenLark } from "../fakes/lark/server.ts";
import { createScriptedInbox, plainPage } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { type ChannelHarness, channelContract } from "./channel.ts";

channelContract("lark in a group", () => makeHarness("oc_main", "group"), {
  commandThread: "a thread has no messages for one person: the quiet answer goes to the asker's direct chat",
});
channelContract("lark in a direct chat", () => makeHarness("oc_mine", "p2p"), {
  privately: "a direct chat has one reader",
  reply: "a direct chat has one reader",
});
const oneWay = "a custom bot posts and hears nothing";
const noIds = "the platform tells no id of what a custom bot has posted";
channelContract("lark-webhook", makeHookHarness, {
  once: "the platform knows no keys of a custom bot's posts",
  thread: noIds,
  privately: "a custom bot posts to its whole group",
  editing: noIds,
  editGone: noIds,
  threadGone: noIds,
  removing: noIds,
  finding: noIds,
  broken: "what it denies is rejected, broken or not",
  command: oneWay,
  reply: oneWay,
  silence: oneWay,
  commandThread: oneWay,
  repeated: oneWay,
  action: oneWay,
});

/** The fake's clock begins near zero, so that a search "since the beginning" is one within the life of a `uuid`. */
const start = 60_000;

async function makeHarness(chat: string, mode: "group" | "p2p"): Promise<ChannelHarness> {
  const clock = createMovableClock(start);
  const platform = await openPlatform(clock);
  const { api, socket } = platform;
  const person = { channel: "lark", workspace: tenantKey, person: "ou_asker" };
  const conversation = { channel: "lark", workspace: tenantKey, conversation: chat };
  api.addChat(chat, mode, ...(mode === "p2p" ? [person.person] : []));
  const inbox = createScriptedInbox(({ text }) =>
    text.startsWith("answer") ? { page: plainPage(`You said ${text}`), visibility: "asker" } : null,
  );
  const channel = connectChannel({ origin: platform.origin, clock, logger: silentLogger });
  await channel.start(inbox);
  await socket.connected(1);
  await until(() => channel.health().state === "up");
  let last: NativeBody | undefined;

  function refOf({ id, root, onlyFor }: FakeMessage) {
    const message = onlyFor === undefined ? id : ephemeralId(id);
    return { ...conversation, ...(root === undefined ? {} : { thread: root }), message };
  }

  async function hear(body: NativeBody): Promise<void> {
    const { ack } = await socket.push(body);
    if (ack?.code !== 200) throw new Error(`the event has no ack: ${JSON.stringify(ack)}`);
  }

  return {
    channel,
    inbox,
    conversation,
    person,
    async shown() {
      return [...api.state.messages.values()]
        .filter(({ isRecalled }) => !isRecalled)
        .map((message) => ({
          ref: refOf(message),
          text: textOf(message),
          visibility: message.onlyFor === undefined ? ("everyone" as const) : ("asker" as const),
          from: message.from,
        }));
    },
    async say(text, thread) {
      const root = thread === undefined ? {} : { root: thread };
      const message = api.say({ chat, text, ...root });
      const inThread = message.root === undefined ? {} : { rootId: message.root };
      const threadId = message.threadId === undefined ? {} : { threadId: message.threadId };
      const [heard, shown] = [inbox.commands.length, api.shown().length];
      last = messageEvent({
        ...{ messageId: message.id, person: person.person, chat, chatType: mode, text, at: clock.now() },
        ...inThread,
        ...threadId,
      });
      await hear(last);
      await until(() => inbox.commands.length > heard);
      if (inbox.commands.at(-1)?.text.startsWith("answer") === true) await until(() => api.shown().length > shown);
    },
    async sayAgain() {
      if (last !== undefined) await hear(last);
      await turns(100);
    },
    async press(ref, token) {
      const acted = inbox.actions.length;
      await hear(clickEvent({ value: { token, chat }, message: ref.message, person: person.person, chat }));
      await until(() => inbox.actions.length > acted);
    },
    breakPlatform: api.break,
    async stop() {
      await channel.stop();
      await platform.close();
    },
  };
}

async function makeHookHarness(): Promise<ChannelHarness> {
  const clock = createMovableClock();
  const hooks = createFakeHooks([{ token: "hook-token", secret: "signing-secret" }], clock);
  const server = await listenLark([hooks]);
  const values: Readonly<Record<string, string>> = {
    HOOK_URL: `${server.origin}/open-apis/bot/v2/hook/hook-token`,
    HOOK_SECRET: "signing-secret",
  };
  const config = larkChannelConfig.parse({
    webhooks: [{ name: "team", url_env: "HOOK_URL", secret_env: "HOOK_SECRET" }],
  });
  const ids = createFixedIds();
  const channel = createLarkWebhookChannel({
    config,
    secret: (name) => values[name],
    clock,
    ids,
    logger: silentLogger,
  });
  const inbox = createScriptedInbox();
  await channel.start(inbox);
  const conversation = { channel: "lark-webhook", workspace: "local", conversation: "team" };
  const deaf = () => Promise.reject(new Error("a custom bot hears nothing"));
  return {
    channel,
    inbox,
    conversation,
    person: { channel: "lark-webhook", workspace: "local", person: "ou_asker" },
    async shown() {
      return hooks.posts("hook-token").map((post) => ({
        ref: { ...conversation, message: "" },
        text: textOf({ content: post["card"] }),
        visibility: "everyone",
        from: "bot",
      }));
    },
    say: deaf,
    sayAgain: deaf,
    press: deaf,
    breakPlatform: hooks.breakAll,
    async stop() {
      await channel.stop();
      await server.close();
    },
  };
}

/** The title of a card, or the words of a text. */
function textOf({ content }: { readonly content: unknown }): string {
  const { header, text } = content as { header?: { title: { content: string } }; text?: string };
  return header?.title.content ?? text ?? "";
}

async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await turns(1);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
