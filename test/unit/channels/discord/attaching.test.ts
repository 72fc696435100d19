// Files: a chart as a picture, a long text as a file, and as text where files are not taken.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Attachment } from "../../../../src/core/card.ts";
import { kinds } from "../../../fakes/discord/rest-world.ts";
import { type SendingSide, startSendingSide } from "../../../fakes/discord/sending-side.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let side: SendingSide;
beforeEach(async () => {
  side = await startSendingSide();
});
afterEach(() => side.stop());

const text: Attachment = {
  name: "B\u00e1o c\u00e1o 1.md",
  mediaType: "text/markdown",
  text: "# Report\n\u8bc4\u5ba1 @everyone",
};
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const chart: Attachment = {
  name: "findings.png",
  mediaType: "image/png",
  base64: png.toString("base64"),
  alt: "Findings of a week, by severity",
};
const attach = (file: Attachment, key = "dl_1/1") => side.client.attach({ conversation: side.conversation }, file, key);

it("a text goes as a file, byte for byte, under a name that Discord keeps", async () => {
  const ref = await attach(text);
  const [message] = side.messages();
  expect(ref.message).toBe(message?.id);
  expect(message?.attachments[0]).toMatchObject({ filename: "Bao-cao-1.md" });
  expect(Buffer.from(message?.attachments[0]?.data ?? []).toString("utf8")).toBe(text.text);
  expect(message?.components[0]).toMatchObject({ type: 13, file: { url: "attachment://Bao-cao-1.md" } });
  const [request] = side.requests("POST");
  expect(request?.headers["content-type"]).toMatch(/^multipart\/form-data/);
});

it("a chart is shown as a picture that says what it shows", async () => {
  await attach(chart);
  const [message] = side.messages();
  expect(Buffer.from(message?.attachments[0]?.data ?? [])).toEqual(png);
  expect(message?.attachments[0]).toMatchObject({ contentType: "image/png", description: chart.alt });
  expect(message?.components[0]).toMatchObject({ type: 12, items: [{ description: chart.alt }] });
});

it("is sent once, found by its key, and goes into threads and forums too", async () => {
  const since = side.clock.now();
  side.fake.trouble({ method: "POST", after: true, answer: { status: 502 } });
  await expect(attach(text)).rejects.toMatchObject({ fault: "uncertain" });
  const ref = await side.restarted().attach({ conversation: side.conversation }, text, "dl_1/1");
  expect(side.messages()).toHaveLength(1);
  expect(await side.restarted().find({ conversation: side.conversation }, "dl_1/1", since)).toEqual(ref);
  const root = await side.client.send({ conversation: side.conversation }, plainPage("Root"), "dl_2/0");
  const reply = await side.client.attach({ conversation: side.conversation, thread: root.message }, chart, "dl_2/1");
  expect(reply.thread).toBe(root.message);
  const forum = side.world.addChannel(side.conversation.workspace, kinds.forum);
  const post = await side.client.attach({ conversation: side.conversationOf(forum.id) }, chart, "dl_3/0");
  expect(side.messages(post.message)[0]?.attachments).toHaveLength(1);
});

it("for one person goes as a direct message", async () => {
  await side.client.attach({ conversation: side.conversation, onlyFor: side.person }, text, "dl_1/1");
  expect(side.messages()).toHaveLength(0);
  const direct = [...side.world.channels.values()].find(({ recipient }) => recipient === side.person.person);
  expect(direct?.messages[0]?.attachments).toHaveLength(1);
});

describe("where the file is refused, what it says goes as text", () => {
  const shown = () => JSON.stringify(side.messages()[0]?.components);

  it.each([
    [413, 40005],
    [400, 400001],
  ])("by Discord with %i and code %i", async (status, code) => {
    side.fake.trouble({ method: "POST", answer: { status, code } });
    await attach(chart);
    expect(shown()).toContain("Findings of a week");
    expect(side.messages()[0]?.attachments).toEqual([]);
  });

  it("by the channel's rights", async () => {
    side.world.deny(side.conversation.conversation, "AttachFiles");
    await attach(text);
    expect(shown()).toContain("Report");
    side.world.deny(side.conversation.conversation, "SendMessages");
    await expect(attach(text, "dl_1/2")).rejects.toMatchObject({
      fault: "forbidden",
      message: expect.stringContaining("Attach Files"),
    });
  });

  it("by its size, without asking", async () => {
    await attach({ ...text, text: "x".repeat(10 * 1024 * 1024 + 1) });
    expect(side.requests("POST")).toHaveLength(1);
    expect(shown()).toContain("xxx");
  });
});
