// The real Bolt app against the strict Slack on loopback, over sockets and over signed HTTP: what people do, and what they see.
import { afterEach, describe, expect, it } from "vitest";
import { plainCard, plainPage } from "../fakes/scripted-inbox.ts";
import { createSlackWorkspace, type SlackWorkspace, type WorkspaceOptions } from "../fakes/slack/workspace.ts";

let workspace: SlackWorkspace | undefined;

async function start(options: WorkspaceOptions = {}): Promise<SlackWorkspace> {
  workspace = await createSlackWorkspace(options);
  await workspace.start();
  return workspace;
}

afterEach(async () => {
  await workspace?.stop();
  if (workspace !== undefined) expect(workspace.sockets.faults).toEqual([]);
  workspace = undefined;
});

const asker = { onlyFor: "U0001", thread: undefined };

describe.each(["socket", "http"] as const)("over %s", (transport) => {
  it("hands a slash command to the core as it was typed, and answers the asker alone", async () => {
    const slack = await start({ transport });
    const body = await slack.slash("answer  //depot/game/...@123");
    expect(slack.inbox.commands).toMatchObject([
      {
        conversation: slack.conversation,
        person: { channel: "slack", workspace: "T0001", person: "U0001" },
        text: "answer  //depot/game/...@123",
        eventId: `command:${String(body["trigger_id"])}`,
        locale: "vi-VN",
        groups: ["S0001", "S0002"],
        roles: [],
      },
    ]);
    expect(slack.shown()).toEqual([{ text: "You said answer  //depot/game/...@123", ...asker }]);
  });

  it("hears a mention in a thread, where slash commands do not exist, and answers there", async () => {
    const slack = await start({ transport });
    const root = await slack.channel.send({ conversation: slack.conversation }, plainPage("Root"), "dl_1/0");
    await slack.mention("answer <https://git.example/x?a=1&amp;b=2> &lt;ok&gt;", root.message);
    expect(slack.inbox.commands).toMatchObject([
      { text: "answer https://git.example/x?a=1&b=2 <ok>", thread: root.message },
    ]);
    expect(slack.shown().at(-1)).toEqual({
      text: "You said answer https://git.example/x?a=1&amp;b=2 &lt;ok&gt;",
      onlyFor: "U0001",
      thread: root.message,
    });
  });

  it("hears direct messages and answers them openly, for nobody else is there", async () => {
    const slack = await start({ transport });
    const dm = await directWith(slack);
    const { ts } = slack.slack.say(dm, "U0001", "/review answer me");
    const event = { type: "message", channel_type: "im", channel: dm, user: "U0001", text: "/review answer me", ts };
    await slack.deliver("events_api", slack.payloads.event(event));
    expect(slack.inbox.commands).toMatchObject([{ conversation: { conversation: dm }, text: "answer me" }]);
    expect(slack.shown(dm)).toEqual([{ text: "You said answer me", onlyFor: undefined, thread: undefined }]);
  });

  it("does not listen to itself, to other bots, or to edits", async () => {
    const slack = await start({ transport });
    const dm = await directWith(slack);
    const said = {
      type: "message",
      channel_type: "im",
      channel: dm,
      user: "U0001",
      text: "answer",
      ts: "1700000000.000100",
    };
    for (const changes of [
      { bot_id: "B0001" },
      { user: slack.slack.bot.botUserId },
      { subtype: "message_changed" },
      { channel_type: "channel" },
    ]) {
      await slack.deliver("events_api", slack.payloads.event({ ...said, ...changes }));
    }
    expect(slack.inbox.commands).toEqual([]);
  });

  it("hands a button's token to the core, with the message and its thread", async () => {
    const slack = await start({ transport });
    const root = await slack.channel.send({ conversation: slack.conversation }, plainPage("Root"), "dl_1/0");
    const place = { conversation: slack.conversation, thread: root.message };
    const reply = await slack.channel.send(place, plainPage("Finding"), "dl_1/1");
    const body = await slack.press(reply, "v1:abc");
    await slack.press(root, "v1:def");
    expect(slack.inbox.actions).toMatchObject([
      { token: "v1:abc", message: reply, eventId: body["trigger_id"], values: {}, person: { person: "U0001" } },
      { token: "v1:def", message: root },
    ]);
    expect(slack.inbox.actions[1]?.message).toEqual(root);
  });

  it("acknowledges the press of a link's button and does nothing else", async () => {
    const slack = await start({ transport });
    const given = { user: "U0001", conversation: "C0001", message: "1700000000.000100", actionId: "aicr_open_3" };
    expect(await slack.deliver("interactive", slack.payloads.press(given))).toEqual({ status: 200, payload: {} });
    expect(slack.inbox.actions).toEqual([]);
  });

  it("asks for a reason in a modal, and hands what was written to the core", async () => {
    const slack = await start({ transport });
    const ref = await slack.channel.send({ conversation: slack.conversation }, plainPage("Finding"), "dl_1/0");
    slack.inbox.action = async (inbound) => {
      slack.inbox.actions.push(inbound);
      const fields = [{ name: "reason", label: "Why?", multiline: false, required: true }];
      if (inbound.values["reason"] === undefined) {
        await slack.channel.ask(inbound, {
          title: "Dismiss a finding, with a long title",
          token: inbound.token,
          fields,
        });
      }
    };
    await slack.press(ref, "v1:dismiss");
    const shown = slack.lastView();
    expect(shown.view).toMatchObject({
      type: "modal",
      title: { text: expect.stringMatching(/^Dismiss a finding.{0,6}…$/) },
      submit: { text: "Gửi" },
      blocks: [{ type: "input", optional: false, element: { action_id: "reason" } }],
    });
    const sent = await slack.deliver(
      "interactive",
      slack.payloads.submission("U0001", shown, { reason: { type: "plain_text_input", value: "generated code" } }),
    );
    expect(sent).toEqual({ status: 200, payload: {} });
    expect(slack.inbox.actions[1]).toMatchObject({
      token: "v1:dismiss",
      message: ref,
      values: { reason: "generated code" },
      conversation: slack.conversation,
    });
  });

  it("reviews the revisions of a message in its thread", async () => {
    const slack = await start({ transport });
    const text = "Merged <https://git.example/acme/demo/pull/7|#7>, and abc1234 before it";
    const { ts } = slack.slack.say("C0001", "U0002", text);
    await slack.deliver("interactive", slack.payloads.shortcut("U0001", "C0001", { ts, text }));
    expect(slack.inbox.commands).toMatchObject([
      { text: "demo https://git.example/acme/demo/pull/7", thread: ts, person: { person: "U0001" } },
      { text: "demo abc1234", thread: ts },
    ]);
    expect(new Set(slack.inbox.commands.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it("says kindly that a message names no revision", async () => {
    const slack = await start({ transport });
    const { ts } = slack.slack.say("C0001", "U0002", "Lunch?");
    await slack.deliver("interactive", slack.payloads.shortcut("U0002", "C0001", { ts, text: "Lunch?" }));
    expect(slack.shown()).toEqual([{ text: "This message names no revision", onlyFor: "U0002", thread: undefined }]);
    expect(slack.inbox.commands).toEqual([]);
  });

  it("asks which repository is meant, and reviews there", async () => {
    const slack = await start({ transport });
    slack.inbox.suggest = async () => ["demo", "engine", "help"];
    const { ts } = slack.slack.say("C0001", "U0002", "broken since r12");
    await slack.deliver("interactive", slack.payloads.shortcut("U0002", "C0001", { ts, text: "broken since r12" }));
    const shown = slack.lastView();
    expect(shown.view).toMatchObject({ title: { text: "Which repository?" } });
    expect(JSON.stringify(shown.view)).toContain('"value":"engine"');
    expect(JSON.stringify(shown.view)).not.toContain('"value":"help"');
    const chosen = { repository: { type: "static_select", selected_option: { value: "engine" } } };
    await slack.deliver("interactive", slack.payloads.submission("U0002", shown, chosen));
    expect(slack.inbox.commands).toMatchObject([{ text: "engine r12", thread: ts, conversation: slack.conversation }]);
  });

  it("shows the Home, and subscribes a conversation from it in two steps", async () => {
    const slack = await start({ transport });
    const dm = await directWith(slack);
    const opened = { type: "app_home_opened", user: "U0002", channel: dm, tab: "home", event_ts: "1" };
    await slack.deliver("events_api", slack.payloads.event(opened));
    expect(slack.inbox.homes).toMatchObject([{ person: { person: "U0002" }, conversation: { conversation: dm } }]);
    const home = slack.slack.team.homes.get("U0002");
    expect(JSON.stringify(home?.view)).toContain("The home of U0002");
    if (home === undefined) return;

    const press = { type: "button", action_id: "aicr_subscribe_open" };
    await slack.deliver("interactive", slack.payloads.pressInView("U0002", home, press));
    const first = slack.lastView();
    expect(first.view).not.toHaveProperty("submit");
    const chosen = { type: "conversations_select", action_id: "conversation", selected_conversation: "C0001" };
    await slack.deliver("interactive", slack.payloads.pressInView("U0002", first, chosen));
    const second = slack.lastView();
    expect(second.id).toBe(first.id);
    expect(second.view).toMatchObject({ submit: { text: "Subscribe" } });
    const values = {
      conversation: { type: "conversations_select", selected_conversation: "C0001" },
      repository: { type: "static_select", selected_option: { value: "demo" } },
      filters: { type: "plain_text_input", value: "branch:main" },
    };
    await slack.deliver("interactive", slack.payloads.submission("U0002", second, values));
    expect(slack.inbox.commands).toMatchObject([
      { text: "subscribe demo branch:main", conversation: slack.conversation, person: { person: "U0002" } },
    ]);
  });

  it("tells the core of conversations and workspaces that come and go", async () => {
    const slack = await start({ transport });
    const { botUserId } = slack.slack.bot;
    const events = [
      { type: "channel_archive", channel: "C0001", user: "U0001" },
      { type: "channel_unarchive", channel: "C0001", user: "U0001" },
      { type: "channel_rename", channel: { id: "C0001", name: "reports", created: 1 } },
      { type: "channel_left", channel: "C0001", actor_id: "U0001" },
      { type: "channel_deleted", channel: "C0002" },
      { type: "group_archive", channel: "G0001" },
      { type: "group_unarchive", channel: "G0001" },
      { type: "group_rename", channel: { id: "G0001", name: "hush" } },
      { type: "group_left", channel: "G0001" },
      { type: "member_joined_channel", user: botUserId, channel: "C0001", channel_type: "C", team: "T0001" },
      { type: "member_joined_channel", user: "U0002", channel: "C0001", channel_type: "C", team: "T0001" },
      { type: "tokens_revoked", tokens: { oauth: ["U0002"], bot: [] } },
      { type: "tokens_revoked", tokens: { oauth: [], bot: [botUserId] } },
      { type: "app_uninstalled" },
    ];
    for (const event of events) await slack.deliver("events_api", slack.payloads.event(event));
    expect(
      slack.inbox.lifecycles.map((one) =>
        "conversation" in one ? [one.kind, one.conversation.conversation, one.name] : [one.kind, one.workspace],
      ),
    ).toEqual([
      ["archived", "C0001", undefined],
      ["unarchived", "C0001", undefined],
      ["renamed", "C0001", "reports"],
      ["left", "C0001", undefined],
      ["left", "C0002", undefined],
      ["archived", "G0001", undefined],
      ["unarchived", "G0001", undefined],
      ["renamed", "G0001", "hush"],
      ["left", "G0001", undefined],
      ["joined", "C0001", undefined],
      ["uninstalled", "T0001"],
      ["uninstalled", "T0001"],
    ]);
    expect(slack.channel.health()).toMatchObject({ state: "down", detail: expect.stringContaining("Install the app") });
  });
});

it("makes admins of the workspace's admins only where the configuration says so", async () => {
  const plain = await start();
  await plain.slash("repos");
  await plain.stop();
  const generous = await start({ config: { workspace_admins: true } });
  await generous.slash("repos");
  await generous.slash("repos", "U0002");
  expect(plain.inbox.commands.map(({ roles }) => roles)).toEqual([[]]);
  expect(generous.inbox.commands.map(({ roles }) => roles)).toEqual([["admin"], []]);
});

it("cuts an answer that is longer than a message into several, of which the last come another way", async () => {
  const slack = await start();
  const blocks = Array.from({ length: 30 }, (_, n) => ({ kind: "code", text: `${n} ${"x".repeat(1_500)}` }) as const);
  slack.inbox.command = async () => ({ page: { card: plainCard("Long", { blocks }) }, visibility: "asker" });
  await slack.slash("findings demo");
  const shown = slack.shown();
  expect(shown.length).toBeGreaterThan(5);
  expect(new Set(shown.map(({ onlyFor }) => onlyFor))).toEqual(new Set(["U0001"]));
  expect(slack.slack.calls.filter(({ method }) => method === "response_url")).toHaveLength(4);
});

async function directWith({ slack, channel, person }: SlackWorkspace): Promise<string> {
  const conversation = { channel: "slack", workspace: "T0001", conversation: person.person };
  const ref = await channel.send({ conversation }, plainPage("Hello"), "dl_0/0");
  await channel.remove(ref);
  const found = [...slack.team.conversations.values()].find(({ kind }) => kind === "im");
  return found?.id ?? "";
}
