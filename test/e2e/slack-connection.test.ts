// What goes wrong with the connection to Slack and with its tokens: lost envelopes, silent peers, stops, refusals.
import { afterEach, describe, expect, it, vi } from "vitest";
import { ChannelError } from "../../src/ports/channel.ts";
import { plainPage } from "../fakes/scripted-inbox.ts";
import { createSlackWorkspace, type SlackWorkspace, type WorkspaceOptions } from "../fakes/slack/workspace.ts";

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

describe("over sockets", () => {
  it("leaves an event unacknowledged that could not be taken over; the copy through the other connection does it", async () => {
    const slack = await start();
    await slack.sockets.whenLive(2);
    const command = slack.inbox.command;
    slack.inbox.command = async () => Promise.reject(new Error("busy"));
    const body = slack.payloads.event(mentionOf(slack, "answer me"), "Ev0005");
    let isAcknowledged = false;
    void slack.sockets.deliver("events_api", body, { connection: 1, envelopeId: "first" }).then(() => {
      isAcknowledged = true;
    });
    await until(() => slack.logged.some(({ event }) => event === "slack.event_failed"));
    slack.inbox.command = command;
    await slack.sockets.deliver("events_api", body, { connection: 2, retryAttempt: 1, retryReason: "timeout" });
    await until(() => slack.shown().length === 1);
    expect(isAcknowledged).toBe(false);
    expect(slack.inbox.commands).toHaveLength(1);
  });

  it("survives a message that the SDK cannot read", async () => {
    const slack = await start();
    await slack.sockets.whenLive(2);
    void slack.sockets.deliver("events_api", { nothing: "here" }, { connection: 1 });
    await until(() => slack.logged.some(({ event }) => event === "slack.message_unreadable"));
    await slack.slash("answer");
    expect(slack.shown()).toMatchObject([{ text: "You said answer" }]);
  });

  it("finds out that the peer fell silent, and connects again", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const slack = await start();
    await slack.sockets.whenLive(2);
    await until(() => slack.logged.filter(({ event }) => event === "slack.socket_up").length === 2);
    slack.sockets.silence(1);
    const seen = Date.now();
    while (!slack.logged.some(({ event }) => event === "slack.socket_lost" || event === "slack.socket_refreshed")) {
      vi.advanceTimersByTime(500);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(Date.now() - seen).toBeLessThan(20_000);
    }
    expect(slack.channel.health().state).toBe("up");
    await slack.clock.advanceAsync(1_000);
    await until(() => slack.sockets.live().includes(3));
  });

  it("finishes what is at work before it stops, and takes nothing new", async () => {
    const slack = await start();
    await slack.sockets.whenLive(2);
    let finish: () => void = () => undefined;
    let isAsked = false;
    slack.inbox.command = (inbound) =>
      new Promise((resolve) => {
        slack.inbox.commands.push(inbound);
        isAsked = true;
        finish = () => resolve({ page: plainPage("Done"), visibility: "asker" });
      });
    const first = slack.sockets.deliver("slash_commands", slack.payloads.slash("/review", "demo", "U0001", "C0001"));
    await until(() => isAsked);
    const stopping = slack.channel.stop();
    let isTaken = false;
    void slack.sockets.deliver("events_api", slack.payloads.event(mentionOf(slack, "late"))).then(() => {
      isTaken = true;
    });
    finish();
    await first;
    await stopping;
    await slack.sockets.whenLive(0);
    expect(slack.shown()).toMatchObject([{ text: "Done" }]);
    expect(slack.inbox.commands).toHaveLength(1);
    expect(isTaken).toBe(false);
  });

  it("is down with a remedy, and fatal, when Slack refuses the app-level token at the start", async () => {
    const slack = await start({ secrets: { SLACK_APP_TOKEN: "xapp-wrong" } });
    expect(slack.fatal).toMatchObject([{ code: "config", remedy: expect.stringContaining("app-level token") }]);
    expect(slack.channel.health()).toMatchObject({ state: "down", detail: expect.stringContaining("invalid_auth") });
    expect(JSON.stringify([slack.logged, slack.fatal])).not.toContain("xapp-wrong");
  });
});

describe("tokens", () => {
  it.each(["invalid_auth", "account_inactive", "token_revoked"])(
    "is fatal when Slack refuses the bot's token at the start: %s",
    async (code) => {
      const slack = await make();
      slack.slack.bot.refusal = code;
      await slack.start();
      expect(slack.fatal).toMatchObject([{ code: "config", message: expect.stringContaining(code) }]);
      expect(slack.channel.health()).toMatchObject({ state: "down", detail: expect.stringContaining(code) });
      expect(slack.sockets.opened()).toBe(0);
    },
  );

  it("stops asking, and is down with a remedy, when Slack refuses the bot's token later", async () => {
    const slack = await start();
    slack.slack.bot.refusal = "token_revoked";
    const send = (): Promise<unknown> =>
      slack.channel.send({ conversation: slack.conversation }, plainPage("Hello"), "dl_1/0").catch((e: unknown) => e);
    const first = await send();
    expect(first).toBeInstanceOf(ChannelError);
    expect(first).toMatchObject({ fault: "auth" });
    const calls = slack.slack.calls.length;
    expect(await send()).toMatchObject({ fault: "auth" });
    expect(slack.slack.calls.length).toBe(calls);
    expect(slack.fatal).toEqual([]);
    expect(slack.channel.health()).toMatchObject({ state: "down", detail: expect.stringContaining("token_revoked") });
  });

  it("starts without Slack, and learns who it is when Slack is back", async () => {
    const slack = await make({ transport: "http" });
    slack.slack.troubles.add("auth.test", { kind: "error", error: "service_unavailable" }, 2);
    await slack.start();
    expect(slack.channel.health().state).toBe("starting");
    await slack.clock.advanceAsync(5_000);
    await until(() => slack.logged.filter(({ event }) => event === "slack.not_identified").length === 2);
    await slack.clock.advanceAsync(10_000);
    await until(() => slack.channel.health().state === "up");
    expect(slack.channel.health()).toEqual({ state: "up" });
    expect(slack.fatal).toEqual([]);
  });

  it("names the variable that is missing", async () => {
    await expect(make({ secrets: { SLACK_APP_TOKEN: undefined } })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("SLACK_APP_TOKEN"),
    });
  });
});
