// What a command costs with ten thousand subscriptions in the store, against the same with ten.
import type { StoredSubscription } from "../../src/core/subscription.ts";
import { noFilters } from "../../src/core/subscription.ts";
import { createCommandProduct } from "../fakes/command-product.ts";
import { fakeConversation } from "../fakes/fake-channel.ts";
import { type Bench, median } from "./bench.ts";

const rounds = 200;

export const bench: Bench = async () => {
  // Warm, as a server runs it.
  await measured(10);
  const few = await measured(10);
  const many = await measured(10_000);
  return [
    {
      name: "a review by command is acknowledged, p99 in ms, 10,000 subscriptions",
      value: many.p99,
      comparison: "at most",
      limit: 100,
      note: `median ${many.median.toFixed(2)} ms`,
    },
    {
      name: "a review by command, 10,000 subscriptions ÷ 10",
      value: many.median / few.median,
      comparison: "at most",
      limit: 1.5,
      note: `${many.median.toFixed(2)} ms, ${few.median.toFixed(2)} ms`,
    },
    {
      name: "who listens to a repository, 10,000 subscriptions of others ÷ 10",
      value: many.matching / few.matching,
      comparison: "at most",
      limit: 1.5,
      note: `${(many.matching * 1_000).toFixed(1)} µs, ${(few.matching * 1_000).toFixed(1)} µs`,
    },
  ];
};

async function measured(subscriptions: number): Promise<{ median: number; p99: number; matching: number }> {
  const product = await createCommandProduct({ quotas: { person: 10_000, conversation: 10_000, admin: 10_000 } });
  const { store, directory } = product;
  await Promise.all(Array.from({ length: subscriptions }, (_, index) => store.saveSubscription(subscription(index))));
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) samples.push(await timed(() => product.say("demo main")));
  const matching: number[] = [];
  for (let round = 0; round < rounds; round++) {
    directory.changed("demo");
    matching.push(await timed(() => directory.of("demo")));
  }
  await product.remove();
  const warm = samples.slice(rounds / 10);
  const p99 = [...warm].sort((a, b) => a - b)[Math.floor(warm.length * 0.99)] ?? 0;
  return { median: median(warm), p99, matching: median(matching) };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** Ten are for the repository that is asked about, all others for others. */
function subscription(index: number): StoredSubscription {
  return {
    id: `sb_${index}`,
    conversation: { ...fakeConversation, conversation: `room${index}` },
    repository: index < 10 ? "demo" : `other${index % 500}`,
    filters: { ...noFilters, branches: ["main"] },
    mode: "report",
    severity: "info",
    owner: { channel: fakeConversation.channel, workspace: fakeConversation.workspace, person: "ada" },
    createdAt: 1,
  };
}
