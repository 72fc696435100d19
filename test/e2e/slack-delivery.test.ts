// The core's outbox with its real store, over the real Slack client, to a Slack in trouble: nothing lost, nothing doubled, threads whole.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { slackCapabilities } from "../../channels/slack/capabilities.ts";
import { createSlackClient, type SlackClient } from "../../channels/slack/client.ts";
import { createDeliverNext, type DeliverNext } from "../../src/app/deliver.ts";
import type { Page } from "../../src/core/card.ts";
import type { PlannedDelivery } from "../../src/core/delivery.ts";
import type { Channel } from "../../src/ports/channel.ts";
import type { FakeClock } from "../fakes/fake-clock.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { conversation, pageOf, person } from "../fakes/slack/client-bench.ts";
import { createPacingClock } from "../fakes/slack/pacing-clock.ts";
import { readMessage } from "../fakes/slack/read-message.ts";
import { type SlackWebApi, startSlackWebApi } from "../fakes/slack/web-api.ts";
import type { Trouble } from "../fakes/slack/web-api-trouble.ts";
import { createTempStore, type TempStore } from "../fakes/temp-store.ts";

const DELIVERIES = 12;
const ids = createFixedIds();
let temp: TempStore;
let clock: FakeClock;
let slack: SlackWebApi;
let client: SlackClient;

beforeEach(async () => {
  temp = await createTempStore();
  clock = createPacingClock(Date.UTC(2026, 0, 5, 12));
  slack = await startSlackWebApi({ clock });
  restart();
});
afterEach(async () => {
  await slack.stop();
  await temp.remove();
});

/** Another process: it remembers nothing of what was sent. */
function restart(): void {
  client = createSlackClient({ token: async () => slack.bot, apiUrl: slack.url, clock, logger: silentLogger });
}

const channel: Channel = {
  name: "slack",
  capabilities: slackCapabilities,
  routes: [],
  start: async () => undefined,
  stop: async () => undefined,
  health: () => ({ state: "up" }),
  webhook: async () => new Response(null, { status: 404 }),
  ask: async () => undefined,
  send: (...given) => client.send(...given),
  edit: (...given) => client.edit(...given),
  remove: (...given) => client.remove(...given),
  attach: (...given) => client.attach(...given),
  react: (...given) => client.react(...given),
  permalink: (...given) => client.permalink(...given),
  find: (...given) => client.find(...given),
};

function sender(): DeliverNext {
  const page = (title: string): Page =>
    pageOf(title, { blocks: [{ kind: "text", children: [{ kind: "text", text: `about ${title}` }] }] });
  return createDeliverNext({
    store: temp.store,
    channels: new Map([["slack", channel]]),
    compose: async ({ id }) => [
      { role: "root", content: page(`${id}:root`) },
      { role: "thread", content: page(`${id}:one`) },
      { role: "thread", content: { name: "more.md", mediaType: "text/markdown", text: `more of ${id}` } },
      { role: "thread", content: page(`${id}:two`) },
    ],
    clock,
    ids,
    logger: silentLogger,
  });
}

/** Puts deliveries into the outbox the way a finished review does. */
async function owe(count: number): Promise<readonly string[]> {
  const review = ids.next("rv");
  const now = clock.now();
  await temp.store.registerRepositories([{ alias: "demo", vcs: "git" }], now);
  await temp.store.acceptReview({
    review,
    job: ids.next("jb"),
    inbox: { source: "test", key: review },
    jobKey: review,
    coalesce: false,
    repository: "demo",
    spec: "HEAD",
    agent: "checks",
    paths: [],
    locale: "en",
    requester: { kind: "person", person, conversation },
    now,
  });
  const job = await temp.store.claimJob({ worker: "w", token: "t", leaseMs: 1_000, maxAttempts: 3, now });
  if (job === null) throw new Error("no job to claim");
  const deliveries = Array.from({ length: count }, (_, index): PlannedDelivery => {
    const place = { ...conversation, conversation: index % 2 === 0 ? "C0001" : "G0001" };
    return { id: ids.next("dl"), kind: "report", review, target: { conversation: place }, locale: "en" };
  });
  const timings = { queuedMs: 0, resolveMs: 0, materialiseMs: 0, agentMs: 0, totalMs: 0 };
  const result = { status: "clean", report: { outcome: "clean", summaries: [] } } as const;
  const base = { job: job.id, token: "t", review, result, timings, findings: [], deliveries, now };
  if (!(await temp.store.finishReview(base))) throw new Error("the review did not end");
  return deliveries.map(({ id }) => id);
}

async function drain(minutes: number, between: () => void = () => undefined): Promise<void> {
  const next = sender();
  for (let quarter = 0; quarter < minutes * 4; quarter += 1) {
    while (await next()) between();
    await clock.advanceAsync(15_000);
  }
}

interface Seen {
  readonly what: string;
  readonly thread: string | undefined;
  readonly ts: string;
}

function seen(): readonly Seen[] {
  return ["C0001", "G0001"].flatMap((id) =>
    (slack.team.conversations.get(id)?.messages ?? []).map(({ ts, thread, text, blocks, files }) => {
      const [file] = files ?? [];
      const what = file === undefined ? readMessage({ text, blocks }).text : (file.bytes?.toString() ?? "");
      return { what: what.split("\n")[0]?.replaceAll("*", "") ?? "", thread, ts };
    }),
  );
}

const troubles: readonly Trouble[] = [
  { kind: "reset" },
  { kind: "reset", stored: true },
  { kind: "torn", stored: true },
  { kind: "html" },
  { kind: "html", stored: true },
  { kind: "status", status: 500, stored: true },
  { kind: "status", status: 503 },
  { kind: "status", status: 429 },
  { kind: "status", status: 429, headers: { "retry-after": "20" } },
  { kind: "error", error: "service_unavailable" },
  { kind: "error", error: "internal_error" },
  { kind: "error", error: "invalid_blocks" },
];
const kinds: ReadonlySet<string> = new Set(troubles.map(({ kind }) => kind));
const writes = ["chat.postMessage", "chat.postMessage", "chat.postMessage", "files.completeUploadExternal"] as const;

describe("deliveries to a Slack in trouble", () => {
  it("arrive once each, in order, in one thread, although calls fail in every way and the process restarts", async () => {
    const owed = await owe(DELIVERIES);
    const chosen = fc.sample(fc.tuple(fc.constantFrom(...writes), fc.constantFrom(...troubles)), {
      numRuns: 40,
      seed: 7,
    });
    const left = [...chosen];
    let rounds = 0;
    await drain(240, () => {
      rounds += 1;
      const trouble = left.pop();
      if (trouble !== undefined) slack.troubles.add(...trouble);
      if (rounds % 3 === 0) restart();
    });
    expect(left).toEqual([]);
    expect(slack.calls.filter(({ outcome }) => kinds.has(outcome)).length).toBeGreaterThan(30);
    const messages = seen();
    for (const id of owed) {
      const own = messages.filter(({ what }) => what.includes(id));
      const root = own[0];
      expect(own.map(({ what }) => what.replace(id, ""))).toEqual([":root", ":one", "more of ", ":two"]);
      expect(own.map(({ thread }) => thread)).toEqual([undefined, root?.ts, root?.ts, root?.ts]);
    }
    expect(messages).toHaveLength(owed.length * 4);
  }, 120_000);

  it("never double where history may not be read: what nobody can tell is left as it is", async () => {
    for (const scope of ["channels:history", "groups:history"]) slack.bot.scopes.delete(scope);
    const owed = await owe(DELIVERIES);
    const stored = troubles.filter((trouble) => "stored" in trouble);
    const left = fc.sample(fc.constantFrom(...stored), { numRuns: 20, seed: 11 });
    await drain(60, () => {
      const trouble = left.pop();
      if (trouble !== undefined) slack.troubles.add("chat.postMessage", trouble);
      restart();
    });
    const messages = seen().map(({ what }) => what);
    expect(new Set(messages).size).toBe(messages.length);
    // All were stored before their answers were lost, so none is missing either.
    expect(messages).toHaveLength(owed.length * 4);
  }, 120_000);
});
