// Contract of the web chat's own log.
import { expect, test } from "vitest";
import type { ChatMessage, Store } from "../../src/ports/store.ts";
import { fresh, start } from "./store-samples.ts";

export function chatContract(store: () => Store): void {
  const message = (overrides: Partial<ChatMessage> = {}): ChatMessage => ({
    id: `m${fresh()}`,
    conversation: "lobby",
    from: "person",
    visibility: "everyone",
    text: "/review demo",
    createdAt: start,
    ...overrides,
  });

  test("an append happens once per key", async () => {
    const first = message({ card: '{"title":"x"}', thread: "root", from: "bot", visibility: "asker" });
    expect(await store().chat.append(first, "k1")).toEqual(first);
    expect(await store().chat.append(message({ text: "again" }), "k1")).toEqual(first);
    expect(await store().chat.findByKey("k1")).toEqual(first);
    expect(await store().chat.findByKey("k2")).toBeNull();
    expect(await store().chat.get(first.id)).toEqual(first);
  });

  test("appends that race under one key agree on one message", async () => {
    const appended = await Promise.all(Array.from({ length: 8 }, () => store().chat.append(message(), "same")));
    expect(new Set(appended.map(({ id }) => id)).size).toBe(1);
    expect(await store().chat.list("lobby", 10)).toHaveLength(1);
  });

  test("an edit replaces text and card and says when", async () => {
    const first = message({ card: "{}" });
    await store().chat.append(first, "k1");
    const { card: _, ...bare } = first;
    expect(await store().chat.edit(first.id, { text: "new", now: start + 5 })).toEqual({
      ...bare,
      text: "new",
      editedAt: start + 5,
    });
    expect(await store().chat.edit("none", { text: "new", now: start })).toBeNull();
  });

  test("a removed message is gone", async () => {
    const first = message();
    await store().chat.append(first, "k1");
    expect(await store().chat.remove(first.id)).toBe(true);
    expect(await store().chat.remove(first.id)).toBe(false);
    expect(await store().chat.get(first.id)).toBeNull();
  });

  test("a list has the newest roots with all their replies, oldest first", async () => {
    const roots = [message(), message(), message()];
    const elsewhere = message({ conversation: "other" });
    for (const root of [...roots, elsewhere]) await store().chat.append(root, root.id);
    const replies = [roots[0], roots[1], roots[2], roots[1]].map((root) => message({ thread: root?.id ?? "" }));
    for (const reply of replies) await store().chat.append(reply, reply.id);
    const ids = (await store().chat.list("lobby", 2)).map(({ id }) => id);
    expect(ids).toEqual([roots[1], roots[2], replies[1], replies[2], replies[3]].map((one) => one?.id));
    expect(await store().chat.list("lobby", 0)).toEqual([]);
    expect(await store().chat.list("none", 5)).toEqual([]);
  });
}
