// The platform's HTTP API on loopback, strict: tokens, messages, uploads, reactions, chats, the bot, commands, and faults on demand.
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import type { Clock } from "../../../src/ports/clock.ts";
import { type ApiAnswer, bytesOf, createWindow, done, jsonOf, readStrictly, refused, send } from "./api-answers.ts";
import { createMessageCalls } from "./api-messages.ts";
import { createLarkState, type FakeChat, type FakeMessage, type LarkState } from "./api-state.ts";
import { botOpenId } from "./events.ts";
import type { PlatformPart } from "./server.ts";

export interface FakeLarkApiOptions {
  readonly appId: string;
  readonly appSecret: string;
  readonly clock: Clock;
}

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

/** What becomes of the next calls to paths that match. */
export type Trouble =
  | { readonly kind: "answer"; readonly answer: ApiAnswer }
  /** Carried out, and the connection breaks before the answer. */
  | { readonly kind: "lost" }
  /** Never answered. */
  | { readonly kind: "stalled" };

export interface FakeLarkApi extends PlatformPart {
  readonly state: LarkState;
  /** Every call that came in, tokens' too. */
  readonly calls: readonly ApiCall[];
  readonly commands: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Names of people whom the app may see, by their open ids. */
  readonly names: Map<string, string>;
  addChat(id: string, mode: FakeChat["mode"], person?: string): FakeChat;
  /** A person writes; what the platform knows of it, not the event. */
  say(message: { readonly chat: string; readonly text: string; readonly root?: string }): FakeMessage;
  /** The bot's messages that stand, oldest first. */
  shown(): readonly FakeMessage[];
  /** The next `times` calls (default 1) whose `METHOD path` matches. */
  trouble(pattern: RegExp, trouble: Trouble, times?: number): void;
  /** From now on no connection is answered. */
  break(): void;
  /** Tokens given so far are not taken any more. */
  revokeTokens(): void;
  /** Resolves when so many calls whose `METHOD path` matches have come in. */
  called(pattern: RegExp, count?: number): Promise<void>;
}

const token = z.strictObject({ app_id: z.string(), app_secret: z.string() });
const reaction = z.strictObject({ reaction_type: z.strictObject({ emoji_type: z.string() }) });
const described = z.strictObject({ default_value: z.string(), i18n: z.record(z.string(), z.string()).optional() });
const command = z.strictObject({ command: z.string().regex(/^[a-z0-9_-]{1,32}$/), description: described });

/** Some of the platform's emoji: all that the bot may use, and a few others. */
const emoji = new Set([
  "OK",
  "THUMBSUP",
  "DONE",
  "Get",
  "OnIt",
  "OneSecond",
  "Typing",
  "CheckMark",
  "CrossMark",
  "ERROR",
]);
const TOKEN_LIFE_S = 7_200;

export function createFakeLarkApi({ appId, appSecret, clock }: FakeLarkApiOptions): FakeLarkApi {
  const state = createLarkState(clock);
  const messages = createMessageCalls(state, clock);
  const calls: ApiCall[] = [];
  const tokens = new Map<string, number>();
  const troubles: { readonly pattern: RegExp; readonly trouble: Trouble; left: number }[] = [];
  const commands = new Map<string, Readonly<Record<string, unknown>>>();
  const names = new Map<string, string>();
  const waiters: { readonly pattern: RegExp; readonly count: number; readonly resolve: () => void }[] = [];
  const perSecond = createWindow(50, 1_000);
  const perMinute = createWindow(1_000, 60_000);
  let isBroken = false;

  function giveToken(body: unknown): ApiAnswer {
    const read = readStrictly(token, body);
    if (!read.ok) return read.answer;
    if (read.value.app_id !== appId) return refused(10003, "invalid param", 200);
    if (read.value.app_secret !== appSecret) return refused(10014, "app secret invalid", 200);
    const given = state.nextId("t-");
    tokens.set(given, clock.now() + TOKEN_LIFE_S * 1_000);
    return { status: 200, body: { code: 0, msg: "ok", tenant_access_token: given, expire: TOKEN_LIFE_S } };
  }

  function checkToken(authorization: string | undefined): ApiAnswer | null {
    if (authorization === undefined) return refused(99991661, "Missing access token for authorization.");
    const until = tokens.get(authorization.replace(/^Bearer /, ""));
    return until !== undefined && until > clock.now()
      ? null
      : refused(99991663, "Invalid access token for authorization.");
  }

  function checkRate(route: string): ApiAnswer | null {
    const now = clock.now();
    if (perSecond(route, now) && perMinute(route, now)) return null;
    return refused(99991400, "request trigger frequency limit", 429, { "x-ogw-ratelimit-reset": "1" });
  }

  async function answer(method: string, url: URL, request: IncomingMessage, bytes: Uint8Array): Promise<ApiAnswer> {
    const body = jsonOf(bytes);
    const path = url.pathname;
    if (`${method} ${path}` === "POST /open-apis/auth/v3/tenant_access_token/internal") return giveToken(body);
    const barred =
      checkToken(request.headers.authorization) ?? checkRate(`${method} ${path.replace(/[a-z]+_\w+/g, ":id")}`);
    if (barred !== null) return barred;
    const [area = "", ...rest] = path.replace("/open-apis/", "").split("/").map(decodeURIComponent);
    if (area === "im") return im(method, rest.slice(1), url, request, bytes);
    switch (`${method} ${path.replace("/open-apis/", "")}`) {
      case "POST ephemeral/v1/send":
        return messages.showToOne(body);
      case "POST ephemeral/v1/delete":
        return messages.takeFromOne(body);
      case "GET bot/v3/info":
        return {
          status: 200,
          body: { code: 0, msg: "ok", bot: { activate_status: 2, app_name: "AICR", open_id: botOpenId } },
        };
    }
    if (area === "application" && rest[1] === "app_slash_commands") return panel(method, rest[2], body);
    if (area === "contact" && method === "GET" && rest[1] === "users") return nameOf(rest[2] ?? "", url);
    return refused(404, "no such path", 404);
  }

  function nameOf(person: string, url: URL): ApiAnswer {
    const name = names.get(person);
    if (url.searchParams.get("user_id_type") !== "open_id") return refused(41012, "user id type is wrong");
    return name === undefined ? refused(41050, "no user authority error") : done({ user: { open_id: person, name } });
  }

  async function im(
    method: string,
    [kind = "", id = "", part = "", last]: readonly string[],
    url: URL,
    request: IncomingMessage,
    bytes: Uint8Array,
  ): Promise<ApiAnswer> {
    const body = jsonOf(bytes);
    switch (
      `${method} ${kind}${id === "" ? "" : "/:id"}${part === "" ? "" : `/${part}`}${last === undefined ? "" : "/:last"}`
    ) {
      case "POST messages":
        return messages.create(url.searchParams, body);
      case "POST messages/:id/reply":
        return messages.reply(id, body);
      case "PATCH messages/:id":
        return messages.patch(id, body);
      case "DELETE messages/:id":
        return messages.recall(id);
      case "POST messages/:id/reactions":
        return react(id, body);
      case "DELETE messages/:id/reactions/:last":
        return state.messages.get(id)?.reactions.delete(last ?? "") === true
          ? done()
          : refused(231007, "reaction is not found");
      case "POST images":
        return upload("image", request, bytes);
      case "POST files":
        return upload("file", request, bytes);
      case "GET chats/:id":
        return chatOf(id);
      default:
        return refused(404, "no such path", 404);
    }
  }

  function react(id: string, body: unknown): ApiAnswer {
    const read = readStrictly(reaction, body);
    if (!read.ok) return read.answer;
    const message = state.messages.get(id);
    if (message === undefined) return refused(231003, "The message is not found");
    if (message.isRecalled) return refused(230011, "The message was withdrawn.");
    const { emoji_type: name } = read.value.reaction_type;
    if (!emoji.has(name)) return refused(231001, "reaction type is invalid");
    const reactionId = state.nextId("ra_");
    message.reactions.set(reactionId, name);
    return done({ reaction_id: reactionId });
  }

  async function upload(kind: "image" | "file", request: IncomingMessage, bytes: Uint8Array): Promise<ApiAnswer> {
    const type = request.headers["content-type"] ?? "";
    if (!type.startsWith("multipart/form-data; boundary=")) return refused(234001, "Invalid request param.");
    const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
    const names = [...form.keys()].sort().join();
    if (names !== (kind === "image" ? "image,image_type" : "file,file_name,file_type"))
      return refused(234001, `unknown fields: ${names}`);
    if (form.get(kind === "image" ? "image_type" : "file_type") !== (kind === "image" ? "message" : "stream")) {
      return refused(234001, "Invalid request param.");
    }
    const blob = form.get(kind);
    if (!(blob instanceof Blob)) return refused(234006, "File is not a file.");
    if (blob.size === 0) return refused(234010, "File's size can't be 0.");
    if (blob.size > (kind === "image" ? 10 : 30) * 1024 * 1024)
      return refused(234006, "The file size exceed the max value.");
    const key = state.nextId(kind === "image" ? "img_v3_" : "file_v3_");
    const name = String(form.get("file_name") ?? "image");
    state.uploads.set(key, { kind, bytes: new Uint8Array(await blob.arrayBuffer()), name });
    return done({ [`${kind}_key`]: key });
  }

  function chatOf(id: string): ApiAnswer {
    const chat = state.chats.get(id);
    if (chat === undefined) return refused(232006, "Your request specifies an invalid chat_id.");
    if (!chat.isBotMember) return refused(232011, "Operator can NOT be out of the chat.");
    return done({ name: id, chat_mode: chat.mode, chat_status: chat.isDissolved ? "dissolved" : "normal" });
  }

  function panel(method: string, id: string | undefined, body: unknown): ApiAnswer {
    if (method === "GET" && id === undefined) return done({ items: [...commands.values()] });
    if (method === "DELETE" && id !== undefined)
      return commands.delete(id) ? done() : refused(40004, "command not found");
    const read = readStrictly(id === undefined ? command : command.omit({ command: true }), body);
    if (!read.ok) return read.answer;
    const isNew = method === "POST" && id === undefined;
    if (!isNew && (method !== "PATCH" || id === undefined || !commands.has(id)))
      return refused(40004, "command not found");
    const own = id ?? state.nextId("cmd_");
    commands.set(own, { ...commands.get(own), ...read.value, command_id: own });
    return done({ command_id: own });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isBroken) {
      request.socket.destroy();
      return;
    }
    const method = request.method ?? "";
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const bytes = await bytesOf(request);
    const line = `${method} ${url.pathname}`;
    calls.push({ method, path: url.pathname, body: jsonOf(bytes), authorization: request.headers.authorization });
    for (const waiter of waiters.filter(({ pattern, count }) => countOf(pattern) >= count)) waiter.resolve();
    const found = troubles.find(({ pattern, left }) => left > 0 && pattern.test(line));
    if (found !== undefined) found.left -= 1;
    const trouble = found?.trouble;
    if (trouble?.kind === "stalled") return;
    const given = trouble?.kind === "answer" ? trouble.answer : await answer(method, url, request, bytes);
    if (trouble?.kind === "lost") request.socket.destroy();
    else send(response, given);
  }

  function countOf(pattern: RegExp): number {
    return calls.filter(({ method, path }) => pattern.test(`${method} ${path}`)).length;
  }

  return {
    state,
    calls,
    commands,
    names,
    addChat: state.addChat,
    say: ({ chat, text, root }) =>
      state.add({ chat, from: "person", type: "text", content: { text }, ...(root === undefined ? {} : { root }) }),
    shown: () => [...state.messages.values()].filter(({ from, isRecalled }) => from === "bot" && !isRecalled),
    trouble: (pattern, trouble, times = 1) => void troubles.push({ pattern, trouble, left: times }),
    break() {
      isBroken = true;
    },
    revokeTokens: () => tokens.clear(),
    called: (pattern, count = 1) =>
      countOf(pattern) >= count
        ? Promise.resolve()
        : new Promise((resolve) => void waiters.push({ pattern, count, resolve })),
    handle(request, response) {
      if (request.url?.startsWith("/open-apis/") !== true || request.url.startsWith("/open-apis/bot/v2/hook/"))
        return false;
      serve(request, response).catch((thrown: unknown) => send(response, refused(500, String(thrown), 500)));
      return true;
    },
  };
}
