// Contract of buttons: stored with their message, found by their token with everything that it takes to act.
import { expect, test } from "vitest";
import { ACTION_LIFE_MS, type PlannedAction } from "../../src/core/action.ts";
import type { Store } from "../../src/ports/store.ts";
import {
  asker,
  claimedDelivery,
  delivery,
  finding,
  messageRef,
  minute,
  place,
  reviewed,
  start,
} from "./store-samples.ts";

const t = start + minute;
const dismiss: PlannedAction = { token: "v1:dismiss", kind: "dismiss", fingerprint: "f1" };
const mute: PlannedAction = { token: "v1:mute", kind: "mute_kind", fingerprint: "f1", category: "style" };

export function actionsContract(store: () => Store): void {
  test("a button is found with its message, its conversation and its neighbours", async () => {
    const review = await reviewed(store(), {}, { deliveries: [delivery()], now: start });
    const { delivery: owed, token } = await claimedDelivery(store());
    const message = { key: `${owed.id}/0`, role: "root", page: '{"n":0}', actions: [dismiss, mute] } as const;
    await store().planMessages({ delivery: owed.id, token, messages: [message], now: t });
    const found = {
      ...dismiss,
      conversation: place,
      review,
      repository: "demo",
      locale: "en",
      message: `${owed.id}/0`,
      page: '{"n":0}',
      siblings: [dismiss, mute],
      expiresAt: t + ACTION_LIFE_MS,
    };
    expect(await store().action("v1:dismiss")).toEqual(found);
    const ref = messageRef("m1");
    await store().markSending({ message: message.key, token, now: t });
    await store().settleMessage({ message: message.key, token, state: "sent", ref, now: t });
    expect(await store().action("v1:dismiss")).toEqual({ ...found, ref });
    expect(await store().action("v1:other")).toBeNull();
  });

  test("a finding's newest card is found by one of its buttons, in the conversation that shows it", async () => {
    await reviewed(store(), {}, { deliveries: [delivery()], now: start });
    const about = { conversation: place, repository: "demo", fingerprint: "f1" };
    const { delivery: owed, token } = await claimedDelivery(store());
    const first = { key: `${owed.id}/0`, role: "thread", page: "{}", fingerprint: "f1" } as const;
    const last = { key: `${owed.id}/1`, role: "thread", page: "{}", actions: [dismiss, mute] } as const;
    await store().planMessages({ delivery: owed.id, token, messages: [first, last], now: t });
    expect(await store().actionOnCard(about)).toBeNull();
    for (const [{ key }, id] of [[first, "m1"] as const, [last, "m2"] as const]) {
      await store().markSending({ message: key, token, now: t });
      await store().settleMessage({ message: key, token, state: "sent", ref: messageRef(id), now: t });
    }
    const shown = await store().actionOnCard(about);
    expect(shown).toMatchObject({ message: last.key, ref: messageRef("m2"), siblings: [dismiss, mute] });
    expect(await store().actionOnCard({ ...about, conversation: { ...place, conversation: "other" } })).toBeNull();
    expect(await store().actionOnCard({ ...about, repository: "other" })).toBeNull();
    expect(await store().actionOnCard({ ...about, fingerprint: "f2" })).toBeNull();
  });

  test("a page that replaces an unsent one brings its own buttons, and the old ones are gone", async () => {
    await reviewed(store(), {}, { deliveries: [delivery()], now: start });
    const { delivery: owed, token } = await claimedDelivery(store());
    const page = { key: `${owed.id}/0`, role: "root", page: "{}" } as const;
    const plan = { delivery: owed.id, token, now: t };
    await store().planMessages({ ...plan, messages: [{ ...page, actions: [dismiss] }] });
    await store().replanMessages({ ...plan, messages: [{ ...page, actions: [mute] }] });
    expect(await store().action("v1:dismiss")).toBeNull();
    expect(await store().action("v1:mute")).toMatchObject({ kind: "mute_kind", siblings: [mute] });
  });

  test("each person has seen a finding once", async () => {
    const update = finding("f1");
    await reviewed(store(), {}, { findings: [update] });
    const { person } = asker;
    const other = { channel: "slack", workspace: "T1", person: "U2" };
    const note = { finding: update.id, by: person, now: t };
    expect(await store().acknowledgeFinding(note)).toBe("acknowledged");
    expect(await store().acknowledgeFinding({ ...note, by: other, now: t + 1 })).toBe("acknowledged");
    expect(await store().acknowledgeFinding({ ...note, now: t + 2 })).toBe("already");
    expect(await store().acknowledgementsOf(update.id)).toEqual([person, other]);
    expect(await store().acknowledgeFinding({ ...note, finding: "fd_none" })).toBe("unknown");
  });

  test("a muted kind is one conversation's and one repository's, and ends by itself", async () => {
    const one = { conversation: place, repository: "demo", category: "style", until: t + minute, by: "Ada" };
    expect(await store().muteKind(one, t)).toBe("muted");
    expect(await store().muteKind({ ...one, until: t + 2 * minute, by: "Bob" }, t)).toBe("already");
    expect(await store().kindMutes(place, "demo", t)).toEqual([one]);
    expect(await store().kindMutes({ ...place, conversation: "other" }, "demo", t)).toEqual([]);
    expect(await store().kindMutes(place, "other", t)).toEqual([]);
    expect(await store().kindMutes(place, "demo", t + minute)).toEqual([]);
    expect(await store().muteKind({ ...one, until: t + 3 * minute }, t + minute)).toBe("muted");
  });
}
