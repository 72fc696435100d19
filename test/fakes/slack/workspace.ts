// A whole Slack on loopback with the real channel connected to it: people type, press and send; the channel answers through the fake.
import { createHmac } from "node:crypto";
import { slackChannelConfig } from "../../../channels/slack/config.ts";
import { createSlackChannel } from "../../../channels/slack/index.ts";
import type { ConversationRef, MessageRef, PersonRef } from "../../../src/core/delivery.ts";
import type { AppError } from "../../../src/core/errors.ts";
import type { Channel, Inbox } from "../../../src/ports/channel.ts";
import type { ChannelStore } from "../../../src/ports/channel-store.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import type { FakeClock } from "../fake-clock.ts";
import { createFixedIds } from "../fixed-ids.ts";
import { createMemoryChannelStore } from "../memory-channel-store.ts";
import { createScriptedInbox, plainPage, type ScriptedInbox } from "../scripted-inbox.ts";
import { createPacingClock } from "./pacing-clock.ts";
import type { Body, Payloads, Shown } from "./payloads.ts";
import { appToken, startSlackPlatform } from "./platform.ts";
import type { EnvelopeKind, FakeSockets } from "./sockets.ts";
import type { SlackWebApi } from "./web-api.ts";

export const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
export const tokenKey = Buffer.alloc(32, 7).toString("base64");
export const publicUrl = "https://bot.example.com";

export interface WorkspaceOptions {
  readonly transport?: "socket" | "http";
  /** Several workspaces that install the app, in place of one token. */
  readonly oauth?: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly inbox?: Inbox & Partial<ScriptedInbox>;
  readonly store?: ChannelStore;
  readonly secrets?: Readonly<Record<string, string | undefined>>;
  readonly clock?: FakeClock;
}

/** How Slack was answered: the payload of the acknowledgement, and over HTTP the status. */
export interface Answered {
  readonly status: number;
  readonly payload: Body;
}

export interface SlackWorkspace {
  readonly channel: Channel;
  readonly inbox: ScriptedInbox;
  readonly slack: SlackWebApi;
  readonly sockets: FakeSockets;
  readonly clock: FakeClock;
  readonly store: ChannelStore;
  readonly payloads: Payloads;
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  readonly fatal: readonly AppError[];
  readonly logged: readonly { readonly event: string; readonly fields: Record<string, unknown> }[];
  start(): Promise<void>;
  /** Through the transport; settles when it is acknowledged and nothing is at work any more. */
  deliver(kind: EnvelopeKind, body: Body, retry?: number): Promise<Answered>;
  slash(text: string, user?: string, conversation?: string, name?: string): Promise<Body>;
  /** A mention of the bot; the message appears in the conversation. Returns the event's body. */
  mention(text: string, thread?: string, user?: string, conversation?: string): Promise<Body>;
  press(ref: MessageRef, value: string, user?: string): Promise<Body>;
  /** The modal or Home that was opened or changed last. */
  lastView(): Shown;
  /** Texts that the bot showed, in the order of time, with who sees them. */
  shown(
    conversation?: string,
  ): readonly { readonly text: string; readonly onlyFor: string | undefined; readonly thread: string | undefined }[];
  stop(): Promise<void>;
}

export async function createSlackWorkspace(options: WorkspaceOptions = {}): Promise<SlackWorkspace> {
  const { transport = "socket", oauth = false } = options;
  const clock = options.clock ?? createPacingClock(Date.UTC(2026, 0, 5, 12), 1_200);
  const { slack, sockets, payloads } = await startSlackPlatform(clock);
  const { team, bot } = slack;
  const logged: { event: string; fields: Record<string, unknown> }[] = [];
  const keep = (event: string, fields: Record<string, unknown> = {}): void => void logged.push({ event, fields });
  const logger: Logger = { debug() {}, info: keep, warn: keep, error: keep, child: () => logger };
  const fatal: AppError[] = [];
  const inbox = createScriptedInbox(
    ({ text }) => (text.startsWith("answer") ? { page: plainPage(`You said ${text}`), visibility: "asker" } : null),
    ["demo"],
  );
  const store = options.store ?? createMemoryChannelStore();
  const secrets: Readonly<Record<string, string | undefined>> = {
    SLACK_BOT_TOKEN: bot.token,
    SLACK_APP_TOKEN: appToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_CLIENT_SECRET: slack.oauth.clientSecret,
    SLACK_TOKEN_KEY: tokenKey,
    ...options.secrets,
  };
  const install = {
    client_id: slack.oauth.clientId,
    client_secret_env: "SLACK_CLIENT_SECRET",
    token_key_envs: ["SLACK_TOKEN_KEY"],
  };
  const network = {
    running: 0,
    async fetch(...given: Parameters<typeof globalThis.fetch>): Promise<Response> {
      network.running++;
      try {
        const response = await globalThis.fetch(...given);
        // The answer's body too is a part of the call.
        const { status, headers } = response;
        const body = await response.arrayBuffer();
        return new Response(status === 204 ? null : body, { status, headers });
      } finally {
        network.running--;
      }
    },
  };
  const channel = createSlackChannel({
    config: slackChannelConfig.parse({
      transport,
      ...(transport === "socket"
        ? { app_token_env: "SLACK_APP_TOKEN" }
        : { signing_secret_env: "SLACK_SIGNING_SECRET" }),
      ...(oauth ? { oauth: install } : { bot_token_env: "SLACK_BOT_TOKEN" }),
      api_url: slack.url,
      ...options.config,
    }),
    secret: (name) => secrets[name],
    store,
    clock,
    ids: createFixedIds(),
    logger,
    commandName: "review",
    publicUrl,
    texts: async () => createTexts({ folders: [] }),
    fatal: (error) => void fatal.push(error),
    fetch: network.fetch,
  });
  async function overHttp(kind: EnvelopeKind, body: Body, retry: number | undefined): Promise<Answered> {
    const form =
      kind === "slash_commands"
        ? new URLSearchParams(Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]))
        : new URLSearchParams({ payload: JSON.stringify(body) });
    const text = kind === "events_api" ? JSON.stringify(body) : form.toString();
    const response = await channel.webhook(
      signedRequest(text, kind === "events_api" ? "application/json" : "application/x-www-form-urlencoded", clock, {
        ...(retry === undefined ? {} : { "x-slack-retry-num": String(retry), "x-slack-retry-reason": "http_timeout" }),
      }),
    );
    const answer = await response.text();
    return { status: response.status, payload: answer === "" ? {} : (JSON.parse(answer) as Body) };
  }

  async function overSocket(kind: EnvelopeKind, body: Body, retry: number | undefined): Promise<Answered> {
    const { payload } = await sockets.deliver(
      kind,
      body,
      retry === undefined ? {} : { retryAttempt: retry, retryReason: "timeout" },
    );
    return { status: 200, payload };
  }

  async function deliver(kind: EnvelopeKind, body: Body, retry?: number): Promise<Answered> {
    const answered = await (transport === "http" ? overHttp : overSocket)(kind, body, retry);
    await settled(network);
    return answered;
  }

  return {
    channel,
    inbox,
    slack,
    sockets,
    clock,
    store,
    payloads,
    fatal,
    logged,
    conversation: { channel: "slack", workspace: team.id, conversation: "C0001" },
    person: { channel: "slack", workspace: team.id, person: "U0001" },
    start: () => channel.start(options.inbox ?? inbox),
    deliver,
    async slash(text, user = "U0001", conversation = "C0001", name = "reviews") {
      const body = payloads.slash("/review", text, user, conversation, name);
      await deliver("slash_commands", body);
      return body;
    },
    async mention(text, thread, user = "U0001", conversation = "C0001") {
      const said = `<@${bot.botUserId}> ${text}`;
      const { ts } = slack.say(conversation, user, said, thread);
      const place = thread === undefined ? {} : { thread_ts: thread };
      const event = {
        type: "app_mention",
        user,
        text: said,
        ts,
        channel: conversation,
        event_ts: ts,
        team: team.id,
        ...place,
      };
      const body = payloads.event(event);
      await deliver("events_api", body);
      return body;
    },
    async press(ref, value, user = "U0001") {
      const { conversation, message, thread } = ref;
      const place = thread === undefined ? {} : { thread };
      const body = payloads.press({ user, conversation, message, actionId: "aicr_action_0", value, ...place });
      await deliver("interactive", body);
      return body;
    },
    lastView() {
      const view = [...team.views.values()].at(-1);
      if (view === undefined) throw new Error("no view was opened");
      return view;
    },
    shown: (conversation = "C0001") =>
      (team.conversations.get(conversation)?.messages ?? [])
        .filter(({ botId, isTombstone }) => botId !== undefined && !isTombstone)
        .map(({ text, onlyFor, thread }) => ({ text, onlyFor, thread })),
    async stop() {
      await channel.stop();
      await sockets.stop();
      await slack.stop();
    },
  };
}

/** A post as Slack signs it. */
export function signedRequest(
  text: string,
  contentType: string,
  clock: Pick<FakeClock, "now">,
  headers: Readonly<Record<string, string>> = {},
  secret = signingSecret,
): Request {
  const timestamp = String(Math.floor(clock.now() / 1_000));
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${text}`).digest("hex")}`;
  return new Request(`${publicUrl}/slack/events`, {
    method: "POST",
    headers: {
      "content-type": contentType,
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": signature,
      ...headers,
    },
    body: text,
  });
}

/** Settles when no call has been under way for some turns of the event loop. */
async function settled(calls: { readonly running: number }): Promise<void> {
  for (let quiet = 0; quiet < 20; quiet++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (calls.running > 0) quiet = 0;
  }
}
