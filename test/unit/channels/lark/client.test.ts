// What goes out: places, keys, threads, quiet answers, updates, files and reactions, against the strict API.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ephemeralId } from "../../../../channels/lark/card/button-value.ts";
import type { LarkCard } from "../../../../channels/lark/card/elements.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { asker, type ClientOnFake, createClientOnFake, direct, group, topics } from "../../../fakes/lark/api-client.ts";
import { replies, root } from "../../../fakes/sample-cards.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let on: ClientOnFake;
beforeEach(async () => {
  on = await createClientOnFake();
});
afterEach(() => on.stop());

function titles(): readonly string[] {
  return on.api.shown().map(({ content }) => (content as LarkCard).header?.title.content ?? JSON.stringify(content));
}

async function faultOf(call: Promise<unknown>): Promise<string> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ChannelError);
  return (thrown as ChannelError).fault;
}

describe("sending", () => {
  it("posts a card into the chat, with a uuid of at most 50 characters made from the key", async () => {
    const ref = await on.client.send({ conversation: group }, plainPage("Hello"), "dl_1/0");
    expect(ref).toEqual({ ...group, message: on.api.shown()[0]?.id });
    const bodies = on.api.calls.filter(({ path }) => path === "/open-apis/im/v1/messages").map(({ body }) => body);
    expect(bodies).toHaveLength(1);
    const { uuid } = bodies[0] as { uuid: string };
    expect(uuid).toMatch(/^a[0-9a-f]{40}$/);
  });

  it("is the same message when the same key comes again within the hour, also to another process", async () => {
    const first = await on.client.send({ conversation: group }, plainPage("Once"), "dl_1/0");
    const other = await on.client.send({ conversation: group }, plainPage("Once"), "dl_1/0");
    expect(other).toEqual(first);
    expect(titles()).toEqual(["Once"]);
  });

  it("gives two keys two messages, and one key in two chats two as well", async () => {
    await on.client.send({ conversation: group }, plainPage("Same"), "dl_1/0");
    await on.client.send({ conversation: group }, plainPage("Same"), "dl_2/0");
    await on.client.send({ conversation: topics }, plainPage("Same"), "dl_1/0");
    expect(titles()).toEqual(["Same", "Same", "Same"]);
  });

  it("replies in the thread of the root, in groups of topics too (reply_in_thread)", async () => {
    for (const conversation of [group, topics]) {
      const root = await on.client.send({ conversation }, plainPage("Root"), "dl_1/0");
      const reply = await on.client.send({ conversation, thread: root.message }, plainPage("Reply"), "dl_1/1");
      expect(reply.thread).toBe(root.message);
      expect(on.api.state.messages.get(reply.message)).toMatchObject({ root: root.message });
    }
  });

  it("finds a thread gone when its root was recalled or was never there", async () => {
    const root = await on.client.send({ conversation: group }, plainPage("Root"), "dl_1/0");
    await on.client.remove(root);
    const late = { conversation: group, thread: root.message };
    expect(await faultOf(on.client.send(late, plainPage("Reply"), "dl_1/1"))).toBe("gone");
    const never = { conversation: group, thread: "om_never" };
    expect(await faultOf(on.client.send(never, plainPage("Reply"), "dl_1/2"))).toBe("gone");
    expect(await faultOf(on.client.send({ conversation: group, thread: "omt_1" }, plainPage("R"), "k"))).toBe("gone");
  });

  it("takes a person's id as their direct chat", async () => {
    const conversation = { ...group, conversation: asker.person };
    const ref = await on.client.send({ conversation, onlyFor: asker }, plainPage("For you"), "dl_1/0");
    expect(ref.conversation).toBe(asker.person);
    expect(on.api.state.messages.get(ref.message)?.chat).toBe(direct.conversation);
  });

  it("refuses places of other channels and tenants without asking the platform", async () => {
    const elsewhere = [
      { ...group, channel: "slack" },
      { ...group, workspace: "tk_other" },
      { ...group, conversation: "C0123" },
    ];
    for (const conversation of elsewhere) {
      expect(await faultOf(on.client.send({ conversation }, plainPage("Lost"), "dl_1/0"))).toBe("rejected");
    }
    expect(on.api.calls).toEqual([]);
  });

  it("answers too_large before anything is asked of the platform", async () => {
    const page = plainPage("Vast", { blocks: [{ kind: "code", text: "x".repeat(40_000) }] });
    expect(await faultOf(on.client.send({ conversation: group }, page, "dl_1/0"))).toBe("too_large");
    expect(on.api.calls).toEqual([]);
  });

  it("keeps three messages a second into one chat, and does not hold up another", async () => {
    const sends = Array.from({ length: 5 }, (_, index) =>
      on.client.send({ conversation: group }, plainPage(`${index}`), `dl_${index}/0`),
    );
    await on.client.send({ conversation: topics }, plainPage("other"), "dl_9/0");
    await on.api.called(/POST .*\/messages$/, 4);
    expect(titles().filter((title) => title !== "other")).toHaveLength(3);
    await on.clock.advanceAsync(1_000);
    await Promise.all(sends);
    expect(titles()).toHaveLength(6);
  });
});

describe("a card that is refused for what it holds", () => {
  const refusal = (errCode: number) => ({
    kind: "answer" as const,
    answer: {
      status: 400,
      body: { code: 230099, msg: `Failed to create card content, ext=ErrCode: ${errCode}; ErrMsg: x; ` },
    },
  });

  it.each([200621, 200861, 200570])("is sent as text, with a line in the log (%i)", async (errCode) => {
    on.api.trouble(/POST .*\/messages$/, refusal(errCode));
    const ref = await on.client.send({ conversation: group }, { card: replies[0] ?? plainPage("x").card }, "dl_1/0");
    const text = (on.api.state.messages.get(ref.message)?.content as { text: string } | undefined)?.text;
    expect(text).toContain("A payment that timed out may have gone through");
    expect(text).toContain("Idempotency-Key");
    expect(text).toContain("https://git.example.org/demo/src/payments/retry.ts#L42");
    expect(text).toContain("Shown without its buttons.");
    expect(on.logger.has("lark.card_refused")).toBe(true);
  });

  it("says nothing of buttons where it has none that are pressed", async () => {
    on.api.trouble(/POST .*\/messages$/, refusal(200621));
    await on.client.send({ conversation: group }, { card: root }, "dl_1/0");
    expect(JSON.stringify(on.api.shown())).not.toContain("Shown without its buttons.");
  });

  it("is too large when the platform counts too many tables or elements (11310)", async () => {
    on.api.trouble(/POST .*\/messages$/, refusal(11310));
    expect(await faultOf(on.client.send({ conversation: group }, plainPage("Tables"), "dl_1/0"))).toBe("too_large");
  });

  it("is told when its turn to be updated comes: a text cannot take a card's place", async () => {
    const ref = await on.client.send({ conversation: group }, plainPage("Card"), "dl_1/0");
    on.api.trouble(/PATCH/, refusal(200621));
    expect(await faultOf(on.client.edit(ref, plainPage("Other")))).toBe("rejected");
  });

  it("was sent as text: an update finds it gone, so that a new message takes its place", async () => {
    on.api.trouble(/POST .*\/messages$/, refusal(200621));
    const ref = await on.client.send({ conversation: group }, plainPage("Card"), "dl_1/0");
    expect(await faultOf(on.client.edit(ref, plainPage("Other")))).toBe("gone");
  });
});

describe("a card of the channel's own", () => {
  it("that is not well made is refused before it is sent, with the verdict in the log", async () => {
    const broken = { schema: "2.0", config: {}, body: { elements: [] } } as unknown as LarkCard;
    expect(await faultOf(on.client.sendCard({ conversation: group }, () => broken, "k"))).toBe("rejected");
    expect(on.logger.text()).toContain("update_multi at config.update_multi");
    expect(on.api.shown()).toEqual([]);
  });
});

describe("a quiet answer", () => {
  it("is a card that one person of the group sees", async () => {
    const ref = await on.client.send({ conversation: group, onlyFor: asker }, plainPage("Psst"), "dl_1/0");
    expect(on.api.shown()).toMatchObject([{ chat: group.conversation, onlyFor: asker.person }]);
    expect(ref).toEqual({ ...group, message: ephemeralId(on.api.shown()[0]?.id ?? "") });
  });

  it("is shown once for one key, though the platform has no uuid for such cards", async () => {
    const target = { conversation: group, onlyFor: asker };
    const first = await on.client.send(target, plainPage("Psst"), "dl_1/0");
    expect(await on.client.send(target, plainPage("Psst"), "dl_1/0")).toEqual(first);
    expect(on.api.shown()).toHaveLength(1);
  });

  it("is updated by a new card in place of the old one, under the same id, and taken away", async () => {
    const ref = await on.client.send({ conversation: group, onlyFor: asker }, plainPage("Working"), "dl_1/0");
    await on.client.edit(ref, plainPage("Done"));
    expect(titles()).toEqual(["Done"]);
    expect(on.api.shown()[0]?.onlyFor).toBe(asker.person);
    await on.client.remove(ref);
    await on.client.remove(ref);
    expect(titles()).toEqual([]);
    on.clock.advance(1_000);
    expect(await faultOf(on.client.edit(ref, plainPage("Late")))).toBe("gone");
  });

  it("of an earlier process cannot be updated, and is gone", async () => {
    const ref = { ...group, message: ephemeralId("om_earlier") };
    expect(await faultOf(on.client.edit(ref, plainPage("Late")))).toBe("gone");
  });

  it("goes to the direct chat in groups of topics (18053) and in threads", async () => {
    const root = await on.client.send({ conversation: group }, plainPage("Root"), "dl_0/0");
    await on.client.send({ conversation: topics, onlyFor: asker }, plainPage("Topic"), "dl_1/0");
    await on.client.send({ conversation: group, thread: root.message, onlyFor: asker }, plainPage("Thread"), "dl_1/1");
    const quiet = on.api.shown().filter(({ chat }) => chat === direct.conversation);
    expect(quiet.map(({ content }) => (content as LarkCard).header.title.content)).toEqual(["Topic", "Thread"]);
  });

  it("goes to the direct chat when the group takes none after all", async () => {
    on.api.trouble(/ephemeral/, {
      kind: "answer",
      answer: { status: 400, body: { code: 18053, msg: "chat can not be thread" } },
    });
    const ref = await on.client.send({ conversation: group, onlyFor: asker }, plainPage("Psst"), "dl_1/0");
    expect(on.api.state.messages.get(ref.message)?.chat).toBe(direct.conversation);
    await on.client.edit(ref, plainPage("Done"));
    expect(titles()).toEqual(["Done"]);
  });

  it("goes to the direct chat when the platform does not tell what kind of chat it is (scope missing)", async () => {
    on.api.trouble(/GET .*\/chats\//, {
      kind: "answer",
      answer: { status: 400, body: { code: 99991672, msg: "scope" } },
    });
    await on.client.send({ conversation: group, onlyFor: asker }, plainPage("Psst"), "dl_1/0");
    await on.client.send({ conversation: group, onlyFor: asker }, plainPage("Again"), "dl_2/0");
    expect(on.api.shown().map(({ chat }) => chat)).toEqual([direct.conversation, direct.conversation]);
    expect(on.api.calls.filter(({ path }) => path.includes("/chats/"))).toHaveLength(1);
  });

  it("stands in a direct chat as any message, in its thread if it has one", async () => {
    const root = await on.client.send({ conversation: direct, onlyFor: asker }, plainPage("Root"), "dl_1/0");
    const target = { conversation: direct, onlyFor: asker, thread: root.message };
    const reply = await on.client.send(target, plainPage("Reply"), "dl_1/1");
    expect(reply.thread).toBe(root.message);
  });

  it("knows where it will stand elsewhere: in threads and topics, not in the group and not in a direct chat", async () => {
    const root = await on.client.send({ conversation: group }, plainPage("Root"), "dl_0/0");
    const targets = [
      { conversation: group, onlyFor: asker },
      { conversation: group, onlyFor: asker, thread: root.message },
      { conversation: topics, onlyFor: asker },
      { conversation: direct, onlyFor: asker },
      { conversation: { ...group, conversation: asker.person }, onlyFor: asker },
    ];
    const elsewhere = await Promise.all(targets.map((target) => on.client.tellsElsewhere(target)));
    expect(elsewhere).toEqual([false, true, true, false, false]);
  });

  it("leads its clicks home: the buttons carry the conversation and id by which the core knows the card", async () => {
    const page = { card: replies[0] ?? plainPage("x").card };
    const quiet = await on.client.send({ conversation: group, onlyFor: asker }, page, "dl_1/0");
    await on.client.edit(quiet, page);
    await on.client.send({ conversation: topics, onlyFor: asker }, page, "dl_1/1");
    const values = on.api
      .shown()
      .map(({ content }) => /"value":(\{[^}]*"token":"v1:dismiss0001"[^}]*\})/.exec(JSON.stringify(content))?.[1]);
    expect(values.map((value) => JSON.parse(value ?? "null"))).toEqual([
      { token: "v1:dismiss0001", message: quiet.message, seen_by: "one" },
      { token: "v1:dismiss0001", chat: topics.conversation },
    ]);
  });
});

describe("updating", () => {
  it("edits in place", async () => {
    const ref = await on.client.send({ conversation: group }, plainPage("Working"), "dl_1/0");
    await on.client.edit(ref, plainPage("Done"));
    expect(titles()).toEqual(["Done"]);
  });

  it("runs one update a second of one card: the newest wins, and what was overtaken is never sent", async () => {
    const ref = await on.client.send({ conversation: group }, plainPage("0"), "dl_1/0");
    const first = on.client.edit(ref, plainPage("1"));
    const rest = ["2", "3", "4"].map((title) => on.client.edit(ref, plainPage(title)));
    await first;
    expect(titles()).toEqual(["1"]);
    await on.clock.advanceAsync(1_000);
    await Promise.all(rest);
    expect(titles()).toEqual(["4"]);
    expect(on.api.state.messages.get(ref.message)?.edits).toBe(2);
  });

  it("finds a card gone that was recalled, or is older than 14 days", async () => {
    const recalled = await on.client.send({ conversation: group }, plainPage("A"), "dl_1/0");
    const old = await on.client.send({ conversation: group }, plainPage("B"), "dl_2/0");
    await on.client.remove(recalled);
    expect(await faultOf(on.client.edit(recalled, plainPage("A2")))).toBe("gone");
    on.clock.advance(14 * 24 * 3_600_000 + 1);
    expect(await faultOf(on.client.edit(old, plainPage("B2")))).toBe("gone");
  });

  it("removes a message once, and takes it well when it is gone already", async () => {
    const ref = await on.client.send({ conversation: group }, plainPage("Oops"), "dl_1/0");
    await on.client.remove(ref);
    await on.client.remove(ref);
    expect(titles()).toEqual([]);
  });
});

describe("finding", () => {
  it("knows what this process has sent", async () => {
    const ref = await on.client.send({ conversation: group }, plainPage("Here"), "dl_1/0");
    expect(await on.client.find({ conversation: group }, "dl_1/0", 0)).toEqual(ref);
  });

  it("says absent while the platform knows the uuid, because sending again then shows nothing twice", async () => {
    on.api.trouble(/POST .*\/messages$/, { kind: "lost" });
    const target = { conversation: group };
    const since = on.clock.now();
    expect(await faultOf(on.client.send(target, plainPage("Lost?"), "dl_1/0"))).toBe("uncertain");
    expect(titles()).toEqual(["Lost?"]);
    on.clock.advance(49 * 60_000);
    expect(await on.client.find(target, "dl_1/0", since)).toBe("absent");
    await on.client.send(target, plainPage("Lost?"), "dl_1/0");
    expect(titles()).toEqual(["Lost?"]);
  });

  it("cannot tell any more when the platform has forgotten the uuid", async () => {
    const since = on.clock.now();
    on.clock.advance(51 * 60_000);
    expect(await on.client.find({ conversation: group }, "dl_1/0", since)).toBe("unknown");
  });

  it("counts from the first try that was doubtful: one that was refused for certain left no uuid", async () => {
    const target = { conversation: group };
    const since = on.clock.now();
    on.api.trouble(/POST .*\/messages$/, { kind: "answer", answer: { status: 400, body: { code: 230020, msg: "x" } } });
    expect(await faultOf(on.client.send(target, plainPage("Late"), "dl_1/0"))).toBe("rate_limited");
    on.clock.advance(70 * 60_000);
    on.api.trouble(/POST .*\/messages$/, { kind: "lost" });
    expect(await faultOf(on.client.send(target, plainPage("Late"), "dl_1/0"))).toBe("uncertain");
    on.clock.advance(60_000);
    expect(await on.client.find(target, "dl_1/0", since)).toBe("absent");
    await on.client.send(target, plainPage("Late"), "dl_1/0");
    expect(titles()).toEqual(["Late"]);
  });

  it("cannot tell for a card that one person sees: such cards have no uuid", async () => {
    expect(await on.client.find({ conversation: group, onlyFor: asker }, "dl_1/0", on.clock.now())).toBe("unknown");
  });

  it("does not say absent while the platform is out of reach", async () => {
    on.api.break();
    expect(await faultOf(on.client.find({ conversation: group }, "dl_1/0", on.clock.now()))).toBe("not_sent");
  });
});

describe("attachments", () => {
  it("shows a chart as an uploaded picture in a card of its own, in the thread", async () => {
    const root = await on.client.send({ conversation: group }, plainPage("Digest"), "dl_1/0");
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString("base64");
    const chart = { name: "week.png", mediaType: "image/png", base64: png, alt: "Problems a day" } as const;
    const ref = await on.client.attach({ conversation: group, thread: root.message }, chart, "dl_1/1");
    const card = on.api.state.messages.get(ref.message)?.content as LarkCard;
    const [element] = card.body.elements;
    expect(element).toMatchObject({ tag: "img", alt: { content: "Problems a day" } });
    const key = element?.tag === "img" ? element.img_key : "";
    expect(on.api.state.uploads.get(key)?.bytes).toEqual(new Uint8Array([0x89, 0x50, 0x4e, 0x47]));
    expect(ref.thread).toBe(root.message);
  });

  it("sends a text as a file under its name", async () => {
    const file = { name: "report.md", mediaType: "text/markdown", text: "# Báo cáo 报告" };
    const ref = await on.client.attach({ conversation: group, onlyFor: asker }, file, "dl_1/1");
    const message = on.api.state.messages.get(ref.message);
    expect(message).toMatchObject({ type: "file", chat: direct.conversation });
    const upload = on.api.state.uploads.get((message?.content as { file_key: string } | undefined)?.file_key ?? "");
    expect(upload?.name).toBe("report.md");
    expect(Buffer.from(upload?.bytes ?? []).toString("utf8")).toBe("# Báo cáo 报告");
  });

  it("refuses what the platform would: an empty file, a picture over 10 MB", async () => {
    const empty = { name: "a.md", mediaType: "text/markdown", text: "" };
    expect(await faultOf(on.client.attach({ conversation: group }, empty, "k1"))).toBe("rejected");
    const base64 = Buffer.alloc(10 * 1024 * 1024 + 1).toString("base64");
    const vast = { name: "a.png", mediaType: "image/png", base64, alt: "" } as const;
    expect(await faultOf(on.client.attach({ conversation: group }, vast, "k2"))).toBe("too_large");
  });
});

describe("reactions and links", () => {
  it("puts one reaction under a message: the newest in place of the one before", async () => {
    const said = on.api.say({ chat: group.conversation, text: "/review demo" });
    const ref = { ...group, message: said.id };
    await on.client.react(ref, "seen");
    await on.client.react(ref, "working");
    await on.client.react(ref, "clean");
    expect([...said.reactions.values()]).toEqual(["DONE"]);
    await on.client.react(ref, "failed");
    expect([...said.reactions.values()]).toEqual(["CrossMark"]);
  });

  it("has no links on a private deployment, whose client's address nobody knows", async () => {
    expect(await on.client.permalink({ ...group, message: "om_1" })).toBeNull();
  });
});
