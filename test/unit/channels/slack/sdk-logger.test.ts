// What the SDK logs comes into our log without tokens and addresses that are secrets, and not at all below a warning.
import { expect, it } from "vitest";
import { createSdkLogger, withoutTokens } from "../../../../channels/slack/sdk-logger.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

it.each([
  ["failed for xoxb-1-2-abcDEF", "failed for [token]"],
  ["Bearer xapp-1-A0-1-abc, then", "Bearer [token], then"],
  ["xoxe.xoxb-1-MS0y and xoxe-1-My0x", "[token] and [token]"],
  ["wss://wss-primary.slack.com/link/?ticket=abc&app_id=1 closed", "wss://wss-primary.slack.com/… closed"],
  ["POST https://hooks.slack.com/commands/T1/2/abc", "POST https://hooks.slack.com/…"],
  ["nothing to hide", "nothing to hide"],
])("%j", (text, logged) => {
  expect(withoutTokens(text)).toBe(logged);
});

it("logs warnings and errors, shortened, and no objects", () => {
  const logged: unknown[] = [];
  const keep = (event: string, fields?: Record<string, unknown>): void => void logged.push([event, fields]);
  const logger = createSdkLogger({ ...silentLogger, warn: keep, error: keep });
  logger.debug("a whole message of somebody");
  logger.info("connected");
  logger.warn("late", { authorization: "Bearer xoxb-1" }, new Error("xapp-1-2"));
  logger.error("x".repeat(1_000));
  expect(logged).toEqual([
    ["slack.sdk", { text: "late  Error: [token]" }],
    ["slack.sdk", { text: "x".repeat(300) }],
  ]);
});
