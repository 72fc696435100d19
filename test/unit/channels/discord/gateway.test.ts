// The gateway as discord.js speaks it with a strict fake of Discord: logins, losses, replays, refusals, and packets nobody foresaw.
import { afterEach, describe, expect, it } from "vitest";
import { CLOSE_MS, LOGIN_MS, WATCH_MS } from "../../../../channels/discord/gateway-connection.ts";
import { TURN_MS } from "../../../../channels/discord/identify-budget.ts";
import type { FakeGateway } from "../../../fakes/discord/gateway.ts";
import { endGateways, fakeGateway, gatewayRig, guild, turn } from "../../../fakes/discord/gateway-rig.ts";

afterEach(endGateways);

describe("a login", () => {
  it("asks for the Guilds intent alone, hears the servers, and says good-bye with 1000", async () => {
    const discord = await fakeGateway();
    const { gateway, events, became } = gatewayRig(discord);
    await gateway.start();
    expect(gateway.health()).toEqual({ state: "up" });
    while (events.length < 2) await turn();
    expect(events.map(({ type }) => type)).toEqual(["READY", "GUILD_CREATE"]);
    await gateway.stop();
    expect(await became("down")).toBe("stopped");
    await discord.reached("closed", 1);
    expect(discord.codes).toEqual([1000]);
  });

  it.each([
    [4004, "token"],
    [4013, "Guilds"],
    [4014, "Guilds"],
  ])("that is refused with %d is fatal, and the remedy names what is wrong", async (code, named) => {
    const discord = await fakeGateway();
    discord.trouble.refuseWith = code;
    const { gateway, fatal } = gatewayRig(discord);
    await gateway.start();
    expect(fatal).toHaveLength(1);
    expect(fatal[0]?.code).toBe("config");
    expect(`${fatal[0]?.message} ${fatal[0]?.remedy}`).toContain(named);
    expect(gateway.health().state).toBe("down");
    expect(discord.count("connected")).toBe(1);
  });

  it("with a token that the REST interface refuses is fatal, names the variable, and never the token", async () => {
    const discord = await fakeGateway();
    const { gateway, fatal } = gatewayRig(discord, { given: "another.token" });
    await gateway.start();
    expect(fatal[0]?.remedy).toContain("DISCORD_BOT_TOKEN");
    expect(JSON.stringify([fatal, fatal[0]?.message, gateway.health()])).not.toContain("another.token");
    expect(discord.count("connected")).toBe(0);
  });

  it("that Discord leaves hanging ends after 30 s, and is tried again", async () => {
    const discord = await fakeGateway();
    discord.trouble.mute = true;
    const { gateway, clock, became } = gatewayRig(discord);
    const starting = gateway.start();
    await discord.reached("connected", 1);
    // The library does not end a login that hangs: it is let go of after the time of a good-bye.
    await clock.advanceAsync(LOGIN_MS + CLOSE_MS);
    await starting;
    expect(await became("down")).toContain("longer than 30 s");
    discord.trouble.mute = false;
    await clock.advanceAsync(2_000);
    await became("up");
    expect(discord.count("connected")).toBe(2);
  });

  it("that is closed before HELLO is not tried twice a second for ever", async () => {
    const discord = await fakeGateway();
    discord.trouble.closeEarly = true;
    const { gateway, clock, became } = gatewayRig(discord);
    const starting = gateway.start();
    await discord.reached("closed", 2);
    await clock.advanceAsync(LOGIN_MS);
    await starting;
    expect(await became("down")).toContain("longer than 30 s");
    const tries = discord.count("connected");
    discord.trouble.closeEarly = false;
    await clock.advanceAsync(2_000);
    await became("up");
    // Until this one is resumed, a try of the library's own would have come: there is none.
    discord.close(4000);
    await discord.reached("resumed", 1);
    expect(discord.count("connected")).toBe(tries + 2);
  });

  it("waits, with growing pauses, while Discord cannot be asked", async () => {
    const discord = await fakeGateway();
    discord.trouble.status = 503;
    const { gateway, clock, became } = gatewayRig(discord);
    await gateway.start();
    expect(await became("down")).toContain("next try in 2 s");
    await clock.advanceAsync(2_000);
    await discord.reached("asked", 2);
    while (!(gateway.health().detail ?? "").includes("next try in 4 s")) await turn();
    delete discord.trouble.status;
    await clock.advanceAsync(4_000);
    await became("up");
  });
});

describe("a lost connection", () => {
  it.each([
    ["close 4000", (discord: FakeGateway) => discord.close(4000)],
    ["op 7", (discord: FakeGateway) => discord.askToReconnect()],
    ["a cut cable", (discord: FakeGateway) => discord.cut()],
  ])("by %s is resumed, and what happened meanwhile arrives once", async (_name, lose) => {
    const discord = await fakeGateway();
    const { gateway, events, became } = gatewayRig(discord);
    await gateway.start();
    lose(discord);
    await discord.reached("closed", 1);
    discord.dispatch("CHANNEL_DELETE", { id: "3", guild_id: guild });
    await discord.reached("resumed", 1);
    await became("up");
    while (!events.some(({ type }) => type === "RESUMED")) await turn();
    expect(events.filter(({ type }) => type === "CHANNEL_DELETE")).toHaveLength(1);
    expect(discord.count("identified")).toBe(1);
  });

  it("that is a zombie, whose heartbeats nobody acknowledges, is closed and resumed", async () => {
    const discord = await fakeGateway({ heartbeatMs: 40 });
    discord.trouble.noAcks = true;
    const { gateway } = gatewayRig(discord);
    await gateway.start();
    await discord.reached("closed", 1);
    expect(discord.codes).toEqual([4200]);
    discord.trouble.noAcks = false;
    await discord.reached("resumed", 1);
    expect(discord.count("identified")).toBe(1);
  });

  it("whose session is invalid begins a new one", async () => {
    const discord = await fakeGateway();
    const { gateway, clock, became } = gatewayRig(discord);
    await gateway.start();
    discord.invalidate(false);
    await discord.reached("connected", 2);
    // Login, watch, lease and saving are waited for already; the fifth is the turn to identify.
    while (clock.pending() < 5) await turn();
    expect(discord.count("identified")).toBe(1);
    await clock.advanceAsync(TURN_MS);
    await discord.reached("identified", 2);
    await became("up");
  });

  it("with 4014 after it was up is fatal, though the library would go quiet", async () => {
    const discord = await fakeGateway();
    const { gateway, fatal, became } = gatewayRig(discord);
    await gateway.start();
    discord.close(4014);
    await became("down");
    expect(fatal[0]?.message).toContain("4014");
  });

  it("with 4011 begins anew with the number of shards that Discord wants then", async () => {
    const discord = await fakeGateway();
    const { gateway, clock, became, fatal } = gatewayRig(discord);
    await gateway.start();
    discord.close(4011);
    expect(await became("down")).toContain("more shards");
    await clock.advanceAsync(1_000);
    await became("up");
    expect(discord.count("asked")).toBe(2);
    expect(fatal).toEqual([]);
  });

  it("that Discord closes again and again is let go of, and tried with pauses that grow", async () => {
    const discord = await fakeGateway();
    const { gateway, clock, became } = gatewayRig(discord);
    await gateway.start();
    discord.trouble.closeEarly = true;
    discord.close(4000);
    expect(await became("down")).toContain("10 times within a minute");
    const tries = discord.count("connected");
    discord.trouble.closeEarly = false;
    await clock.advanceAsync(1_000);
    await became("up");
    expect(discord.count("connected")).toBe(tries + 1);
    expect(discord.count("identified")).toBe(1);
  });

  it("that is silent for long although it looks open is begun anew, and resumes its session", async () => {
    const discord = await fakeGateway();
    const { gateway, clock, became } = gatewayRig(discord);
    await gateway.start();
    await clock.advanceAsync(165_000);
    expect(await became("down")).toContain("no heartbeat");
    await clock.advanceAsync(1_000);
    await became("up");
    expect(discord.codes).toEqual([4200]);
    expect(discord.count("resumed")).toBe(1);
    expect(discord.count("identified")).toBe(1);
  });

  it("is noticed when the REST client lost the token", async () => {
    const discord = await fakeGateway();
    const one = gatewayRig(discord);
    await one.gateway.start();
    one.isTokenLost = true;
    await one.clock.advanceAsync(WATCH_MS);
    await one.became("down");
    expect(one.fatal[0]?.message).toContain("token");
  });
});

describe("packets that nobody foresaw", () => {
  it.each([
    "no json at all {",
    "[]",
    "null",
    '{"op":10}',
    '{"op":9}',
    '{"op":0,"t":"READY","s":1,"d":null}',
    '{"op":0,"t":null,"s":null,"d":[]}',
    '{"op":0,"t":"INTERACTION_CREATE","s":9,"d":null}',
    '{"op":99,"d":{}}',
  ])("%s does not end the process, and the connection goes on or is made again", async (packet) => {
    const thrown: unknown[] = [];
    const note = (error: unknown): void => void thrown.push(error);
    process.on("unhandledRejection", note);
    try {
      const discord = await fakeGateway();
      const { gateway, events, became } = gatewayRig(discord);
      await gateway.start();
      discord.raw(packet);
      discord.dispatch("CHANNEL_DELETE", { id: "7", guild_id: guild });
      while (!events.some(({ type }) => type === "CHANNEL_DELETE")) await turn();
      await became("up");
      expect(thrown).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});
