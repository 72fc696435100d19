// Threads in place, push after push: what is new is added, what is resolved is corrected where it stands, nothing is said twice.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createComposeDelivery } from "../../../src/app/compose-delivery.ts";
import { createDeliverNext } from "../../../src/app/deliver.ts";
import { createPublishReport } from "../../../src/app/publish-report.ts";
import { createRestrain } from "../../../src/app/restrain.ts";
import { noLinks } from "../../../src/cards/links.ts";
import { readableText } from "../../../src/cards/readable-text.ts";
import type { AssessedProblem, Severity } from "../../../src/core/problem.ts";
import { noFilters, type Subscription } from "../../../src/core/subscription.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { change, claimed, fresh, problem, request, timings } from "../../contract/store-samples.ts";
import { createFakeChannel, type FakeChannel, fakeConversation } from "../../fakes/fake-channel.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../../fakes/temp-store.ts";

const texts = createTexts();
let temp: TempStore;
let clock: FakeClock;
let channel: FakeChannel;
let ids: ReturnType<typeof createFixedIds>;
let subscription: Subscription;
let pushes = 0;

beforeEach(async () => {
  temp = await createTempStore();
  clock = createFakeClock();
  channel = createFakeChannel("fake");
  ids = createFixedIds();
  pushes = 0;
  subscription = {
    id: "sb_1",
    conversation: fakeConversation,
    repository: "demo",
    filters: noFilters,
    mode: "report",
    severity: "info",
    locale: "en",
    origin: "command",
  };
});
afterEach(() => temp.remove());

const at = (fingerprint: string, severity: Severity = "high"): AssessedProblem => {
  const plain = problem(fingerprint);
  return { ...plain, problem: { ...plain.problem, severity } };
};

/** A push to a branch whose review finds these problems, and settles everything that it does not find again. */
async function push(...problems: readonly AssessedProblem[]): Promise<void> {
  pushes++;
  const { store } = temp;
  const head = { ...change().head, canonical: String(pushes).repeat(40), display: `rev${pushes}` };
  const of = change({
    head,
    ref: "refs/heads/topic",
    isDefaultBranch: false,
    baseReason: "merge_base",
    files: [{ kind: "modify", path: "src/a.ts" }],
    fileCount: 1,
  });
  const publish = createPublishReport({
    store,
    subscriptions: { of: async () => [subscription], noProblems: () => "suppress" },
    restrain: createRestrain({ store, clock }),
    clock,
    ids,
  });
  await store.acceptReview(request({ jobKey: `key-${fresh()}`, now: clock.now() }));
  const job = await claimed(store, clock.now());
  await store.startReview({ job: job.id, token: job.token, review: job.review.id, change: of, now: clock.now() });
  const report =
    problems.length > 0
      ? ({ outcome: "reported", problems, summaries: [] } as const)
      : ({ outcome: "clean", summaries: [] } as const);
  const flags = { isBinary: false, isSymlink: false, isSubmodule: false, isLfs: false, isGenerated: false };
  const files = [{ kind: "modify", path: "src/a.ts", rawPath: "src/a.ts", ...flags }] as const;
  await publish(job, { kind: "report", change: of, files, report, isSettled: async () => true }, timings);
  const digest = () => Promise.reject(new Error("no digest is owed"));
  const compose = createComposeDelivery({ store, texts, links: () => noLinks, clock, ids, digest });
  const channels = new Map([["fake", channel]]);
  const next = createDeliverNext({ store, channels, compose, clock, ids, logger: silentLogger });
  while (await next());
  clock.advance(1_000);
}

const shown = (index: number): string => {
  const content = channel.kept[index]?.content;
  return content !== undefined && "card" in content ? readableText(content.card) : "";
};

it("adds what is new, counts what is still open, and marks what is resolved on its own card", async () => {
  await push(at("f1"), at("f2"));
  expect(channel.kept).toHaveLength(3);
  await push(at("f1"), at("f3"));
  expect(channel.kept).toHaveLength(4);
  expect(shown(0)).toMatch(/1 new, 1 still open, 1 resolved/);
  const cards = channel.kept.slice(1, 3).map((_, index) => shown(index + 1));
  expect(cards.filter((text) => text.includes("Resolved in rev2"))).toHaveLength(1);
  expect(cards.find((text) => text.includes("Resolved in rev2"))).toContain("f2");
});

it("corrects everything where it stands when all is resolved, and says nothing new", async () => {
  await push(at("f1"), at("f2"));
  await push();
  expect(channel.kept).toHaveLength(3);
  expect(shown(0)).toContain("All problems are resolved in demo");
  expect(shown(1)).toContain("Resolved in rev2");
  expect(shown(2)).toContain("Resolved in rev2");
});

it("shows once more what has become graver, and not again when it goes up and down below that", async () => {
  await push(at("f1", "medium"));
  await push(at("f1", "critical"));
  expect(channel.kept).toHaveLength(3);
  expect(shown(2)).toContain("Critical");
  await push(at("f1", "low"));
  await push(at("f1", "critical"));
  expect(channel.kept).toHaveLength(3);
});

it("replaces a deleted root once, and later pushes edit the new one", async () => {
  await push(at("f1"));
  channel.lose(channel.kept[0]?.ref.message ?? "");
  await push(at("f1"), at("f2"));
  expect(channel.kept).toHaveLength(3);
  const root = channel.kept[1]?.ref;
  expect(root?.thread).toBeUndefined();
  expect(channel.kept[2]?.ref.thread).toBe(root?.message);
  await push(at("f1"), at("f2"), at("f3"));
  expect(channel.kept).toHaveLength(4);
  expect(channel.kept[1]?.edits).toBe(1);
});

it("keeps a dismissed finding and a muted kind silent", async () => {
  await push(at("f1"));
  const [known] = await temp.store.findingsByKeys("demo", ["f1"]);
  if (known === undefined) throw new Error("the finding is not stored");
  await temp.store.dismissFinding({ finding: known.id, by: "Ann", reason: "by design", now: clock.now() });
  const mute = {
    conversation: fakeConversation,
    repository: "demo",
    category: "style",
    until: clock.now() + 60_000,
    by: "Ann",
  };
  await temp.store.muteKind(mute, clock.now());
  const style = { ...at("f2"), problem: { ...at("f2").problem, category: "style" } };
  await push(at("f1"), style);
  expect(channel.kept).toHaveLength(2);
  clock.advance(60_000);
  await push(at("f1"), style);
  expect(channel.kept).toHaveLength(3);
});

it("notifies the author of what is new where the subscription asks for it, and nobody else", async () => {
  const ada = { channel: "fake", workspace: "w", person: "U9", name: "Ada" };
  await temp.store.linkIdentity({ person: ada, user: "ada@example.org", now: 0 });
  await push(at("f1"));
  expect(channel.kept.every(({ content }) => !("mentions" in content))).toBe(true);
  subscription = { ...subscription, mention: "author" };
  await push(at("f1"), at("f2"));
  const mentioned = channel.kept.flatMap(({ content }) => ("card" in content ? [content.mentions ?? []] : []));
  expect(mentioned).toEqual([[], [], [ada]]);
  await push(at("f1"), at("f2"));
  expect(channel.kept).toHaveLength(3);
});
