// What one process remembers of what it sent: by place and key, until it is removed or far too old.
import { describe, expect, it } from "vitest";
import { createSentMessages } from "../../../../channels/slack/sent-messages.ts";
import type { MessageRef } from "../../../../src/core/delivery.ts";

const place = { channel: "slack", workspace: "T1", conversation: "C1" };
const ref = (message: string): MessageRef => ({ ...place, message });

describe("sent messages", () => {
  it("keep places and keys apart, however these are written", async () => {
    const sent = createSentMessages();
    await sent.once(place, "a", async () => ({ ref: ref("1") }));
    await sent.once({ ...place, conversation: "C2" }, "a", async () => ({ ref: ref("2") }));
    expect(await sent.find(place, "a")).toEqual(ref("1"));
    expect(await sent.find({ ...place, conversation: "C2" }, "a")).toEqual(ref("2"));
    expect(await sent.find({ ...place, conversation: 'C1","a' }, "")).toBeNull();
  });

  it("forget what failed, and what was removed", async () => {
    const sent = createSentMessages();
    await expect(sent.once(place, "a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await sent.find(place, "a")).toBeNull();
    await sent.once(place, "a", async () => ({ ref: ref("1"), isEphemeral: true }));
    expect(sent.isEphemeral(ref("1"))).toBe(true);
    sent.forget(ref("1"));
    expect(sent.isEphemeral(ref("1"))).toBe(false);
    expect(await sent.find(place, "a")).toBeNull();
  });

  it("tell nothing of what is still failing", async () => {
    const sent = createSentMessages();
    let fail = (_: Error): void => undefined;
    const failing = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const first = sent.once(place, "a", () => failing);
    const found = sent.find(place, "a");
    fail(new Error("no"));
    await expect(first).rejects.toThrow("no");
    expect(await found).toBeNull();
  });

  it("are two thousand at most", async () => {
    const sent = createSentMessages();
    for (let count = 0; count <= 2_000; count += 1) {
      await sent.once(place, `k${count}`, async () => ({ ref: ref(String(count)) }));
    }
    expect(await sent.find(place, "k0")).toBeNull();
    expect(await sent.find(place, "k1")).toEqual(ref("1"));
  });
});
