// The real Bolt app against the strict Slack on loopback, over sockets and over signed HTTP: what people do, and what they see.
import { afterEach, describe, expect, it } from "vitest";
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

describe.each(["socket", "http"] as const)("over %s", (transport) => {
  it("hands a slash command to the core, and answers the asker alone", async () => {
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
    expect(slack.shown()).toEqual([
      { text: "You said answer  //depot/game/...@123", onlyFor: "U0001", thread: undefined },
    ]);
  });

  it("hears a mention in a thread, where slash commands do not exist, and answers there", async () => {
    const slack = await start({ transport });
    const root = await slack.channel.send({ conversation: slack.conversation }, { card: card("Root") }, "dl_1/0");
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
});

function card(title: string) {
  return { title, tone: "neutral", fallback: title, blocks: [] } as const;
}
