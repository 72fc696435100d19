// What goes wrong between Slack and the bot: copies, retries, replays, late triggers, failing work, bodies that are wrong.
import { afterEach, describe, expect, it, vi } from "vitest";
import { plainPage } from "../fakes/scripted-inbox.ts";
import {
  createSlackWorkspace,
  type SlackWorkspace,
  signedRequest,
  type WorkspaceOptions,
} from "../fakes/slack/workspace.ts";

let workspace: SlackWorkspace | undefined;

async function make(options: WorkspaceOptions = {}): Promise<SlackWorkspace> {
  workspace = await createSlackWorkspace(options);
  return workspace;
}

async function start(options: WorkspaceOptions = {}): Promise<SlackWorkspace> {
  const made = await make(options);
  await made.start();
  return made;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

afterEach(async () => {
  vi.useRealTimers();
  await workspace?.stop();
  if (workspace !== undefined) expect(workspace.sockets.faults).toEqual([]);
  workspace = undefined;
});

function mentionOf(slack: SlackWorkspace, text: string, changes = {}) {
  const said = `<@${slack.slack.bot.botUserId}> ${text}`;
  return { type: "app_mention", user: "U0001", text: said, ts: "1767614400.000100", channel: "C0001", ...changes };
}

describe.each(["socket", "http"] as const)("over %s", (transport) => {
  it("does an event once, however often Slack sends it", async () => {
    const slack = await start({ transport });
    const body = slack.payloads.event(mentionOf(slack, "answer me"), "Ev0001");
    const copies = [body, { ...body, event_time: 1 }, { ...body, event_time: 2 }];
    await slack.deliver("events_api", copies[0] ?? {});
    for (const [index, copy] of copies.slice(1).entries()) await slack.deliver("events_api", copy, index + 1);
    // The same envelope once more, as if it were the first.
    await slack.deliver("events_api", { ...body, event_time: 3 });
    expect(slack.inbox.commands).toHaveLength(1);
    expect(slack.shown()).toHaveLength(1);
  });

  it("does an event once when its copies come at the same time", async () => {
    const slack = await start({ transport });
    const body = slack.payloads.event(mentionOf(slack, "answer me"), "Ev0002");
    await Promise.all([1, 2, 3].map((n) => slack.deliver("events_api", { ...body, event_time: n })));
    expect(slack.inbox.commands).toHaveLength(1);
    expect(slack.shown()).toHaveLength(1);
  });

  it("does a retry whose first delivery was never taken over: it is not dropped for its number", async () => {
    const slack = await start({ transport });
    await slack.deliver("events_api", slack.payloads.event(mentionOf(slack, "answer me"), "Ev0003"), 2);
    expect(slack.inbox.commands).toHaveLength(1);
  });

  it("does a command and a press once, by what triggered them", async () => {
    const slack = await start({ transport });
    const command = slack.payloads.slash("/review", "answer me", "U0001", "C0001");
    await slack.deliver("slash_commands", command);
    await slack.deliver("slash_commands", { ...command, user_name: "again" });
    const place = { user: "U0001", conversation: "C0001", message: "1767614400.000100" };
    const press = slack.payloads.press({ ...place, actionId: "aicr_action_0", value: "v1:abc" });
    await slack.deliver("interactive", press);
    await slack.deliver("interactive", { ...press, again: true });
    expect(slack.inbox.commands).toHaveLength(1);
    expect(slack.inbox.actions).toHaveLength(1);
    expect(slack.shown()).toHaveLength(1);
  });

  it("tells the person when a command, a press or a shortcut fails, and leaves no message behind", async () => {
    const slack = await start({ transport });
    slack.inbox.command = async () => Promise.reject(new Error("the disk is full"));
    slack.inbox.action = async () => Promise.reject(new Error("the disk is full"));
    await slack.slash("demo");
    const place = { user: "U0002", conversation: "C0001", message: "1767614400.000100" };
    await slack.deliver("interactive", slack.payloads.press({ ...place, actionId: "aicr_action_0", value: "v1:abc" }));
    await slack.deliver(
      "interactive",
      slack.payloads.shortcut("U0002", "C0001", { ts: "1767614400.000100", text: "r12" }),
    );
    expect(slack.shown()).toMatchObject([
      { text: "Không thực hiện được", onlyFor: "U0001" },
      { text: "That did not work", onlyFor: "U0002" },
      { text: "That did not work", onlyFor: "U0002" },
    ]);
    expect(JSON.stringify(slack.shown())).not.toContain("disk");
  });

  it("says that it must be invited where it is shut out, and asks the core nothing", async () => {
    const slack = await start({ transport });
    await slack.slash("demo", "U0001", "G0002", "privategroup");
    expect(slack.shown("G0002")).toMatchObject([{ text: "Hãy mời tôi trước", onlyFor: "U0001" }]);
    expect(slack.inbox.commands).toEqual([]);
    await slack.slash("answer", "U0001", "G0001", "privategroup");
    expect(slack.shown("G0001")).toMatchObject([{ text: "You said answer" }]);
  });

  it("answers every command that leads here, whatever its name", async () => {
    const slack = await start({ transport });
    const body = slack.payloads.slash("/code-review", "answer", "U0001", "C0001");
    expect(await slack.deliver("slash_commands", body)).toMatchObject({ status: 200 });
    expect(slack.inbox.commands).toMatchObject([{ text: "answer" }]);
  });

  it("offers a button for a form whose three seconds are over", async () => {
    const slack = await start({ transport });
    const ref = await slack.channel.send({ conversation: slack.conversation }, plainPage("Finding"), "dl_1/0");
    slack.inbox.action = async (inbound) => {
      slack.inbox.actions.push(inbound);
      await slack.clock.advanceAsync(3_000);
      const fields = [{ name: "reason", label: "Why?", multiline: true, required: true }];
      await slack.channel.ask(inbound, { title: "Dismiss", token: inbound.token, fields });
    };
    await slack.press(ref, "v1:dismiss");
    expect(slack.slack.team.views.size).toBe(0);
    const late = slack.slack.team.conversations.get("C0001")?.messages.at(-1);
    expect(late).toMatchObject({ onlyFor: "U0001", text: "Biểu mẫu đến quá muộn" });
    const button = JSON.stringify(late?.blocks).match(/"value":"((?:[^"\\]|\\.)*)"/);
    const value: unknown = JSON.parse(`"${button?.[1] ?? ""}"`);
    await slack.press({ ...ref, message: late?.ts ?? "" }, String(value));
    const shown = slack.lastView();
    const reason = { reason: { type: "plain_text_input", value: "noise" } };
    slack.inbox.action = async (inbound) => void slack.inbox.actions.push(inbound);
    await slack.deliver("interactive", slack.payloads.submission("U0001", shown, reason));
    expect(slack.inbox.actions.at(-1)).toMatchObject({
      token: "v1:dismiss",
      message: ref,
      values: { reason: "noise" },
    });
  });

  it("asks to choose the repository another way when the modal comes too late", async () => {
    const slack = await start({ transport });
    slack.inbox.suggest = async () => {
      await slack.clock.advanceAsync(3_000);
      return ["demo", "engine"];
    };
    const shortcut = slack.payloads.shortcut("U0002", "C0001", { ts: "1767614400.000100", text: "r12" });
    await slack.deliver("interactive", shortcut);
    expect(slack.shown()).toMatchObject([{ text: "Which repository is meant?", onlyFor: "U0002" }]);
  });

  it("acknowledges within three seconds what takes longer, and answers later", async () => {
    const slack = await start({ transport });
    let finish: () => void = () => undefined;
    let isAsked = false;
    slack.inbox.command = () =>
      new Promise((resolve) => {
        isAsked = true;
        finish = () => resolve({ page: plainPage("At last"), visibility: "asker" });
      });
    const delivering = slack.deliver("slash_commands", slack.payloads.slash("/review", "demo", "U0001", "C0001"));
    let isAcknowledged = false;
    void delivering.then(() => {
      isAcknowledged = true;
    });
    await until(() => isAsked);
    await slack.clock.advanceAsync(2_400);
    expect(isAcknowledged).toBe(false);
    await slack.clock.advanceAsync(100);
    expect(await delivering).toEqual({ status: 200, payload: {} });
    finish();
    await until(() => slack.shown().length === 1);
    expect(slack.shown()).toMatchObject([{ text: "At last" }]);
  });

  it("answers through an ephemeral message when the response address is used up", async () => {
    const slack = await start({ transport });
    const body = slack.payloads.slash("/review", "answer", "U0001", "C0001");
    for (const address of slack.slack.state.responseUrls.values()) address.posts = 5;
    await slack.deliver("slash_commands", body);
    expect(slack.shown()).toEqual([{ text: "You said answer", onlyFor: "U0001", thread: undefined }]);
  });

  it("answers everybody through the response address where it may not post by itself", async () => {
    const slack = await start({ transport });
    slack.slack.bot.scopes.delete("chat:write.public");
    slack.inbox.command = async () => ({ page: plainPage("Subscribed"), visibility: "everyone" });
    await slack.slash("subscribe demo", "U0001", "C0002");
    expect(slack.shown("C0002")).toEqual([{ text: "Subscribed", onlyFor: undefined, thread: undefined }]);
  });

  it("tells that Slack holds back events", async () => {
    const slack = await start({ transport });
    const limited = { type: "app_rate_limited", team_id: "T0001", minute_rate_limited: 1, api_app_id: "A0001" };
    expect(await slack.deliver("events_api", { ...limited, event: { type: "app_rate_limited" } })).toMatchObject({
      status: 200,
    });
    expect(slack.logged.map(({ event }) => event)).toContain("slack.events_limited");
  });

  it("takes bodies that are not as documented without harm", async () => {
    const slack = await start({ transport });
    const whole = slack.payloads.event(mentionOf(slack, "answer"));
    const bodies = [
      slack.payloads.event({ type: "app_mention" }),
      slack.payloads.event({ type: "something_new", user: 7 }),
      { ...whole, team_id: 5, authorizations: "none" },
      slack.payloads.event(mentionOf(slack, "answer", { ts: "now" })),
      slack.payloads.event(mentionOf(slack, "answer", { channel: { id: "C0001" } })),
    ];
    for (const body of bodies) await slack.deliver("events_api", body);
    await slack.deliver("interactive", { type: "block_actions", user: {}, actions: [], container: {} });
    await slack.deliver("slash_commands", { command: "/review" });
    expect(slack.inbox.commands).toEqual([]);
    expect(slack.inbox.actions).toEqual([]);
  });
});

describe("over http", () => {
  it("does not acknowledge an event that could not be taken over, and does it when Slack sends it again", async () => {
    const slack = await start({ transport: "http" });
    const command = slack.inbox.command;
    slack.inbox.command = async () => Promise.reject(new Error("busy"));
    const body = slack.payloads.event(mentionOf(slack, "answer me"), "Ev0004");
    expect(await slack.deliver("events_api", body)).toMatchObject({ status: 503 });
    slack.inbox.command = command;
    expect(await slack.deliver("events_api", body, 1)).toMatchObject({ status: 200 });
    expect(slack.shown()).toHaveLength(1);
  });

  it("refuses a replayed post", async () => {
    const slack = await start({ transport: "http" });
    const text = JSON.stringify(slack.payloads.event(mentionOf(slack, "answer")));
    const post = (): Promise<Response> => slack.channel.webhook(signedRequest(text, "application/json", slack.clock));
    expect((await post()).status).toBe(200);
    expect((await post()).status).toBe(401);
    expect(slack.inbox.commands).toHaveLength(1);
  });
});
