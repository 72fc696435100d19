// The process of the delivery drill: empties an outbox into a platform over HTTP, and is killed again and again.
import { writeSync } from "node:fs";
import { hostname } from "node:os";
import { createDeliverNext } from "../../src/app/deliver.ts";
import { createPump } from "../../src/app/pump.ts";
import { recoverLeases, workerName } from "../../src/app/recover-leases.ts";
import type { Page } from "../../src/core/card.ts";
import type { MessageRef, Target } from "../../src/core/delivery.ts";
import { type Channel, ChannelError } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { createIds } from "../../src/process/random-ids.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";

const [directory = "", platform = "", settleMs = "700", crashAt = ""] = process.argv.slice(2);
const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
const clock = createSystemClock();
const ids = createIds(clock);
const store = await createSqliteStore({ directory, logger });
const [host, pid] = [hostname(), process.pid];
await recoverLeases({ store, host, pid, isAlive, clock, logger });

async function call(path: string, body: object): Promise<{ status: number; json: Record<string, string> }> {
  try {
    const answer = await fetch(`${platform}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(400),
    });
    return { status: answer.status, json: (await answer.json()) as Record<string, string> };
  } catch (cause) {
    throw new ChannelError("uncertain", "no answer", { cause });
  }
}

async function send({ conversation, thread }: Target, page: Page, key: string): Promise<MessageRef> {
  const { channel, workspace } = conversation;
  const asked = { conversation: conversation.conversation, thread, key, title: page.card.title };
  const { status, json } = await call("/send", asked);
  if (status === 413) throw new ChannelError("too_large", "413");
  if (status === 429) throw new ChannelError("rate_limited", "429", { retryAfterMs: Number(json["retryAfterMs"]) });
  // A 5xx says nothing about whether the message was taken.
  if (status !== 200) throw new ChannelError("uncertain", String(status));
  const message = json["message"] ?? "";
  return { channel, workspace, conversation: conversation.conversation, ...(thread ? { thread } : {}), message };
}

const unused = (): Promise<never> => Promise.reject(new ChannelError("rejected", "unused"));
const channel: Channel = {
  name: "drill",
  capabilities: {
    thread: "native",
    edit: true,
    ephemeral: true,
    reactions: false,
    files: false,
    forms: false,
    find: true,
    limits: {},
  },
  routes: [],
  start: async () => {},
  stop: async () => {},
  health: () => ({ state: "up" }),
  webhook: async () => new Response(null, { status: 404 }),
  send,
  edit: unused,
  remove: unused,
  attach: unused,
  react: unused,
  permalink: async () => null,
  ask: unused,
  async find({ conversation, thread }, key) {
    const { status, json } = await call("/find", { conversation: conversation.conversation, key });
    if (status === 404) return "absent";
    if (status !== 200 || json["message"] === undefined) return "unknown";
    return { ...conversation, ...(thread ? { thread } : {}), message: json["message"] };
  },
};

const page = (title: string): Page => ({ card: { title, tone: "neutral", fallback: title, blocks: [] } });
const pump = createPump({
  name: "drill",
  next: createDeliverNext({
    store,
    channels: new Map([["drill", channel]]),
    compose: async ({ facts }, _channel, fitting) => {
      const { n = 0 } = facts?.notice?.params ?? {};
      const size = fitting === "full" && Number(n) % 50 === 7 ? " huge" : "";
      return [
        { role: "root", content: page(`${n}a${size}`) },
        { role: "thread", content: page(`${n}b`) },
      ];
    },
    worker: workerName(host, pid),
    clock,
    ids,
    logger,
    settleMs: Number(settleMs),
    at: (point) => {
      if (point === crashAt) process.kill(process.pid, "SIGKILL");
    },
  }),
  concurrency: 5,
  idleMs: 20,
  clock,
  logger,
});
pump.start();
writeSync(1, "ready\n");
// The pump's timers keep no process alive.
setInterval(() => {}, 60_000);

function isAlive(other: number): boolean {
  try {
    process.kill(other, 0);
    return true;
  } catch {
    return false;
  }
}
