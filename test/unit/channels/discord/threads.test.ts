// Threads on a root's own message: made once, found again, brought back, unlocked, and done without where there can be none.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { threadName } from "../../../../channels/discord/threads.ts";
import type { MessageRef } from "../../../../src/core/delivery.ts";
import { kinds } from "../../../fakes/discord/rest-world.ts";
import { type SendingSide, startSendingSide } from "../../../fakes/discord/sending-side.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let side: SendingSide;
let root: MessageRef;
beforeEach(async () => {
  side = await startSendingSide();
  root = await side.client.send({ conversation: side.conversation }, plainPage("2 problems in **demo**"), "dl_1/0");
});
afterEach(() => side.stop());

const reply = (key = "dl_1/1", client = side.client) =>
  client.send({ conversation: side.conversation, thread: root.message }, plainPage(`Reply ${key}`), key);
const thread = () => side.world.channels.get(root.message);
const creations = () => side.requests("POST", /\/threads$/).length;

it("is made on the first reply, named by the card, and its id is the root's", async () => {
  expect(thread()).toBeUndefined();
  const ref = await reply();
  expect(ref).toMatchObject({ ...side.conversation, thread: root.message });
  expect(thread()).toMatchObject({ name: "2 problems in **demo**", parent: side.conversation.conversation });
  await reply("dl_1/2");
  expect(creations()).toBe(1);
  expect(side.messages(root.message)).toHaveLength(2);
});

it("is found by its id after a restart, and made there when it was never made", async () => {
  const restarted = side.restarted();
  await reply("dl_1/1", restarted);
  // The name comes from the message itself: a heading whose escapes mean nothing in a name.
  expect(thread()?.name).toBe("2 problems in **demo**");
  await reply("dl_1/2", side.restarted());
  expect(creations()).toBe(1);
});

it("that exists already is used (160004)", async () => {
  side.fake.trouble({ method: "POST", path: /\/threads$/, after: true, answer: { status: 502 } });
  await expect(reply()).rejects.toMatchObject({ fault: "not_sent" });
  await reply();
  expect(creations()).toBe(2);
  expect(side.messages(root.message)).toHaveLength(1);
});

it("of a root that is gone is gone, and so is a thread that was deleted (10008, 10003)", async () => {
  await side.client.remove(root);
  await expect(reply()).rejects.toMatchObject({ fault: "gone" });
  const other = await side.client.send({ conversation: side.conversation }, plainPage("Other"), "dl_2/0");
  const target = { conversation: side.conversation, thread: other.message };
  const said = await side.client.send(target, plainPage("Reply"), "dl_2/1");
  side.world.channels.delete(other.message);
  await side.client.remove(other);
  await expect(side.client.send(target, plainPage("Reply"), "dl_2/2")).rejects.toMatchObject({ fault: "gone" });
  await expect(side.client.edit(said, plainPage("Edit"))).rejects.toMatchObject({ fault: "gone" });
});

it("that was archived is brought back by what is said in it", async () => {
  await reply();
  archive();
  await reply("dl_1/2");
  expect(thread()?.archived).toBe(false);
});

it("that was archived is brought back for an edit, once (50083)", async () => {
  const said = await reply();
  archive();
  await side.client.edit(said, plainPage("Edited"));
  expect(thread()?.archived).toBe(false);
  side.fake.trouble({ method: "PATCH", path: /messages/, times: 9, answer: { status: 400, code: 50083 } });
  const before = side.requests("PATCH", /messages/).length;
  await expect(side.client.edit(said, plainPage("Again"))).rejects.toMatchObject({ fault: "rejected" });
  expect(side.requests("PATCH", /messages/).length - before).toBe(2);
});

it("that says it is archived when spoken in is brought back, once (50083)", async () => {
  await reply();
  side.fake.trouble({ method: "POST", path: /messages$/, answer: { status: 400, code: 50083 } });
  await reply("dl_1/2");
  expect(side.messages(root.message)).toHaveLength(2);
});

it("that is locked is unlocked by who may manage threads (160005)", async () => {
  await reply();
  lock();
  side.world.grant(side.conversation.conversation, "ManageThreads");
  await reply("dl_1/2");
  expect(thread()?.locked).toBe(false);
  expect(side.messages(root.message)).toHaveLength(2);
  expect(side.logged).toContain("discord.thread_unlocked");
});

it("that stays locked is answered beside it, with a link to it (160005)", async () => {
  await reply();
  lock();
  const ref = await reply("dl_1/2");
  expect(ref).toEqual({ ...side.conversation, message: ref.message });
  const beside = side.messages().at(-1);
  expect(beside?.reference).toBe(root.message);
  expect(JSON.stringify(beside?.components)).toContain(`<#${root.message}>`);
  expect(beside?.pinged).toEqual([]);
});

it("that is full gets no members from us: what it should say stands beside it (30033)", async () => {
  await reply();
  side.fake.trouble({ method: "POST", path: /messages$/, answer: { status: 400, code: 30033 } });
  const ref = await reply("dl_1/2");
  expect(ref.thread).toBeUndefined();
  expect(side.requests("PUT", /thread-members/)).toHaveLength(0);
});

it("takes the place of our own that was silent longest where there are too many (160006)", async () => {
  const { world, client, clock, conversation } = side;
  const start = async (key: string) => {
    const made = await client.send({ conversation }, plainPage(key), `${key}/0`);
    clock.advance(1_000);
    await client.send({ conversation, thread: made.message }, plainPage("Reply"), `${key}/1`);
    return made.message;
  };
  // Somebody else's is older than all, and stays.
  const others = world.addMessage(conversation.conversation, { author: world.newId() });
  const about = { id: others.id, parent: conversation.conversation, owner: others.author };
  world.addChannel(conversation.workspace, kinds.publicThread, about);
  const first = await start("dl_2");
  const second = await start("dl_3");
  clock.advance(1_000);
  await client.send({ conversation, thread: first }, plainPage("More"), "dl_2/2");
  const guild = world.guilds.get(conversation.workspace);
  if (guild !== undefined) guild.maxThreads = 3;
  const third = await start("dl_4");
  const archived = [others.id, first, second, third].filter((id) => world.channels.get(id)?.archived === true);
  expect(archived).toEqual([second]);
});

it("is done without where too many are others' (160006) or the channel has none (50024)", async () => {
  for (const code of [160006, 50024]) {
    const next = await side.client.send({ conversation: side.conversation }, plainPage("Next"), `dl_${code}/0`);
    side.fake.trouble({ method: "POST", path: /\/threads$/, times: 2, answer: { status: 400, code } });
    const target = { conversation: side.conversation, thread: next.message };
    const ref = await side.client.send(target, plainPage("Reply"), `dl_${code}/1`);
    expect(ref.thread).toBeUndefined();
    expect(side.messages().at(-1)?.reference).toBe(next.message);
  }
});

it("has a neutral name where a filter refuses the title (200000)", async () => {
  side.fake.trouble({ method: "POST", path: /\/threads$/, answer: { status: 400, code: 200000 } });
  await reply();
  expect(thread()?.name).toBe("Review");
});

it("that may not be made names the right that is missing", async () => {
  side.world.deny(side.conversation.conversation, "CreatePublicThreads");
  await expect(reply()).rejects.toMatchObject({
    fault: "forbidden",
    message: expect.stringContaining("Create Public Threads"),
  });
  side.world.grant(side.conversation.conversation, "CreatePublicThreads");
  side.world.deny(side.conversation.conversation, "SendMessagesInThreads");
  await expect(reply()).rejects.toMatchObject({
    fault: "forbidden",
    message: expect.stringContaining("Send Messages in Threads"),
  });
});

describe("the name", () => {
  it("has 1 to 100 signs, no line ends, and no half a sign, whatever the title", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (title) => {
        const name = threadName(title);
        expect(name.length).toBeGreaterThan(0);
        expect(name.length).toBeLessThanOrEqual(100);
        expect(name).not.toMatch(/[\r\n]/);
        expect(name).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});

function archive(): void {
  const found = thread();
  if (found !== undefined) found.archived = true;
}

function lock(): void {
  const found = thread();
  if (found !== undefined) Object.assign(found, { locked: true, archived: true });
}
