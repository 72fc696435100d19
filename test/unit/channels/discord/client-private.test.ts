// What only one person may see: through an interaction while its token answers, then as a direct message, never in public.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenInteraction } from "../../../../channels/discord/open-interactions.ts";
import type { Page } from "../../../../src/core/card.ts";
import { type SendingSide, startSendingSide } from "../../../fakes/discord/sending-side.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let side: SendingSide;
beforeEach(async () => {
  side = await startSendingSide();
});
afterEach(() => side.stop());

/** A command that was deferred. */
async function deferred(isPrivate = true): Promise<OpenInteraction> {
  const { world, client, interactions, conversation, person, clock } = side;
  const about = { type: 2, channel: conversation.conversation, user: person.person } as const;
  const { id, token } = world.openInteraction(about);
  expect(await client.acknowledge({ id, token }, { kind: "defer", isPrivate })).toBe("done");
  const original = isPrivate ? "private" : "public";
  const open: OpenInteraction = { id, token, conversation, person, at: clock.now(), original };
  interactions.open(open);
  return open;
}

const privately = (page: Page, key: string) =>
  side.client.send({ conversation: side.conversation, onlyFor: side.person }, page, key);
const shownTo = () => side.messages().map(({ onlyFor }) => onlyFor ?? "everyone");
const text = (index: number) => JSON.stringify(side.messages()[index]?.components);
const direct = () => [...side.world.channels.values()].find(({ recipient }) => recipient === side.person.person);

describe("through an interaction", () => {
  it("fills the deferral first, then follows up, and edits both", async () => {
    await deferred();
    const first = await privately(plainPage("Accepted"), "rv_1/progress");
    const second = await privately(plainPage("And"), "dl_1/0");
    expect(shownTo()).toEqual([side.person.person, side.person.person]);
    await side.client.edit(first, plainPage("Reviewing"));
    await side.client.edit(second, plainPage("Done"));
    expect(text(0)).toContain("Reviewing");
    expect(text(1)).toContain("Done");
    expect(first).toEqual({ ...side.conversation, message: side.messages()[0]?.id });
    expect(await side.client.permalink(first)).toBeNull();
    await side.client.remove(second);
    expect(side.messages()).toHaveLength(1);
  });

  it("never makes a private answer public where the deferral was", async () => {
    const open = await deferred(false);
    await privately(plainPage("Psst"), "dl_1/0");
    expect(direct()?.messages).toHaveLength(1);
    expect(await side.client.answer(open, plainPage("Hear"), false)).toMatchObject(side.conversation);
    expect(text(0)).toContain("Hear");
    await privately(plainPage("Psst again"), "dl_1/1");
    expect(shownTo()).toEqual(["everyone", side.person.person]);
  });

  it("does not overwrite the card whose button was pressed", async () => {
    const card = await side.client.send({ conversation: side.conversation }, plainPage("Card"), "dl_1/0");
    const about = { type: 3, channel: side.conversation.conversation, user: side.person.person } as const;
    const { id, token } = side.world.openInteraction({ ...about, message: card.message });
    expect(await side.client.acknowledge({ id, token }, { kind: "defer_update" })).toBe("done");
    const { conversation, person, clock } = side;
    side.interactions.open({ id, token, conversation, person, at: clock.now(), original: "none" });
    await privately(plainPage("Muted"), "action/1");
    expect(text(0)).toContain("Card");
    expect(shownTo()).toEqual(["everyone", side.person.person]);
  });

  it("takes away a deferral that nothing fills, and leaves one that is filled", async () => {
    await side.client.dropOriginal(await deferred());
    expect(side.messages()).toHaveLength(0);
    const open = await deferred();
    await privately(plainPage("Answer"), "dl_1/0");
    await side.client.dropOriginal(open);
    expect(side.messages()).toHaveLength(1);
  });

  it("fills the deferral again when nobody knows whether it was filled", async () => {
    await deferred();
    side.fake.trouble({ method: "PATCH", after: true, answer: { status: 502 } });
    await expect(privately(plainPage("Answer"), "dl_1/0")).rejects.toMatchObject({ fault: "uncertain" });
    const target = { conversation: side.conversation, onlyFor: side.person };
    expect(await side.client.find(target, "dl_1/0", side.clock.now())).toBe("absent");
    await privately(plainPage("Answer"), "dl_1/0");
    expect(side.messages()).toHaveLength(1);
  });

  it("cannot tell of a follow-up whose answer was lost", async () => {
    await deferred();
    await privately(plainPage("First"), "dl_1/0");
    side.fake.trouble({ method: "POST", after: true, answer: { status: 502 } });
    await expect(privately(plainPage("Second"), "dl_1/1")).rejects.toMatchObject({ fault: "uncertain" });
    const target = { conversation: side.conversation, onlyFor: side.person };
    expect(await side.client.find(target, "dl_1/1", side.clock.now())).toBe("unknown");
  });
});

describe("when the token is over", () => {
  it("goes on as a direct message after a quarter of an hour, with buttons that know their conversation", async () => {
    await deferred();
    side.clock.advance(15 * 60_000);
    const actions = [{ label: "Re-run", token: "v1:abc", style: "default" } as const];
    const ref = await privately(plainPage("Clean", { blocks: [{ kind: "actions", actions }] }), "dl_1/0");
    expect(ref).toMatchObject({ channel: "discord", workspace: "@me", conversation: direct()?.id });
    const { workspace, conversation } = side.conversation;
    expect(JSON.stringify(direct()?.messages[0]?.components)).toContain(`"v1:abc@${workspace}.${conversation}"`);
    await side.client.edit(ref, plainPage("Edited"));
    expect(JSON.stringify(direct()?.messages[0]?.components)).toContain("Edited");
    expect(await side.client.permalink(ref)).toBe(
      `https://discord.com/channels/@me/${ref.conversation}/${ref.message}`,
    );
  });

  it.each([50027, 10015])("goes on as a direct message when Discord says so first (%i)", async (code) => {
    const open = await deferred();
    side.fake.trouble({ path: /^\/webhooks/, answer: { status: code === 50027 ? 401 : 404, code } });
    await privately(plainPage("Answer"), "dl_1/0");
    expect(direct()?.messages).toHaveLength(1);
    // Nothing more goes through it, and the bot's own token is not doubted.
    expect(side.interactions.newestOf(side.conversation, side.person)).toBeNull();
    expect(await side.client.answer(open, plainPage("More"), true).catch(() => "thrown")).not.toBe("thrown");
    await side.client.send({ conversation: side.conversation }, plainPage("Public"), "dl_2/0");
  });

  it.each([50027, 10015])("an edit says that the message is gone (%i)", async (code) => {
    await deferred();
    const ref = await privately(plainPage("Working"), "dl_1/0");
    side.fake.trouble({ path: /^\/webhooks/, answer: { status: 404, code } });
    await expect(side.client.edit(ref, plainPage("Done"))).rejects.toMatchObject({ fault: "gone" });
    await expect(side.client.edit(ref, plainPage("Done"))).rejects.toMatchObject({ fault: "gone" });
    await side.client.remove(ref);
  });

  it("a private message of before a restart is gone for the new process", async () => {
    await deferred();
    const ref = await privately(plainPage("Working"), "dl_1/0");
    await expect(side.restarted().edit(ref, plainPage("Done"))).rejects.toMatchObject({ fault: "gone" });
  });
});

describe("a direct message", () => {
  it("to who takes none is forbidden, and is not shown in public instead (50007)", async () => {
    side.world.closedTo.add(side.person.person);
    await expect(privately(plainPage("Psst"), "dl_1/0")).rejects.toMatchObject({ fault: "forbidden" });
    expect(side.messages()).toHaveLength(0);
  });

  it("is where a conversation that is a person's leads, with answers to its roots", async () => {
    const conversation = { ...side.conversation, conversation: side.person.person };
    const root = await side.client.send({ conversation, onlyFor: side.person }, plainPage("Notice"), "dl_1/0");
    const target = { conversation, onlyFor: side.person, thread: root.message };
    await side.client.send(target, plainPage("More"), "dl_1/1");
    expect(direct()?.messages[1]?.reference).toBe(root.message);
  });

  it("is found by its key after a restart only where no interaction may have carried it", async () => {
    const target = { conversation: side.conversation, onlyFor: side.person };
    const before = side.clock.now() - 1;
    const ref = await privately(plainPage("Psst"), "dl_1/0");
    const restarted = side.restarted();
    expect(await restarted.find(target, "dl_1/0", side.clock.now())).toEqual(ref);
    expect(await restarted.find(target, "dl_1/9", side.clock.now())).toBe("absent");
    expect(await restarted.find(target, "dl_1/9", before)).toBe("unknown");
  });
});

describe("acknowledgements", () => {
  it("tell what came too late (10062) and what was answered already (40060)", async () => {
    const { world, client, clock, conversation, person } = side;
    const about = { type: 2, channel: conversation.conversation, user: person.person } as const;
    const late = world.openInteraction(about);
    clock.advance(3_001);
    expect(await client.acknowledge(late, { kind: "defer", isPrivate: true })).toBe("too_late");
    const twice = world.openInteraction(about);
    expect(await client.acknowledge(twice, { kind: "defer", isPrivate: true })).toBe("done");
    expect(await client.acknowledge(twice, { kind: "defer", isPrivate: true })).toBe("already");
  });

  it("carry choices and forms", async () => {
    const { world, client, conversation, person } = side;
    const about = { channel: conversation.conversation, user: person.person } as const;
    const asked = world.openInteraction({ ...about, type: 4 });
    await client.acknowledge(asked, { kind: "choices", choices: [{ name: "demo", value: "demo" }] });
    expect(world.interactions.get(asked.id)?.answer).toMatchObject({ type: 8 });
    const pressed = world.openInteraction({ ...about, type: 3 });
    const field = { name: "reason", label: "Why?\n".repeat(20), multiline: true, required: true };
    const form = { title: "Dismiss ".repeat(20), token: "v1:abc", fields: [field] };
    const origin = { guild: conversation.workspace, channel: conversation.conversation };
    await client.acknowledge(pressed, { kind: "form", form, origin });
    expect(world.interactions.get(pressed.id)?.answer).toMatchObject({
      type: 9,
      data: { custom_id: `v1:abc@${origin.guild}.${origin.channel}` },
    });
    const none = { ...form, fields: [] };
    await expect(client.acknowledge(pressed, { kind: "form", form: none })).rejects.toMatchObject({
      fault: "rejected",
    });
  });

  it("throw for every other refusal", async () => {
    side.fake.trouble({ path: /callback/, answer: { status: 500 } });
    await expect(side.client.acknowledge({ id: "1", token: "t" }, { kind: "defer_update" })).rejects.toMatchObject({
      fault: "uncertain",
    });
  });
});

describe("commands", () => {
  const command = { name: "review", description: "Review a change", type: 1 };

  it("are replaced and read, for all servers and for one", async () => {
    const { client, conversation } = side;
    expect(await client.replaceCommands([command])).toBe("done");
    expect(await client.replaceCommands([command], conversation.workspace)).toBe("done");
    expect(await client.commands()).toMatchObject([command]);
    expect(await client.commands(conversation.workspace)).toMatchObject([command]);
  });

  it.each([30032, 30034])("over Discord's limit are left for the next start (%i)", async (code) => {
    side.fake.trouble({ method: "PUT", answer: { status: code === 30034 ? 429 : 400, code, retryAfter: 3_600 } });
    expect(await side.client.replaceCommands([command])).toBe("over_limit");
    expect(side.requests("PUT")).toHaveLength(1);
  });
});
