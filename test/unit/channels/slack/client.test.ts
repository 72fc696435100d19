// The Slack client over HTTP against the strict fake: sending, editing, files.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Bench,
  conversation,
  faultOf,
  pageOf,
  person,
  shownIn,
  startBench,
} from "../../../fakes/slack/client-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.stop());

describe("sending", () => {
  it("posts with text, blocks and metadata, and lets nothing unfurl or be broadcast", async () => {
    const { client, slack } = bench;
    const root = await client.send({ conversation }, pageOf("Root"), "dl_1/0");
    const reply = await client.send({ conversation, thread: root.message }, pageOf("Reply"), "dl_1/1");
    expect(root).toEqual({ ...conversation, message: root.message });
    expect(reply).toEqual({ ...conversation, thread: root.message, message: reply.message });
    expect(slack.calls.map(({ given }) => given)).toMatchObject([
      {
        channel: "C0001",
        text: "Root",
        blocks: [{ type: "header" }],
        metadata: { event_type: "aicr_delivery", event_payload: { key: "dl_1/0" } },
        unfurl_links: false,
        unfurl_media: false,
        parse: "none",
        link_names: false,
      },
      { thread_ts: root.message, reply_broadcast: false },
    ]);
  });

  it("sends one message for one key, also while the first call is under way", async () => {
    const { client, slack } = bench;
    const target = { conversation };
    const [one, two] = await Promise.all([1, 2].map(() => client.send(target, pageOf("Once"), "dl_1/0")));
    const three = await client.send(target, pageOf("Once"), "dl_1/0");
    expect([two, three]).toEqual([one, one]);
    expect(shownIn(slack)).toEqual(["Once"]);
  });

  it("sends anew under a key whose call failed", async () => {
    const { client, slack } = bench;
    slack.troubles.add("chat.postMessage", { kind: "error", error: "service_unavailable" });
    expect((await faultOf(client.send({ conversation }, pageOf("A"), "dl_1/0"))).fault).toBe("not_sent");
    await client.send({ conversation }, pageOf("A"), "dl_1/0");
    expect(shownIn(slack)).toEqual(["A"]);
  });

  it("takes a person's id for the direct conversation, and names that one in the ref", async () => {
    const { client, slack } = bench;
    const target = { conversation: { ...conversation, conversation: "U0001" }, onlyFor: person };
    const ref = await client.send(target, pageOf("Hello you"), "dl_1/0");
    expect(ref.conversation).toMatch(/^D/);
    expect(shownIn(slack, ref.conversation)).toEqual(["Hello you"]);
    await client.edit(ref, pageOf("Hello again"));
    expect(shownIn(slack, ref.conversation)).toEqual(["Hello again"]);
    expect(await client.find(target, "dl_1/0", 0)).toEqual(ref);
    await client.send(target, pageOf("More"), "dl_1/1");
    expect(slack.calls.filter(({ method }) => method === "conversations.open")).toHaveLength(1);
  });

  it("shows a private page to one person, in the thread it belongs to", async () => {
    const { client, slack } = bench;
    const root = await client.send({ conversation }, pageOf("Root"), "dl_1/0");
    const ref = await client.send({ conversation, thread: root.message, onlyFor: person }, pageOf("Psst"), "dl_1/1");
    expect(ref.thread).toBe(root.message);
    expect(slack.team.conversations.get("C0001")?.messages.at(-1)).toMatchObject({ onlyFor: "U0001", text: "Psst" });
    expect((await faultOf(client.edit(ref, pageOf("No")))).fault).toBe("gone");
  });

  it("says it directly where an ephemeral message cannot be shown: the bot is not in the conversation", async () => {
    const { client, slack } = bench;
    const target = { conversation: { ...conversation, conversation: "C0002" }, onlyFor: person };
    const ref = await client.send(target, pageOf("Psst"), "dl_1/0");
    expect(ref.conversation).toMatch(/^D/);
    expect(shownIn(slack, ref.conversation)).toEqual(["Psst"]);
    expect(shownIn(slack, "C0002")).toEqual([]);
  });

  it("refuses what is none of Slack's", async () => {
    const { client, slack } = bench;
    const strange = [
      { ...conversation, channel: "web" },
      { ...conversation, workspace: "local" },
      { ...conversation, conversation: "../C0001" },
    ];
    for (const one of strange) {
      expect((await faultOf(client.send({ conversation: one }, pageOf("A"), "k"))).fault).toBe("rejected");
    }
    const onlyFor = { ...person, person: "local" };
    expect((await faultOf(client.send({ conversation, onlyFor }, pageOf("A"), "k"))).fault).toBe("rejected");
    const ref = { ...conversation, message: "not a time" };
    expect((await faultOf(client.edit(ref, pageOf("A")))).fault).toBe("gone");
    expect(slack.calls).toEqual([]);
  });

  it("tells where a reply stands that Slack put beside its lost thread", async () => {
    const { client, slack } = bench;
    // A reply to a lost root that Slack takes for a root.
    slack.troubles.add("chat.postMessage", {
      kind: "html",
      body: JSON.stringify({ ok: true, channel: "C0001", ts: "1767614400.000100", message: { text: "Reply" } }),
    });
    const ref = await client.send({ conversation, thread: "1767614400.000001" }, pageOf("Reply"), "dl_1/1");
    expect(ref).toEqual({ ...conversation, message: "1767614400.000100" });
  });
});

describe("editing and removing", () => {
  it("edits in place and keeps the key's metadata", async () => {
    const { client, slack } = bench;
    const ref = await client.send({ conversation }, pageOf("Working"), "dl_1/0");
    await client.edit(ref, pageOf("Done"));
    expect(slack.calls.at(-1)?.given).toMatchObject({ parse: "none", link_names: false });
    expect(slack.calls.at(-1)?.given).not.toHaveProperty("metadata");
    const [message] = slack.team.conversations.get("C0001")?.messages ?? [];
    expect(message).toMatchObject({ text: "Done", metadata: { event_payload: { key: "dl_1/0" } } });
  });

  it("says that a removed message is gone, and removes twice in peace", async () => {
    const { client } = bench;
    const ref = await client.send({ conversation }, pageOf("A"), "dl_1/0");
    await client.remove(ref);
    await client.remove(ref);
    expect((await faultOf(client.edit(ref, pageOf("B")))).fault).toBe("gone");
    expect(await client.permalink(ref)).toBeNull();
  });

  it("does not edit what another app wrote", async () => {
    const { client, slack } = bench;
    const { ts } = slack.say("C0001", "U0002", "mine");
    expect((await faultOf(client.edit({ ...conversation, message: ts }, pageOf("B")))).fault).toBe("gone");
  });

  it("reacts with one sign at a time", async () => {
    const { client, slack } = bench;
    const { ts } = slack.say("C0001", "U0002", "@reviewbot demo HEAD");
    const ref = { ...conversation, message: ts };
    for (const kind of ["seen", "seen", "working", "clean"] as const) await client.react(ref, kind);
    const [message] = slack.team.conversations.get("C0001")?.messages ?? [];
    expect([...(message?.reactions.keys() ?? [])]).toEqual(["white_check_mark"]);
    // A new process does not know what the old one put there.
    const other = await startBench({ apiUrl: slack.url, token: async () => slack.bot });
    await other.client.react(ref, "clean");
    await other.stop();
  });

  it("gives a message's address", async () => {
    const { client } = bench;
    const ref = await client.send({ conversation }, pageOf("A"), "dl_1/0");
    expect(await client.permalink(ref)).toBe(
      `https://example.slack.com/archives/C0001/p${ref.message.replace(".", "")}`,
    );
  });
});

describe("files", () => {
  const png = "iVBORw0KGgo=";
  const chart = { name: "chart.png", mediaType: "image/png", base64: png, alt: "Problems a day" } as const;

  it("uploads a chart into the thread, names its file where Slack tells no message, and removes it", async () => {
    const { client, slack } = bench;
    const root = await client.send({ conversation }, pageOf("Root"), "dl_1/0");
    const target = { conversation, thread: root.message };
    const ref = await client.attach(target, chart, "dl_1/1");
    expect(ref).toEqual({ ...conversation, thread: root.message, message: expect.stringMatching(/^F/) });
    const message = slack.team.conversations.get("C0001")?.messages.at(-1);
    expect(message).toMatchObject({ thread: root.message, files: [{ title: "chart.png", altText: "Problems a day" }] });
    expect(message?.files?.[0]?.bytes?.toString("base64")).toBe(png);
    expect(await client.attach(target, chart, "dl_1/1")).toEqual(ref);
    expect(await client.permalink(ref)).toContain("/files/");
    expect((await faultOf(client.edit(ref, pageOf("B")))).fault).toBe("rejected");
    await client.remove(ref);
    await client.remove(ref);
    expect(slack.team.conversations.get("C0001")?.messages).toHaveLength(1);
  });

  it("finds an upload whose answer was lost by the mark in the file's name", async () => {
    const { client, slack } = bench;
    const root = await client.send({ conversation }, pageOf("Root"), "dl_1/0");
    const target = { conversation, thread: root.message };
    slack.troubles.add("files.completeUploadExternal", { kind: "reset", stored: true });
    const text = { name: "report.md", mediaType: "text/markdown", text: "# Report" };
    expect((await faultOf(client.attach(target, text, "dl_1/1"))).fault).toBe("uncertain");
    const found = await client.find(target, "dl_1/1", 0);
    expect(found).toEqual({ ...target.conversation, thread: root.message, message: expect.stringMatching(/^\d+\./) });
    expect(await client.find(target, "dl_1/2", 0)).toBe("absent");
  });

  it("was not sent as long as nobody could see it", async () => {
    const { client, slack } = bench;
    const file = { name: "report.md", mediaType: "text/markdown", text: "# Report" };
    slack.troubles.add("files.getUploadURLExternal", { kind: "reset" });
    expect((await faultOf(client.attach({ conversation }, file, "k"))).fault).toBe("not_sent");
    slack.troubles.add("upload", { kind: "status", status: 500 });
    expect((await faultOf(client.attach({ conversation }, file, "k"))).fault).toBe("not_sent");
    await client.attach({ conversation }, file, "k");
    expect(slack.team.conversations.get("C0001")?.messages).toHaveLength(1);
  });

  it("gives a private file to the person directly", async () => {
    const { client, slack } = bench;
    const ref = await client.attach({ conversation, onlyFor: person }, chart, "k");
    expect(ref.conversation).toMatch(/^D/);
    expect(slack.team.conversations.get("C0001")?.messages).toEqual([]);
  });
});
