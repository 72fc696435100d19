// The manual clock must behave as the real one does, or the tests that lean on it prove nothing.
import { expect, test } from "vitest";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";

test("timers run in the order of their time, each at its own moment", () => {
  const clock = createFakeClock(1000);
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b${clock.now()}`));
  clock.after(10, () => {
    seen.push(`a${clock.now()}`);
    clock.after(5, () => seen.push(`c${clock.now()}`));
  });
  const cancel = clock.after(15, () => seen.push("never"));
  cancel();
  clock.advance(19);
  expect(seen).toEqual(["a1010", "c1015"]);
  clock.advance(1);
  expect(seen).toEqual(["a1010", "c1015", "b1020"]);
  expect(clock.now()).toBe(1020);
  expect(clock.monotonic()).toBe(20);
  expect(clock.pending()).toBe(0);
});

test("advanceAsync lets a promise chain set the next timer", async () => {
  const clock = createFakeClock();
  let rounds = 0;
  async function loop(): Promise<void> {
    while (rounds < 3) {
      await new Promise<void>((resolve) => clock.after(10, resolve));
      rounds++;
    }
  }
  const done = loop();
  await clock.advanceAsync(30);
  await done;
  expect(rounds).toBe(3);
});

test("fixed ids count per prefix", () => {
  const ids = createFixedIds();
  expect([ids.next("rv"), ids.next("jb"), ids.next("rv")]).toEqual(["rv_000001", "jb_000001", "rv_000002"]);
  expect(ids.token()).not.toBe(ids.token());
});
