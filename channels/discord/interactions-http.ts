// Interactions that Discord posts to us: proved by their signature over the raw body, and answered in the same request.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { errorAnswer, jsonAnswer, methodNotAllowed } from "../kit/answers.ts";
import { readAtMost } from "../kit/raw-body.ts";
import type { FirstAnswer } from "./client.ts";
import type { Acknowledge } from "./interactions.ts";

export interface HttpInteractionsPorts {
  /** The application's public key, 64 hex digits. */
  readonly publicKey: string;
  /** Deals with an interaction; the first answer goes through the `Acknowledge` that it is given. */
  readonly handle: (payload: unknown, acknowledge: Acknowledge) => Promise<void>;
  /** A first answer as Discord's JSON. */
  readonly bodyOf: (answer: FirstAnswer) => unknown;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type HttpInteractions = (request: Request) => Promise<Response>;

/** Largest body, bytes; Discord's own are a few kilobytes. */
export const MAX_BODY_BYTES = 256 * 1024;
/** How far Discord's clock and ours may be apart, ms; older requests may be somebody's recording. */
export const MAX_SKEW_MS = 5 * 60_000;
/** Discord waits three seconds; what comes later is of no use, ms. */
const ANSWER_MS = 2_800;
/** What is said after the first answer must not overtake it: so long it may travel, ms. */
export const HEAD_START_MS = 500;

export function createHttpInteractions(ports: HttpInteractionsPorts): HttpInteractions {
  const { handle, bodyOf, clock, logger } = ports;
  const key = ed25519Key(ports.publicKey);

  return async (request) => {
    if (request.method !== "POST") return methodNotAllowed(["POST"]);
    const bytes = await readAtMost(request, MAX_BODY_BYTES);
    if (bytes === null) {
      const message = `The body has more than ${MAX_BODY_BYTES / 1024} KiB.`;
      return errorAnswer(413, { code: "too_large", message, remedy: "Only Discord posts here." });
    }
    const headers = {
      signature: request.headers.get("x-signature-ed25519") ?? "",
      timestamp: request.headers.get("x-signature-timestamp") ?? "",
    };
    if (!isSigned(headers, bytes, key, clock.now())) {
      logger.warn("discord.signature_refused");
      const message = "The signature does not fit.";
      return errorAnswer(401, { code: "auth", message, remedy: "Only Discord posts here; check public_key." });
    }
    const payload = parsed(bytes);
    if (payload === null) {
      const message = "The body is no interaction.";
      return errorAnswer(400, { code: "bad_request", message, remedy: "Only Discord posts here." });
    }
    return payload.type === 1 ? jsonAnswer(200, { type: 1 }) : answered(payload);
  };

  /** The answer to the request is the first answer to the interaction; the rest happens after it. */
  function answered(payload: object): Promise<Response> {
    return new Promise((resolve) => {
      let isAnswered = false;
      const cancel = clock.after(ANSWER_MS, () => end(late()));
      function end(response: Response): void {
        cancel();
        isAnswered = true;
        resolve(response);
      }
      const acknowledge: Acknowledge = async (_, answer) => {
        if (isAnswered) return "too_late";
        end(jsonAnswer(200, bodyOf(answer)));
        await new Promise<void>((arrived) => {
          clock.after(HEAD_START_MS, arrived);
        });
        return "done";
      };
      void handle(payload, acknowledge).then(() => {
        if (isAnswered) return;
        const message = "The interaction is of no kind that is known here.";
        end(errorAnswer(400, { code: "bad_request", message, remedy: "Update the bot." }));
      });
    });
  }
}

function late(): Response {
  const message = "The answer does not come in time.";
  return errorAnswer(503, { code: "unavailable", message, remedy: "Try again." });
}

/** Node takes a raw key as a JWK. Throws for what is no key. */
function ed25519Key(hex: string): KeyObject {
  const x = Buffer.from(hex, "hex").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

export interface SignedHeaders {
  /** 128 hex digits. */
  readonly signature: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
}

/** Whether Discord made the signature over timestamp and body, and lately. */
export function isSigned(
  { signature, timestamp }: SignedHeaders,
  body: Uint8Array,
  key: KeyObject,
  now: number,
): boolean {
  if (!/^[0-9a-f]{128}$/i.test(signature) || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now - Number(timestamp) * 1_000) > MAX_SKEW_MS) return false;
  return verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, "hex"));
}

function parsed(bytes: Uint8Array): { readonly type?: unknown } | null {
  try {
    const read: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof read === "object" && read !== null && !Array.isArray(read) ? read : null;
  } catch {
    return null;
  }
}
