// Ids sort by making and never repeat; tokens carry 128 bits.
import { expect, test } from "vitest";
import { isRunId, runId } from "../../../src/core/ids.ts";
import { createIds } from "../../../src/process/random-ids.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

test("ids are letters and digits, and sort by making, within and across milliseconds", () => {
  const clock = createFakeClock();
  const ids = createIds(clock);
  const made: string[] = [];
  for (let i = 0; i < 2000; i++) {
    made.push(ids.next("rv"));
    if (i % 7 === 0) clock.advance(1);
  }
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
  for (const id of made) expect(id).toMatch(/^rv_[0-9a-hjkmnp-tv-z]{26}$/);
});

test("a clock that goes back does not break the order", () => {
  let now = 1000;
  const ids = createIds({ now: () => now });
  const first = ids.next("jb");
  now = 10;
  expect(ids.next("jb") > first).toBe(true);
});

test("an id fits into a run id", () => {
  const ids = createIds(createFakeClock());
  expect(isRunId(runId(ids.next("rv"), 1, 2))).toBe(true);
});

test("tokens do not repeat and hold letters and digits only", () => {
  const ids = createIds(createFakeClock());
  const tokens = Array.from({ length: 500 }, () => ids.token());
  expect(new Set(tokens).size).toBe(500);
  for (const token of tokens) expect(token).toMatch(/^[0-7][0-9a-z]{25}$/);
});
