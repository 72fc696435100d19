// A strict Slack Web API on loopback: tokens, scopes, arguments, Block Kit, pace, uploads, response addresses, and every kind of failure.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../../src/ports/clock.ts";
import { type Given, type MethodShape, methodShapes, readArguments } from "./web-api-arguments.ts";
import * as messages from "./web-api-messages.ts";
import { createFakeOauth, type FakeOauth } from "./web-api-oauth.ts";
import { createPace } from "./web-api-pace.ts";
import { answerResponseUrl } from "./web-api-response-url.ts";
import {
  createSlackState,
  type FakeInstallation,
  type FakeMessage,
  type FakeTeam,
  type SlackState,
  seedTeam,
} from "./web-api-state.ts";
import * as surroundings from "./web-api-surroundings.ts";
import { createTroubles, fail, type Troubles } from "./web-api-trouble.ts";

export interface FakeCall {
  readonly method: string;
  readonly token: string;
  readonly given: Given;
  /** The error of the answer; `ok`, or how it was made to fail. */
  readonly outcome: string;
}

export interface SlackWebApi {
  /** Base address for clients, with `/api/` at its end. */
  readonly url: string;
  readonly origin: string;
  readonly server: Server;
  readonly state: SlackState;
  readonly team: FakeTeam;
  readonly bot: FakeInstallation;
  readonly oauth: FakeOauth;
  readonly troubles: Troubles;
  readonly calls: FakeCall[];
  /** Answers a method that the fake itself does not know, such as `apps.connections.open`. */
  extend(method: string, shape: MethodShape, answer: (given: Given, token: string) => messages.Result): void;
  /** The id that an interaction of a person brings along; three seconds by the clock. */
  trigger(user: string): string;
  /** The address that an interaction of a person brings along. */
  responseUrl(conversation: string, user: string, message?: string): string;
  /** A person says something. */
  say(conversation: string, user: string, text: string, thread?: string): FakeMessage;
  /** Breaks every call from now on. */
  break(): void;
  stop(): Promise<void>;
}

const TRIGGER_MS = 3_000;
const RESPONSE_MS = 30 * 60_000;
const MAX_BODY = 1_000_000;

export interface SlackWebApiOptions {
  readonly clock: Clock;
  /** Refuses a second message a second in a conversation. Default true. */
  readonly hasPace?: boolean;
}

export async function startSlackWebApi({ clock, hasPace = true }: SlackWebApiOptions): Promise<SlackWebApi> {
  const state = createSlackState(clock);
  const team = seedTeam(state);
  const [bot] = team.installations;
  if (bot === undefined) throw new Error("the team has no app");
  const oauth = createFakeOauth(state);
  const troubles = createTroubles();
  const pace = createPace(clock);
  const calls: FakeCall[] = [];
  const shapes = new Map<string, MethodShape>(Object.entries(methodShapes));
  const extended = new Map<string, (given: Given, token: string) => messages.Result>();
  let isBroken = false;
  let origin = "";

  const methods: Readonly<Record<string, messages.Method>> = {
    "auth.test": surroundings.authTest,
    "chat.postMessage": messages.postMessage,
    "chat.postEphemeral": messages.postEphemeral,
    "chat.update": messages.update,
    "chat.delete": messages.remove,
    "chat.getPermalink": messages.permalink,
    "conversations.history": messages.history,
    "conversations.replies": messages.replies,
    "conversations.info": surroundings.conversationInfo,
    "conversations.open": surroundings.openConversation,
    "users.info": surroundings.userInfo,
    "usergroups.list": surroundings.usergroups,
    "reactions.add": messages.addReaction,
    "reactions.remove": messages.removeReaction,
    ...surroundings.createViewMethods(clock),
    ...surroundings.createFileMethods(() => origin),
  };

  const server = createServer((request, response) => {
    void serve(request, response).catch((thrown: unknown) => {
      response.writeHead(500).end(String(thrown));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", origin).pathname;
    const body = await bodyOf(request);
    if (isBroken) {
      request.socket.destroy();
      return;
    }
    if (path.startsWith("/upload/v1/")) return takeUpload(path, body, response);
    if (path.startsWith("/response/")) return respond(path, request, body, response);
    if (!path.startsWith("/api/") || request.method !== "POST") {
      response.writeHead(404).end("not found");
      return;
    }
    const method = path.slice("/api/".length);
    const trouble = troubles.take(method);
    const isDone = trouble === undefined || ("stored" in trouble && trouble.stored === true);
    const {
      given,
      token,
      result,
      status = 200,
      headers = {},
    } = isDone
      ? callOf(method, request, body)
      : { given: formOf(body), token: tokenOf(request), result: { ok: false } };
    const outcome = trouble?.kind ?? (result.ok ? "ok" : String(result["error"]));
    calls.push({ method, token, given, outcome });
    if (trouble !== undefined) return fail(trouble, request, response);
    const scopes = { "x-oauth-scopes": [...(bot?.scopes ?? [])].join(",") };
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...scopes, ...headers });
    response.end(JSON.stringify(result));
  }

  interface Called {
    readonly given: Given;
    readonly token: string;
    readonly result: messages.Result;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  }

  function callOf(method: string, request: IncomingMessage, body: Buffer): Called {
    const token = tokenOf(request);
    const shape = shapes.get(method);
    const given = formOf(body);
    if (shape === undefined) return { given, token, result: messages.refuse("unknown_method") };
    const type = request.headers["content-type"] ?? "";
    if (body.length > 0 && !type.startsWith("application/x-www-form-urlencoded")) {
      return { given, token, result: messages.refuse("invalid_post_type") };
    }
    const form = new Map(Object.entries(given));
    if (form.has("token")) return { given, token, result: messages.refuse("invalid_arguments") };
    const read = readArguments(shape, form);
    if ("error" in read) {
      const refused = messages.refuse(read.error, { response_metadata: { messages: read.messages } });
      return { given, token, result: refused };
    }
    if (shape.token === "none" && method === "oauth.v2.access") {
      return { given, token, result: oauth.access(read.given, basicOf(request)) };
    }
    const own = extended.get(method);
    if (own !== undefined) return { given: read.given, token, result: own(read.given, token) };
    const caller = callerOf(token);
    if ("ok" in caller) return { given: read.given, token, result: caller };
    if (shape.scope !== undefined && !caller.bot.scopes.has(shape.scope)) {
      return { given: read.given, token, result: messages.scopeMissing(caller, shape.scope) };
    }
    const waitS = hasPace ? pace(method, read.given) : 0;
    if (waitS > 0) {
      const headers = { "retry-after": String(waitS) };
      return { given: read.given, token, result: messages.refuse("ratelimited"), status: 429, headers };
    }
    const run = methods[method];
    const result = run === undefined ? messages.refuse("unknown_method") : run(caller, read.given);
    return { given: read.given, token, result };
  }

  function callerOf(token: string): messages.Caller | messages.Result {
    if (token === "") return messages.refuse("not_authed");
    for (const one of state.teams.values()) {
      for (const installation of one.installations) {
        if (installation.token !== token) continue;
        if (installation.refusal !== undefined) return messages.refuse(installation.refusal);
        return { state, team: one, bot: installation };
      }
    }
    return messages.refuse("invalid_auth");
  }

  function takeUpload(path: string, body: Buffer, response: ServerResponse): void {
    const trouble = troubles.take("upload");
    if (trouble?.kind === "status") {
      response.writeHead(trouble.status).end();
      return;
    }
    const [, , , teamId = "", id = ""] = path.split("/");
    const file = state.teams.get(teamId)?.files.get(id);
    const isWell = file !== undefined && file.bytes === undefined && file.length === body.length;
    if (isWell) file.bytes = body;
    response.writeHead(isWell ? 200 : 400).end(isWell ? `OK - ${body.length}` : "bad upload");
  }

  function respond(path: string, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const trouble = troubles.take("response_url");
    if (trouble !== undefined) {
      fail(trouble, request, response);
      return;
    }
    const { status, text, outcome, given } = answerResponseUrl(state, clock, path.slice("/response/".length), body);
    calls.push({ method: "response_url", token: "", given, outcome });
    response.writeHead(status, { "content-type": "text/plain" }).end(text);
  }

  return {
    url: `${origin}/api/`,
    origin,
    server,
    state,
    team,
    bot,
    oauth,
    troubles,
    calls,
    extend(method, shape, answer) {
      shapes.set(method, shape);
      extended.set(method, answer);
    },
    trigger(user) {
      const id = state.nextId("trigger.");
      state.triggers.set(id, { team: team.id, user, expiresAt: clock.now() + TRIGGER_MS, isUsed: false });
      return id;
    },
    responseUrl(conversation, user, message) {
      const id = state.nextId("r");
      const own = message === undefined ? {} : { message };
      const expiresAt = clock.now() + RESPONSE_MS;
      state.responseUrls.set(id, { team: team.id, conversation, user, ...own, expiresAt, posts: 0 });
      return `${origin}/response/${id}`;
    },
    say(conversation, user, text, thread) {
      const found = team.conversations.get(conversation);
      if (found === undefined) throw new Error(`no conversation ${conversation}`);
      const own = thread === undefined ? {} : { thread };
      const rest = { blocks: [], reactions: new Map(), edits: 0, isTombstone: false };
      const message: FakeMessage = { ts: state.nextTs(), ...own, user, text, ...rest };
      found.messages.push(message);
      return message;
    },
    break() {
      isBroken = true;
      server.closeAllConnections();
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (body.length > MAX_BODY) throw new Error("the body is too large");
  return body;
}

function formOf(body: Buffer): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body.toString("utf8")));
}

function tokenOf(request: IncomingMessage): string {
  return /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
}

function basicOf(request: IncomingMessage): string | undefined {
  return /^Basic (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
}
