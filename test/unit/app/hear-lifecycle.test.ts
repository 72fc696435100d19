// What happens to conversations decides where something may be sent.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHearLifecycle, type HearLifecycle } from "../../../src/app/hear-lifecycle.ts";
import type { ConversationRef } from "../../../src/core/delivery.ts";
import type { ConversationEvent } from "../../../src/ports/channel.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../../fakes/temp-store.ts";

const general: ConversationRef = { channel: "slack", workspace: "T1", conversation: "C1" };
const random: ConversationRef = { channel: "slack", workspace: "T1", conversation: "C2" };

describe("the life of conversations", () => {
  let temp: TempStore;
  let hear: HearLifecycle;
  beforeEach(async () => {
    temp = await createTempStore();
    hear = createHearLifecycle({ store: temp.store, clock: createFakeClock(), logger: silentLogger });
  });
  afterEach(() => temp.remove());

  const paused = (conversation: ConversationRef) => temp.store.isPaused(conversation);
  const tell = (kind: ConversationEvent["kind"], conversation = general) => hear({ kind, conversation });

  it.each([
    ["left", "joined"],
    ["archived", "unarchived"],
  ] as const)("pauses what it %s, until it is %s", async (away, back) => {
    await tell(away);
    expect(await paused(general)).toBe(true);
    await tell(back);
    expect(await paused(general)).toBe(false);
  });

  it("does not take a new name for a way back", async () => {
    await tell("archived");
    await hear({ kind: "renamed", conversation: general, name: "old-general" });
    expect(await paused(general)).toBe(true);
  });

  it("pauses a whole workspace that removed the bot, and brings back all but those with reasons of their own", async () => {
    await tell("joined", general);
    await tell("archived", random);
    await hear({ kind: "uninstalled", channel: "slack", workspace: "T1" });
    expect([await paused(general), await paused(random)]).toEqual([true, true]);
    await hear({ kind: "installed", channel: "slack", workspace: "T1" });
    expect([await paused(general), await paused(random)]).toEqual([false, true]);
  });
});
