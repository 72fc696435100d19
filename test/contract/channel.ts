// What every channel must do, whatever its platform: the suite that each adapter runs, with its gaps declared as data.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConversationRef, MessageRef, PersonRef } from "../../src/core/delivery.ts";
import { type Channel, ChannelError, type ChannelFault } from "../../src/ports/channel.ts";
import { plainPage, type ScriptedInbox } from "../fakes/scripted-inbox.ts";

/** A message as people on the platform see it. */
export interface ShownMessage {
  readonly ref: MessageRef;
  readonly text: string;
  readonly visibility: "everyone" | "asker";
  readonly from: "person" | "bot";
}

/** A started channel on a platform (real, or a strict fake), and a look at the platform from the other side. */
export interface ChannelHarness {
  readonly channel: Channel;
  readonly inbox: ScriptedInbox;
  readonly conversation: ConversationRef;
  readonly person: PersonRef;
  /** Everything in the conversation, oldest first. */
  shown(): Promise<readonly ShownMessage[]>;
  /** A person says something, in a thread if one is named. Settles when the platform has its answer. */
  say(text: string, thread?: string): Promise<void>;
  /** The same inbound event once more, as platforms send it when an answer got lost. */
  sayAgain(): Promise<void>;
  press(ref: MessageRef, token: string): Promise<void>;
  /** Makes the platform unreachable, until the harness stops. */
  breakPlatform(): void;
  stop(): Promise<void>;
}

/** Tests that a platform cannot pass, each with the reason. */
export type ContractGaps = Partial<Record<ContractTest, string>>;

const contractTests = {
  once: "posts once for one key, and gives the same ref again",
  twoKeys: "posts twice for two keys",
  thread: "posts into the thread of a root message",
  privately: "shows a private message to the asker only",
  editing: "edits in place: same ref, no new message",
  editGone: "says that the message to edit is gone",
  threadGone: "says that the thread is gone",
  removing: "removes a message, and accepts that it is removed already",
  finding: "finds a sent message by its key, and knows when there is none",
  foreign: "rejects a conversation that is not its own",
  tooLarge: "says that a page is too large",
  broken: "says that a call on a broken platform is uncertain, never that it was done",
  command: "hands a command to the inbox without slash and name",
  reply: "shows the inbox's answer with its visibility",
  silence: "shows nothing where the inbox answers nothing",
  commandThread: "tells the thread that a command came in",
  repeated: "gives a repeated event the same id, and shows its answer once",
  action: "hands a button's token to the inbox with its message",
  permalink: "gives a web address for a message, or null",
  denied: "refuses what its capabilities deny",
  health: "is up when started and down when stopped",
} as const;

export type ContractTest = keyof typeof contractTests;

export function channelContract(
  name: string,
  makeHarness: () => Promise<ChannelHarness>,
  gaps: ContractGaps = {},
): void {
  describe(`channel contract: ${name}`, () => {
    let harness: ChannelHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.stop());

    for (const [key, title] of Object.entries(contractTests) as [ContractTest, string][]) {
      const gap = gaps[key];
      if (gap === undefined) it(title, () => bodies[key](harness));
      else it.skip(`${title} (not on ${name}: ${gap})`, () => undefined);
    }
  });
}

type Body = (harness: ChannelHarness) => Promise<void>;

async function expectFault(call: Promise<unknown>, ...faults: readonly ChannelFault[]): Promise<void> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ChannelError);
  expect(faults).toContain((thrown as ChannelError).fault);
}

async function botTexts(harness: ChannelHarness): Promise<readonly string[]> {
  return (await harness.shown()).filter(({ from }) => from === "bot").map(({ text }) => text);
}

const bodies: Readonly<Record<ContractTest, Body>> = {
  async once(harness) {
    const { channel, conversation } = harness;
    const first = await channel.send({ conversation }, plainPage("Hello"), "dl_1/0");
    const second = await channel.send({ conversation }, plainPage("Hello"), "dl_1/0");
    expect(second).toEqual(first);
    expect(first).toMatchObject(conversation);
    expect(await botTexts(harness)).toEqual(["Hello"]);
  },
  async twoKeys(harness) {
    const { channel, conversation } = harness;
    const first = await channel.send({ conversation }, plainPage("Same"), "dl_1/0");
    const second = await channel.send({ conversation }, plainPage("Same"), "dl_2/0");
    expect(second.message).not.toBe(first.message);
    expect(await botTexts(harness)).toEqual(["Same", "Same"]);
  },
  async thread({ channel, conversation, shown }) {
    const root = await channel.send({ conversation }, plainPage("Root"), "dl_1/0");
    const reply = await channel.send({ conversation, thread: root.message }, plainPage("Reply"), "dl_1/1");
    expect(root.thread).toBeUndefined();
    expect(reply.thread).toBe(root.message);
    expect((await shown()).find(({ text }) => text === "Reply")?.ref).toEqual(reply);
  },
  async privately({ channel, conversation, person, shown }) {
    await channel.send({ conversation, onlyFor: person }, plainPage("Psst"), "dl_1/0");
    await channel.send({ conversation }, plainPage("Hear"), "dl_2/0");
    const visibility = Object.fromEntries((await shown()).map((message) => [message.text, message.visibility]));
    expect(visibility).toEqual({ Psst: "asker", Hear: "everyone" });
  },
  async editing(harness) {
    const { channel, conversation } = harness;
    const ref = await channel.send({ conversation }, plainPage("Working"), "dl_1/0");
    await channel.edit(ref, plainPage("Done"));
    await channel.edit(ref, plainPage("Done"));
    expect(await botTexts(harness)).toEqual(["Done"]);
    expect((await harness.shown())[0]?.ref).toEqual(ref);
  },
  async editGone({ channel, conversation }) {
    const ref = await channel.send({ conversation }, plainPage("Short-lived"), "dl_1/0");
    await channel.remove(ref);
    await expectFault(channel.edit(ref, plainPage("Too late")), "gone");
  },
  async threadGone({ channel, conversation }) {
    const root = await channel.send({ conversation }, plainPage("Root"), "dl_1/0");
    await channel.remove(root);
    await expectFault(channel.send({ conversation, thread: root.message }, plainPage("Reply"), "dl_1/1"), "gone");
  },
  async removing(harness) {
    const { channel, conversation } = harness;
    const ref = await channel.send({ conversation }, plainPage("Oops"), "dl_1/0");
    await channel.remove(ref);
    await channel.remove(ref);
    expect(await botTexts(harness)).toEqual([]);
  },
  async finding({ channel, conversation, person }) {
    const ref = await channel.send({ conversation }, plainPage("Here"), "dl_1/0");
    const hidden = await channel.send({ conversation, onlyFor: person }, plainPage("Psst"), "dl_1/1");
    expect(await channel.find({ conversation }, "dl_1/0", 0)).toEqual(ref);
    expect(await channel.find({ conversation, onlyFor: person }, "dl_1/1", 0)).toEqual(hidden);
    expect(await channel.find({ conversation }, "dl_1", 0)).toBe("absent");
    expect(await channel.find({ conversation }, "dl_1/00", 0)).toBe("absent");
  },
  async foreign({ channel, conversation }) {
    const target = { conversation: { ...conversation, channel: "elsewhere" } };
    await expectFault(channel.send(target, plainPage("Lost"), "dl_1/0"), "rejected", "forbidden");
  },
  async tooLarge({ channel, conversation }) {
    const block = { kind: "code", text: "x".repeat(1024 * 1024) } as const;
    await expectFault(channel.send({ conversation }, plainPage("Vast", { blocks: [block] }), "dl_1/0"), "too_large");
  },
  async broken({ channel, conversation, breakPlatform }) {
    const ref = await channel.send({ conversation }, plainPage("Before"), "dl_1/0");
    breakPlatform();
    await expectFault(channel.send({ conversation }, plainPage("After"), "dl_2/0"), "uncertain", "not_sent");
    await expectFault(channel.edit(ref, plainPage("After")), "uncertain", "not_sent");
    const found = await channel.find({ conversation }, "dl_2/0", 0).catch((thrown: unknown) => thrown);
    expect(found === "unknown" || found instanceof ChannelError).toBe(true);
  },
  async command({ inbox, conversation, person, say }) {
    await say("/review demo HEAD");
    expect(inbox.commands).toHaveLength(1);
    expect(inbox.commands[0]).toMatchObject({ conversation, person, text: "demo HEAD" });
    expect(inbox.commands[0]?.eventId).toBeTruthy();
  },
  async reply({ say, shown }) {
    await say("/review answer me");
    const answer = (await shown()).find(({ from }) => from === "bot");
    expect(answer).toMatchObject({ text: "You said answer me", visibility: "asker" });
  },
  async silence(harness) {
    await harness.say("/review nothing");
    expect(await botTexts(harness)).toEqual([]);
  },
  async commandThread({ channel, conversation, inbox, say, shown }) {
    const root = await channel.send({ conversation }, plainPage("Root"), "dl_1/0");
    await say("/review answer here", root.message);
    expect(inbox.commands[0]?.thread).toBe(root.message);
    expect((await shown()).find(({ text }) => text === "You said answer here")?.ref.thread).toBe(root.message);
  },
  async repeated(harness) {
    await harness.say("/review answer once");
    await harness.sayAgain();
    expect(new Set(harness.inbox.commands.map(({ eventId }) => eventId)).size).toBe(1);
    expect(await botTexts(harness)).toEqual(["You said answer once"]);
  },
  async action({ channel, conversation, person, inbox, press }) {
    const ref = await channel.send({ conversation }, plainPage("Press"), "dl_1/0");
    await press(ref, "v1:abc123");
    expect(inbox.actions).toHaveLength(1);
    expect(inbox.actions[0]).toMatchObject({ conversation, person, token: "v1:abc123", message: ref });
  },
  async permalink({ channel, conversation }) {
    const ref = await channel.send({ conversation }, plainPage("Link"), "dl_1/0");
    const address = await channel.permalink(ref);
    if (address !== null) expect(["http:", "https:"]).toContain(new URL(address).protocol);
  },
  async denied({ channel, conversation, person }) {
    const { capabilities } = channel;
    const ref = await channel.send({ conversation }, plainPage("Plain"), "dl_1/0");
    const trigger = { conversation, person, eventId: "e", token: "v1:t", message: ref, values: {}, roles: [] };
    const file = { name: "report.md", mediaType: "text/markdown", text: "# Report" };
    const form = { title: "Why?", token: "v1:f", fields: [] };
    if (!capabilities.files) await expectFault(channel.attach({ conversation }, file, "dl_1/1"), "rejected");
    if (!capabilities.reactions) await expectFault(channel.react(ref, "seen"), "rejected");
    if (!capabilities.forms) await expectFault(channel.ask(trigger, form), "rejected");
  },
  async health({ channel }) {
    expect(channel.health().state).toBe("up");
    await channel.stop();
    expect(channel.health().state).not.toBe("up");
  },
};
