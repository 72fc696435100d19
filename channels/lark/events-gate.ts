// The gate before the webhook's events: signature over the raw body, age, replay, decryption and token, before anything is believed.
import { createDecipheriv, createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { Clock } from "../../src/ports/clock.ts";
import { errorAnswer, jsonAnswer, methodNotAllowed } from "../kit/answers.ts";
import { readAtMost } from "../kit/raw-body.ts";

export interface EventsGateOptions {
  readonly encryptKey: string;
  readonly verificationToken: string;
  readonly clock: Clock;
}

export type Admission =
  /** A genuine event, decrypted: to be dispatched without further checks. */
  | { readonly kind: "event"; readonly body: Readonly<Record<string, unknown>>; readonly replayKey: string }
  /** Answered already: a challenge, or refused; `why` is for the log. */
  | { readonly kind: "answered"; readonly response: Response; readonly why: Verdict };

export type Verdict =
  | "challenge"
  | "method"
  | "too_large"
  | "broken_off"
  | "malformed"
  | "unsigned"
  | "stale"
  | "signature"
  | "replay"
  | "undecipherable"
  | "token";

export interface EventsGate {
  admit(request: Request): Promise<Admission>;
  /** The event was taken: the same signed request is not handled again. One that failed may be sent again. */
  remember(replayKey: string): void;
}

/** Largest body, bytes: a message of 150 KB, encrypted and in base64, with room to spare. */
const MAX_BODY_BYTES = 1024 * 1024;
/** How far the platform's clock may be from ours, ms. */
const MAX_SKEW_MS = 5 * 60_000;
/** Signed requests that are remembered; those that are too old are refused by their age. */
const MAX_REMEMBERED = 20_000;

const encrypted = z.object({ encrypt: z.string().min(1) });
const challenge = z.object({
  type: z.literal("url_verification"),
  challenge: z.string().min(1).max(1_024),
  token: z.string(),
});
const eventBody = z.looseObject({
  schema: z.literal("2.0"),
  header: z.looseObject({ event_type: z.string(), token: z.string() }),
});

export function createEventsGate({ encryptKey, verificationToken, clock }: EventsGateOptions): EventsGate {
  const key = createHash("sha256").update(encryptKey).digest();
  const seen = new Map<string, number>();

  async function admit(request: Request): Promise<Admission> {
    if (request.method !== "POST") return answered(methodNotAllowed(["POST"]), "method");
    const declared = Number(request.headers.get("content-length") ?? "0");
    const raw =
      declared > MAX_BODY_BYTES ? null : await readAtMost(request, MAX_BODY_BYTES).catch(() => "broken" as const);
    if (raw === "broken") return refused(400, "bad_request", "The body breaks off.", "broken_off");
    if (raw === null) return refused(413, "too_large", "The body is too large.", "too_large");
    const signature = signatureOf(request.headers);
    if (signature !== null) {
      const verdict = judge(signature, raw);
      if (verdict === "replay") return answered(jsonAnswer(200, {}), "replay");
      if (verdict !== "genuine") return unauthorised(verdict);
    }
    const outer = encrypted.safeParse(parsed(Buffer.from(raw).toString("utf8")));
    if (!outer.success) return unauthorised("malformed");
    const inner = decrypted(outer.data.encrypt);
    if (inner === undefined) return unauthorised("undecipherable");
    const question = challenge.safeParse(inner);
    // The platform signs no challenge: that it is encrypted with our key and names our token must do.
    if (question.success) {
      if (!same(question.data.token, verificationToken)) return unauthorised("token");
      return answered(jsonAnswer(200, { challenge: question.data.challenge }), "challenge");
    }
    if (signature === null) return unauthorised("unsigned");
    const event = eventBody.safeParse(inner);
    if (!event.success) return refused(400, "bad_request", "The body is no event.", "malformed");
    if (!same(event.data.header.token, verificationToken)) return unauthorised("token");
    return { kind: "event", body: event.data, replayKey: signature.value };
  }

  function judge(signature: Signature, raw: Uint8Array): "genuine" | "stale" | "signature" | "replay" {
    const { timestamp, nonce, value } = signature;
    const hash = createHash("sha256").update(timestamp).update(nonce).update(encryptKey).update(raw);
    if (!same(value, hash.digest("hex"))) return "signature";
    // Seconds; whatever is no number is stale.
    const age = Math.abs(clock.now() - Number(timestamp) * 1_000);
    if (!/^\d{1,12}$/.test(timestamp) || age > MAX_SKEW_MS) return "stale";
    return seen.has(value) ? "replay" : "genuine";
  }

  function decrypted(text: string): unknown {
    try {
      const bytes = Buffer.from(text, "base64");
      const decipher = createDecipheriv("aes-256-cbc", key, bytes.subarray(0, 16));
      const plain = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
      return parsed(new TextDecoder("utf-8", { fatal: true }).decode(plain));
    } catch {
      return undefined;
    }
  }

  function remember(replayKey: string): void {
    const now = clock.now();
    for (const [value, at] of seen) {
      if (seen.size < MAX_REMEMBERED && now - at <= 2 * MAX_SKEW_MS) break;
      seen.delete(value);
    }
    seen.set(replayKey, now);
  }

  return { admit, remember };
}

interface Signature {
  readonly timestamp: string;
  readonly nonce: string;
  /** In lower case. */
  readonly value: string;
}

function signatureOf(headers: Headers): Signature | null {
  const timestamp = headers.get("x-lark-request-timestamp");
  const nonce = headers.get("x-lark-request-nonce");
  const value = headers.get("x-lark-signature");
  if (timestamp === null && nonce === null && value === null) return null;
  return { timestamp: timestamp ?? "", nonce: nonce ?? "", value: (value ?? "").toLowerCase() };
}

/** Takes as long for a wrong text as for the right one. */
function same(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function answered(response: Response, why: Verdict): Admission {
  return { kind: "answered", response, why };
}

/** One answer for all that cannot prove where it comes from: it does not tell which check failed. */
function unauthorised(why: Verdict): Admission {
  return refused(401, "auth", "The request is not signed by the platform.", why);
}

function refused(status: number, code: string, message: string, why: Verdict): Admission {
  const remedy = "Compare Encrypt Key and Verification Token with those of the app, and the clock of this machine.";
  return answered(errorAnswer(status, { code, message, remedy }), why);
}
