// Lark from the push to the card and back, by the real SDK over loopback: each way of being heard, and what goes wrong on it.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLarkHttp } from "../../channels/lark/http.ts";
import { openSocket } from "../../channels/lark/open-socket.ts";
import { createLarkDispatcher } from "../../channels/lark/sdk.ts";
import type { MessageRef } from "../../src/core/delivery.ts";
import { AppError } from "../../src/core/errors.ts";
import type {
  Channel,
  CommandReply,
  InboundAction,
  InboundCommand,
  InboundLifecycle,
  Inbox,
} from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import { appId, chatEvent, clickEvent, messageEvent, type NativeBody } from "../fakes/lark/events.ts";
import {
  appSecret,
  connectChannel,
  createMovableClock,
  createWaitingLogger,
  type FakePlatform,
  type MovableClock,
  openPlatform,
  type WaitingLogger,
} from "../fakes/lark/platform.ts";
import { webhookRequest } from "../fakes/lark/webhook.ts";
import { createMemoryChannelStore } from "../fakes/memory-channel-store.ts";
import { replies, root, steps } from "../fakes/sample-cards.ts";
import { plainPage, playReview } from "../fakes/scripted-inbox.ts";

let clock: MovableClock;
let platform: FakePlatform;
let logger: WaitingLogger;
let store: ChannelStore;
let channel: Channel;
let core: ScriptedCore;

interface ScriptedCore extends Inbox {
  readonly commands: InboundCommand[];
  readonly actions: InboundAction[];
  readonly lifecycles: InboundLifecycle[];
  onCommand: (inbound: InboundCommand) => Promise<CommandReply | null>;
  onAction: (inbound: InboundAction) => Promise<void>;
  /** Resolves when so many actions have ended. */
  acted(count: number): Promise<void>;
}

function createCore(): ScriptedCore {
  let ended = 0;
  let waiting: { readonly count: number; readonly met: () => void }[] = [];
  const scripted: ScriptedCore = {
    commands: [],
    actions: [],
    lifecycles: [],
    onCommand: async () => null,
    onAction: async () => undefined,
    async command(inbound) {
      scripted.commands.push(inbound);
      return scripted.onCommand(inbound);
    },
    async action(inbound) {
      scripted.actions.push(inbound);
      try {
        await scripted.onAction(inbound);
      } finally {
        ended += 1;
        for (const one of waiting) if (one.count <= ended) one.met();
        waiting = waiting.filter(({ count }) => count > ended);
      }
    },
    suggest: async () => [],
    home: () => Promise.reject(new Error("there is no home here")),
    async lifecycle(inbound) {
      scripted.lifecycles.push(inbound);
    },
    acted: (count) => (ended >= count ? Promise.resolve() : new Promise((met) => void waiting.push({ count, met }))),
  };
  return scripted;
}

beforeEach(async () => {
  clock = createMovableClock();
  logger = createWaitingLogger();
  store = createMemoryChannelStore();
  core = createCore();
  platform = await openPlatform(clock);
  platform.api.addChat("oc_main", "group");
  channel = connect();
});

afterEach(async () => {
  await channel.stop();
  await platform.close();
});

function connect(settings: Readonly<Record<string, unknown>> = {}): Channel {
  return connectChannel({ origin: platform.origin, clock, logger, store, settings: { language: "en", ...settings } });
}

async function up(): Promise<void> {
  await channel.start(core);
  await Promise.all([logger.logged("lark.connected"), logger.logged("lark.command_registered")]);
}

function said(text: string, changes: Partial<Parameters<typeof messageEvent>[0]> = {}): NativeBody {
  const { id } = platform.api.say({ chat: "oc_main", text });
  return messageEvent({ messageId: id, text, at: clock.now(), eventId: `ev_${id}`, ...changes });
}

/** The value that a button of a shown card carries. */
function buttonOf(message: string, label: string): unknown {
  const content = platform.api.state.messages.get(message)?.content;
  const found = buttonsIn(content).find(({ text }) => text.content === label);
  if (found === undefined) throw new Error(`no button ${label} on ${message}: ${JSON.stringify(content)}`);
  return found.behaviors.find(({ type }) => type === "callback")?.value;
}

interface ShownButton {
  readonly tag: "button";
  readonly text: { readonly content: string };
  readonly behaviors: readonly { readonly type: string; readonly value?: unknown }[];
}

function buttonsIn(value: unknown): readonly ShownButton[] {
  if (typeof value === "string" && value.startsWith("{")) return buttonsIn(JSON.parse(value));
  if (Array.isArray(value)) return value.flatMap(buttonsIn);
  if (typeof value !== "object" || value === null) return [];
  if ("tag" in value && value.tag === "button") return [value as ShownButton];
  return Object.values(value).flatMap(buttonsIn);
}

function journal(): unknown {
  const isSecret = (path: string): boolean => path.startsWith("/open-apis/auth/");
  return platform.api.calls.map(({ method, path, body }) => ({
    call: `${method} ${path}`,
    ...(body === undefined || isSecret(path) ? {} : { body: readable(body) }),
  }));
}

/** Contents are JSON within JSON: written out, they can be read. */
function readable(body: unknown): unknown {
  const { content } = body as { content?: unknown };
  return typeof content === "string" ? { ...(body as object), content: JSON.parse(content) as unknown } : body;
}

it("takes a command to a card in a thread, a click to its toast and edit, and a form to its answer", async () => {
  const run: unknown[] = [];
  const push = async (body: NativeBody): Promise<void> => {
    const { ack } = await platform.socket.push(body);
    const { create_time: _, ...header } = body.header;
    run.push({ pushed: { ...header, event: withoutTimes(body.event) }, ack });
  };
  await up();
  await push(chatEvent("im.chat.member.bot.added_v1", { name: "Games", at: clock.now(), eventId: "ev_added" }));
  expect(core.lifecycles).toMatchObject([{ kind: "joined", name: "Games" }]);

  let played = Promise.resolve();
  core.onCommand = async (inbound) => {
    played = playReview(channel, inbound, { steps, root, replies: replies.slice(0, 1) });
    await played;
    return { page: null, visibility: "asker" };
  };
  await push(said("/review demo HEAD"));
  await played;
  expect(core.commands).toMatchObject([{ text: "demo HEAD", person: { person: "ou_asker" } }]);

  const shown = platform.api.shown().filter(({ onlyFor }) => onlyFor === undefined);
  const [rootMessage, threadMessage] = shown;
  expect(shown).toHaveLength(2);
  expect(threadMessage?.root).toBe(rootMessage?.id);
  const card = threadMessage?.id ?? "";

  let edited = 0;
  core.onAction = async (inbound) => {
    const { message, values, token } = inbound;
    if (values["reason"] === undefined) {
      const fields = [{ name: "reason", label: "Reason", multiline: false, required: true }];
      return channel.ask(inbound, { title: "Why is this no problem?", token, fields });
    }
    await channel.edit(message, plainPage(`Dismissed: ${values["reason"]}`));
    edited += 1;
  };
  // The platform is busy when the form is to be shown: its person was told that the press arrived, so that it is tried again.
  const busy = { status: 400, body: { code: 230020, msg: "frequency limit" } };
  platform.api.trouble(/^POST .*ephemeral\/v1\/send$/, { kind: "answer", answer: busy });
  await push(clickEvent({ value: buttonOf(card, "Dismiss"), message: card, eventId: "ev_click", at: clock.now() }));
  await core.acted(1);
  const form = platform.api.shown().at(-1);
  expect(form?.onlyFor).toBe("ou_asker");
  const formValue = { reason: "known and wanted" };
  const submit = { value: buttonOf(form?.id ?? "", "Send"), message: form?.id ?? "", formValue };
  await push(clickEvent({ ...submit, eventId: "ev_form", at: clock.now() }));
  await core.acted(2);
  await platform.api.called(/^POST \/open-apis\/ephemeral\/v1\/delete/, 3);
  expect([edited, core.actions[1]?.values, core.actions[1]?.message.message]).toEqual([1, formValue, card]);
  expect(platform.api.state.messages.get(card)?.edits).toBe(1);
  expect(platform.socket.mistakes).toEqual([]);
  const told = JSON.stringify({ run, calls: journal() }, null, 2);
  expect(told).not.toContain(appSecret);
  await expect(`${told}\n`).toMatchFileSnapshot("../fixtures/lark/run.json");
});

function withoutTimes(event: Readonly<Record<string, unknown>>): unknown {
  return JSON.parse(JSON.stringify(event, (key, value: unknown) => (/_time$/.test(key) ? undefined : value)));
}

it("hands each command on once: pushed twice, over two connections of the platform, and after a restart", async () => {
  await up();
  const question = said("/review demo");
  for (let count = 0; count < 5; count += 1) await platform.socket.push(question);
  await channel.stop();
  channel = connect();
  await channel.start(core);
  await logger.logged("lark.connected", 2);
  clock.skip(8 * 3_600_000);
  expect((await platform.socket.push(question)).ack).toEqual({ code: 200 });
  expect(core.commands).toHaveLength(1);
});

it("answers the platform in time when the core is slow, and takes what is pushed again for the same", async () => {
  await up();
  let finish = (): void => undefined;
  core.onCommand = () =>
    new Promise((resolve) => {
      finish = () => resolve({ page: plainPage("Done"), visibility: "everyone" });
    });
  const question = said("/review demo");
  // The core has not answered, and the platform has its answer all the same.
  const { ack } = await platform.socket.push(question);
  expect(ack?.code).toBe(500);
  finish();
  await platform.api.called(/^POST \/open-apis\/im\/v1\/messages/);
  await platform.patience.advanceAsync(15_000);
  await logger.logged("lark.event_repeated");
  expect(platform.socket.attempts.map(({ ack: answer }) => answer?.code)).toEqual([500, 200]);
  expect(core.commands).toHaveLength(1);
});

it("answers late commands after an outage, with their age", async () => {
  const question = said("/review demo");
  await platform.socket.push(question);
  expect(platform.socket.attempts).toMatchObject([{ connection: -1 }]);
  core.onCommand = async () => ({ page: plainPage("Done"), visibility: "everyone" });
  await up();
  clock.skip(3_600_000);
  await platform.patience.advanceAsync(15_000);
  await platform.api.called(/^POST \/open-apis\/im\/v1\/messages/);
  expect(JSON.stringify(platform.api.shown())).toContain("You wrote this 1 hour ago");
});

it("shows one person's answer to that person, and a reaction to all", async () => {
  await up();
  core.onCommand = async ({ conversation, eventId }) => {
    await channel.react({ ...conversation, message: eventId }, "clean");
    return { page: plainPage("Nothing to report"), visibility: "asker" };
  };
  await platform.socket.push(said("/review demo"));
  await platform.api.called(/ephemeral\/v1\/send/);
  expect(platform.api.shown()).toMatchObject([{ onlyFor: "ou_asker" }]);
  const [question] = [...platform.api.state.messages.values()];
  expect(question?.reactions.size).toBe(1);
});

it("comes back after the connection broke off, and is not up meanwhile", async () => {
  await up();
  expect(channel.health()).toEqual({ state: "up" });
  platform.socket.dropConnections();
  await logger.logged("lark.reconnecting");
  expect(channel.health().state).toBe("starting");
  await logger.logged("lark.reconnected");
  expect(channel.health().state).toBe("up");
  await platform.socket.push(said("/review demo"));
  expect(core.commands).toHaveLength(1);
});

it.each([
  [1000040351, "Set domain to the cloud"],
  [514, "Compare app_id"],
])("says what to do when the endpoint refuses with %i, and begins anew by itself", async (code, remedy) => {
  platform.socket.refuse(code, { data: null });
  await channel.start(core);
  await logger.logged("lark.connection_failed");
  expect(channel.health()).toMatchObject({ state: "down", detail: expect.stringContaining(remedy) });
  expect(platform.socket.connections()).toBe(0);
});

it("is tried again when the platform is busy for a moment", async () => {
  platform.socket.refuse(1, { msg: "system busy" });
  platform.socket.refuse(1000040343, { msg: "internal error" });
  await up();
  expect(platform.socket.endpointCalls()).toBe(3);
});

it("ends the process when the platform does not know the app", async () => {
  const refused: AppError[] = [];
  channel = connectChannel({
    ...{ origin: platform.origin, clock, logger, store, secret: "wrong-secret-123" },
    fatal: (error) => void refused.push(error),
  });
  await channel.start(core);
  await logger.logged("lark.bot_unknown");
  expect(refused[0]).toBeInstanceOf(AppError);
  expect(refused[0]?.code).toBe("config");
  expect(channel.health().state).toBe("down");
  expect(JSON.stringify([logger.lines, refused, channel.health()])).not.toContain("wrong-secret-123");
});

it("is down, and goes on, when credentials that worked are refused", async () => {
  await up();
  platform.api.revokeTokens();
  const refused = { status: 200, body: { code: 10014, msg: "app secret invalid" } };
  platform.api.trouble(/tenant_access_token/, { kind: "answer", answer: refused }, 100);
  const target = { conversation: { channel: "lark", workspace: "tk", conversation: "oc_main" } };
  await expect(channel.send(target, plainPage("Hi"), "dl_1/0")).rejects.toMatchObject({ fault: "auth" });
  expect(channel.health()).toMatchObject({ state: "down", detail: expect.stringContaining("Check app_id") });
  expect(platform.socket.connections()).toBe(1);
});

it("tells its health without asking the platform, whose calls are counted", async () => {
  await up();
  const calls = platform.api.calls.length + platform.socket.endpointCalls();
  for (let count = 0; count < 100; count += 1) expect(channel.health().state).toBe("up");
  await platform.socket.push(said("good morning"));
  expect(platform.api.calls.length + platform.socket.endpointCalls()).toBe(calls);
});

it("notices that the platform went mute, and connects anew", async () => {
  await channel.stop();
  await platform.close();
  platform = await openPlatform(clock, { PingInterval: 0.4, ReconnectNonce: 0 });
  channel = connect();
  const http = createLarkHttp({ clock, timeoutMs: 5_000, throwCodes: false, secrets: [] });
  const told: string[] = [];
  let ready = (): void => undefined;
  const whenReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const dispatcher = createLarkDispatcher({ handlers: {}, logger });
  const socket = openSocket(
    {
      appId,
      appSecret,
      origin: platform.origin,
      http,
      dispatcher,
      logger,
      env: () => undefined,
      pingTimeoutSeconds: 0.1,
    },
    {
      onReady: () => ready(),
      onReconnecting: () => told.push("reconnecting"),
      onReconnected: () => told.push("reconnected"),
      onRefused: () => told.push("refused"),
      onError: () => told.push("error"),
    },
  );
  await socket.start();
  await whenReady;
  platform.socket.mute();
  await platform.socket.endpointCalled(2);
  expect(told[0]).toBe("reconnecting");
  socket.close();
  await http.close();
});

it("holds one connection however many processes share the store", async () => {
  await up();
  const otherLogger = createWaitingLogger();
  const other = connectChannel({
    origin: platform.origin,
    clock,
    logger: otherLogger,
    store,
    settings: { app_id: appId },
  });
  await other.start(createCore());
  await otherLogger.logged("lark.bot_known");
  await store.note("lark", "any");
  expect(platform.socket.connections()).toBe(1);
  expect(other.health().state).toBe("starting");
  await other.stop();
});

it("is heard by the webhook too, once for each request, and not without a signature", async () => {
  channel = connect({ transport: "webhook" });
  await channel.start(core);
  await logger.logged("lark.bot_known");
  await logger.logged("lark.command_registered");
  expect([channel.routes, channel.health().state, platform.socket.endpointCalls()]).toEqual([
    ["/lark/events"],
    "up",
    0,
  ]);
  const question = said("/review demo");
  const request = (): Request => webhookRequest(question, { clock: { now: () => fixed } });
  const fixed = clock.now();
  const first = await channel.webhook(request());
  expect([first.status, await first.json()]).toEqual([200, {}]);
  expect((await channel.webhook(request())).status).toBe(200);
  expect((await channel.webhook(webhookRequest(question, { clock, isSigned: false }))).status).toBe(401);
  expect(core.commands).toHaveLength(1);
  const click = clickEvent({ value: { token: "v1:abc" }, message: "om_card", at: clock.now() });
  const answer = await channel.webhook(webhookRequest(click, { clock, nonce: "n2" }));
  expect(await answer.json()).toMatchObject({ toast: { type: "info", i18n: { zh_cn: "已收到", vi_vn: "Đã nhận" } } });
  await core.acted(1);
  core.onCommand = () => Promise.reject(new Error("the disk is full"));
  const failed = await channel.webhook(webhookRequest(said("/review x"), { clock, nonce: "n3" }));
  expect([failed.status, failed.headers.get("retry-after")]).toEqual([503, "15"]);
});

it("answers 404 at the webhook's address while the long connection is used, and 503 before it knows itself", async () => {
  expect((await channel.webhook(webhookRequest({}, { clock }))).status).toBe(404);
  channel = connect({ transport: "webhook" });
  expect((await channel.webhook(webhookRequest(said("/review demo"), { clock }))).status).toBe(503);
});

it("tells no secret in any line of the log, whatever went wrong", async () => {
  platform.socket.refuse(514, { data: null });
  await channel.start(core);
  await logger.logged("lark.connection_failed");
  platform.api.break();
  const ref: MessageRef = { channel: "lark", workspace: "tk", conversation: "oc_main", message: "om_1" };
  await channel.edit(ref, plainPage("x")).catch(() => undefined);
  expect(JSON.stringify(logger.lines)).not.toContain(appSecret);
});
