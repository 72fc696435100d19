// Digests against the real store: each slot once over restarts and clocks that jump, one catch-up, and nothing about nothing.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMakeDigest } from "../../../src/app/make-digest.ts";
import { createSendDigests, type SendDigests } from "../../../src/app/send-digest.ts";
import { readableText } from "../../../src/cards/readable-text.ts";
import { noFilters, type Subscription } from "../../../src/core/subscription.ts";
import { dueSlots } from "../../../src/schedule/due-slots.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { delivery, finding, problem, reviewed } from "../../contract/store-samples.ts";
import { fakeConversation } from "../../fakes/fake-channel.ts";
import { createFixedIds } from "../../fakes/fixed-ids.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../../fakes/temp-store.ts";

const HOUR = 3_600_000;
const at = (iso: string): number => Date.parse(iso);
const subscription: Subscription = {
  id: "sb_1",
  conversation: fakeConversation,
  repository: "demo",
  filters: noFilters,
  mode: "report",
  severity: "info",
  digest: "0 9 * * *",
  timeZone: "Europe/Berlin",
  locale: "en",
  origin: "command",
};

describe("createSendDigests", () => {
  let temp: TempStore;
  let now = 0;
  let ids = createFixedIds();
  let send: SendDigests;

  beforeEach(async () => {
    temp = await createTempStore();
    ids = createFixedIds();
    restart();
  });
  afterEach(() => temp.remove());

  function restart(): void {
    send = createSendDigests({
      store: temp.store,
      subscriptions: { of: async () => [subscription] },
      repositories: ["demo"],
      dueSlots,
      restrain: async () => ({}),
      clock: { now: () => now, monotonic: () => now, after: () => () => {} },
      ids,
      logger: silentLogger,
      wake: () => {},
    });
  }

  /** Something to tell of, at a time. */
  const happens = (time: string, fingerprint: string) =>
    reviewed(temp.store, { now: at(time) }, { findings: [finding(fingerprint)], now: at(time) });
  const owed = async (): Promise<number> => (await temp.store.queue(now)).undelivered;
  const tick = async (time: string): Promise<void> => {
    now = at(time);
    await send();
  };

  it("owes each slot once, whatever is restarted and however often it is asked", async () => {
    await happens("2026-06-01T12:00:00Z", "f1");
    await tick("2026-06-02T06:59:00Z");
    expect(await owed()).toBe(0);
    await tick("2026-06-02T07:00:00Z");
    await tick("2026-06-02T07:00:30Z");
    restart();
    await tick("2026-06-02T07:01:00Z");
    await Promise.all([send(), send()]);
    expect(await owed()).toBe(1);
  });

  it("says nothing twice when the clock is set back, and nothing is lost when it jumps on", async () => {
    await happens("2026-06-01T12:00:00Z", "f1");
    await tick("2026-06-02T07:00:00Z");
    await tick("2026-06-02T06:00:00Z");
    await tick("2026-06-02T07:00:00Z");
    expect(await owed()).toBe(1);
    await happens("2026-06-02T12:00:00Z", "f2");
    await tick("2026-06-03T10:00:00Z");
    expect(await owed()).toBe(2);
  });

  it("catches up within six hours, and notes as skipped what is older; the next one tells of it all", async () => {
    await happens("2026-06-01T12:00:00Z", "f1");
    await tick("2026-06-02T13:00:00Z");
    expect(await owed()).toBe(1);
    await happens("2026-06-02T14:00:00Z", "f2");
    await tick("2026-06-03T13:01:00Z");
    expect(await owed()).toBe(1);
    expect(await temp.store.lastDigestSlot("sb_1")).toMatchObject({
      slot: "2026-06-03 09:00",
      reportedTo: at("2026-06-02T07:00:00Z"),
    });
    await tick("2026-06-04T07:00:00Z");
    expect(await owed()).toBe(2);
    await temp.store.claimDelivery({ token: "t", leaseMs: HOUR, now });
  });

  it("is silent about a window in which nothing happened", async () => {
    await tick("2026-06-02T07:00:00Z");
    expect(await owed()).toBe(0);
    expect(await temp.store.lastDigestSlot("sb_1")).toMatchObject({ slot: "2026-06-02 09:00" });
  });

  it("is one card: counts, reasons of silence, the gravest with their threads, and the window before", async () => {
    const [from, to] = [at("2026-06-01T00:00:00Z"), at("2026-06-08T00:00:00Z")];
    await happens("2026-05-28T12:00:00Z", "old");
    const silent = delivery({ target: { conversation: fakeConversation }, reason: "no_problems_suppressed" });
    await reviewed(temp.store, { now: at("2026-06-02T12:00:00Z") }, { deliveries: [silent] });
    await reviewed(
      temp.store,
      { now: at("2026-06-03T12:00:00Z") },
      {
        result: { status: "reported", report: { outcome: "reported", problems: [problem("f1")], summaries: [] } },
        findings: [finding("f1", { severity: "critical", line: 3, title: "Null *here* <!channel>" })],
        now: at("2026-06-03T12:00:00Z"),
      },
    );
    await reviewed(
      temp.store,
      { now: at("2026-06-04T12:00:00Z") },
      { findings: [finding("old", { status: "resolved" })], now: at("2026-06-04T12:00:00Z") },
    );
    const make = createMakeDigest({ store: temp.store, texts: createTexts(), permalink: async () => null });
    const asked = { conversation: fakeConversation, repositories: ["demo"], from, to, locale: "en", timeZone: "UTC" };
    const { card } = await make(asked);
    const text = readableText(card);
    expect(card.title).toBe("Digest of demo");
    expect(text).toMatch(/Reviews\W+3, .*no problems: 2/);
    expect(text).toMatch(/Silent\W+1 × no problems/);
    expect(text).toMatch(/New findings\W+1 critical/);
    expect(text).toMatch(/Resolved\W+1 high/);
    expect(text).toMatch(/The window before\W+1 review, 1 new, 0 resolved/);
    expect(text).toContain("src/a.ts:3");
    // CONTRACT E15
    expect(text).not.toContain("<!channel>");
    expect(card.tone).toBe("danger");
  });
});
