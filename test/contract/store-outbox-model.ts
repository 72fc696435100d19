// The delivery lanes against a model of them: a list of deliveries in the order in which they were owed.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DeliveryId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { delivery, fresh, type MakeStore, reviewed, start } from "./store-samples.ts";

const leaseMs = 100;
const lanes = ["x", "y", "z"] as const;

interface ModelDelivery {
  readonly id: DeliveryId;
  readonly lane: string;
  /** When it may be claimed: its due time, or the end of its lease. */
  ready: number;
  token: string;
  attempts: number;
}

interface Model {
  now: number;
  /** Unfinished ones, oldest first. */
  owed: ModelDelivery[];
  readonly leases: { readonly id: DeliveryId; readonly token: string }[];
}

type Command = fc.AsyncCommand<Model, Store>;

export function outboxModelContract(makeStore: MakeStore, numRuns: number): void {
  test("the lanes do what their model says", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60 }), async (run) => {
        const { store, dispose } = await makeStore();
        try {
          await fc.asyncModelRun(() => ({ model: { now: start, owed: [], leases: [] }, real: store }), run);
        } finally {
          await store.close();
          await dispose();
        }
      }),
      { numRuns },
    );
  });
}

const commands: fc.Arbitrary<Command>[] = [
  fc.array(fc.tuple(fc.constantFrom(...lanes), fc.boolean()), { minLength: 1, maxLength: 4 }).map(owe),
  fc.constant(claim()),
  fc.constant(claim()),
  fc.tuple(fc.nat(), fc.constantFrom("sent", "unknown", "dead")).map(([pick, state]) => end(pick, state)),
  fc.tuple(fc.nat(), fc.nat(150)).map(([pick, delay]) => putOff(pick, delay)),
  fc.nat().map(send),
  fc.integer({ min: 1, max: 150 }).map(wait),
];

function owe(wanted: readonly (readonly [lane: string, suppressed: boolean])[]): Command {
  return command(`owe(${wanted.join(" ")})`, async (model, store) => {
    const deliveries = wanted.map(([conversation, suppressed]) =>
      delivery({
        target: { conversation: { channel: "web", workspace: "local", conversation } },
        ...(suppressed ? { reason: "muted" } : {}),
      }),
    );
    await reviewed(store, { now: model.now }, { deliveries, now: model.now });
    for (const { id, target, reason } of deliveries) {
      if (reason !== undefined) continue;
      model.owed.push({ id, lane: target.conversation.conversation, ready: model.now, token: "", attempts: 0 });
    }
  });
}

function claim(): Command {
  return command("claim", async (model, store) => {
    const token = `token-${fresh()}`;
    const got = await store.claimDelivery({ token, leaseMs, now: model.now });
    const heads = lanes.flatMap((lane) => model.owed.find((one) => one.lane === lane) ?? []);
    const due = heads.filter(({ ready }) => ready <= model.now);
    if (due.length === 0) {
      expect(got).toBeNull();
      return;
    }
    const head = due.find(({ id }) => id === got?.delivery.id);
    if (head === undefined) throw new Error(`${got?.delivery.id ?? "nothing"} is no due head of a lane`);
    Object.assign(head, { token, ready: model.now + leaseMs, attempts: head.attempts + 1 });
    expect(got?.attempt).toBe(head.attempts);
    model.leases.push({ id: head.id, token });
  });
}

function end(pick: number, state: "sent" | "unknown" | "dead"): Command {
  return withLease(`end(${pick}, ${state})`, pick, async (model, store, lease, held) => {
    const settled = await store.settleDelivery({ delivery: lease.id, token: lease.token, state, now: model.now });
    expect(settled).toBe(held !== undefined);
    model.owed = model.owed.filter((one) => one !== held);
  });
}

function putOff(pick: number, delay: number): Command {
  return withLease(`putOff(${pick}, ${delay})`, pick, async (model, store, { id, token }, held) => {
    const { now } = model;
    const settled = await store.settleDelivery({ delivery: id, token, state: "pending", dueAt: now + delay, now });
    expect(settled).toBe(held !== undefined);
    if (held !== undefined) Object.assign(held, { token: "", ready: now + delay });
  });
}

function send(pick: number): Command {
  return withLease(`send(${pick})`, pick, async (model, store, { id, token }, held) => {
    const message = { key: `${id}/0`, role: "root", page: "{}" } as const;
    await store.planMessages({ delivery: id, token, messages: [message], now: model.now });
    expect(await store.markSending({ message: message.key, token, now: model.now })).toBe(held !== undefined);
  });
}

function wait(ms: number): Command {
  return command(`wait(${ms})`, async (model) => {
    model.now += ms;
  });
}

function withLease(
  name: string,
  pick: number,
  run: (model: Model, store: Store, lease: Model["leases"][number], held: ModelDelivery | undefined) => Promise<void>,
): Command {
  return command(name, async (model, store) => {
    const lease = model.leases[pick % Math.max(1, model.leases.length)];
    if (lease === undefined) return;
    const held = model.owed.find(({ id, token }) => id === lease.id && token === lease.token);
    await run(model, store, lease, held);
  });
}

function command(name: string, run: (model: Model, store: Store) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, store) {
      await run(model, store);
      expect((await store.queue(model.now)).undelivered).toBe(model.owed.length);
    },
    toString: () => name,
  };
}
