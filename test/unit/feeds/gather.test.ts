// Pushes that arrive together go on together; whoever is alone never waits.
import { expect, it } from "vitest";
import { createGather } from "../../../src/feeds/gather.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

function start() {
  const clock = createFakeClock();
  const gather = createGather(clock);
  const gone: string[] = [];
  return {
    clock,
    gone,
    enter: (name: string) => {
      const presence = gather.enter();
      return { leave: presence.leave, arrive: () => void presence.arrive().then(() => gone.push(name)) };
    },
  };
}

it("whoever is alone goes at once, again and again", async () => {
  const { clock, gone, enter } = start();
  for (const name of ["a", "b"]) {
    const one = enter(name);
    one.arrive();
    await clock.advanceAsync(0);
    one.leave();
  }
  expect([gone, clock.pending()]).toEqual([["a", "b"], 0]);
});

it("all who are here go together once the last has arrived", async () => {
  const { clock, gone, enter } = start();
  const [a, b] = [enter("a"), enter("b")];
  a.arrive();
  await clock.advanceAsync(3);
  expect(gone).toEqual([]);
  b.arrive();
  await clock.advanceAsync(0);
  expect([gone, clock.pending()]).toEqual([["a", "b"], 0]);
});

it("nobody waits for one who leaves, nor for one who is slow", async () => {
  const { clock, gone, enter } = start();
  const [a, b, slow] = [enter("a"), enter("b"), enter("slow")];
  a.arrive();
  await clock.advanceAsync(4);
  expect(gone).toEqual(["a"]);
  a.leave();
  b.arrive();
  slow.leave();
  await clock.advanceAsync(0);
  expect([gone, clock.pending()]).toEqual([["a", "b"], 0]);
});
