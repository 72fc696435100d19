// The poller by itself: rhythm, spread, back-off, and cursors that move only after what they stand for is accepted.
import { expect, test } from "vitest";
import type { Push, PushAnswer } from "../../../src/app/accept-push.ts";
import { AppError } from "../../../src/core/errors.ts";
import { createPoller } from "../../../src/feeds/poller.ts";
import type { Poll, PolledEvent } from "../../../src/ports/vcs.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const interval = 60_000;

/** A stream of numbered changes; the cursor is the number of those that were handed out. */
function setUp(options: { feeds?: number; random?: () => number; accept?: (push: Push) => void } = {}) {
  const clock = createFakeClock();
  const cursors = new Map<string, string>();
  const accepted: string[] = [];
  const polls: number[] = [];
  const world = { changes: 0, isDown: false };
  const poll = async (cursor: string | null, limit: number): Promise<Poll> => {
    polls.push(clock.monotonic());
    if (world.isDown) throw new AppError("unavailable", "down", { remedy: "wait" });
    const from = cursor === null ? world.changes : Number(cursor);
    const to = Math.min(world.changes, from + limit);
    const events = Array.from({ length: to - from }, (_, n): PolledEvent => {
      const head = String(from + n + 1);
      return { ref: "svn", head, forced: false };
    });
    return { events, next: String(to), gap: false };
  };
  const count = options.feeds ?? 1;
  const start = () =>
    createPoller({
      feeds: Array.from({ length: count }, (_, n) => ({
        repository: `r${n}`,
        source: "s",
        intervalMs: interval,
        vcs: { kind: "svn", poll, resolve: async () => Promise.reject(new Error("not asked")) },
      })),
      store: {
        cursor: async (repository) => cursors.get(repository) ?? null,
        moveCursor: async ({ repository, cursor }) => void cursors.set(repository, cursor),
        acceptedHeads: async () => [],
        unsureRefs: async () => [],
        forgetFeed: async () => false,
      },
      acceptPush: async (push): Promise<PushAnswer> => {
        options.accept?.(push);
        accepted.push(push.head);
        return { outcome: "accepted" };
      },
      clock,
      random: options.random ?? (() => 0.5),
      logger: silentLogger,
    });
  return { clock, cursors, accepted, polls, world, start };
}

test("a feed is polled in its rhythm, however often it is woken, and its first poll takes no old changes", async () => {
  const { clock, accepted, polls, world, start } = setUp();
  world.changes = 7;
  const poller = start();
  for (let second = 0; second <= 180; second++) {
    poller.wake();
    await poller.idle();
    clock.advance(1_000);
    if (second === 90) world.changes = 9;
  }
  expect(polls).toEqual([0, interval, 2 * interval, 3 * interval]);
  expect(accepted).toEqual(["8", "9"]);
});

test("more changes than one batch are all taken in one visit, in order", async () => {
  const { cursors, accepted, world, start } = setUp();
  cursors.set("r0", "0");
  world.changes = 250;
  const poller = start();
  poller.wake();
  await poller.idle();
  expect(accepted).toEqual(Array.from({ length: 250 }, (_, n) => String(n + 1)));
  expect(cursors.get("r0")).toBe("250");
});

test("the cursor stays where it was when accepting fails; after a restart nothing is missing", async () => {
  let isFull = true;
  const { cursors, accepted, world, start } = setUp({
    accept({ head }) {
      if (head === "3" && isFull) throw new AppError("unavailable", "disk full", { remedy: "make room" });
    },
  });
  cursors.set("r0", "0");
  world.changes = 5;
  const first = start();
  first.wake();
  await first.idle();
  expect(cursors.get("r0")).toBe("0");
  await first.stop();
  isFull = false;
  const second = start();
  second.wake();
  await second.idle();
  expect(accepted).toEqual(["1", "2", "1", "2", "3", "4", "5"]);
  expect(cursors.get("r0")).toBe("5");
});

test("an outage is waited out, longer each time up to a quarter of an hour, and loses nothing", async () => {
  const { clock, cursors, accepted, polls, world, start } = setUp();
  cursors.set("r0", "0");
  world.changes = 1;
  world.isDown = true;
  const poller = start();
  for (let minute = 0; minute < 60; minute++) {
    if (minute === 50) world.isDown = false;
    poller.wake();
    await poller.idle();
    clock.advance(60_000);
  }
  expect(polls.slice(0, 6).map((at) => at / 60_000)).toEqual([0, 2, 6, 14, 29, 44]);
  expect(accepted).toEqual(["1"]);
});

test("many feeds are spread over their interval, at the start and later", async () => {
  let state = 1;
  // A generator that always gives the same numbers.
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const { clock, polls, start } = setUp({ feeds: 1_000, random });
  const poller = start();
  let most = 0;
  for (let second = 0; second < 180; second++) {
    const before = polls.length;
    poller.wake();
    await poller.idle();
    most = Math.max(most, polls.length - before);
    clock.advance(1_000);
  }
  expect(polls.length).toBeGreaterThan(2_500);
  expect(most).toBeLessThan(60);
});

test("few repositories are asked at once, and a slow one holds up no other", async () => {
  const clock = createFakeClock();
  let running = 0;
  let most = 0;
  const polled: string[] = [];
  const waiting: (() => void)[] = [];
  const feed = (repository: string, isSlow: boolean) => ({
    repository,
    source: "s",
    intervalMs: interval,
    vcs: {
      kind: "svn" as const,
      resolve: () => Promise.reject(new Error("not asked")),
      async poll(): Promise<Poll> {
        running++;
        most = Math.max(most, running);
        if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
        running--;
        polled.push(repository);
        return { events: [], next: "1", gap: false };
      },
    },
  });
  const poller = createPoller({
    feeds: [feed("slow", true), ...Array.from({ length: 20 }, (_, n) => feed(`r${n}`, false))],
    store: {
      cursor: async () => "1",
      moveCursor: async () => {},
      acceptedHeads: async () => [],
      unsureRefs: async () => [],
      forgetFeed: async () => false,
    },
    acceptPush: async () => ({ outcome: "ignored" }),
    clock,
    random: () => 0,
    logger: silentLogger,
  });
  poller.wake();
  await clock.advanceAsync(0);
  while (polled.length < 20) await clock.advanceAsync(0);
  expect(polled).not.toContain("slow");
  expect(most).toBeLessThanOrEqual(4);
  for (const end of waiting) end();
  await poller.stop();
  expect(polled).toContain("slow");
});
