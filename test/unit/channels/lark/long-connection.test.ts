// The supervisor: one connection by lease, patience after refusals, and a health that says what an operator can do.
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  CONNECT_MS,
  createLongConnection,
  LEASE_MS,
  type LongConnection,
  type Socket,
  type SocketEvents,
} from "../../../../channels/lark/long-connection.ts";
import type { ChannelStore } from "../../../../src/ports/channel-store.ts";
import type { Ids } from "../../../../src/ports/ids.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { createFixedIds } from "../../../fakes/fixed-ids.ts";
import { createMemoryChannelStore } from "../../../fakes/memory-channel-store.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

interface FakeSocket extends SocketEvents {
  isOpen: boolean;
  isConnected: boolean;
}

let clock: FakeClock;
let store: ChannelStore;
let sockets: FakeSocket[];
let ids: Ids;
let connection: LongConnection;
/** Attempts that fail before there is a socket. */
let cannotOpen: number;

beforeEach(() => {
  clock = createFakeClock();
  store = createMemoryChannelStore();
  sockets = [];
  ids = createFixedIds();
  cannotOpen = 0;
  connection = supervise();
});

function supervise(opened = sockets): LongConnection {
  return createLongConnection({
    open(events): Socket {
      if (cannotOpen > 0) {
        cannotOpen -= 1;
        throw new Error("no such thing");
      }
      const socket: FakeSocket = { ...events, isOpen: true, isConnected: false };
      opened.push(socket);
      return {
        start: async () => undefined,
        close() {
          socket.isOpen = false;
          socket.isConnected = false;
        },
        isConnected: () => socket.isConnected,
      };
    },
    store,
    appId: "cli_0123456789abcdef",
    clock,
    ids,
    logger: silentLogger,
  });
}

function newest(): FakeSocket {
  const socket = sockets.at(-1);
  if (socket === undefined) throw new Error("none was opened");
  return socket;
}

async function up(): Promise<void> {
  connection.start();
  await clock.advanceAsync(0);
  newest().isConnected = true;
  newest().onReady();
}

describe("the connection", () => {
  it("is starting until it stands, and up then", async () => {
    connection.start();
    await clock.advanceAsync(0);
    expect(connection.health().state).toBe("starting");
    newest().isConnected = true;
    newest().onReady();
    expect(connection.health()).toEqual({ state: "up" });
  });

  it("is not up when the socket says otherwise, whatever was told before", async () => {
    await up();
    newest().isConnected = false;
    expect(connection.health().state).toBe("starting");
  });

  it("breaks off and comes back by itself", async () => {
    await up();
    newest().isConnected = false;
    newest().onReconnecting();
    expect(connection.health()).toMatchObject({ state: "starting", detail: expect.stringContaining("made again") });
    newest().isConnected = true;
    newest().onReconnected();
    expect(connection.health().state).toBe("up");
    expect(sockets).toHaveLength(1);
  });

  it("is begun anew when it does not come back within a minute", async () => {
    await up();
    newest().onReconnecting();
    await clock.advanceAsync(CONNECT_MS);
    expect(connection.health().state).toBe("down");
    expect(sockets[0]?.isOpen).toBe(false);
    await clock.advanceAsync(1_000);
    expect(sockets).toHaveLength(2);
  });

  it("is begun anew when it never stands", async () => {
    connection.start();
    await clock.advanceAsync(CONNECT_MS + 1_000);
    expect(sockets).toHaveLength(2);
  });

  it("is closed by a stop, and nothing is left behind", async () => {
    await up();
    await connection.stop();
    expect(connection.health().state).toBe("down");
    expect(newest().isOpen).toBe(false);
    expect(clock.pending()).toBe(0);
    await connection.stop();
  });

  it("may be started once more after a stop", async () => {
    await up();
    await connection.stop();
    await up();
    expect(connection.health().state).toBe("up");
  });

  it("is begun anew when it cannot even be opened", async () => {
    cannotOpen = 2;
    connection.start();
    await clock.advanceAsync(0);
    expect(connection.health()).toMatchObject({ state: "down", detail: expect.stringContaining("no such thing") });
    await clock.advanceAsync(3_000);
    expect(sockets).toHaveLength(1);
  });

  it("is not opened by a stop that comes before the lease", async () => {
    connection.start();
    const stopping = connection.stop();
    await clock.advanceAsync(0);
    await stopping;
    expect(sockets).toEqual([]);
    expect(await store.acquireLease({ name: "lark/cli_0123456789abcdef", owner: "x", ttlMs: 1, now: 0 })).toBe(true);
  });
});

describe("a refusal", () => {
  it.each([
    [1000040351, "Set domain to the cloud"],
    [1000040350, "Stop other processes"],
    [514, "Compare app_id"],
    [403, "self-built"],
  ])("with the code %i makes the channel down, with what to do", async (code, remedy) => {
    connection.start();
    await clock.advanceAsync(0);
    newest().onRefused({ code, reason: "no" });
    const { state, detail = "" } = connection.health();
    expect(state).toBe("down");
    expect(detail).toContain(`code ${code}`);
    expect(detail).toContain(remedy);
  });

  it("that the SDK gives up after is understood by its message", async () => {
    connection.start();
    await clock.advanceAsync(0);
    newest().onError(new Error("pullConnectConfig failed: code=1000040350, msg=exceed connection limit"));
    expect(connection.health().detail).toContain("exceed connection limit (code 1000040350)");
  });

  it("counts once, though the SDK tells of it twice", async () => {
    connection.start();
    await clock.advanceAsync(0);
    const first = newest();
    first.onRefused({ code: 1, reason: "system busy" });
    first.onError(new Error("pullConnectConfig failed: code=1, msg=system busy"));
    await clock.advanceAsync(1_000);
    expect(sockets).toHaveLength(2);
  });

  it("is followed by longer and longer waits, up to a minute, and by short ones after a success", async () => {
    connection.start();
    await clock.advanceAsync(0);
    const waits: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      newest().onRefused({ reason: "no network" });
      const before = clock.now();
      const opened = sockets.length;
      while (sockets.length === opened) await clock.advanceAsync(250);
      waits.push(clock.now() - before);
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_250);
    expect(waits[0]).toBeLessThanOrEqual(1_250);
    expect(waits[9]).toBeGreaterThanOrEqual(30_000);
    for (const [index, wait] of waits.slice(0, 6).entries()) {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index);
      expect(wait).toBeLessThanOrEqual(1_000 * 2 ** index + 250);
    }
    newest().isConnected = true;
    newest().onReady();
    newest().onRefused({ reason: "no network" });
    await clock.advanceAsync(1_000);
    expect(sockets).toHaveLength(12);
  });

  it("for the settings' sake waits for half a minute at first: attempts count", async () => {
    connection.start();
    await clock.advanceAsync(0);
    newest().onRefused({ code: 514, reason: "auth failed" });
    await clock.advanceAsync(14_999);
    expect(sockets).toHaveLength(1);
    await clock.advanceAsync(15_001);
    expect(sockets).toHaveLength(2);
  });

  it("of a connection that was given up already changes nothing", async () => {
    await up();
    const old = newest();
    old.onRefused({ reason: "no network" });
    await clock.advanceAsync(1_000);
    newest().isConnected = true;
    newest().onReady();
    old.onError(new Error("late"));
    old.onReconnecting();
    expect(connection.health().state).toBe("up");
  });
});

describe("several processes", () => {
  it("hold one connection between them", async () => {
    await up();
    const others: FakeSocket[] = [];
    const other = supervise(others);
    other.start();
    await clock.advanceAsync(3 * LEASE_MS);
    expect(others).toEqual([]);
    expect(other.health()).toMatchObject({ state: "starting", detail: expect.stringContaining("Another process") });
    expect(connection.health().state).toBe("up");
    await connection.stop();
    await clock.advanceAsync(10_000);
    expect(others).toHaveLength(1);
    await other.stop();
  });

  it("follow one that died when its lease has run out", async () => {
    const owner = { name: "lark/cli_0123456789abcdef", owner: "dead", ttlMs: LEASE_MS, now: clock.now() };
    await store.acquireLease(owner);
    connection.start();
    await clock.advanceAsync(LEASE_MS - 1);
    expect(sockets).toEqual([]);
    await clock.advanceAsync(10_001);
    expect(sockets).toHaveLength(1);
  });

  it("let go of the connection when the lease is lost", async () => {
    await up();
    // A machine that slept: its lease ran out, and another took it.
    await store.releaseLease("lark/cli_0123456789abcdef", "lc_000001");
    await store.acquireLease({ name: "lark/cli_0123456789abcdef", owner: "x", ttlMs: 60_000, now: clock.now() });
    await clock.advanceAsync(10_000);
    expect(newest().isOpen).toBe(false);
    expect(connection.health().detail).toContain("took over");
    await clock.advanceAsync(60_000);
    expect(sockets).toHaveLength(2);
  });

  it("keep the connection while the store is away, until the lease would be over", async () => {
    await up();
    let isBroken = true;
    const acquire = store.acquireLease;
    store.acquireLease = (request) => (isBroken ? Promise.reject(new Error("locked")) : acquire(request));
    await clock.advanceAsync(20_000);
    expect(newest().isOpen).toBe(true);
    await clock.advanceAsync(10_000);
    expect(newest().isOpen).toBe(false);
    // Nobody took it: whoever looks is sent to the store, not in search of another process.
    expect(connection.health()).toMatchObject({ state: "down", detail: expect.stringContaining("the store fails") });
    isBroken = false;
    await clock.advanceAsync(10_000);
    expect(sockets).toHaveLength(2);
  });

  it("never have two connections open, in whatever order things go wrong", async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom("start", "stop", "ready", "refuse", "break" as const),
        which: fc.nat({ max: 1 }),
      }),
      fc.record({ kind: fc.constant("wait" as const), which: fc.integer({ min: 1, max: 45_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        clock = createFakeClock();
        store = createMemoryChannelStore();
        const opened: [FakeSocket[], FakeSocket[]] = [[], []];
        const both = [supervise(opened[0]), supervise(opened[1])] as const;
        for (const { kind, which } of steps) {
          if (kind === "wait") await clock.advanceAsync(which);
          const index = which === 0 ? 0 : 1;
          const socket = opened[index].at(-1);
          if (kind === "start") both[index].start();
          if (kind === "stop") await both[index].stop();
          if (kind === "ready") socket?.onReady();
          if (kind === "refuse") socket?.onRefused({ reason: "no" });
          if (kind === "break") socket?.onReconnecting();
          expect(opened.flat().filter(({ isOpen }) => isOpen).length).toBeLessThanOrEqual(1);
        }
        await Promise.all(both.map((one) => one.stop()));
        expect(opened.flat().filter(({ isOpen }) => isOpen)).toEqual([]);
        expect(clock.pending()).toBe(0);
      }),
    );
  });
});
