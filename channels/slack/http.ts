// The HTTP way in: one signed endpoint for events, commands and interactions, within limits of size and time.

import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { errorAnswer, methodNotAllowed } from "../kit/answers.ts";
import { readAtMost } from "../kit/raw-body.ts";
import type { Bolt, Incoming } from "./bolt.ts";
import type { SignatureGate } from "./signature.ts";

export interface HttpOptions {
  readonly receive: Bolt["receive"];
  readonly gate: SignatureGate;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Most bytes of a body: as much as Slack's own SDK takes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** How long a body may take to arrive, ms: Slack gives up after three seconds. */
const BODY_MS = 3_000;

/** Answers `POST /slack/events`. */
export function createEventsEndpoint({
  receive,
  gate,
  clock,
  logger,
}: HttpOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== "POST") return methodNotAllowed(["POST"]);
    const declared = Number(request.headers.get("content-length") ?? "0");
    const bytes = declared > MAX_BYTES ? null : await inTime(readAtMost(request, MAX_BYTES));
    if (bytes === undefined) return refuse(408, "timeout", "The body did not arrive in time.", "Send it again.");
    if (bytes === null) return refuse(413, "too_large", "The body is too large.", "Send less than 4 MiB.");
    const signature = request.headers.get("x-slack-signature");
    const verdict = gate.check({ timestamp: request.headers.get("x-slack-request-timestamp"), signature }, bytes);
    if (verdict !== "good") {
      logger.warn("slack.request_refused", { verdict });
      return refuse(401, "auth", `The request's signature is ${verdict}.`, "Check the signing secret and the clock.");
    }
    const body = bodyOf(request.headers.get("content-type"), bytes);
    if (body === null)
      return refuse(400, "bad_request", "The body cannot be read.", "Send JSON or a form, as Slack does.");
    if (body["type"] === "url_verification") return Response.json({ challenge: String(body["challenge"] ?? "") });
    // Slack looks now and then whether the certificate is good.
    if (body["ssl_check"] !== undefined) return new Response(null, { status: 200 });
    return answer(request, body, signature ?? "");
  };

  function answer(request: Request, body: Incoming["body"], signature: string): Promise<Response> {
    return new Promise((resolve) => {
      const retry = Number(request.headers.get("x-slack-retry-num") ?? "");
      const reason = request.headers.get("x-slack-retry-reason");
      const incoming: Incoming = {
        body,
        answer: async (payload) =>
          resolve(payload === undefined ? new Response(null, { status: 200 }) : Response.json(payload)),
        ...(Number.isSafeInteger(retry) && retry > 0 ? { retryNum: retry } : {}),
        ...(reason === null ? {} : { retryReason: reason.slice(0, 100) }),
      };
      void receive(incoming).then((outcome) => {
        if (outcome === "done") return;
        gate.forget(signature);
        resolve(refuse(503, "unavailable", "The event could not be taken over.", "Send it again."));
      });
    });
  }

  function inTime(reading: Promise<Uint8Array | null>): Promise<Uint8Array | null | undefined> {
    return new Promise((resolve) => {
      const cancel = clock.after(BODY_MS, () => resolve(undefined));
      reading.then(
        (bytes) => {
          cancel();
          resolve(bytes);
        },
        () => {
          cancel();
          resolve(undefined);
        },
      );
    });
  }
}

/** JSON for events; a form for commands, and for interactions one whose `payload` is JSON. Null for anything else. */
function bodyOf(contentType: string | null, bytes: Uint8Array): Incoming["body"] | null {
  const mediaType = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase();
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (mediaType === "application/json") return record(JSON.parse(text));
    if (mediaType !== "application/x-www-form-urlencoded") return null;
    const form = Object.fromEntries(new URLSearchParams(text));
    return form["payload"] === undefined ? form : record(JSON.parse(form["payload"]));
  } catch {
    return null;
  }
}

function record(value: unknown): Incoming["body"] | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function refuse(status: number, code: string, message: string, remedy: string): Response {
  return errorAnswer(status, { code, message, remedy });
}
