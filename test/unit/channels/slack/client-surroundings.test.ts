// The Slack client over HTTP against the strict fake: finding, people and conversations, views and response addresses.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, conversation, faultOf, pageOf, person, startBench } from "../../../fakes/slack/client-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.stop());

describe("finding", () => {
  it("finds what was sent although its answer was lost, and tells absent from unknown", async () => {
    const { client, slack, clock } = bench;
    const since = clock.now();
    slack.troubles.add("chat.postMessage", { kind: "reset", stored: true });
    expect((await faultOf(client.send({ conversation }, pageOf("A"), "dl_1/0"))).fault).toBe("uncertain");
    const found = await client.find({ conversation }, "dl_1/0", since);
    expect(found).toMatchObject({ ...conversation, message: slack.team.conversations.get("C0001")?.messages[0]?.ts });
    for (const key of ["dl_1", "dl_1/00"]) expect(await client.find({ conversation }, key, since)).toBe("absent");
    expect(slack.calls.at(-1)?.given).toMatchObject({ include_all_metadata: true, inclusive: true });
    // The app's own history ends a little before the first try.
    expect(Number(slack.calls.at(-1)?.given["oldest"])).toBeLessThan(since / 1_000);
  });

  it("reads every page of a long history before it says absent", async () => {
    const { client, slack, clock } = bench;
    for (let count = 0; count < 450; count += 1) slack.say("C0001", "U0002", `message ${count}`);
    expect(await client.find({ conversation }, "dl_1/0", clock.now())).toBe("absent");
    expect(slack.calls.filter(({ method }) => method === "conversations.history")).toHaveLength(3);
  });

  it("believes nobody else's metadata", async () => {
    const { client, slack, clock } = bench;
    const message = slack.say("C0001", "U0002", "mimicry");
    message.metadata = { event_type: "aicr_delivery", event_payload: { key: "dl_1/0" } };
    expect(await client.find({ conversation }, "dl_1/0", clock.now())).toBe("absent");
  });

  it("looks into the thread, and says absent where the thread is gone", async () => {
    const { client, slack, clock } = bench;
    const root = await client.send({ conversation }, pageOf("Root"), "dl_1/0");
    const target = { conversation, thread: root.message };
    slack.troubles.add("chat.postMessage", { kind: "status", status: 502, stored: true });
    expect((await faultOf(client.send(target, pageOf("Reply"), "dl_1/1"))).fault).toBe("uncertain");
    expect(await client.find(target, "dl_1/1", clock.now())).toMatchObject({ thread: root.message });
    expect(await client.find({ conversation, thread: "1.1" }, "dl_1/1", clock.now())).toBe("absent");
  });

  it("knows nothing where it may not read, and nothing of ephemeral messages of before", async () => {
    const { client, slack, clock } = bench;
    const now = clock.now();
    slack.bot.scopes.delete("channels:history");
    expect(await client.find({ conversation }, "k", now)).toBe("unknown");
    const outside = { ...conversation, conversation: "C0002" };
    slack.bot.scopes.add("channels:history");
    expect(await client.find({ conversation: outside }, "k", now)).toBe("unknown");
    const closed = { ...conversation, conversation: "G0002" };
    expect(await client.find({ conversation: closed }, "k", now)).toBe("unknown");
    expect(await client.find({ conversation, onlyFor: person }, "k", now)).toBe("unknown");
  });

  it("tries a failed look again, and hands over what asks it to wait", async () => {
    const { client, slack, clock } = bench;
    slack.troubles.add("conversations.history", { kind: "reset" });
    expect(await client.find({ conversation }, "k", clock.now())).toBe("absent");
    slack.troubles.add("conversations.history", { kind: "status", status: 429, headers: { "retry-after": "60" } });
    const fault = await faultOf(client.find({ conversation }, "k", clock.now()));
    expect(fault).toMatchObject({ fault: "rate_limited", retryAfterMs: 60_000 });
  });
});

describe("people and conversations", () => {
  it("tells who somebody is, in which language and groups", async () => {
    const { client, slack } = bench;
    expect(await client.usersInfo("T0001", "U0001")).toEqual({
      id: "U0001",
      name: "Linh Trần",
      locale: "vi-VN",
      timeZone: "Asia/Ho_Chi_Minh",
      isBot: false,
      isGuest: false,
      isAdmin: true,
    });
    expect(await client.usersInfo("T0001", "U0003")).toMatchObject({ isGuest: true, isAdmin: false });
    expect(await client.usersInfo("T0001", "U9999")).toBeNull();
    expect(await client.usergroupsOf("T0001", "U0001")).toEqual(["S0001", "S0002"]);
    expect(await client.usergroupsOf("T0001", "U0003")).toEqual([]);
    expect(slack.calls.filter(({ method }) => method === "usergroups.list")).toHaveLength(1);
  });

  it("forgets groups after five minutes, and does without the scope", async () => {
    const { client, slack, clock } = bench;
    slack.bot.scopes.delete("usergroups:read");
    expect(await client.usergroupsOf("T0001", "U0001")).toEqual([]);
    slack.bot.scopes.add("usergroups:read");
    expect(await client.usergroupsOf("T0001", "U0001")).toEqual([]);
    clock.advance(5 * 60_000);
    expect(await client.usergroupsOf("T0001", "U0001")).toEqual(["S0001", "S0002"]);
  });

  it("tells what a conversation is", async () => {
    const { client } = bench;
    const kinds = await Promise.all(
      ["C0001", "C0002", "G0001", "G0002", "C0009"].map((id) => client.conversationInfo("T0001", id)),
    );
    expect(kinds).toEqual([
      { id: "C0001", name: "reviews", kind: "public", isArchived: false, isMember: true },
      { id: "C0002", name: "random", kind: "public", isArchived: false, isMember: false },
      { id: "G0001", name: "secret", kind: "private", isArchived: false, isMember: true },
      null,
      { id: "C0009", name: "old", kind: "public", isArchived: true, isMember: true },
    ]);
  });

  it("asks who a token is", async () => {
    const { client, slack } = bench;
    expect(await client.authTest(slack.bot.token)).toMatchObject({
      workspace: "T0001",
      workspaceName: "Example",
      botId: slack.bot.botId,
      botUserId: slack.bot.botUserId,
      scopes: expect.arrayContaining(["chat:write", "commands"]),
    });
    expect((await faultOf(client.authTest("xoxb-nobody"))).fault).toBe("auth");
  });
});

describe("views and response addresses", () => {
  const modal = {
    type: "modal",
    title: { type: "plain_text", text: "Why?" },
    submit: { type: "plain_text", text: "Dismiss" },
    blocks: [
      {
        type: "input",
        block_id: "reason",
        label: { type: "plain_text", text: "Reason" },
        element: { type: "plain_text_input", action_id: "reason" },
      },
    ],
  } as const;

  it("opens a modal within three seconds of the trigger, once, and replaces what it shows", async () => {
    const { client, slack, clock } = bench;
    const view = { ...modal, blocks: [...modal.blocks] };
    const trigger = slack.trigger("U0001");
    const opened = await client.openView("T0001", trigger, view);
    expect((await faultOf(client.openView("T0001", trigger, view))).fault).toBe("rejected");
    const updated = await client.updateView("T0001", opened, { ...view, title: { type: "plain_text", text: "So?" } });
    expect(updated.id).toBe(opened.id);
    // The hash is an older version's now.
    expect((await faultOf(client.updateView("T0001", opened, view))).fault).toBe("rejected");
    const late = slack.trigger("U0001");
    clock.advance(3_000);
    const fault = await faultOf(client.openView("T0001", late, view));
    expect(fault.message).toContain("expired_trigger_id");
  });

  it("logs where Slack found a mistake in a view", async () => {
    const { client, slack, logged } = bench;
    const view = { ...modal, title: { type: "plain_text", text: "x".repeat(25) } as const, blocks: [] };
    await faultOf(client.openView("T0001", slack.trigger("U0001"), view));
    expect(logged).toContainEqual({
      event: "slack.view_refused",
      fields: { method: "views.open", pointers: [expect.stringContaining("/view/title")] },
    });
  });

  it("publishes the App Home", async () => {
    const { client, slack } = bench;
    await client.publishHome("T0001", "U0001", { type: "home", blocks: [{ type: "divider" }] });
    expect(slack.team.homes.get("U0001")?.view).toMatchObject({ type: "home" });
  });

  it("answers through a response address five times within half an hour", async () => {
    const { client, slack, clock } = bench;
    const address = slack.responseUrl("C0001", "U0001");
    for (let count = 0; count < 5; count += 1) {
      await client.respond(address, pageOf(`Answer ${count}`), { visibility: "asker" });
    }
    const used = await faultOf(client.respond(address, pageOf("Six"), { visibility: "asker" }));
    expect(used).toMatchObject({ fault: "rejected", message: expect.stringContaining("used_url") });
    const old = slack.responseUrl("C0001", "U0001");
    clock.advance(30 * 60_000);
    const expired = await faultOf(client.respond(old, pageOf("Late"), { visibility: "asker" }));
    expect(expired.message).toContain("expired_url");
    expect(slack.team.conversations.get("C0001")?.messages).toHaveLength(5);
  });

  it("replaces or deletes the message whose button was pressed", async () => {
    const { client, slack } = bench;
    const ref = await client.send({ conversation, onlyFor: person }, pageOf("Private"), "k");
    const address = slack.responseUrl("C0001", "U0001", ref.message);
    await client.respond(address, pageOf("Replaced"), { visibility: "asker", replace: true });
    expect(slack.team.conversations.get("C0001")?.messages.map(({ text }) => text)).toEqual(["Replaced"]);
    await client.respond(address, null, { visibility: "asker" });
    expect(slack.team.conversations.get("C0001")?.messages).toEqual([]);
  });

  it("answers to no address that is not a safe one", async () => {
    const { client, slack } = bench;
    for (const address of ["ftp://127.0.0.1/x", "javascript:1", "", "hooks.slack.com/x"]) {
      expect((await faultOf(client.respond(address, pageOf("A"), { visibility: "asker" }))).fault).toBe("rejected");
    }
    expect(slack.calls).toEqual([]);
  });

  it("says that an answer may have been taken when the address's reply is lost", async () => {
    const { client, slack } = bench;
    const address = slack.responseUrl("C0001", "U0001");
    for (const trouble of [{ kind: "reset" }, { kind: "html" }, { kind: "status", status: 500 }] as const) {
      slack.troubles.add("response_url", trouble);
      expect((await faultOf(client.respond(address, pageOf("A"), { visibility: "everyone" }))).fault).toBe("uncertain");
    }
  });
});
