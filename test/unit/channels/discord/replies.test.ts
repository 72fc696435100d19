// What the core answers is shown once, by the way that is open, and what passes is waited out once.
import { describe, expect, it } from "vitest";
import { discordCapabilities } from "../../../../channels/discord/capabilities.ts";
import { createOpenInteractions, type OpenInteraction } from "../../../../channels/discord/open-interactions.ts";
import { createReplies } from "../../../../channels/discord/replies.ts";
import type { MessageRef, Target } from "../../../../src/core/delivery.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const conversation = { channel: "discord", workspace: "1", conversation: "2" };
const person = { channel: "discord", workspace: "1", person: "5" };
const ref: MessageRef = { ...conversation, message: "9" };
const asked = { eventId: "e1", actor: { conversation, person, thread: "7" } };

function rig(...outcomes: readonly (ChannelError | "expired")[]) {
  const clock = createFakeClock();
  const interactions = createOpenInteractions(clock);
  const calls: string[] = [];
  const targets: Target[] = [];
  let turn = 0;
  const replies = createReplies({
    client: {
      async answer(interaction, page) {
        calls.push(`answer ${page.card.title}`);
        const outcome = outcomes[turn++];
        if (outcome === "expired") return "expired";
        if (outcome !== undefined) throw outcome;
        interactions.takeOriginal(interaction.id);
        return ref;
      },
      async dropOriginal() {
        calls.push("drop");
      },
      async send(target, page, key) {
        calls.push(`send ${page.card.title} ${key}`);
        targets.push(target);
        return ref;
      },
    },
    limits: discordCapabilities.limits,
    interactions,
    clock,
    logger: silentLogger,
  });
  const open: OpenInteraction = { id: "1", token: "t", conversation, person, at: clock.now(), original: "private" };
  interactions.open(open);
  return { clock, replies, calls, targets, open };
}

const reply = (visibility: "asker" | "everyone") => ({ page: plainPage("Hello"), visibility });

describe("a reply", () => {
  it("to the asker fills what was deferred", async () => {
    const { replies, calls, open } = rig();
    await replies.show(reply("asker"), asked, open);
    expect(calls).toEqual(["answer Hello"]);
  });

  it("to the asker whose token is over is sent to them alone, under the event's key", async () => {
    const { replies, calls, targets, open } = rig("expired");
    await replies.show(reply("asker"), asked, open);
    expect(calls.slice(0, 2)).toEqual(["answer Hello", "send Hello reply/e1/0"]);
    expect(targets).toEqual([{ conversation, thread: "7", onlyFor: person }]);
  });

  it("to everybody is a message of the thread where it was asked, and the deferral goes", async () => {
    const { replies, calls, targets, open } = rig();
    await replies.show(reply("everyone"), asked, open);
    expect(calls).toEqual(["send Hello reply/e1/0", "drop"]);
    expect(targets).toEqual([{ conversation, thread: "7" }]);
  });

  it("of which there is none leaves nothing", async () => {
    const { replies, calls, open } = rig();
    await replies.show(null, asked, open);
    await replies.show({ page: null, visibility: "asker" }, asked, null);
    expect(calls).toEqual(["drop"]);
  });

  it.each([
    [new ChannelError("not_sent", "no network"), 1_000],
    [new ChannelError("rate_limited", "slowly", { retryAfterMs: 4_000 }), 4_000],
  ])("that Discord did not take is tried once more: %s", async (fault, waitMs) => {
    const { replies, calls, open, clock } = rig(fault);
    const showing = replies.show(reply("asker"), asked, open);
    await clock.advanceAsync(waitMs - 1);
    expect(calls).toHaveLength(1);
    await clock.advanceAsync(1);
    await showing;
    expect(calls).toEqual(["answer Hello", "answer Hello"]);
  });

  it.each([
    new ChannelError("uncertain", "lost"),
    new ChannelError("rejected", "no"),
    new ChannelError("rate_limited", "much later", { retryAfterMs: 60_000 }),
  ])("that may stand there already, or will never, is not repeated, and nobody crashes: %s", async (fault) => {
    const { replies, calls, open } = rig(fault);
    await replies.show(reply("asker"), asked, open);
    expect(calls.filter((call) => call.startsWith("answer"))).toHaveLength(1);
  });
});
