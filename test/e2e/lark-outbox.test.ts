// The outbox over Lark, with the real store, the real SDK and the strict API: nothing lost, nothing doubled, and a way down for what is refused.
import { afterEach, beforeEach, expect, it } from "vitest";
import { larkCapabilities } from "../../channels/lark/capabilities.ts";
import type { LarkCard } from "../../channels/lark/card/elements.ts";
import { type ComposedMessage, createDeliverNext, type DeliverNext, type Fitting } from "../../src/app/deliver.ts";
import { createGiveUp } from "../../src/app/give-up.ts";
import { asPlainText } from "../../src/app/plain-pages.ts";
import { fit as fitCard, halved } from "../../src/cards/fit.ts";
import type { Card } from "../../src/core/card.ts";
import type { Channel } from "../../src/ports/channel.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { type ClientOnFake, createClientOnFake, group } from "../fakes/lark/api-client.ts";
import { createMovableClock, type MovableClock } from "../fakes/lark/platform.ts";
import { replies, root } from "../fakes/sample-cards.ts";
import { plainCard } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../fakes/temp-store.ts";

let on: ClientOnFake;
let clock: MovableClock;
let temp: TempStore;
let fittings: Fitting[];
const ids = createFixedIds();
const messages = /POST .*\/messages$/;
const ops = { ...group, conversation: "oc_ops" };

beforeEach(async () => {
  clock = createMovableClock();
  on = await createClientOnFake({ time: clock });
  on.api.addChat(ops.conversation, "group");
  temp = await createTempStore();
  fittings = [];
});
afterEach(async () => {
  await on.stop();
  await temp.remove();
});

function sender(cards: readonly Card[]): DeliverNext {
  const channel = { ...on.client, name: "lark", capabilities: larkCapabilities } as unknown as Channel;
  return createDeliverNext({
    store: temp.store,
    channels: new Map([["lark", channel]]),
    async compose({ facts }, _channel, fitting) {
      const { notice } = facts ?? {};
      if (notice !== undefined)
        return [{ role: "root", content: { card: plainCard(`${notice.key} ${notice.params["error"]}`) } }];
      fittings.push(fitting);
      const limits = fitting === "halved" ? halved(larkCapabilities.limits) : larkCapabilities.limits;
      const composed = cards.flatMap((card, index): ComposedMessage[] =>
        fitCard(card, limits).pages.map((content) => ({ role: index === 0 ? "root" : "thread", content })),
      );
      return fitting === "plain" ? asPlainText(composed) : composed;
    },
    clock,
    ids,
    logger: silentLogger,
    giveUp: createGiveUp({
      store: temp.store,
      operators: { conversation: ops, locale: "en" },
      defaultLocale: "en",
      clock,
      ids,
    }),
  });
}

async function owe(): Promise<void> {
  const { store } = temp;
  const now = clock.now();
  const review = ids.next("rv");
  await store.registerRepositories([{ alias: "demo", vcs: "git" }], now);
  await store.acceptReview({
    ...{ review, job: ids.next("jb"), inbox: { source: "test", key: review }, jobKey: review, coalesce: false },
    ...{ repository: "demo", spec: "HEAD", agent: "checks", paths: [], locale: "en", now },
    requester: { kind: "feed", feed: "test" },
  });
  const job = await store.claimJob({ worker: "w", token: "t", leaseMs: 1_000, maxAttempts: 3, now });
  if (job === null) throw new Error("no job to claim");
  const delivery = {
    id: ids.next("dl"),
    kind: "report",
    review,
    target: { conversation: group },
    locale: "en",
  } as const;
  const timings = { queuedMs: 0, resolveMs: 0, materialiseMs: 0, agentMs: 0, totalMs: 0 };
  const result = { status: "clean", report: { outcome: "clean", summaries: [] } } as const;
  const finished = { job: job.id, token: "t", review, result, timings, findings: [], deliveries: [delivery], now };
  expect(await store.finishReview(finished)).toBe(true);
}

async function drain(next: DeliverNext, minutes = 5): Promise<void> {
  for (let turn = 0; turn < minutes * 4; turn += 1) {
    while (await next());
    clock.skip(15_000);
  }
}

function shown(): readonly string[] {
  return on.api.shown().map(({ type, content, root: parent }) => {
    const title =
      type === "text" ? (content as { text: string }).text.split("\n")[0] : (content as LarkCard).header.title.content;
    return `${parent === undefined ? "" : "└ "}${type === "text" ? "text: " : ""}${title}`;
  });
}

const report = [root, ...replies];
const titles = [root.title, ...replies.map(({ title }) => `└ ${title}`)];

it("sends a report as a root and its thread", async () => {
  await owe();
  await drain(sender(report));
  expect(shown()).toEqual(titles);
});

it("sends nothing twice when answers get lost, at the root and in the thread", async () => {
  on.api.trouble(messages, { kind: "lost" });
  on.api.trouble(/reply$/, { kind: "lost" });
  await owe();
  await drain(sender(report));
  expect(shown()).toEqual(titles);
  expect(on.api.calls.filter(({ path }) => /messages$|reply$/.test(path)).length).toBe(5);
});

it("waits as long as the platform says, and then goes on", async () => {
  const body = { code: 99991400, msg: "frequency limit" };
  on.api.trouble(messages, {
    kind: "answer",
    answer: { status: 429, body, headers: { "x-ogw-ratelimit-reset": "40" } },
  });
  await owe();
  const next = sender(report);
  while (await next());
  clock.skip(39_000);
  expect(await next()).toBe(false);
  await drain(next);
  expect(shown()).toEqual(titles);
});

it("takes a smaller card when the platform counts too much (11310)", async () => {
  const body = {
    code: 230099,
    msg: "Failed to create card content, ext=ErrCode: 11310; ErrMsg: card table number over limit",
  };
  on.api.trouble(messages, { kind: "answer", answer: { status: 400, body } });
  await owe();
  await drain(sender(report));
  expect(fittings).toEqual(["full", "halved"]);
  expect(shown()).toEqual(titles);
});

it("ends at a text when the platform takes no card at all, and the thread still hangs on it", async () => {
  const body = { code: 230099, msg: "Failed to create card content, ext=ErrCode: 200621; ErrMsg: unknown property" };
  const refusal = { kind: "answer", answer: { status: 400, body } } as const;
  on.api.trouble(messages, refusal);
  await owe();
  await drain(sender(report));
  expect(shown()).toEqual([`text: ${root.title}`, ...titles.slice(1)]);
});

it("tells the operators when the bot is not in the group any more (230002)", async () => {
  const chat = on.api.state.chats.get(group.conversation);
  if (chat !== undefined) chat.isBotMember = false;
  await owe();
  await drain(sender(report));
  expect(shown()).toHaveLength(1);
  expect(shown()[0]).toContain("add the bot to the group");
});

it("lets replies stand by themselves when their root was recalled (230011)", async () => {
  await owe();
  const next = sender(report);
  const body = { code: 230020, msg: "limit" };
  on.api.trouble(/reply$/, { kind: "answer", answer: { status: 400, body } });
  while (await next());
  const [first] = on.api.shown();
  if (first !== undefined) first.isRecalled = true;
  await drain(next);
  expect(shown()).toEqual([replies[0]?.title, `└ ${replies[1]?.title}`]);
});
