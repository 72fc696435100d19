// A repository that nobody listens to is not asked; once somebody does, it begins at once and where it then stands.
import { expect, test } from "vitest";
import { createPoller } from "../../../src/feeds/poller.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

test("an unwanted feed costs no poll, and catches up on nothing when it is wanted again", async () => {
  const clock = createFakeClock();
  const cursors = new Map([["demo", "3"]]);
  const asked: (string | null)[] = [];
  const accepted: string[] = [];
  const world = { isWanted: false, changes: 9 };
  const poller = createPoller({
    feeds: [
      {
        repository: "demo",
        source: "s",
        intervalMs: 60_000,
        isWanted: async () => world.isWanted,
        vcs: {
          kind: "svn",
          async poll(cursor) {
            asked.push(cursor);
            const from = cursor === null ? world.changes : Number(cursor);
            const heads = Array.from({ length: world.changes - from }, (_, n) => String(from + n + 1));
            const events = heads.map((head) => ({ ref: "svn", head, forced: false }));
            return { events, next: String(world.changes), gap: false };
          },
          resolve: () => Promise.reject(new Error("not asked")),
        },
      },
    ],
    store: {
      cursor: async (repository) => cursors.get(repository) ?? null,
      moveCursor: async ({ repository, cursor }) => void cursors.set(repository, cursor),
      acceptedHeads: async () => [],
      unsureRefs: async () => [],
      forgetFeed: async (repository) => cursors.delete(repository),
    },
    acceptPush: async ({ head }) => {
      accepted.push(head);
      return { outcome: "accepted" };
    },
    clock,
    random: () => 0.5,
    logger: silentLogger,
  });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      poller.wake();
      await poller.idle();
      clock.advance(1_000);
    }
  };
  await pass(120);
  expect(asked).toEqual([]);
  world.isWanted = true;
  await pass(3);
  expect(asked).toEqual([null]);
  world.changes = 11;
  await pass(70);
  expect(accepted).toEqual(["10", "11"]);
});
