// Roles, quotas and the hours of a subscription in the configuration: read as meant, and each mistake named with its line.
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { resolveConfig } from "../../../src/config/resolve.ts";

const subscription = (...lines: readonly string[]): string =>
  [
    "repositories:\n  - {alias: game, path: .}\nsubscriptions:\n  - repository: game",
    "    conversation: {channel: web, conversation: team}",
    ...lines.map((line) => `    ${line}`),
  ].join("\n");

const file = "/etc/aicr-bot.yaml";
const parse = (text: string) => resolveConfig(parseConfig(text, file, {}), { file, folder: "/etc", env: {} });

test("a subscription says whom to call and when", () => {
  const said = subscription("mention: author", 'digest: "0 9 * * 1-5"', "tz: Asia/Ho_Chi_Minh", "quiet: 22:00-08:00");
  expect(parse(said).subscriptions[0]).toMatchObject({
    mention: "author",
    digest: "0 9 * * 1-5",
    timeZone: "Asia/Ho_Chi_Minh",
    quiet: { from: 1320, to: 480 },
  });
  expect(Object.keys(parse(subscription()).subscriptions[0] ?? {})).not.toContain("quiet");
});

test("roles and quotas have defaults, and take what is said", () => {
  expect(parse("")).toMatchObject({ roles: [], quotas: { person: 10, conversation: 30, admin: 300 } });
  const said = parse(
    "roles:\n  - {role: admin, channel: web, people: [u1]}\n  - {role: maintainer, channel: web, conversations: [team]}\n" +
      "quotas:\n  person_per_minute: 3\n",
  );
  expect(said.quotas).toEqual({ person: 3, conversation: 30, admin: 300 });
  expect(said.roles).toEqual([
    { role: "admin", channel: "web", workspace: "local", people: ["u1"], groups: [], conversations: [] },
    { role: "maintainer", channel: "web", workspace: "local", people: [], groups: [], conversations: ["team"] },
  ]);
});

describe("one mistake", () => {
  test.each([
    ["a cron expression", subscription("digest: daily"), /:6:13 subscriptions\[0\]\.digest must be a cron expression/],
    ["a time zone", subscription("tz: Mars/Base"), /:6:9 subscriptions\[0\]\.tz must be a time zone/],
    ["quiet hours", subscription("quiet: at night"), /:6:12 subscriptions\[0\]\.quiet must be two times of day/],
    [
      "a role",
      "roles:\n  - {role: boss, channel: web, people: [u1]}\n",
      /:2:12 roles\[0\]\.role must be one of member/,
    ],
    ["a role for nobody", "roles:\n  - {role: admin, channel: web}\n", /:2:5 roles\[0\] needs people, groups or conv/],
    [
      "a channel",
      "roles:\n  - {role: admin, channel: wbe, people: [u1]}\n",
      /There is no channel wbe\. Did you mean web\?/,
    ],
    ["a quota of nothing", "quotas:\n  person_per_minute: 0\n", /:2:22 quotas\.person_per_minute must be at least 1/],
  ])("in %s is named with its line", (_, text, expected) => {
    expect(() => parse(text)).toThrow(expected);
  });
});
