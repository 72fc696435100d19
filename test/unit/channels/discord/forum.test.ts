// A forum: thread and first message in one call, tags that tell the outcome, and no second post for what was sent already.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { messageFlags } from "../../../../channels/discord/wire.ts";
import type { Outcome, Page } from "../../../../src/core/card.ts";
import type { ConversationRef } from "../../../../src/core/delivery.ts";
import { kinds, type WorldChannel } from "../../../fakes/discord/rest-world.ts";
import { type SendingSide, startSendingSide } from "../../../fakes/discord/sending-side.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let side: SendingSide;
let forum: WorldChannel;
let conversation: ConversationRef;
beforeEach(async () => {
  side = await startSendingSide();
  forum = side.world.addChannel(side.conversation.workspace, kinds.forum);
  conversation = side.conversationOf(forum.id);
});
afterEach(() => side.stop());

const audit = (title: string, outcome?: Outcome): Page => ({
  ...plainPage(title),
  quiet: true,
  ...(outcome === undefined ? {} : { outcome }),
});
const tagsOf = (post: string) =>
  side.world.channels.get(post)?.appliedTags.map((id) => forum.tags.find((tag) => tag.id === id)?.name);

function withTags(...names: string[]): void {
  for (const name of names) side.world.addTag(forum.id, name);
}

it("a post is a thread with the message's id, named by the card, and silent when the page is quiet", async () => {
  const ref = await side.client.send({ conversation }, audit("demo main 4f2a: clean"), "dl_1/0");
  expect(ref).toEqual({ ...conversation, message: ref.message });
  expect(side.world.channels.get(ref.message)).toMatchObject({ name: "demo main 4f2a: clean", parent: forum.id });
  const [message] = side.messages(ref.message);
  expect(message?.id).toBe(ref.message);
  expect((message?.flags ?? 0) & messageFlags.quiet).toBe(messageFlags.quiet);
  const [request] = side.requests("POST", /threads$/);
  expect(JSON.stringify(request?.body)).not.toContain("nonce");
});

it("replies stand in the post's thread, edits and links go there", async () => {
  const root = await side.client.send({ conversation }, plainPage("Root"), "dl_1/0");
  const reply = await side.client.send({ conversation, thread: root.message }, plainPage("Reply"), "dl_1/1");
  expect(reply).toEqual({ ...conversation, thread: root.message, message: reply.message });
  await side.client.edit(root, plainPage("Root, edited"));
  expect(JSON.stringify(side.messages(root.message)[0]?.components)).toContain("edited");
  expect(await side.client.permalink(root)).toMatch(new RegExp(`/${root.message}/${root.message}$`));
  await side.client.remove(reply);
  expect(side.messages(root.message)).toHaveLength(1);
});

it("a post that was deleted is gone, and the forum is not given up for it", async () => {
  const root = await side.client.send({ conversation }, plainPage("Root"), "dl_1/0");
  side.world.channels.delete(root.message);
  await expect(side.client.edit(root, plainPage("Edit"))).rejects.toMatchObject({ fault: "gone" });
});

describe("tags", () => {
  it.each(["clean", "findings", "error"] as const)("tell the outcome: %s", async (outcome) => {
    withTags("other", "Clean", "findings", "ERROR");
    const ref = await side.client.send({ conversation }, audit("Line", outcome), "dl_1/0");
    expect(tagsOf(ref.message)?.map((name) => name?.toLowerCase())).toEqual([outcome]);
  });

  it("are left out where none fits and none is needed", async () => {
    withTags("other");
    const ref = await side.client.send({ conversation }, audit("Line", "clean"), "dl_1/0");
    expect(tagsOf(ref.message)).toEqual([]);
  });

  it("that are needed are chosen without a false claim", async () => {
    withTags("clean", "misc");
    forum.requiresTag = true;
    const ref = await side.client.send({ conversation }, audit("Skipped"), "dl_1/0");
    expect(tagsOf(ref.message)).toEqual(["misc"]);
  });

  it("that became needed since we looked are looked for again (40067)", async () => {
    await side.client.send({ conversation }, audit("Line", "clean"), "dl_1/0");
    forum.requiresTag = true;
    withTags("clean");
    const ref = await side.client.send({ conversation }, audit("Line", "clean"), "dl_2/0");
    expect(tagsOf(ref.message)).toEqual(["clean"]);
  });

  it("that are needed and not there are an operator's to make (40067)", async () => {
    forum.requiresTag = true;
    await expect(side.client.send({ conversation }, audit("Line", "clean"), "dl_1/0")).rejects.toMatchObject({
      fault: "forbidden",
      message: expect.stringContaining("clean, findings and error"),
    });
  });

  it("that only moderators may give are not given", async () => {
    side.world.addTag(forum.id, "clean", true);
    const ref = await side.client.send({ conversation }, audit("Line", "clean"), "dl_1/0");
    expect(tagsOf(ref.message)).toEqual([]);
  });

  it("follow an edit, and leave the tags that people gave", async () => {
    withTags("clean", "findings", "urgent");
    const ref = await side.client.send({ conversation }, { ...plainPage("Root"), outcome: "findings" }, "dl_1/0");
    const post = side.world.channels.get(ref.message);
    post?.appliedTags.push(forum.tags[2]?.id ?? "");
    await side.client.edit(ref, { ...plainPage("Root"), outcome: "clean" });
    expect(tagsOf(ref.message)).toEqual(["clean", "urgent"]);
  });
});

describe("a forum that we took for a channel", () => {
  it.each([50008, 220001])("is posted to as a forum (%i)", async (code) => {
    side.world.channels.set(forum.id, { ...forum, type: kinds.text });
    const first = await side.client.send({ conversation }, plainPage("As a channel"), "dl_1/0");
    expect(side.world.channels.has(first.message)).toBe(false);
    side.world.channels.set(forum.id, forum);
    side.fake.trouble({ method: "POST", path: /messages$/, answer: { status: 400, code } });
    const ref = await side.client.send({ conversation }, plainPage("As a forum"), "dl_2/0");
    expect(side.world.channels.get(ref.message)?.parent).toBe(forum.id);
  });
});

describe("a post whose answer was lost", () => {
  it("is found by its key, in this process and after a restart, also when it was archived", async () => {
    const since = side.clock.now();
    side.fake.trouble({ method: "POST", path: /threads$/, after: true, answer: { status: 502 } });
    await expect(side.client.send({ conversation }, audit("Lost"), "dl_1/0")).rejects.toMatchObject({
      fault: "uncertain",
    });
    const found = await side.client.find({ conversation }, "dl_1/0", since);
    expect(found).toMatchObject(conversation);
    const post = side.world.channels.get((found as { message: string }).message);
    if (post !== undefined) post.archived = true;
    expect(await side.restarted().find({ conversation }, "dl_1/0", since)).toEqual(found);
    expect(await side.client.find({ conversation }, "dl_2/0", since)).toBe("absent");
  });
});

it("a title that a filter refuses gives way to a neutral name (200001)", async () => {
  side.fake.trouble({ method: "POST", path: /threads$/, answer: { status: 400, code: 200001 } });
  const ref = await side.client.send({ conversation }, plainPage("Bad words"), "dl_1/0");
  expect(side.world.channels.get(ref.message)?.name).toBe("Review");
});
