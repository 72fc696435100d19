// One run as a person sees it, recorded: everything that goes over the wire in both directions, from the command to the dismissal.
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import type { Card } from "../../src/core/card.ts";
import { replies, root, steps } from "../fakes/sample-cards.ts";
import { playReview } from "../fakes/scripted-inbox.ts";
import type { Body } from "../fakes/slack/payloads.ts";
import { createSlackWorkspace, type SlackWorkspace } from "../fakes/slack/workspace.ts";

const kept = fileURLToPath(new URL("../fixtures/slack/run.json", import.meta.url));
const reads = new Set(["users.info", "usergroups.list"]);
let workspace: SlackWorkspace | undefined;

afterEach(() => workspace?.stop());

it("is, from the command to the dismissal, the run that is kept", async () => {
  const slack = await createSlackWorkspace();
  workspace = slack;
  const wire: object[] = [];
  const dismissed: Card = { ...root, title: `${root.title} (dismissed)`, tone: "good", blocks: [] };
  slack.inbox.command = async (inbound) => {
    await playReview(slack.channel, inbound, { steps: steps.slice(0, 1), root, replies: replies.slice(0, 1) });
    return { page: null, visibility: "asker" };
  };
  slack.inbox.action = async (inbound) => {
    if (inbound.values["reason"] !== undefined) return slack.channel.edit(inbound.message, { card: dismissed });
    const fields = [{ name: "reason", label: "Why is it no problem?", multiline: false, required: true }];
    return slack.channel.ask(inbound, { title: "Dismiss", token: inbound.token, fields });
  };
  let seen = 0;
  const record = (from: string, body: Body, acknowledged: object): void => {
    wire.push({ from: "Slack", what: from, body, acknowledged });
    const calls = slack.slack.calls.slice(seen);
    // What is asked at the same time has no order.
    const asked = calls.filter(({ method }) => reads.has(method)).sort((a, b) => (a.method < b.method ? -1 : 1));
    for (const { method, given, outcome } of [...asked, ...calls.filter(({ method }) => !reads.has(method))]) {
      wire.push({ from: "bot", what: method, given, outcome });
    }
    seen = slack.slack.calls.length;
  };

  await slack.start();
  await slack.sockets.whenLive(2);
  record("connection", { type: "hello" }, {});
  const command = slack.payloads.slash("/review", "demo HEAD", "U0002", "C0001");
  record("slash command", command, await slack.deliver("slash_commands", command));
  const [card] =
    slack.slack.team.conversations.get("C0001")?.messages.filter(({ onlyFor }) => onlyFor === undefined) ?? [];
  const press = slack.payloads.press({
    user: "U0002",
    conversation: "C0001",
    message: card?.ts ?? "",
    actionId: "aicr_action_0",
    value: "v1:dismiss",
  });
  record("button", press, await slack.deliver("interactive", press));
  const reason = { reason: { type: "plain_text_input", value: "generated code" } };
  const submission = slack.payloads.submission("U0002", slack.lastView(), reason);
  record("form", submission, await slack.deliver("interactive", submission));

  await expect(`${JSON.stringify(steady(wire, slack), null, 2)}\n`).toMatchFileSnapshot(kept);
});

/** Without what differs from run to run: fresh ids, the port, the tokens. */
function steady(wire: readonly object[], slack: SlackWorkspace): unknown {
  const names = new Map<string, string>();
  const text = JSON.stringify(wire)
    .replaceAll(slack.slack.origin, "https://slack.example")
    .replaceAll(slack.slack.bot.token, "xoxb-…")
    .replace(/\b\d{10}\.\d{6}\b/g, (whole) => {
      const known = names.get(whole) ?? `ts${names.size + 1}`;
      names.set(whole, known);
      return known;
    })
    .replace(/\b(trigger\.|V|r|Ev|D)(\d{4,})([0-9A-F]{6})\b/g, (whole, prefix: string) => {
      const known = names.get(whole) ?? `${prefix}${names.size + 1}`;
      names.set(whole, known);
      return known;
    });
  return JSON.parse(text);
}
