// What the SDK does wrong with the long connection, and what we rely on: a new version that differs shows here.
import * as lark from "@larksuiteoapi/node-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLarkHttp, type LarkHttp } from "../../../../channels/lark/http.ts";
import {
  createLarkDispatcher,
  createLarkSocket,
  type LarkEventHandler,
  type LarkSocket,
} from "../../../../channels/lark/sdk.ts";
import { createSystemClock } from "../../../../src/process/system-clock.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { appId, clickEvent, messageEvent } from "../../../fakes/lark/events.ts";
import {
  createFakeLongConnection,
  type FakeLongConnection,
  type FakeLongConnectionOptions,
} from "../../../fakes/lark/long-connection.ts";
import { type LarkServer, listenLark } from "../../../fakes/lark/server.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const event = messageEvent({ messageId: "om_1", text: "/review demo" });
const quiet = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };

describe("the SDK's long connection", () => {
  let clock: FakeClock;
  let platform: FakeLongConnection;
  let server: LarkServer;
  let http: LarkHttp;
  let closing: (() => void)[];
  let lines: string[];
  let awaited: { pattern: RegExp; met: () => void } | undefined;

  beforeEach(async () => {
    clock = createFakeClock();
    closing = [];
    lines = [];
    http = createLarkHttp({ clock: createSystemClock(), timeoutMs: 5_000, throwCodes: false, secrets: [] });
    await listen();
  });

  afterEach(async () => {
    for (const close of closing) close();
    platform.close();
    await server.close();
    await http.close();
  });

  async function listen(options: Partial<FakeLongConnectionOptions> = {}): Promise<void> {
    platform = createFakeLongConnection({ appId, appSecret: "app-secret", clock, ...options });
    server = await listenLark([platform]);
  }

  /** Starts a listener of its own, with other habits. */
  async function relisten(options: Partial<FakeLongConnectionOptions>): Promise<void> {
    platform.close();
    await server.close();
    await listen(options);
  }

  function logged(pattern: RegExp): Promise<void> {
    return new Promise((met) => {
      if (lines.some((line) => pattern.test(line))) met();
      else awaited = { pattern, met };
    });
  }

  interface Told {
    readonly client: lark.WSClient;
    readonly told: string[];
    readonly ready: Promise<void>;
    readonly failed: Promise<Error>;
    start(handlers?: Readonly<Record<string, LarkEventHandler>>): Promise<void>;
  }

  function raw(changes: Record<string, unknown> = {}): Told {
    const told: string[] = [];
    let ready = (): void => undefined;
    let failed = (_error: Error): void => undefined;
    const note = (given: unknown): void => {
      const line = JSON.stringify(given);
      lines.push(line);
      if (awaited?.pattern.test(line) === true) awaited.met();
    };
    const logger = { error: note, warn: note, info: note, debug: note, trace: note };
    const whenReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const whenFailed = new Promise<Error>((resolve) => {
      failed = resolve;
    });
    const client = new lark.WSClient({
      appId,
      appSecret: "app-secret",
      domain: server.origin,
      httpInstance: http as unknown as lark.HttpInstance,
      logger,
      onReady: () => {
        told.push("ready");
        ready();
      },
      onError: (error: Error) => {
        told.push("error");
        failed(error);
      },
      ...changes,
    });
    closing.push(() => client.close({ force: true }));
    return {
      client,
      told,
      ready: whenReady,
      failed: whenFailed,
      start: (handlers = {}) =>
        client.start({ eventDispatcher: new lark.EventDispatcher({ logger: quiet }).register(handlers) }),
    };
  }

  it("resolves its start before anything is connected (we wait for onReady)", async () => {
    const { client, told, ready, start } = raw();
    await start();
    expect([client.getConnectionStatus().state, told]).toEqual(["connecting", []]);
    await ready;
    expect(client.getConnectionStatus().state).toBe("connected");
    expect(platform.mistakes).toEqual([]);
  });

  it("acknowledges when the handler has ended, with what it returned, and 500 when it throws", async () => {
    let begun = (): void => undefined;
    let finish = (_value: unknown): void => undefined;
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { ready, start } = raw();
    await start({
      "im.message.receive_v1": () => Promise.reject(new Error("no")),
      "card.action.trigger": () =>
        new Promise((resolve) => {
          finish = resolve;
          begun();
        }),
    });
    await ready;
    const pushed = platform.push(clickEvent({ value: {}, message: "om_1" }), { parts: 3, isReversed: true });
    await running;
    await platform.push(event);
    expect(platform.attempts).toMatchObject([{ ack: { code: 500 } }]);
    finish({ toast: { type: "info", content: "ok" } });
    expect(await pushed).toMatchObject({ ack: { code: 200, data: { toast: { content: "ok" } } } });
    expect(platform.mistakes).toEqual([]);
  });

  it("drops frames of the type card without an ack (ours takes them)", async () => {
    const { ready, start } = raw();
    await start({ "card.action.trigger": async () => ({}) });
    await ready;
    const pushed = platform.push(clickEvent({ value: {}, message: "om_1" }), { type: "card" });
    // Whatever was sent before is handled before: an event that is acknowledged shows that the card was passed over.
    await platform.push(event);
    await clock.advanceAsync(3_000);
    expect(await pushed).toEqual({ connection: 0 });
  });

  it("drops them no more behind our shim", async () => {
    const { socket, ready } = ours();
    await socket.start(
      createLarkDispatcher({ handlers: { "card.action.trigger": async () => ({ toast: {} }) }, logger: silentLogger }),
    );
    await ready;
    expect(socket.takesCardFrames).toBe(true);
    const pushed = await platform.push(clickEvent({ value: {}, message: "om_1" }), { type: "card" });
    expect(pushed.ack).toEqual({ code: 200, data: { toast: {} } });
    expect(platform.mistakes).toEqual([]);
  });

  function ours(): { readonly socket: LarkSocket; readonly ready: Promise<void> } {
    let whenReady = (): void => undefined;
    const ready = new Promise<void>((resolve) => {
      whenReady = resolve;
    });
    const socket = createLarkSocket({
      appId,
      appSecret: "app-secret",
      origin: server.origin,
      http,
      logger: silentLogger,
      pingTimeoutSeconds: 5,
      handshakeTimeoutMs: 5_000,
      onReady: () => whenReady(),
      onError: () => undefined,
      onReconnecting: () => undefined,
      onReconnected: () => undefined,
    });
    closing.push(() => socket.close(true));
    return { socket, ready };
  }

  it("pings without a pause after a pong without intervals (the platform sends them all)", async () => {
    await relisten({ config: { PingInterval: 0.02 } });
    platform.answerPongsWith("{}");
    const { start } = raw();
    await start();
    await platform.pinged(50);
  });

  it("pings at the open and then once an interval", async () => {
    await relisten({ config: { PingInterval: 0.02 } });
    const { start } = raw();
    await start();
    await platform.pinged(3);
    expect(platform.mistakes).toEqual([]);
  });

  it("loses the first parameter of the address (the platform puts its ids behind)", async () => {
    await relisten({ idsFirst: true });
    const { start } = raw();
    await start();
    expect(await platform.mistaken()).toBe("a frame names the service 0");
  });

  it("stays idle with an app id of another shape, and tells nobody (our settings refuse it)", async () => {
    const { client, told, start } = raw({ appId: "cli_short" });
    await start();
    await logged(/invalid appId/);
    expect([client.getConnectionStatus().state, told, platform.endpointCalls()]).toEqual(["idle", [], 0]);
  });

  it.each([1, 403, 514, 1000040350, 1000040351])(
    "gives up after the code %i, and tells so (we begin anew)",
    async (code) => {
      platform.refuse(code);
      const { client, failed, start } = raw();
      await start();
      expect((await failed).message).toContain(`code=${code}`);
      expect(client.getConnectionStatus().state).toBe("failed");
      expect(platform.endpointCalls()).toBe(1);
    },
  );

  it.each([
    ["an internal error", 1000040343, {}],
    ["wrong credentials, with data that is null", 514, null],
  ])("tries again for ever and in silence after %s (we watch the endpoint)", async (_, code, data) => {
    platform.refuse(code, { data });
    const { client, told, start } = raw();
    await start();
    await logged(data === null ? /null/ : /1000040343/);
    await new Promise((resolve) => setImmediate(resolve));
    const { state, nextConnectTime = 0 } = client.getConnectionStatus();
    expect([state, told]).toEqual(["connecting", []]);
    expect(nextConnectTime - Date.now()).toBeLessThanOrEqual(30_000);
  });

  it("notices a server that went mute only when it is told how long to wait (we do)", async () => {
    // The wait begins anew with every ping, so that it has to be shorter than the interval between them.
    await relisten({ config: { PingInterval: 0.3, ReconnectNonce: 0, ReconnectInterval: 0.01 } });
    const { start, ready } = raw({ wsConfig: { pingTimeout: 0.05 } });
    await start();
    await ready;
    platform.mute();
    await platform.endpointCalled(2);
  });

  it("does not see that another connection takes its events: each goes to one of them", async () => {
    const heard: number[] = [];
    for (const index of [0, 1]) {
      const { ready, start } = raw();
      await start({ "im.message.receive_v1": async () => void heard.push(index) });
      await ready;
    }
    for (let count = 0; count < 20; count += 1) await platform.push(messageEvent({ messageId: `om_${count}` }));
    expect(heard).toHaveLength(20);
    expect(new Set(heard).size).toBe(2);
  });
});
