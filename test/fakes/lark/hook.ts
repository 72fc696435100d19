// The platform's custom bots: one address each, a signature, a keyword, 20 KB, and a pace; refusals come with HTTP 200.
import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import type { Clock } from "../../../src/ports/clock.ts";
import { type ApiAnswer, bytesOf, createWindow, jsonOf, refused, send } from "./api-answers.ts";
import { judgeCard } from "./api-cards.ts";
import type { PlatformPart } from "./server.ts";

export interface HookBot {
  readonly token: string;
  readonly secret?: string;
  readonly keyword?: string;
}

export interface FakeHooks extends PlatformPart {
  /** What the groups show, by the bot's token. */
  posts(token: string): readonly Readonly<Record<string, unknown>>[];
  /** The next post is answered so. */
  answerNext(answer: ApiAnswer): void;
  /** The next post is taken, and the connection breaks before the answer. */
  loseNext(): void;
  breakAll(): void;
  /** Bodies as they came, refused ones too. */
  readonly bodies: readonly unknown[];
}

const post = z.discriminatedUnion("msg_type", [
  z.strictObject({
    timestamp: z
      .string()
      .regex(/^\d{10}$/)
      .optional(),
    sign: z.string().optional(),
    msg_type: z.literal("interactive"),
    card: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({
    timestamp: z
      .string()
      .regex(/^\d{10}$/)
      .optional(),
    sign: z.string().optional(),
    msg_type: z.literal("text"),
    content: z.strictObject({ text: z.string().min(1) }),
  }),
]);

const HOUR_S = 3_600;
const MAX_BYTES = 20 * 1024;

export function createFakeHooks(bots: readonly HookBot[], clock: Clock): FakeHooks {
  const shown = new Map<string, Readonly<Record<string, unknown>>[]>();
  const bodies: unknown[] = [];
  const perSecond = createWindow(5, 1_000);
  const perMinute = createWindow(100, 60_000);
  let next: ApiAnswer | "lost" | undefined;
  let isBroken = false;

  function answer(token: string, bytes: Uint8Array): ApiAnswer {
    const bot = bots.find((one) => one.token === token);
    if (bot === undefined) return refused(19001, "param invalid: incoming webhook access token invalid", 200);
    const now = clock.now();
    if (!perSecond(token, now)) return refused(9499, "too many request", 200);
    if (!perMinute(token, now)) return refused(11232, "create message trigger rate limit", 200);
    if (bytes.byteLength > MAX_BYTES) return refused(19036, "request body too large", 200);
    const read = post.safeParse(jsonOf(bytes));
    if (!read.success) return refused(9499, `Bad Request: ${z.prettifyError(read.error)}`, 200);
    const message = read.data;
    if (bot.secret !== undefined && !isSigned(bot.secret, message.timestamp, message.sign, now)) {
      return refused(19021, "sign match fail or timestamp is not within one hour from current time", 200);
    }
    const text = JSON.stringify(message.msg_type === "text" ? message.content : message.card);
    if (bot.keyword !== undefined && !text.includes(bot.keyword)) return refused(19024, "Key Words Not Found", 200);
    if (message.msg_type === "interactive") {
      const fault = judgeCard(message.card, () => false);
      if (fault !== null)
        return refused(
          230099,
          `Failed to create card content, ext=ErrCode: ${fault.errCode}; ErrMsg: ${fault.errMsg}`,
          200,
        );
      // Nobody hears the clicks of a custom bot.
      if (text.includes('"callback"'))
        return refused(230099, "Failed to create card content, ext=ErrCode: 200621; ErrMsg: callback", 200);
    }
    shown.set(token, [...(shown.get(token) ?? []), message]);
    return { status: 200, body: { code: 0, msg: "success", data: {}, StatusCode: 0, StatusMessage: "success" } };
  }

  async function serve(token: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isBroken) {
      request.socket.destroy();
      return;
    }
    const bytes = await bytesOf(request);
    bodies.push(jsonOf(bytes));
    const asked = next;
    next = undefined;
    const given = asked === undefined || asked === "lost" ? answer(token, bytes) : asked;
    if (asked === "lost") request.socket.destroy();
    else send(response, given);
  }

  return {
    bodies,
    posts: (token) => shown.get(token) ?? [],
    answerNext(given) {
      next = given;
    },
    loseNext() {
      next = "lost";
    },
    breakAll() {
      isBroken = true;
    },
    handle(request, response) {
      const [, token] = /^\/open-apis\/bot\/v2\/hook\/([^/?]+)$/.exec(request.url ?? "") ?? [];
      if (token === undefined || request.method !== "POST") return false;
      serve(token, request, response).catch((thrown: unknown) => send(response, refused(500, String(thrown), 500)));
      return true;
    },
  };
}

/** Key and message are the other way round than one would think: the key holds time and secret, the message is empty. */
function isSigned(secret: string, timestamp: string | undefined, sign: string | undefined, now: number): boolean {
  if (timestamp === undefined || sign === undefined) return false;
  if (Math.abs(now / 1_000 - Number(timestamp)) > HOUR_S) return false;
  const key = Buffer.from([timestamp, secret].join("\n"), "utf8");
  return createHmac("sha256", key).digest("base64") === sign;
}
