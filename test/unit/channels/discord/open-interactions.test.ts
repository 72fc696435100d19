// Interactions whose tokens answer: newest first, a quarter of an hour, and one original response each.
import { expect, it } from "vitest";
import {
  createOpenInteractions,
  type OpenInteraction,
  TOKEN_MS,
} from "../../../../channels/discord/open-interactions.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

const conversation = { channel: "discord", workspace: "1", conversation: "2" };
const person = { channel: "discord", workspace: "1", person: "3" };
const clock = createFakeClock();
const made = (id: string, changes: Partial<OpenInteraction> = {}): OpenInteraction => ({
  id,
  token: `token ${id}`,
  conversation,
  person,
  at: clock.now(),
  original: "private",
  ...changes,
});

it("gives the newest of a person in a conversation, and nobody else's", () => {
  const open = createOpenInteractions(clock);
  open.open(made("1"));
  open.open(made("2"));
  open.open(made("3", { person: { ...person, person: "4" } }));
  open.open(made("4", { conversation: { ...conversation, conversation: "5" } }));
  expect(open.newestOf(conversation, person)?.id).toBe("2");
  open.close("2");
  expect(open.newestOf(conversation, person)?.id).toBe("1");
});

it("forgets them when their tokens are over, and remembers what went through them", () => {
  const open = createOpenInteractions(clock);
  const one = made("1");
  open.open(one);
  open.bind("m1", one);
  open.bind("m2", made("unknown"));
  expect(open.through("m1")).toEqual(one);
  expect(open.through("m2")).toBeNull();
  clock.advance(TOKEN_MS);
  expect(open.newestOf(conversation, person)).toBeNull();
  expect(open.through("m1")).toBe("expired");
});

it("lets one fill the original, and another when that failed", () => {
  const open = createOpenInteractions(clock);
  open.open(made("1"));
  expect(open.isFilled("1")).toBe(false);
  expect([open.takeOriginal("1"), open.takeOriginal("1")]).toEqual([true, false]);
  open.returnOriginal("1");
  expect(open.takeOriginal("1")).toBe(true);
  open.open(made("2", { original: "none" }));
  open.returnOriginal("2");
  expect(open.takeOriginal("2")).toBe(false);
  expect(open.isFilled("unknown")).toBe(true);
});

it("keeps no more than it has to", () => {
  const open = createOpenInteractions(clock);
  for (let n = 0; n < 2_500; n++) open.open(made(String(n), { person: { ...person, person: String(n) } }));
  expect(open.newestOf(conversation, { ...person, person: "0" })).toBeNull();
  expect(open.newestOf(conversation, { ...person, person: "2499" })?.id).toBe("2499");
});
