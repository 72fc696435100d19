// Contract of the outbox: ordered lanes, messages planned once, every step under the lease's token.
import { expect, test } from "vitest";
import type { PlannedDelivery } from "../../src/core/delivery.ts";
import type { DeliveryId, MessageKey } from "../../src/core/ids.ts";
import type { ClaimedDelivery, PlannedMessage, Store } from "../../src/ports/store.ts";
import {
  asker,
  claimedDelivery,
  claimNext,
  delivery,
  messageRef,
  minute,
  otherPlace,
  place,
  reviewed,
  start,
} from "./store-samples.ts";

const t = start + minute;

function page(delivery: DeliveryId, number: number, extra: Partial<PlannedMessage> = {}): PlannedMessage {
  const key: MessageKey = `${delivery}/${number}`;
  return { key, role: number === 0 ? "root" : "thread", page: `{"n":${number}}`, ...extra };
}

export function outboxContract(store: () => Store): void {
  const owe = async (deliveries: readonly PlannedDelivery[], repository = "demo") =>
    reviewed(store(), { repository }, { deliveries, now: start });
  const settle = (held: ClaimedDelivery, state: "sent" | "dead" | "unknown" | "pending", dueAt?: number) =>
    store().settleDelivery({
      delivery: held.delivery.id,
      token: held.token,
      state,
      ...(dueAt === undefined ? {} : { dueAt }),
      now: t,
    });
  const send = async (held: ClaimedDelivery, messages: readonly PlannedMessage[], ids: readonly string[], now = t) => {
    const { token } = held;
    expect(await store().planMessages({ delivery: held.delivery.id, token, messages, now })).toBe(true);
    for (const [index, { key: message }] of messages.entries()) {
      expect(await store().markSending({ message, token, now })).toBe(true);
      const ref = messageRef(ids[index] ?? "m", held.delivery.target.conversation);
      expect(
        await store().settleMessage({
          message,
          token,
          state: "sent",
          ref: { ...ref, message: ids[index] ?? "m" },
          now,
        }),
      ).toBe(true);
    }
    expect(await settle(held, "sent")).toBe(true);
  };

  test("a delivery comes back as it was planned", async () => {
    const full = delivery({
      kind: "answer",
      target: { conversation: place, thread: "th", onlyFor: asker.person },
      facts: { fresh: ["a"], stillOpen: [], resolved: ["b"], belowFloor: 2, editOnly: true },
    });
    const review = await owe([full]);
    const held = await claimedDelivery(store());
    const { token } = held;
    const owed = { ...full, review };
    expect(held).toEqual({ delivery: owed, token, attempt: 1, createdAt: start, messages: [] });
    expect(await store().deliveriesOf(review)).toEqual([{ ...owed, state: "pending" }]);
  });

  test("one conversation's deliveries go out in order, the others do not wait for it", async () => {
    const [a1, a2, b1] = [delivery(), delivery(), delivery({ target: { conversation: otherPlace } })] as const;
    await owe([a1, a2, b1]);
    expect((await store().queue(t)).undelivered).toBe(3);
    const first = await claimedDelivery(store());
    expect(first.delivery.id).toBe(a1.id);
    const other = await claimedDelivery(store());
    expect(other.delivery.id).toBe(b1.id);
    expect(await claimNext(store())).toBeNull();
    expect(await settle(first, "pending", t + 10)).toBe(true);
    expect(await claimNext(store(), t + 9)).toBeNull();
    const again = await claimedDelivery(store(), t + 10);
    expect(again).toMatchObject({ attempt: 2, delivery: { id: a1.id } });
    expect(await settle(again, "dead")).toBe(true);
    expect((await claimedDelivery(store())).delivery.id).toBe(a2.id);
    expect((await store().queue(t)).undelivered).toBe(2);
  });

  test("lanes are told apart by columns, not by a joined text", async () => {
    const odd = { channel: "slack", workspace: "T1:C/1", conversation: "x" };
    const even = { channel: "slack", workspace: "T1", conversation: "C/1:x" };
    await owe([delivery({ target: { conversation: odd } }), delivery({ target: { conversation: even } })]);
    expect(await claimNext(store())).not.toBeNull();
    expect(await claimNext(store())).not.toBeNull();
  });

  test("suppressed deliveries are kept with their reason and never claimed", async () => {
    const silent = delivery({ reason: "no_problems_suppressed" });
    const loud = delivery();
    const review = await owe([silent, loud]);
    expect((await claimedDelivery(store())).delivery.id).toBe(loud.id);
    expect(await claimNext(store())).toBeNull();
    expect((await store().queue(t)).undelivered).toBe(1);
    expect(await store().deliveriesOf(review)).toEqual([
      { ...silent, review, state: "suppressed" },
      { ...loud, review, state: "pending" },
    ]);
  });

  test("messages are planned once", async () => {
    await owe([delivery()]);
    const held = await claimedDelivery(store());
    const id = held.delivery.id;
    const plan = { delivery: id, token: held.token, now: t };
    expect(await store().planMessages({ ...plan, token: "stale", messages: [page(id, 0)] })).toBe(false);
    expect(await store().planMessages({ ...plan, messages: [page(id, 0), page(id, 1)] })).toBe(true);
    expect(await store().planMessages({ ...plan, messages: [page(id, 0), page(id, 2)] })).toBe(false);
    await expect(store().planMessages({ ...plan, token: "x", messages: [] })).resolves.toBe(false);
    await settle(held, "pending");
    const again = await claimedDelivery(store());
    expect(again.messages.map(({ key }) => key)).toEqual([`${id}/0`, `${id}/1`]);
    expect(await store().planMessages({ ...plan, token: again.token, messages: [page(id, 3)] })).toBe(false);
  });

  test("a plan of pages beyond ten keeps their order", async () => {
    await owe([delivery()]);
    const held = await claimedDelivery(store());
    const id = held.delivery.id;
    const messages = Array.from({ length: 12 }, (_, number) => page(id, number));
    await store().planMessages({ delivery: id, token: held.token, messages, now: t });
    await settle(held, "pending");
    expect((await claimedDelivery(store())).messages.map(({ key }) => key)).toEqual(messages.map(({ key }) => key));
  });

  test("a message of another delivery is refused, and nothing of the plan is kept", async () => {
    await owe([delivery()]);
    const held = await claimedDelivery(store());
    const id = held.delivery.id;
    const foreign = { delivery: id, token: held.token, now: t, messages: [page(id, 0), page("dl_other", 1)] };
    await expect(store().planMessages(foreign)).rejects.toMatchObject({ name: "AppError" });
    expect(await store().planMessages({ ...foreign, messages: [page(id, 0)] })).toBe(true);
  });

  test("after a crash a delivery found in sending comes back with its messages as they stand", async () => {
    await owe([delivery()]);
    const held = await claimedDelivery(store());
    const id = held.delivery.id;
    const { token } = held;
    const edits = messageRef("old", { thread: "th" });
    const messages = [page(id, 0, { edits }), page(id, 1, { fingerprint: "f1" })];
    await store().planMessages({ delivery: id, token, messages, now: t });
    const ref = messageRef("m0", { thread: "th" });
    expect(await store().markSending({ message: `${id}/0`, token, now: t + 1 })).toBe(true);
    expect(await store().settleMessage({ message: `${id}/0`, token, state: "sent", ref, now: t + 2 })).toBe(true);
    expect(await store().markSending({ message: `${id}/1`, token, now: t + 3 })).toBe(true);
    expect(await claimNext(store(), t + minute - 1)).toBeNull();
    const after = await claimedDelivery(store(), t + minute);
    expect(after.attempt).toBe(2);
    expect(after.messages).toEqual([
      {
        key: `${id}/0`,
        delivery: id,
        role: "root",
        state: "sent",
        page: '{"n":0}',
        edits,
        ref,
        attempts: 1,
        firstTriedAt: t + 1,
        lastTriedAt: t + 1,
      },
      {
        key: `${id}/1`,
        delivery: id,
        role: "thread",
        state: "sending",
        page: '{"n":1}',
        attempts: 1,
        firstTriedAt: t + 3,
        lastTriedAt: t + 3,
        fingerprint: "f1",
      },
    ]);
    for (const stale of [
      store().markSending({ message: `${id}/1`, token, now: t }),
      store().settleMessage({ message: `${id}/1`, token, state: "sent", now: t }),
      settle(held, "sent"),
    ]) {
      expect(await stale).toBe(false);
    }
    const mine = { message: `${id}/1`, token: after.token } as const;
    expect(await store().markSending({ ...mine, now: t + 90_000 })).toBe(true);
    expect(await store().markSending({ message: `${id}/0`, token: after.token, now: t })).toBe(false);
    expect(await store().settleMessage({ ...mine, state: "pending", error: "429", now: t })).toBe(true);
    expect(await store().markSending({ ...mine, now: t + 95_000 })).toBe(true);
    await settle(after, "pending");
    const [, last] = (await claimedDelivery(store(), t + 2 * minute)).messages;
    expect(last).toMatchObject({ attempts: 3, firstTriedAt: t + 3 });
  });

  test("what is sent or dead is settled for good; unknown may still turn out sent", async () => {
    await owe([delivery()]);
    const held = await claimedDelivery(store());
    const id = held.delivery.id;
    const { token } = held;
    await store().planMessages({ delivery: id, token, messages: [page(id, 0), page(id, 1), page(id, 2)], now: t });
    const to = (number: number, state: "sent" | "dead" | "unknown") =>
      store().settleMessage({ message: `${id}/${number}`, token, state, now: t });
    expect(await to(0, "sent")).toBe(true);
    expect(await to(0, "dead")).toBe(false);
    expect(await to(1, "dead")).toBe(true);
    expect(await to(1, "sent")).toBe(false);
    expect(await to(2, "unknown")).toBe(true);
    expect(await to(2, "sent")).toBe(true);
    expect(await to(7, "sent")).toBe(false);
  });

  test("a refit replaces what is not sent yet, once", async () => {
    await owe([delivery()]);
    const held = await claimedDelivery(store());
    const id = held.delivery.id;
    const lease = { delivery: id, token: held.token, now: t };
    expect(await store().replanMessages({ ...lease, messages: [page(id, 0)] })).toBe(false);
    await store().planMessages({ ...lease, messages: [page(id, 0), page(id, 1), page(id, 2)] });
    await store().markSending({ message: `${id}/0`, token: held.token, now: t });
    await store().settleMessage({
      message: `${id}/0`,
      token: held.token,
      state: "sent",
      ref: messageRef("m0"),
      now: t,
    });
    await store().markSending({ message: `${id}/1`, token: held.token, now: t });
    const refit = [page(id, 0, { page: "never" }), page(id, 3), page(id, 4)];
    expect(await store().replanMessages({ ...lease, messages: refit })).toBe(true);
    expect(await store().replanMessages({ ...lease, messages: [page(id, 5)] })).toBe(false);
    await settle(held, "pending");
    const { messages } = await claimedDelivery(store());
    expect(messages.map(({ key, state, page: text }) => [key, state, text])).toEqual([
      [`${id}/0`, "sent", '{"n":0}'],
      [`${id}/3`, "pending", '{"n":3}'],
      [`${id}/4`, "pending", '{"n":4}'],
    ]);
  });

  test("the newest posted root of a thread group is found; an edit is no new root", async () => {
    await owe([delivery(), delivery(), delivery({ threadKey: "demo topic" })]);
    const one = await claimedDelivery(store());
    await send(one, [page(one.delivery.id, 0), page(one.delivery.id, 1)], ["root1", "child1"], t);
    const two = await claimedDelivery(store());
    await send(two, [page(two.delivery.id, 0, { edits: messageRef("root1") })], ["root1"], t + 50);
    expect(await store().findRoot(place, "demo main", t)).toEqual({
      ref: messageRef("root1"),
      delivery: one.delivery.id,
    });
    expect(await store().findRoot(place, "demo main", t + 1)).toBeNull();
    expect(await store().findRoot(place, "demo topic", t)).toBeNull();
    expect(await store().findRoot(otherPlace, "demo main", t)).toBeNull();
    const three = await claimedDelivery(store());
    await send(three, [page(three.delivery.id, 0)], ["root3"], t + 60);
    expect((await store().findRoot(place, "demo topic", t))?.ref.message).toBe("root3");
  });

  test("what a conversation has been shown is told newest first, one message a fingerprint", async () => {
    await owe([delivery(), delivery(), delivery({ target: { conversation: otherPlace } })]);
    const thread = (id: DeliveryId, prints: readonly string[]) =>
      prints.map((fingerprint, number) => page(id, number, { role: "thread", fingerprint }));
    const one = await claimedDelivery(store());
    await send(one, thread(one.delivery.id, ["f1", "f2"]), ["m1", "m2"], t);
    const next = [await claimedDelivery(store()), await claimedDelivery(store())];
    const two = next.find(({ delivery: { target } }) => target.conversation.conversation === place.conversation);
    const other = next.find((held) => held !== two);
    if (two === undefined || other === undefined) throw new Error("both lanes should have been due");
    await send(two, thread(two.delivery.id, ["f1"]), ["m3"], t + 10);
    await send(other, thread(other.delivery.id, ["f4"]), ["m4"], t + 20);
    const query = { conversation: place, repository: "demo", fingerprints: ["f2", "f1", "f1", "f3", "f4"] };
    expect(await store().deliveredFindings(query)).toEqual([
      { fingerprint: "f1", ref: messageRef("m3") },
      { fingerprint: "f2", ref: messageRef("m2") },
    ]);
    expect(await store().deliveredFindings({ ...query, repository: "other" })).toEqual([]);
  });
}
