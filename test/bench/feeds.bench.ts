// What idle feeds cost, and what a push costs when others have many subscriptions.
import { cpuUsage } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { createAcceptPush } from "../../src/app/accept-push.ts";
import { createSubscriptionDirectory } from "../../src/app/subscription-directory.ts";
import type { Subscription } from "../../src/core/subscription.ts";
import { createPoller } from "../../src/feeds/poller.ts";
import type { Vcs } from "../../src/ports/vcs.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { startSchedule } from "../../src/schedule/cron.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { createTempStore } from "../fakes/temp-store.ts";
import { type Bench, type BenchRow, interleave, median } from "./bench.ts";

const feeds = 1_000;
const clock = createSystemClock();

export const bench: Bench = async () => [await idleFeeds(), await matching()];

/** The scheduler as it runs in the product: woken every second, each feed polled once a minute, over a real store. */
async function idleFeeds(): Promise<BenchRow> {
  const temporary = await createTempStore();
  let polls = 0;
  const noOp: Pick<Vcs, "kind" | "poll" | "resolve"> = {
    kind: "git",
    async poll() {
      polls++;
      return { events: [], next: "same", gap: false };
    },
    resolve: () => Promise.reject(new Error("not asked")),
  };
  const poller = createPoller({
    feeds: Array.from({ length: feeds }, (_, n) => ({
      repository: `r${n}`,
      source: "git",
      intervalMs: 60_000,
      vcs: noOp,
      isWanted: async () => true,
    })),
    store: temporary.store,
    acceptPush: async () => ({ outcome: "ignored" }),
    clock,
    random: Math.random,
    logger: silentLogger,
  });
  for (let n = 0; n < feeds; n++) {
    await temporary.store.moveCursor({ repository: `r${n}`, source: "git", cursor: "same", now: 0 });
  }
  const schedule = startSchedule([{ name: "poll", cron: "* * * * * *", run: async () => poller.wake() }], silentLogger);
  await delay(2_000);
  const shares: number[] = [];
  const before = polls;
  for (let window = 0; window < 5; window++) {
    const [started, used] = [performance.now(), cpuUsage()];
    await delay(3_000);
    const { user, system } = cpuUsage(used);
    shares.push((user + system) / 1_000 / (performance.now() - started));
  }
  const share = median(shares);
  await schedule.stop();
  await poller.stop();
  await temporary.remove();
  return {
    name: "1,000 idle feeds, share of a core",
    value: share,
    comparison: "at most",
    limit: 0.01,
    note: `${(share * 100).toFixed(2)} % of a core, ${polls - before} polls in 15 s`,
  };
}

/** A push to one repository among those of 100,000 subscriptions, against 100; the store's part is the same and left out. */
async function matching(): Promise<BenchRow> {
  const times = await interleave({ few: pushesAmong(100), many: pushesAmong(100_000) }, 31);
  const [few, many] = [times["few"] ?? 0, times["many"] ?? 0];
  return {
    name: "matching a push, 100,000 subscriptions against 100",
    value: many / few,
    comparison: "at most",
    limit: 1.5,
    note: `${(many / 2).toFixed(2)} µs against ${(few / 2).toFixed(2)} µs a push`,
  };
}

/** 2,000 pushes through the use case, ten subscriptions a repository. */
function pushesAmong(count: number): () => Promise<void> {
  const repositories = Math.max(1, count / 10);
  const filters = { branches: ["release/**", "main"], notBranches: ["main-*"] };
  const none = { paths: [], notPaths: [], authors: [], notAuthors: [] };
  const configured = Array.from(
    { length: count },
    (_, n): Subscription => ({
      id: `sb_${n}`,
      conversation: { channel: "web", workspace: "local", conversation: `c${n}` },
      repository: `r${n % repositories}`,
      filters: { ...filters, ...none },
      mode: "report",
      severity: "info",
      locale: "en",
      origin: "configuration",
    }),
  );
  const acceptPush = createAcceptPush({
    store: { acceptPush: async () => ({ outcome: "ignored", reason: "bench" }) },
    subscriptions: createSubscriptionDirectory({
      store: { subscriptionsOf: async () => [], subscriptionsIn: async () => [] },
      configured,
      visibility: { repositoriesFor: () => [] },
      configuredLanguage: () => null,
      noProblems: () => "suppress",
      defaultLocale: "en",
    }),
    repositories: new Map(
      Array.from({ length: repositories }, (_, n) => [
        `r${n}`,
        { alias: `r${n}`, vcs: "git" as const, agent: "checks", isPolled: true },
      ]),
    ),
    locale: "en",
    clock,
    ids: createFixedIds(),
    wake: () => {},
  });
  const head = "a".repeat(40);
  return async () => {
    for (let n = 0; n < 2_000; n++) {
      await acceptPush({
        repository: `r${n % 10}`,
        ref: "refs/heads/main",
        head,
        source: "poll",
        deliveryId: null,
      });
    }
  };
}
