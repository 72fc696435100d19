// Whether a message was sent: found by what it carries, "absent" only where that is certain, "unknown" where nobody can tell.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type SendingSide, startSendingSide } from "../../../fakes/discord/sending-side.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let side: SendingSide;
beforeEach(async () => {
  side = await startSendingSide();
});
afterEach(() => side.stop());

/** Looks as a process does that has sent nothing itself. */
const look = (key: string, since = side.clock.now(), thread?: string) =>
  side.restarted().find({ conversation: side.conversation, ...(thread === undefined ? {} : { thread }) }, key, since);

it("is found long after Discord has forgotten its nonce, and after an edit of another message", async () => {
  const since = side.clock.now();
  const ref = await side.client.send({ conversation: side.conversation }, plainPage("Here"), "dl_1/0");
  const other = await side.client.send({ conversation: side.conversation }, plainPage("Other"), "dl_2/0");
  side.clock.advance(3_600_000);
  await side.client.edit(other, plainPage("Edited"));
  expect(await look("dl_1/0", since)).toEqual(ref);
  expect(await look("dl_1", since)).toBe("absent");
  expect(await look("dl_1/00", since)).toBe("absent");
});

it("is found in its thread, and is absent where the thread was never made", async () => {
  const since = side.clock.now();
  const root = await side.client.send({ conversation: side.conversation }, plainPage("Root"), "dl_1/0");
  expect(await look("dl_1/1", since, root.message)).toBe("absent");
  const target = { conversation: side.conversation, thread: root.message };
  const reply = await side.client.send(target, plainPage("Reply"), "dl_1/1");
  expect(await look("dl_1/1", since, root.message)).toEqual(reply);
});

it("is found behind hundreds of others, and unknown behind more than are read", async () => {
  const since = side.clock.now();
  const other = side.world.newId();
  const talk = (count: number) => {
    for (let n = 0; n < count; n++) {
      side.clock.advance(10);
      side.world.addMessage(side.conversation.conversation, { author: other, content: `${n}` });
    }
  };
  talk(250);
  const ref = await side.client.send({ conversation: side.conversation }, plainPage("Here"), "dl_1/0");
  expect(await look("dl_1/0", since)).toEqual(ref);
  expect(await look("dl_9/9", since)).toBe("absent");
  talk(300);
  expect(await look("dl_9/9", since)).toBe("unknown");
});

it("is unknown where the history may not be read, and the list is silently empty", async () => {
  const since = side.clock.now();
  await side.client.send({ conversation: side.conversation }, plainPage("Here"), "dl_1/0");
  side.world.deny(side.conversation.conversation, "ReadMessageHistory");
  expect(await look("dl_1/0", since)).toBe("unknown");
});

it("is absent in a channel where the last message was deleted", async () => {
  const since = side.clock.now();
  const last = side.world.addMessage(side.conversation.conversation, { author: side.world.newId() });
  side.fake.trouble({ method: "GET", path: /messages$/, after: true, answer: { status: 502 } });
  await expect(look("dl_1/0", since)).rejects.toMatchObject({ fault: "not_sent" });
  side.world.channels.get(side.conversation.conversation)?.messages.splice(0);
  expect(last.id).toBeTruthy();
  expect(await look("dl_1/0", since)).toBe("absent");
});

it("is unknown where a plain message of ours stands, which carries nothing", async () => {
  const since = side.clock.now();
  side.fake.trouble({ method: "POST", answer: { status: 400, code: 50035 } });
  const ref = await side.client.send({ conversation: side.conversation }, plainPage("Plain"), "dl_1/0");
  expect(await side.client.find({ conversation: side.conversation }, "dl_1/0", since)).toEqual(ref);
  expect(await look("dl_1/0", since)).toBe("unknown");
});

it("is absent where somebody else's embed stands", async () => {
  const since = side.clock.now();
  const about = { author: side.world.newId(), embeds: [{ title: "CI" }] };
  side.world.addMessage(side.conversation.conversation, about);
  expect(await look("dl_1/0", since)).toBe("absent");
});

it("looks at nothing that is older than the try", async () => {
  await side.client.send({ conversation: side.conversation }, plainPage("Old"), "dl_1/0");
  side.clock.advance(600_000);
  expect(await look("dl_1/0")).toBe("absent");
});

it("throws where Discord cannot be asked", async () => {
  side.fake.trouble({ method: "GET", times: 2, answer: { status: 503 } });
  await expect(look("dl_1/0")).rejects.toMatchObject({ fault: "not_sent" });
});
