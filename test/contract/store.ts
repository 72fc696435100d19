// The contract that every store keeps, whatever database is behind it.
import { afterEach, beforeEach, describe } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { actionsContract } from "./store-actions.ts";
import { channelsContract } from "./store-channels.ts";
import { chatContract } from "./store-chat.ts";
import { conversationsContract } from "./store-conversations.ts";
import { feedsContract } from "./store-feeds.ts";
import { findingsContract } from "./store-findings.ts";
import { outboxContract } from "./store-outbox.ts";
import { outboxModelContract } from "./store-outbox-model.ts";
import { owedContract } from "./store-owed.ts";
import { purgeContract } from "./store-purge.ts";
import { queueContract } from "./store-queue.ts";
import { queueModelContract } from "./store-queue-model.ts";
import { reviewsContract } from "./store-reviews.ts";
import type { MakeStore, StoreUnderTest } from "./store-samples.ts";

export type { MakeStore } from "./store-samples.ts";

/**
 * @param makeStore opens a store of its own, empty, for every test.
 * @param modelRuns command sequences that each model tries; fewer where the operations were already tried elsewhere.
 */
export function storeContract(name: string, makeStore: MakeStore, modelRuns = 25): void {
  describe(`the store's contract: ${name}`, () => {
    let current: StoreUnderTest;
    beforeEach(async () => {
      current = await makeStore();
    });
    afterEach(async () => {
      await current.store.close();
      await current.dispose();
    });
    const store = (): Store => current.store;

    describe("reviews", () => reviewsContract(store));
    describe("queue", () => queueContract(store));
    describe("feeds", () => feedsContract(store));
    describe("findings", () => findingsContract(store));
    describe("outbox", () => outboxContract(store));
    describe("people's wishes", () => conversationsContract(store));
    describe("buttons", () => actionsContract(store));
    describe("owed without a review", () => owedContract(store));
    describe("what channels keep", () => channelsContract(store));
    describe("chat log", () => chatContract(store));
    describe("purge", () => purgeContract(store));
    describe("models", () => {
      queueModelContract(makeStore, modelRuns);
      outboxModelContract(makeStore, modelRuns);
    });
  });
}
