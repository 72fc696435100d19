// The web chat keeps the channel contract; its platform is its own Web API and the chat log.

import { webChannelConfig } from "../../channels/web/config.ts";
import { createWebChannel } from "../../channels/web/index.ts";
import type { ApiMessage, ApiRootMessage } from "../../channels/web/render.ts";
import { AppError } from "../../src/core/errors.ts";
import type { ChatLog } from "../../src/ports/store.ts";
import { createMemoryChatLog } from "../fakes/chat-log.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { createScriptedInbox, plainPage } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { createTempStore } from "../fakes/temp-store.ts";
import { type ChannelHarness, channelContract } from "./channel.ts";

const base = "http://127.0.0.1:8787/api/conversations/main";

channelContract("web", () => makeHarness(createMemoryChatLog(), async () => undefined));
channelContract("web with its messages in SQLite", async () => {
  const { store, remove } = await createTempStore();
  return makeHarness(store.chat, remove);
});

async function makeHarness(log: ChatLog, remove: () => Promise<void>): Promise<ChannelHarness> {
  let isBroken = false;
  const chat = breakable(log, () => isBroken);
  const inbox = createScriptedInbox(({ text }) =>
    text.startsWith("answer") ? { page: plainPage(`You said ${text}`), visibility: "asker" } : null,
  );
  const channel = createWebChannel({
    config: webChannelConfig.parse({}),
    chat,
    reviews: { get: async () => null },
    ids: createFixedIds(),
    clock: createFakeClock(),
    logger: silentLogger,
    publicUrl: "http://127.0.0.1:8787",
  });
  await channel.start(inbox);
  const conversation = { channel: "web", workspace: "local", conversation: "main" };
  let said = 0;
  let last = { text: "", thread: undefined as string | undefined };

  async function post(path: string, body: unknown): Promise<void> {
    const headers = { "content-type": "application/json", "idempotency-key": `key-${said}` };
    const request = new Request(`${base}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = await channel.webhook(request);
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  }

  return {
    channel,
    inbox,
    conversation,
    person: { channel: "web", workspace: "local", person: "local" },
    async shown() {
      const answer = await channel.webhook(new Request(`${base}/messages`));
      const roots = (await answer.json()) as ApiRootMessage[];
      return roots
        .flatMap((root): ApiMessage[] => [root, ...root.replies])
        .map(({ id, thread, text, visibility, from }) => ({
          ref: { ...conversation, ...(thread === undefined ? {} : { thread }), message: id },
          text,
          visibility,
          from,
        }));
    },
    async say(text, thread) {
      said += 1;
      last = { text, thread };
      await post("messages", { text, thread });
    },
    sayAgain: () => post("messages", last),
    press: (ref, token) => post("actions", { message: ref.message, token }),
    breakPlatform() {
      isBroken = true;
    },
    async stop() {
      await channel.stop();
      await remove();
    },
  };
}

function breakable(chat: ChatLog, isBroken: () => boolean): ChatLog {
  function guarded<Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) {
    return async (...given: Given): Promise<Result> => {
      if (isBroken()) throw new AppError("unavailable", "The database is busy.", { remedy: "Wait." });
      return call(...given);
    };
  }
  return {
    append: guarded(chat.append),
    edit: guarded(chat.edit),
    remove: guarded(chat.remove),
    get: guarded(chat.get),
    findByKey: guarded(chat.findByKey),
    list: guarded(chat.list),
  };
}
