// The channel store in memory keeps the contract of the real one.
import { beforeEach, describe } from "vitest";
import type { ChannelStore } from "../../../src/ports/channel-store.ts";
import { channelsContract } from "../../contract/store-channels.ts";
import { createMemoryChannelStore } from "../../fakes/memory-channel-store.ts";

describe("the channel store in memory", () => {
  let store: ChannelStore;
  beforeEach(() => {
    store = createMemoryChannelStore();
  });
  channelsContract(() => store);
});
