// A Slack client and the strict fake it talks to, for the tests of the client.
import { createSlackClient, type SlackClient, type SlackClientOptions } from "../../../channels/slack/client.ts";
import type { Card, Page } from "../../../src/core/card.ts";
import type { ConversationRef, PersonRef } from "../../../src/core/delivery.ts";
import { ChannelError } from "../../../src/ports/channel.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import type { FakeClock } from "../fake-clock.ts";
import { createPacingClock } from "./pacing-clock.ts";
import { type SlackWebApi, startSlackWebApi } from "./web-api.ts";

export const conversation: ConversationRef = { channel: "slack", workspace: "T0001", conversation: "C0001" };
export const person: PersonRef = { channel: "slack", workspace: "T0001", person: "U0001" };

export interface Bench {
  readonly client: SlackClient;
  readonly slack: SlackWebApi;
  readonly clock: FakeClock;
  readonly logged: { readonly event: string; readonly fields: Record<string, unknown> }[];
  readonly refused: string[];
  stop(): Promise<void>;
}

export async function startBench(options: Partial<SlackClientOptions> = {}): Promise<Bench> {
  const clock = createPacingClock(Date.UTC(2026, 0, 5, 12));
  const slack = await startSlackWebApi({ clock });
  const logged: Bench["logged"] = [];
  const refused: string[] = [];
  const client = createSlackClient({
    token: async () => slack.bot,
    apiUrl: slack.url,
    clock,
    logger: collecting(logged),
    refused: (workspace, code) => void refused.push(`${workspace} ${code}`),
    ...options,
  });
  return { client, slack, clock, logged, refused, stop: () => slack.stop() };
}

function collecting(logged: Bench["logged"]): Logger {
  const keep = (event: string, fields: Record<string, unknown> = {}): void => void logged.push({ event, fields });
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => logger };
  return logger;
}

/** The ChannelError of a call that must fail. */
export async function faultOf(call: Promise<unknown>): Promise<ChannelError> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof ChannelError) return thrown;
  throw new Error(`expected a ChannelError, got ${String(thrown)}`);
}

export function pageOf(title: string, changes: Partial<Card> = {}): Page {
  return { card: { title, tone: "neutral", fallback: title, blocks: [], ...changes } };
}

/** Messages of a conversation that everybody sees. */
export function shownIn(slack: SlackWebApi, id = "C0001"): readonly string[] {
  const messages = slack.team.conversations.get(id)?.messages ?? [];
  return messages.filter(({ onlyFor, isTombstone }) => onlyFor === undefined && !isTombstone).map(({ text }) => text);
}
