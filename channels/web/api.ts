// The Web API: people's messages and buttons in, the conversation and its events out.
import type { ReviewId } from "../../src/core/ids.ts";
import type { Review } from "../../src/core/review.ts";
import type { InboundCommand, Inbox } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { ChatLog, ChatMessage } from "../../src/ports/store.ts";
import { errorAnswer, jsonAnswer, methodNotAllowed } from "../kit/answers.ts";
import { readJsonBody } from "../kit/json-body.ts";
import { peerOf } from "../kit/peer.ts";
import type { Streams } from "./client.ts";
import type { WebChannelConfig } from "./config.ts";
import type { Forms } from "./forms.ts";
import {
  commandText,
  completions,
  firstMistake,
  isIdempotencyKey,
  matchRoute,
  postedAction,
  postedMessage,
  preferredLocale,
} from "./inbound.ts";
import type { MessageLog } from "./message-log.ts";
import { renderReview, renderThreads } from "./render.ts";

export interface WebApiPorts {
  readonly config: WebChannelConfig;
  readonly commandName: string;
  readonly chat: ChatLog;
  readonly log: MessageLog;
  readonly streams: Streams;
  readonly forms: Forms;
  /** Looks a review up for `GET /api/reviews/:id`. */
  readonly reviews: { get(id: ReviewId): Promise<Review | null> };
  readonly ids: Ids;
  readonly clock: Clock;
}

export type WebApi = (request: Request, inbox: Inbox) => Promise<Response>;

/** Largest body of a request, bytes. */
const MAX_BODY_BYTES = 64 * 1024;
/** Root messages that a client may ask for at most. */
const MAX_HISTORY = 200;
/** Changes this much older than a client's last id are sent again: they may have been committed after it was given. */
const RESUME_OVERLAP_MS = 5_000;
/** Answers remembered for clients that repeat a request with the same key. */
const MAX_REMEMBERED = 500;

interface Posted {
  readonly messageId: string;
  readonly reviewId?: string;
}

export function createWebApi(ports: WebApiPorts): WebApi {
  const { config, chat, log, streams, forms, ids, clock } = ports;
  const messageSchema = postedMessage(config.max_text);
  /** Requests by conversation and client key: those under way, and the newest of those answered. */
  const remembered = new Map<string, Promise<Posted>>();

  return async (request, inbox) => {
    const url = new URL(request.url);
    const route = matchRoute(url.pathname);
    if (route === null) return notFound("Nothing is at this address.", "See the Web API in channels/web/README.md.");
    const { method } = request;
    if (route.kind === "review") return method === "GET" ? review(request, route.id) : methodNotAllowed(["GET"]);
    const { conversation } = route;
    switch (route.kind) {
      case "messages":
        if (method === "GET") return history(url, conversation);
        return method === "POST" ? post(request, inbox, conversation) : methodNotAllowed(["GET", "POST"]);
      case "actions":
        return method === "POST" ? act(request, inbox, conversation) : methodNotAllowed(["POST"]);
      case "events":
        return method === "GET" ? follow(request, conversation) : methodNotAllowed(["GET"]);
      case "suggestions":
        return method === "GET" ? suggest(request, url, inbox, conversation) : methodNotAllowed(["GET"]);
    }
  };

  async function history(url: URL, conversation: string): Promise<Response> {
    const asked = url.searchParams.get("limit");
    const limit = asked === null ? config.history : Number(asked);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_HISTORY) {
      return badRequest("The limit is not within bounds.", `Ask for 1 to ${MAX_HISTORY} messages.`);
    }
    return jsonAnswer(200, renderThreads(await chat.list(conversation, limit)));
  }

  async function post(request: Request, inbox: Inbox, conversation: string): Promise<Response> {
    const body = await readJsonBody(request, MAX_BODY_BYTES);
    if (!body.ok) return body.answer;
    const parsed = messageSchema.safeParse(body.value);
    if (!parsed.success) return badRequest(firstMistake(parsed.error), 'Send {"text": "/review demo HEAD"}.');
    const { text, thread } = parsed.data;
    if (thread !== undefined && !(await isRoot(conversation, thread))) {
      return notFound("The thread is not in this conversation.", "Give the id of one of its root messages.");
    }
    const key = request.headers.get("idempotency-key");
    if (key !== null && !isIdempotencyKey(key)) {
      return badRequest("The Idempotency-Key is unusable.", "Use at most 128 printable ASCII characters.");
    }

    const id = ids.next("ms");
    const message = await log.append(
      {
        id,
        conversation,
        ...(thread === undefined ? {} : { thread }),
        from: "person",
        visibility: "everyone",
        text,
        createdAt: clock.now(),
      },
      `person/${conversation}/${key ?? id}`,
    );
    if (message.text !== text) {
      const remedy = "Make a new key for every message.";
      return errorAnswer(409, { code: "conflict", message: "The Idempotency-Key belongs to another text.", remedy });
    }
    return jsonAnswer(202, await onceForMessage(message, () => command(request, inbox, message)));
  }

  async function isRoot(conversation: string, thread: string): Promise<boolean> {
    const root = await chat.get(thread);
    return root?.conversation === conversation && root.thread === undefined;
  }

  /** A message repeated with its key gives the command once, also while the first request is under way. */
  function onceForMessage(message: ChatMessage, run: () => Promise<Posted>): Promise<Posted> {
    const earlier = remembered.get(message.id);
    if (earlier !== undefined) return earlier;
    const posted = run();
    remembered.set(message.id, posted);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    // What failed may be tried again under the same key.
    posted.catch(() => remembered.delete(message.id));
    return posted;
  }

  async function command(request: Request, inbox: Inbox, message: ChatMessage): Promise<Posted> {
    const { id, conversation, thread } = message;
    const reply = await inbox.command(inbound(request, conversation, id, message.text, thread));
    if (reply === null) return { messageId: id };
    const { page, visibility } = reply;
    if (page !== null) await log.appendPage({ conversation, thread, visibility }, page, `reply/${id}`);
    return { messageId: id, ...(reply.reviewId === undefined ? {} : { reviewId: reply.reviewId }) };
  }

  function inbound(
    request: Request,
    conversation: string,
    eventId: string,
    text: string,
    thread?: string,
  ): InboundCommand {
    const locale = preferredLocale(request.headers.get("accept-language"));
    return {
      conversation: log.conversation(conversation),
      person: log.person,
      eventId,
      text: commandText(text, ports.commandName),
      ...(thread === undefined ? {} : { thread }),
      ...(locale === undefined ? {} : { locale }),
      roles: rolesOf(request),
    };
  }

  async function act(request: Request, inbox: Inbox, conversation: string): Promise<Response> {
    const body = await readJsonBody(request, MAX_BODY_BYTES);
    if (!body.ok) return body.answer;
    const parsed = postedAction.safeParse(body.value);
    if (!parsed.success) return badRequest(firstMistake(parsed.error), "Send the message's id and the button's token.");
    const { message: messageId, token, values } = parsed.data;
    const message = await chat.get(messageId);
    if (message === null || message.conversation !== conversation) {
      return notFound("The message of this button is gone.", "Use the buttons of a newer message.");
    }
    const eventId = ids.next("ac");
    const form = await forms.during(eventId, () =>
      inbox.action({
        conversation: log.conversation(conversation),
        person: log.person,
        eventId,
        token,
        message: log.refOf(message),
        values,
        roles: rolesOf(request),
      }),
    );
    return jsonAnswer(202, { accepted: true, ...(form === undefined ? {} : { form }) });
  }

  async function suggest(request: Request, url: URL, inbox: Inbox, conversation: string): Promise<Response> {
    const text = (url.searchParams.get("text") ?? "").slice(0, config.max_text);
    const suggested = await inbox.suggest(inbound(request, conversation, ids.next("sg"), text));
    return jsonAnswer(200, completions(text, ports.commandName, suggested));
  }

  async function follow(request: Request, conversation: string): Promise<Response> {
    const last = Number(request.headers.get("last-event-id") ?? Number.NaN);
    const replay =
      Number.isSafeInteger(last) && last > 0
        ? () => log.changedSince(conversation, last - RESUME_OVERLAP_MS)
        : async () => [];
    const answer = streams.open(conversation, request.signal, replay);
    if (answer !== null) return answer;
    return errorAnswer(
      503,
      {
        code: "unavailable",
        message: "Too many event streams are open.",
        remedy: "Close a page of the chat, or raise channels.web.max_streams.",
      },
      { "retry-after": "10" },
    );
  }

  async function review(request: Request, id: string): Promise<Response> {
    const found = await ports.reviews.get(id as ReviewId);
    const fault = ["No such review is known.", "Check the id; old reviews are purged."] as const;
    if (found === null) return notFound(...fault);
    // Who is not at this machine sees what was asked here, not what other channels' people asked.
    const askedHere = found.requester.kind === "person" && found.requester.conversation.channel === "web";
    return askedHere || peerOf(request) === "loopback" ? jsonAnswer(200, renderReview(found)) : notFound(...fault);
  }
}

/** The person at this machine is an admin; whoever comes over the network is not. */
function rolesOf(request: Request): InboundCommand["roles"] {
  return peerOf(request) === "loopback" ? ["admin"] : ["member"];
}

function badRequest(message: string, remedy: string): Response {
  return errorAnswer(400, { code: "bad_request", message, remedy });
}

function notFound(message: string, remedy: string): Response {
  return errorAnswer(404, { code: "not_found", message, remedy });
}
