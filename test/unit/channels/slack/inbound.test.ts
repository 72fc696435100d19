// What Slack's bodies say: read strictly, whatever else is in them, and never with an exception.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCommand, readPress, readShortcut, readSubmission } from "../../../../channels/slack/inbound.ts";
import { readEvent } from "../../../../channels/slack/inbound-events.ts";
import { commandText, spokenCommand, typedText } from "../../../../channels/slack/inbound-text.ts";

describe("typedText", () => {
  it.each([
    ["demo <https://git.example/a?b=1&amp;c=2>", "demo https://git.example/a?b=1&c=2"],
    ["<https://git.example/pull/7|#7> now", "https://git.example/pull/7 now"],
    ["path:src/<http://main.py|main.py> or <http://example.com/|example.com>", "path:src/main.py or example.com"],
    ["<mailto:ada@example.com|ada@example.com>", "ada@example.com"],
    [
      "in <#C0001|reviews> by <@U0001|ada> for <!here> and <!subteam^S1|@team>",
      "in #reviews by @ada for @here and @team",
    ],
    ["a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"],
    ["1 < 2 > 0", "1 < 2 > 0"],
  ])("%j is %j", (sent, typed) => {
    expect(typedText(sent)).toBe(typed);
  });

  it("gives back what a person typed, whatever it was", () => {
    const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(typedText(escaped(text))).toBe(text);
      }),
    );
  });
});

describe("spokenCommand", () => {
  const bot = "U0BOT";
  it.each([
    ["<@U0BOT> demo HEAD", "demo HEAD"],
    ["<@U0BOT>: demo HEAD", "demo HEAD"],
    ["hey <@U0BOT|reviewbot>, demo HEAD", "demo HEAD"],
    ["demo HEAD <@U0BOT>", "demo HEAD"],
    ["<@U0BOT> /review demo HEAD", "demo HEAD"],
    ["<@U0BOT> ／review demo", "demo"],
    ["<@U0BOT> review the door", "review the door"],
    ["<@U0BOT> demo\nHEAD\u0007", "demo HEAD"],
    ["<@U0001> <@U0BOT> link <@U0002|grace>", "link @grace"],
    ["<@U0BOT> depot //depot/game/...@123", "depot //depot/game/...@123"],
    ["<@U0BOT>", ""],
    ["demo", "demo"],
  ])("%j is %j", (sent, command) => {
    expect(spokenCommand(sent, "review", bot)).toBe(command);
  });

  it("knows the command by its configured name", () => {
    expect(commandText("/code-review demo", "code-review")).toBe("demo");
    expect(commandText("/review demo", "code-review")).toBe("/review demo");
    expect(commandText("//depot/...@1", "review")).toBe("//depot/...@1");
  });

  it("takes the first mention for the bot's where its id is not known", () => {
    expect(spokenCommand("<@U0BOT> demo", "review")).toBe("demo");
  });
});

const authorizations = [{ enterprise_id: null, team_id: "T0001", user_id: "U0BOT", is_bot: true }];
const mention = {
  type: "app_mention",
  user: "U0001",
  text: "<@U0BOT> demo",
  ts: "1767614400.000100",
  channel: "C0001",
};

describe("events", () => {
  it("belong to the workspace that installed the app, whoever speaks in a shared channel", () => {
    const body = { event_id: "Ev1", team_id: "T0002", authorizations, event: { ...mention, user_team: "T0002" } };
    expect(readEvent(body)).toMatchObject({
      conversation: { workspace: "T0001" },
      person: { workspace: "T0002", person: "U0001" },
      key: "event:Ev1",
    });
  });

  it("belong to the organisation where the app is installed for all of it", () => {
    const whole = [{ enterprise_id: "E0001", team_id: null, user_id: "U0BOT", is_bot: true }];
    expect(readEvent({ authorizations: whole, event: mention })).toMatchObject({
      conversation: { workspace: "E0001" },
    });
  });

  it("have a key of channel and time where Slack gives no id", () => {
    expect(readEvent({ team_id: "T0001", event: mention })).toMatchObject({ key: "message:C0001:1767614400.000100" });
  });

  it("name a thread only for a reply", () => {
    const root = readEvent({ team_id: "T0001", event: { ...mention, thread_ts: mention.ts } });
    expect(root).not.toHaveProperty("thread");
    const reply = readEvent({ team_id: "T0001", event: { ...mention, thread_ts: "1767614399.000100" } });
    expect(reply).toMatchObject({ thread: "1767614399.000100" });
  });

  it("are ignored where they are not of interest", () => {
    for (const event of [{ type: "reaction_added" }, { type: "constructor" }, { type: "channel_archive" }, {}, "x"]) {
      expect(readEvent({ team_id: "T0001", event })).toMatchObject({ kind: "ignored" });
    }
  });
});

describe("any body", () => {
  const readers = [readCommand, readPress, readShortcut, readSubmission, (body: unknown) => readEvent(body)];

  it("is read without an exception", () => {
    const keys = fc.constantFrom(
      "type",
      "event",
      "team",
      "user",
      "actions",
      "view",
      "container",
      "channel",
      "message",
      "x",
    );
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(values, (body) => {
        for (const read of readers) expect(read(body)).toHaveProperty("kind");
      }),
    );
  });

  it("says where it is wrong, and never what it holds", () => {
    const read = readCommand({
      command: "/review",
      channel_id: "secret words",
      user_id: "U1",
      response_url: "x",
      trigger_id: "t",
    });
    expect(read).toEqual({ kind: "ignored", why: "command that is not as documented: channel_id" });
  });
});
