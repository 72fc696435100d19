// The known pitfalls of sending to Slack, one test for each: what went wrong elsewhere, and what this channel does instead.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Block, Page } from "../../../../src/core/card.ts";
import {
  type Bench,
  conversation,
  faultOf,
  pageOf,
  person,
  shownIn,
  startBench,
} from "../../../fakes/slack/client-bench.ts";
import { readMessage } from "../../../fakes/slack/read-message.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.stop());

const list: Block = {
  kind: "list",
  ordered: false,
  items: [[{ kind: "text", children: [{ kind: "text", text: "first & last" }] }]],
};
const buttons: Block = { kind: "actions", actions: [{ label: "Dismiss", token: "v1:abc", style: "danger" }] };
const page: Page = pageOf("Report", { blocks: [list, buttons] });
const refused = {
  kind: "error",
  error: "invalid_blocks",
  more: { errors: ["unsupported type: rich_text [json-pointer:/blocks/1/type]"] },
} as const;

describe("pitfalls of sending to Slack", () => {
  it("ambiguous post: it is sent once, and found by its metadata before anything is sent again", async () => {
    const { client, slack, clock } = bench;
    slack.troubles.add("chat.postMessage", { kind: "status", status: 500, stored: true });
    const since = clock.now();
    expect((await faultOf(client.send({ conversation }, page, "dl_1/0"))).fault).toBe("uncertain");
    expect(await client.find({ conversation }, "dl_1/0", since)).toMatchObject(conversation);
    expect(shownIn(slack)).toEqual(["Report"]);
  });

  it("ambiguous post where history may not be read: it is unknown, never absent", async () => {
    const { client, slack, clock } = bench;
    slack.bot.scopes.delete("channels:history");
    slack.troubles.add("chat.postMessage", { kind: "torn", stored: true });
    expect((await faultOf(client.send({ conversation }, page, "dl_1/0"))).fault).toBe("uncertain");
    expect(await client.find({ conversation }, "dl_1/0", clock.now())).toBe("unknown");
  });

  it("invalid_blocks: the pointer is logged, and the page is sent in classic blocks", async () => {
    const { client, slack, logged } = bench;
    slack.troubles.add("chat.postMessage", refused);
    await client.send({ conversation }, page, "dl_1/0");
    const blocks = slack.team.conversations.get("C0001")?.messages[0]?.blocks as { type: string }[];
    expect(blocks.map(({ type }) => type)).toEqual(["header", "section", "actions"]);
    expect(logged.filter(({ event }) => event === "slack.blocks_refused")).toEqual([
      { event: "slack.blocks_refused", fields: { form: "newest", pointers: [refused.more.errors[0]] } },
    ]);
  });

  it("invalid_blocks twice: the page is sent as text", async () => {
    const { client, slack } = bench;
    slack.troubles.add("chat.postMessage", refused, 2);
    const ref = await client.send({ conversation }, page, "dl_1/0");
    const [message] = slack.team.conversations.get("C0001")?.messages ?? [];
    expect(message).toMatchObject({ text: "*Report*\n\u2022 first &amp; last", blocks: [] });
    expect(await client.find({ conversation }, "dl_1/0", 0)).toEqual(ref);
  });

  it("invalid_blocks on an edit, in a private page, and in an answer: the same way down", async () => {
    const { client, slack } = bench;
    const ref = await client.send({ conversation }, page, "dl_1/0");
    slack.troubles.add("chat.update", refused, 2);
    await client.edit(ref, page);
    expect(slack.team.conversations.get("C0001")?.messages[0]?.blocks).toEqual([]);
    slack.troubles.add("chat.postEphemeral", refused);
    await client.send({ conversation, onlyFor: person }, page, "dl_1/1");
    slack.troubles.add("response_url", { kind: "status", status: 400, body: "invalid_blocks" });
    await client.respond(slack.responseUrl("C0001", "U0001"), page, { visibility: "asker" });
    expect(slack.team.conversations.get("C0001")?.messages).toHaveLength(3);
  });

  it("rich text that cannot be replaced by classic blocks: the core is told to post anew", async () => {
    const { client, slack } = bench;
    const ref = await client.send({ conversation }, page, "dl_1/0");
    slack.troubles.add("chat.update", refused);
    slack.troubles.add("chat.update", { kind: "error", error: "block_mismatch" });
    expect((await faultOf(client.edit(ref, page))).fault).toBe("gone");
  });

  it.each(["msg_too_long", "msg_blocks_too_long"])("%s: the core refits at half the limits", async (error) => {
    const { client, slack } = bench;
    slack.troubles.add("chat.postMessage", { kind: "error", error });
    expect((await faultOf(client.send({ conversation }, page, "dl_1/0"))).fault).toBe("too_large");
  });

  it("too much text: it is refused before Slack is asked", async () => {
    const { client, slack } = bench;
    const vast = pageOf("Vast", { blocks: [{ kind: "code", text: "x".repeat(10_000) }] });
    expect((await faultOf(client.send({ conversation }, vast, "dl_1/0"))).fault).toBe("too_large");
    expect(slack.calls).toEqual([]);
  });

  it("emoji and half characters: nothing is cut inside a grapheme, nothing half is sent", async () => {
    const { client, slack } = bench;
    const family = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}";
    const label = `${"x".repeat(70)}${family}${family}`;
    const actions: Block = { kind: "actions", actions: [{ label, token: "v1:abc", style: "default" }] };
    await client.send({ conversation }, pageOf(`${family} \ud83d half`, { blocks: [actions] }), "dl_1/0");
    const [message] = slack.team.conversations.get("C0001")?.messages ?? [];
    const shown = readMessage({ text: "", blocks: message?.blocks ?? [] }).text;
    expect(shown).toBe(`${family} \ufffd half\n\n[${"x".repeat(70)}\u2026]`);
  });

  it("ratelimited: Retry-After counts for that conversation, the others go on, and the wait is handed to the core", async () => {
    const { client, slack, clock } = bench;
    const trouble = { kind: "status", status: 429, headers: { "retry-after": "60" } } as const;
    slack.troubles.add("chat.postMessage", trouble);
    const first = await faultOf(client.send({ conversation }, page, "dl_1/0"));
    expect(first).toMatchObject({ fault: "rate_limited", retryAfterMs: 60_000 });
    // Not even asked while Slack wants silence.
    const second = await faultOf(client.send({ conversation }, page, "dl_2/0"));
    expect(second.fault).toBe("rate_limited");
    expect(slack.calls).toHaveLength(1);
    await client.send({ conversation: { ...conversation, conversation: "G0001" } }, page, "dl_3/0");
    await clock.advanceAsync(60_000);
    await client.send({ conversation }, page, "dl_1/0");
    expect(shownIn(slack)).toEqual(["Report"]);
  });

  it("a burst: one message a second, so that Slack has nothing to refuse", async () => {
    const { client, slack, clock } = bench;
    const before = clock.monotonic();
    await Promise.all(
      [1, 2, 3, 4, 5].map((count) => client.send({ conversation }, pageOf(`${count}`), `dl_${count}/0`)),
    );
    expect(shownIn(slack)).toEqual(["1", "2", "3", "4", "5"]);
    expect(slack.calls.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(4_000);
  });

  it("stale progress: of the edits that wait, the newest alone is sent", async () => {
    const { client, slack } = bench;
    const ref = await client.send({ conversation }, pageOf("Accepted"), "dl_1/0");
    await Promise.all(["Fetching", "Checking", "Done"].map((title) => client.edit(ref, pageOf(title))));
    expect(shownIn(slack)).toEqual(["Done"]);
    expect(slack.calls.filter(({ method }) => method === "chat.update")).toHaveLength(1);
  });

  it.each([
    ["channel_not_found", "G0002"],
    ["not_in_channel", "C0002"],
    ["is_archived", "C0009"],
  ])("%s: the conversation may not be written to", async (code, id) => {
    const { client, slack } = bench;
    slack.bot.scopes.delete("chat:write.public");
    const place = { ...conversation, conversation: id };
    const fault = await faultOf(client.send({ conversation: place }, page, "dl_1/0"));
    expect(fault).toMatchObject({ fault: "forbidden", message: expect.stringContaining(code) });
  });

  it("a public conversation without the bot: with chat:write.public it is written to nevertheless", async () => {
    const { client, slack } = bench;
    await client.send({ conversation: { ...conversation, conversation: "C0002" } }, page, "dl_1/0");
    expect(shownIn(slack, "C0002")).toEqual(["Report"]);
  });

  it.each(["account_inactive", "token_revoked", "invalid_auth", "token_expired"])(
    "%s: the workspace is named to the channel, and nothing is tried again",
    async (code) => {
      const { client, slack } = bench;
      slack.bot.refusal = code;
      expect((await faultOf(client.send({ conversation }, page, "dl_1/0"))).fault).toBe("auth");
      expect(bench.refused).toEqual([`T0001 ${code}`]);
      expect(slack.calls).toHaveLength(1);
    },
  );

  it("missing_scope: which one, and where to install the app anew", async () => {
    const { client, slack } = bench;
    slack.bot.scopes.delete("chat:write");
    const fault = await faultOf(client.send({ conversation }, page, "dl_1/0"));
    expect(fault).toMatchObject({ fault: "auth", message: expect.stringContaining("chat:write") });
    expect(fault.message).toContain("install");
  });

  it("parent deleted: its edit is gone, a reply to it too", async () => {
    const { client } = bench;
    const root = await client.send({ conversation }, page, "dl_1/0");
    await client.remove(root);
    expect((await faultOf(client.edit(root, page))).fault).toBe("gone");
    const thread = { conversation, thread: root.message };
    expect((await faultOf(client.send(thread, page, "dl_1/1"))).fault).toBe("gone");
  });

  it("parent deleted under its replies: the thread lives on", async () => {
    const { client, slack } = bench;
    const root = await client.send({ conversation }, page, "dl_1/0");
    await client.send({ conversation, thread: root.message }, pageOf("Reply"), "dl_1/1");
    await client.remove(root);
    await client.send({ conversation, thread: root.message }, pageOf("Another"), "dl_1/2");
    expect(shownIn(slack)).toEqual(["Reply", "Another"]);
  });

  it("expired_trigger_id: the modal is refused for good", async () => {
    const { client, slack, clock } = bench;
    const trigger = slack.trigger("U0001");
    clock.advance(3_001);
    const view = { type: "modal", title: { type: "plain_text", text: "Why?" }, blocks: [] } as const;
    const fault = await faultOf(client.openView("T0001", trigger, { ...view, blocks: [] }));
    expect(fault).toMatchObject({ fault: "rejected", message: expect.stringContaining("expired_trigger_id") });
  });

  it("unfurl flood: no message lets its links unfurl, and none is sent to the channel from its thread", async () => {
    const { client, slack } = bench;
    const root = await client.send({ conversation }, page, "dl_1/0");
    await client.send({ conversation, thread: root.message }, page, "dl_1/1");
    for (const { given } of slack.calls) expect(given).toMatchObject({ unfurl_links: false, unfurl_media: false });
    expect(slack.calls[1]?.given).toMatchObject({ reply_broadcast: false });
  });

  it("prompt-injected pings: nobody is notified but whom the page mentions", async () => {
    const { client, slack } = bench;
    const ping = "<!channel> <@U0002> <!subteam^S0001> @here";
    const blocks: Block[] = [
      { kind: "text", children: [{ kind: "text", text: ping }] },
      { kind: "code", text: ping },
      { kind: "fields", fields: [{ label: ping, value: [{ kind: "code", text: ping }] }] },
    ];
    const injected = { ...pageOf(ping, { blocks }), mentions: [person] };
    const forms = [0, 1, 2];
    for (const refusals of forms) {
      if (refusals > 0) slack.troubles.add("chat.postMessage", refused, refusals);
      await client.send({ conversation }, injected, `dl_${refusals}/0`);
    }
    const messages = slack.team.conversations.get("C0001")?.messages ?? [];
    expect(messages.map((message) => readMessage(message).mentions)).toEqual([["user U0001"], ["@U0001"], ["@U0001"]]);
    const sent = slack.calls.filter(({ outcome }) => outcome === "ok");
    for (const { given } of sent) expect(given).toMatchObject({ parse: "none", link_names: false });
  });
});
