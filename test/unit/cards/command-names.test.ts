// Commands are shown as the platform has people type them.
import { expect, it } from "vitest";
import { typed } from "../../../src/cards/command-names.ts";

const discord = { review: "/review", verbs: "/aicr" };
const slack = { review: "/cr", verbs: "/cr" };

it.each([
  ["demo HEAD", "/review demo HEAD", "/cr demo HEAD"],
  ["subscribe demo", "/aicr subscribe demo", "/cr subscribe demo"],
  ["help", "/aicr help", "/cr help"],
  ["status-page HEAD", "/review status-page HEAD", "/cr status-page HEAD"],
])("%s", (command, onDiscord, onSlack) => {
  expect(typed(discord, command)).toBe(onDiscord);
  expect(typed(slack, command)).toBe(onSlack);
});
