// The Slack channel against an emulator that nobody here wrote: installation, messages, threads, edits, files, reactions, and the run as people see it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSlackClient } from "../../channels/slack/client.ts";
import { slackChannelConfig } from "../../channels/slack/config.ts";
import { createSlackChannel } from "../../channels/slack/index.ts";
import type { ConversationRef, MessageRef, PersonRef } from "../../src/core/delivery.ts";
import { type Channel, ChannelError } from "../../src/ports/channel.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import * as samples from "../fakes/sample-cards.ts";
import { createScriptedInbox } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { emulated, type SlackEmulator, startEmulator } from "../fakes/slack/emulator.ts";
import { createPacingClock } from "../fakes/slack/pacing-clock.ts";
import { readMessage } from "../fakes/slack/read-message.ts";

/** Of the emulator's own person, for a look from the other side, and for another process of the bot. */
const token = "xoxb-of-a-test";
const scopes = [
  "chat:write",
  "channels:read",
  "channels:history",
  "files:write",
  "files:read",
  "im:write",
  "users:read",
];
const publicUrl = "https://bot.example.com";
const app = { client_id: "12345.67890", client_secret: "emulated-secret", bot_name: "reviewbot", name: "Review Bot" };
const kept = fileURLToPath(new URL("../fixtures/slack/emulate-run.txt", import.meta.url));
/** Problems a day: one pixel will do. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let emulator: SlackEmulator;
let channel: Channel;
let conversation: ConversationRef;
let person: PersonRef;
let cookie = "";

beforeAll(async () => {
  const redirect_uris = [`${publicUrl}/slack/oauth_redirect`];
  emulator = await startEmulator({
    strict_scopes: true,
    oauth_apps: [{ ...app, redirect_uris }],
    tokens: [{ token, user_id: emulated.person, scopes }],
  });
  const secrets: Readonly<Record<string, string>> = {
    SLACK_SIGNING_SECRET: "not used here",
    SLACK_CLIENT_SECRET: app.client_secret,
    SLACK_TOKEN_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  channel = createSlackChannel({
    config: slackChannelConfig.parse({
      transport: "http",
      signing_secret_env: "SLACK_SIGNING_SECRET",
      oauth: {
        client_id: app.client_id,
        client_secret_env: "SLACK_CLIENT_SECRET",
        token_key_envs: ["SLACK_TOKEN_KEY"],
      },
      api_url: emulator.apiUrl,
    }),
    secret: (name) => secrets[name],
    store: createMemoryChannelStore(),
    clock: createPacingClock(Date.now()),
    ids: createFixedIds(),
    logger: silentLogger,
    commandName: "review",
    publicUrl,
    texts: async () => createTexts({ folders: [] }),
    fatal: (error) => {
      throw error;
    },
  });
  await channel.start(createScriptedInbox());
});

afterAll(async () => {
  await channel?.stop();
  await emulator?.stop();
});

function get(address: string): Promise<Response> {
  return channel.webhook(new Request(address, { headers: cookie === "" ? {} : { cookie } }));
}

async function faultOf(call: Promise<unknown>): Promise<string> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  return thrown instanceof ChannelError ? thrown.fault : "none";
}

interface Told {
  readonly ts: string;
  readonly text: string;
  readonly blocks?: readonly unknown[];
  readonly reactions?: readonly { readonly name: string }[];
  readonly files?: readonly { readonly title: string; readonly name: string }[];
}

/** Root messages with their threads, oldest first, as a person would read them. */
async function transcript(): Promise<string> {
  const place = { channel: conversation.conversation };
  const history = (await emulator.call("conversations.history", place, token))["messages"] as Told[];
  const roots = await Promise.all(
    history.toReversed().map(async (root) => {
      const thread = { ...place, ts: root.ts };
      const replies = (await emulator.call("conversations.replies", thread, token))["messages"] as Told[];
      return replies.map((message, index) => shown(message, index === 0 ? "" : "    | ")).join("\n");
    }),
  );
  return `${roots.join("\n\n")}\n`;
}

function shown({ text, blocks = [], reactions = [], files = [] }: Told, indent: string): string {
  const signs = reactions.map(({ name }) => `:${name}:`);
  const titles = files.map(({ title }) => `[file: ${title}]`);
  const said = blocks.length === 0 && text === "" ? [] : [readMessage({ text, blocks }).text];
  return ["reviewbot:", ...said, ...titles, ...signs].join("\n").replace(/^/gm, indent).trimEnd();
}

describe("the Slack channel and the emulator", () => {
  it("installs the app: consent, code, token, and nobody's secret in the way back", async () => {
    const begin = await get(`${publicUrl}/slack/install`);
    expect(begin.status).toBe(302);
    cookie = begin.headers.get("set-cookie")?.split(";")[0] ?? "";
    const consent = new URL(begin.headers.get("location") ?? "");
    expect(consent.origin).toBe(emulator.origin);
    const asked = Object.fromEntries(consent.searchParams);
    expect(await (await fetch(consent)).text()).toContain("Review Bot");
    const agreed = await fetch(`${emulator.origin}/oauth/v2/authorize/callback`, {
      method: "POST",
      body: new URLSearchParams({ ...asked, user_id: emulated.person, user_scope: "" }),
      redirect: "manual",
    });
    const back = await get(agreed.headers.get("location") ?? "");
    expect(back.status).toBe(200);
    expect(await back.text()).not.toMatch(/xoxb/);
    const { team_id } = await emulator.call("auth.test", {}, token);
    const workspace = String(team_id);
    conversation = { channel: "slack", workspace, conversation: emulated.conversation };
    person = { channel: "slack", workspace, person: emulated.person };
    expect(channel.health().state).toBe("up");
  });

  it("posts a report with its thread, edits the root, reacts, and adds a chart", async () => {
    const mentions = [person];
    const root = await channel.send({ conversation }, { card: samples.root, mentions }, "dl_1/0");
    const target = { conversation, thread: root.message };
    for (const [index, card] of samples.replies.entries()) {
      const reply = await channel.send(target, { card }, `dl_1/${index + 1}`);
      expect(reply.thread).toBe(root.message);
    }
    const chart = await channel.attach(
      target,
      { name: "chart.png", mediaType: "image/png", base64: png, alt: "Problems a day" },
      "dl_1/3",
    );
    expect(chart.thread).toBe(root.message);
    const edited = { ...samples.root, title: "1 problem in demo", tone: "warning" } as const;
    await channel.edit(root, { card: edited });
    await channel.react(root, "working");
    await channel.react(root, "clean");
    expect(await channel.permalink(root)).toContain(root.message.replace(".", ""));
    await channel.send({ conversation }, { card: samples.hostile }, "dl_2/0");
  });

  it("is read by people as it was recorded", async () => {
    const seen = await transcript();
    if (process.env["AICR_WRITE_FIXTURES"] === "1") {
      mkdirSync(fileURLToPath(new URL(".", `file://${kept}`)), { recursive: true });
      writeFileSync(kept, seen);
    }
    expect(seen).toBe(readFileSync(kept, "utf8"));
  });

  it("finds a message by its key after a restart, and a file by its name, and knows what is absent", async () => {
    // Another process has nothing in its memory, and looks into Slack's history.
    const process = () =>
      createSlackClient({
        token: async () => ({ token, botId: "B0", botUserId: emulated.person }),
        apiUrl: emulator.apiUrl,
        clock: createPacingClock(Date.now()),
        logger: silentLogger,
      });
    const other = process();
    // The app's own message, which is not this bot's.
    expect(await other.find({ conversation }, "dl_1/0", 0)).toBe("absent");
    const sent = await other.send({ conversation }, { card: samples.nothing }, "dl_9/0");
    const fresh = process();
    expect(await fresh.find({ conversation }, "dl_9/0", 0)).toEqual(sent);
    expect(await fresh.find({ conversation }, "dl_9", 0)).toBe("absent");
    const file = { name: "report.md", mediaType: "text/markdown", text: "# Report" };
    await other.attach({ conversation, thread: sent.message }, file, "dl_9/1");
    expect(await fresh.find({ conversation, thread: sent.message }, "dl_9/1", 0)).toMatchObject({
      thread: sent.message,
    });
    await fresh.remove(sent);
  });

  it("speaks to one person, in the conversation and directly", async () => {
    const hidden = await channel.send({ conversation, onlyFor: person }, { card: samples.nothing }, "dl_3/0");
    expect(await faultOf(channel.edit(hidden, { card: samples.nothing }))).toBe("gone");
    const direct = { conversation: { ...conversation, conversation: person.person }, onlyFor: person };
    const ref = await channel.send(direct, { card: samples.help }, "dl_4/0");
    expect(ref.conversation).toMatch(/^D/);
    await channel.edit(ref, { card: samples.nothing });
    expect(await transcript()).not.toContain("Nothing to report");
  });

  it("removes what it sent, and says what is gone or forbidden", async () => {
    const ref = await channel.send({ conversation }, { card: samples.help }, "dl_5/0");
    await channel.remove(ref);
    await channel.remove(ref);
    expect(await faultOf(channel.edit(ref, { card: samples.help }))).toBe("gone");
    const nowhere: MessageRef = { ...ref, conversation: "C0NOWHERE" };
    expect(await faultOf(channel.send({ conversation: nowhere }, { card: samples.help }, "dl_6/0"))).toBe("forbidden");
    expect(
      await faultOf(
        channel.send({ conversation: { ...conversation, workspace: "T0OTHER" } }, { card: samples.help }, "k"),
      ),
    ).toBe("auth");
  });
});
