// The webhook's answers: what the gate lets through is dispatched, and the platform hears of it when it is stored.
import type { Logger } from "../../src/ports/logger.ts";
import { errorAnswer, jsonAnswer } from "../kit/answers.ts";
import { messageOf } from "./background.ts";
import type { EventsGate, Verdict } from "./events-gate.ts";
import type { LarkDispatcher } from "./sdk.ts";

export interface WebhookPorts {
  readonly gate: EventsGate;
  /** Undefined until the bot knows who it is. */
  readonly hearing: () => LarkDispatcher | undefined;
  readonly logger: Logger;
}

/** Verdicts that are no attack and no mistake. */
const ordinary: ReadonlySet<Verdict> = new Set<Verdict>(["challenge", "replay"]);

export async function answerWebhook(request: Request, { gate, hearing, logger }: WebhookPorts): Promise<Response> {
  const admission = await gate.admit(request);
  if (admission.kind === "answered") {
    if (ordinary.has(admission.why)) logger.info("lark.webhook_answered", { why: admission.why });
    else logger.warn("lark.webhook_refused", { why: admission.why });
    return admission.response;
  }
  const dispatcher = hearing();
  // The platform pushes again whatever is not answered with 200.
  if (dispatcher === undefined) return unavailable("The bot is starting or stopping.");
  try {
    const answer = await dispatcher.dispatch(admission.body);
    gate.remember(admission.replayKey);
    // The dispatcher answers a sentence where nobody listens.
    return jsonAnswer(200, typeof answer === "object" && answer !== null ? answer : {});
  } catch (thrown) {
    logger.warn("lark.webhook_failed", { error: messageOf(thrown) });
    return unavailable("The event could not be taken now.");
  }
}

function unavailable(message: string): Response {
  const fault = { code: "unavailable", message, remedy: "Push it again later." };
  return errorAnswer(503, fault, { "retry-after": "15" });
}
