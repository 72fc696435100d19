// The platform's side of the webhook: encrypted, signed requests, and challenges without a signature.
import { createCipheriv, createHash } from "node:crypto";
import type { Clock } from "../../../src/ports/clock.ts";

export const encryptKey = "encrypt-key-of-the-app";

export interface WebhookFacts {
  readonly clock: Pick<Clock, "now">;
  /** Default: the right one. */
  readonly key?: string;
  /** How far the timestamp is from now, ms. */
  readonly skewMs?: number;
  readonly nonce?: string;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
  /** Changes headers after signing; null takes one away. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Space around the one key of the body: still the same JSON, and other bytes. */
  readonly isSpaced?: boolean;
  readonly isSigned?: boolean;
}

const address = "http://127.0.0.1:8787/lark/events";

export function encrypt(plain: string, key = encryptKey): string {
  const secret = createHash("sha256").update(key).digest();
  // Any IV will do, and the same text gives the same bytes for golden files.
  const iv = createHash("md5").update(plain).digest();
  const cipher = createCipheriv("aes-256-cbc", secret, iv);
  return Buffer.concat([iv, cipher.update(plain, "utf8"), cipher.final()]).toString("base64");
}

export function webhookRequest(inner: unknown, facts: WebhookFacts): Request {
  const { clock, key = encryptKey, skewMs = 0, nonce = "nonce-1", isSpaced = false, isSigned = true } = facts;
  const cipher = encrypt(JSON.stringify(inner), key);
  const body = isSpaced ? `{ "encrypt" : ${JSON.stringify(cipher)} }` : JSON.stringify({ encrypt: cipher });
  const timestamp = String(Math.floor((clock.now() + skewMs) / 1_000));
  const signature = createHash("sha256").update(`${timestamp}${nonce}${key}${body}`).digest("hex");
  const headers = new Headers({ "content-type": "application/json; charset=utf-8" });
  if (isSigned) {
    headers.set("x-lark-request-timestamp", timestamp);
    headers.set("x-lark-request-nonce", nonce);
    headers.set("x-lark-signature", signature);
  }
  for (const [name, value] of Object.entries(facts.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return new Request(address, { method: "POST", headers, body: facts.tamper?.(body) ?? body });
}
