// The Bolt app: both ways in lead here, and everything that Slack sends comes out as one inbound event with one acknowledgement.
import { App, type Receiver, type ReceiverEvent } from "@slack/bolt";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { SlackBot } from "./client-types.ts";
import { readCommand, readPress, readShortcut, readSubmission, type SlackInbound } from "./inbound.ts";
import { readEvent } from "./inbound-events.ts";
import { createSdkLogger } from "./sdk-logger.ts";

/** What Slack gets with an acknowledgement: nothing, or what a modal is to do next. */
export type AckPayload = Readonly<Record<string, unknown>> | undefined;

/** One body from Slack. */
export interface Incoming {
  readonly body: Readonly<Record<string, unknown>>;
  /** Acknowledges; called once at most. */
  answer(payload: AckPayload): Promise<void>;
  /** How often Slack has sent it before, where Slack says so. */
  readonly retryNum?: number;
  readonly retryReason?: string;
}

/** Takes over an event; throws when it had no effect and Slack should send it again. */
export type HandleInbound = (inbound: SlackInbound, ack: (payload?: AckPayload) => Promise<void>) => Promise<void>;

export interface BoltOptions {
  readonly bot: (workspace: string) => Promise<SlackBot>;
  readonly handle: HandleInbound;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly apiUrl: string;
}

export interface Bolt {
  /** `failed`: nothing was done and nothing acknowledged, so that Slack sends it again. Never throws. */
  receive(incoming: Incoming): Promise<"done" | "failed">;
  /** Settles when nothing that came in is at work any more. */
  idle(): Promise<void>;
}

/** Slack waits three seconds. What takes longer is acknowledged before it is done. */
const ACK_MS = 2_500;

export function createBolt({ bot, handle, clock, logger, apiUrl }: BoltOptions): Bolt {
  // Nothing starts or stops with the app: the ways in have lives of their own.
  const receiver: Receiver = { init() {}, start: async () => undefined, stop: async () => undefined };
  const app = new App({
    receiver,
    // No token: what is sent goes through our own client, which knows what may be retried.
    authorize: async ({ teamId, enterpriseId }) =>
      bot(teamId ?? enterpriseId ?? "").then(
        ({ botId, botUserId }) => ({ botId, botUserId }),
        () => ({}),
      ),
    ignoreSelf: false,
    convoStore: false,
    clientOptions: { slackApiUrl: apiUrl, retryConfig: { retries: 0 } },
    logger: createSdkLogger(logger),
  });
  const running = new Set<Promise<unknown>>();
  const any = /.*/s;
  const noPayload = async (): Promise<void> => undefined;

  app.event(any, ({ body, context }) => handle(readEvent(body, context.botUserId), noPayload));
  app.command(any, ({ body, ack }) => handle(readCommand(body), asAck(ack)));
  app.action({ type: "block_actions" }, ({ body, ack }) => handle(readPress(body), asAck(ack)));
  app.shortcut(any, ({ body, ack }) => handle(readShortcut(body), asAck(ack)));
  app.view({ type: "view_submission" }, ({ body, ack }) => handle(readSubmission(body), asAck(ack)));
  // What a listener throws is for whoever received the event to judge.
  app.error(async (error) => {
    throw error;
  });

  async function take({ body, answer, retryNum, retryReason }: Incoming): Promise<"done" | "failed"> {
    let answered: Promise<void> | undefined;
    const once = (payload?: AckPayload): Promise<void> => {
      answered ??= answer(payload).catch((thrown: unknown) => {
        logger.warn("slack.ack_lost", { error: messageOf(thrown) });
      });
      return answered;
    };
    // Bolt acknowledges an event before its listeners run; ours is acknowledged when it is taken over.
    const isEvent = body["event"] !== undefined;
    const event: ReceiverEvent = {
      body,
      ack: isEvent ? noPayload : (payload) => once(typeof payload === "object" ? { ...payload } : undefined),
      ...(retryNum === undefined ? {} : { retryNum }),
      ...(retryReason === undefined ? {} : { retryReason }),
    };
    if (body["type"] === "app_rate_limited") {
      // More events than Slack delivers: those of this minute are lost, and nothing can be done but subscribe to fewer.
      logger.error("slack.events_limited", { workspace: String(body["team_id"]), minute: body["minute_rate_limited"] });
      await once();
      return "done";
    }
    const cancel = clock.after(ACK_MS, () => void once());
    try {
      await app.processEvent(event);
      await once();
      return "done";
    } catch (thrown) {
      logger.error("slack.event_failed", { type: typeOf(body), retry: retryNum ?? 0, error: messageOf(thrown) });
      return answered === undefined ? "failed" : "done";
    } finally {
      cancel();
    }
  }

  return {
    receive(incoming) {
      const taking = take(incoming);
      running.add(taking);
      return taking.finally(() => running.delete(taking));
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

type Ack = (payload: never) => Promise<void>;

/** Bolt types what each kind of interaction may be answered with; ours are made by modals.ts alone. */
function asAck(ack: Ack): (payload?: AckPayload) => Promise<void> {
  return (payload) => ack(payload as never);
}

function typeOf(body: Readonly<Record<string, unknown>>): string {
  const event = body["event"];
  if (typeof event === "object" && event !== null && "type" in event) return String(event.type);
  return String(body["type"] ?? (body["command"] === undefined ? "unknown" : "command"));
}

function messageOf(thrown: unknown): string {
  // Bolt wraps what a listener throws.
  const original = thrown instanceof Error && "original" in thrown ? thrown.original : thrown;
  return original instanceof Error ? original.message : String(original);
}
