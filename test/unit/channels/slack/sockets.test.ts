// Two connections that overlap, against a Socket Mode that refreshes, refuses, says nothing and falls silent.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Incoming } from "../../../../channels/slack/bolt.ts";
import { createSockets, type Sockets } from "../../../../channels/slack/sockets.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";
import { createFakeSockets, type FakeSockets } from "../../../fakes/slack/sockets.ts";

const appToken = "xapp-1-A0001-1-abc";
let slack: FakeSockets;
let clock: FakeClock;
let sockets: Sockets | undefined;
let refused: string[];
let received: Incoming[];
let events: string[];

beforeEach(async () => {
  slack = await createFakeSockets(appToken);
  clock = createFakeClock();
  refused = [];
  received = [];
  events = [];
});

afterEach(async () => {
  await sockets?.stop();
  sockets = undefined;
  await slack.stop();
  expect(slack.faults).toEqual([]);
});

function make(token = appToken): Sockets {
  const note = (event: string): void => void events.push(event);
  sockets = createSockets({
    appToken: token,
    apiUrl: slack.apiUrl,
    clock,
    logger: { ...silentLogger, info: note, warn: note, error: note },
    random: () => 0,
    receive: async (incoming) => {
      received.push(incoming);
      await incoming.answer(undefined);
    },
    refused: (code, whileStarting) => void refused.push(`${code} ${whileStarting}`),
  });
  return sockets;
}

/** A turn of the event loop at a time, until the network has brought it about. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** Both sides know that two connections stand, after so many hellos. */
async function bothUp(hellos = 2): Promise<void> {
  await until(() => events.filter((event) => event === "slack.socket_up").length >= hellos);
  await slack.whenLive(2);
}

describe("sockets", () => {
  it("opens two connections and is up with the first", async () => {
    const made = make();
    expect(made.health().state).toBe("starting");
    await made.start();
    expect(made.health()).toEqual({ state: "up" });
    await slack.whenLive(2);
    expect(slack.opened()).toBe(2);
  });

  it("acknowledges envelopes of either connection", async () => {
    await make().start();
    await slack.whenLive(2);
    const first = await slack.deliver("events_api", { event: { type: "x" } }, { connection: 1 });
    const second = await slack.deliver("slash_commands", { command: "/review" }, { connection: 2 });
    expect([first.connection, second.connection]).toEqual([1, 2]);
    expect(received.map(({ body }) => Object.keys(body)[0])).toEqual(["event", "command"]);
  });

  it("is never deaf while Slack refreshes a connection, and comes back at once", async () => {
    await make().start();
    await bothUp();
    await clock.advanceAsync(3_600_000);
    slack.disconnect("warning", 1);
    // The other one answers before the refreshed one is back, without any time passing on our clock.
    expect((await slack.deliver("events_api", { event: { type: "x" } }, { connection: 2 })).connection).toBe(2);
    await bothUp(3);
    expect(slack.live()).toEqual([2, 3]);
    await clock.advanceAsync(3_600_000);
    slack.disconnect("refresh_requested", 2);
    await bothUp(4);
    expect(events.filter((event) => event === "slack.socket_refreshed")).toHaveLength(2);
  });

  it("comes back after the network was cut", async () => {
    const made = make();
    await made.start();
    await bothUp();
    await clock.advanceAsync(3_600_000);
    slack.cut();
    await bothUp(4);
    expect(made.health().state).toBe("up");
  });

  it("backs off from a storm of short sessions instead of asking every five seconds, and says so", async () => {
    slack.behaviour.closesAtOnce = true;
    const made = make();
    const starting = made.start();
    let waited = 0;
    while (!events.includes("slack.socket_storm")) {
      await until(() => clock.pending() > 0 || events.includes("slack.socket_storm"));
      await clock.advanceAsync(100);
      waited += 100;
    }
    await starting;
    const opened = slack.opened();
    // Half of Slack's allowance of one a minute is not used up in the quarter of a minute after the storm was seen.
    await clock.advanceAsync(10_000);
    expect(slack.opened()).toBeLessThanOrEqual(opened + 2);
    expect(waited).toBeGreaterThan(500);
    expect(made.health().detail).toMatch(/network|hold/);
    slack.behaviour.closesAtOnce = false;
    await clock.advanceAsync(60_000);
    await until(() => slack.live().length === 2);
    expect(made.health().state).toBe("up");
  });

  it("gives up a connection whose hello does not come within fifteen seconds, and tries another", async () => {
    slack.behaviour.saysHello = false;
    const made = make();
    const starting = made.start();
    await slack.whenOpened(1);
    await clock.advanceAsync(14_999);
    expect(made.health().state).toBe("starting");
    await clock.advanceAsync(1);
    expect(made.health()).toMatchObject({ state: "down", detail: expect.stringContaining("no_hello") });
    slack.behaviour.saysHello = true;
    await clock.advanceAsync(500);
    await bothUp();
    await starting;
    expect(made.health()).toEqual({ state: "up" });
  });

  it("does not wait longer than eight seconds at the start", async () => {
    slack.behaviour.saysHello = false;
    const starting = make().start();
    await slack.whenOpened(1);
    await clock.advanceAsync(8_000);
    await starting;
  });

  it.each(["invalid_auth", "not_authed", "account_inactive", "token_revoked", "missing_scope"])(
    "tells what to do when the app-level token is refused (%s), and does not ask again",
    async (error) => {
      slack.behaviour.answers.push({ ok: false, error });
      const made = make();
      await made.start();
      expect(refused).toEqual([`${error} true`]);
      expect(made.health()).toMatchObject({ state: "down", detail: expect.stringContaining(error) });
      await clock.advanceAsync(3_600_000);
      expect(slack.opened()).toBe(1);
    },
  );

  it("survives a refusal while reconnecting, without an unhandled rejection", async () => {
    const made = make();
    await made.start();
    await bothUp();
    await clock.advanceAsync(3_600_000);
    slack.behaviour.answers.push({ ok: false, error: "invalid_auth" }, { ok: false, error: "invalid_auth" });
    slack.disconnect("refresh_requested", 1);
    await until(() => refused.length > 0);
    expect(refused).toEqual(["invalid_auth false"]);
    expect(made.health().state).toBe("down");
    await slack.whenLive(0);
  });

  it("shows too_many_websockets in its health and asks no sooner than after fifteen seconds", async () => {
    slack.behaviour.most = 1;
    const made = make();
    await made.start();
    await until(() => events.includes("slack.socket_lost"));
    expect(made.health()).toMatchObject({ state: "up", detail: expect.stringContaining("too_many_websockets") });
    const opened = slack.opened();
    await clock.advanceAsync(14_999);
    expect(slack.opened()).toBe(opened);
    slack.behaviour.most = 10;
    await clock.advanceAsync(1);
    await bothUp();
    expect(made.health()).toEqual({ state: "up" });
  });

  it("waits as long as Slack asks when addresses are rate limited", async () => {
    slack.behaviour.answers.push({ status: 429, headers: { "retry-after": "40" } });
    const starting = make().start();
    await until(() => events.includes("slack.socket_lost"));
    await clock.advanceAsync(39_999);
    expect(slack.opened()).toBe(1);
    await clock.advanceAsync(1);
    await slack.whenLive(2);
    await starting;
  });

  it.each([503, 500])("recovers when apps.connections.open answers %i", async (status) => {
    slack.behaviour.answers.push({ status });
    const starting = make().start();
    await until(() => events.includes("slack.socket_lost"));
    await clock.advanceAsync(500);
    await slack.whenLive(2);
    await starting;
  });

  it("has closed everything when it is stopped, and does not come back", async () => {
    const made = make();
    await made.start();
    await slack.whenLive(2);
    await made.stop();
    await slack.whenLive(0);
    await clock.advanceAsync(3_600_000);
    expect(slack.opened()).toBe(2);
  });
});
