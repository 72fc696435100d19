// The doctor names what is wrong with token, application, budget, commands and each channel, and proves that a card can be sent.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discordChannelConfig } from "../../../../channels/discord/config.ts";
import { discordChecks } from "../../../../channels/discord/doctor-checks.ts";
import { runChecks } from "../../../../src/cli/doctor-checks.ts";
import { createSystemClock } from "../../../../src/process/system-clock.ts";
import { createTexts } from "../../../../src/templates/create-texts.ts";
import { type DiscordRestFake, startRestFake } from "../../../fakes/discord/rest.ts";
import { kinds } from "../../../fakes/discord/rest-world.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const texts = createTexts();
const clock = createSystemClock();
const key = "a".repeat(64);

let rest: DiscordRestFake;
let application: Record<string, unknown>;
let remaining: number;
let guild: string;
let channel: string;

beforeEach(async () => {
  remaining = 1_000;
  application = { name: "AICR Bot", flags: 0, bot_public: false, verify_key: key, interactions_endpoint_url: null };
  rest = await startRestFake({
    routes: [["GET", "/applications/@me", ({ world }) => ({ id: world.application, ...application })]],
    gateway: () => ({
      url: "ws://127.0.0.1:1",
      shards: 1,
      session_start_limit: { total: 1_000, remaining, reset_after: 3_600_000, max_concurrency: 1 },
    }),
  });
  guild = rest.world.addGuild().id;
  channel = rest.world.addChannel(guild, kinds.text, { name: "reviews" }).id;
  rest.world.commands.set(
    "",
    [{ name: "review" }, { name: "aicr" }].map((one) => ({ ...one, id: rest.world.newId() })),
  );
});
afterEach(async () => {
  await rest.close();
  expect(rest.mistakes).toEqual([]);
});

interface Asked {
  readonly config?: Record<string, unknown>;
  readonly token?: string;
  readonly conversation?: string;
}

async function examined({ config, token = rest.world.token, conversation = channel }: Asked = {}) {
  const checks = discordChecks({
    config: discordChannelConfig.parse({ application_id: rest.world.application, api_url: rest.apiUrl, ...config }),
    secret: (name) => (name === "DISCORD_BOT_TOKEN" ? token : undefined),
    clock,
    logger: silentLogger,
    commandName: "review",
    conversations: [
      { channel: "discord", workspace: guild, conversation },
      { channel: "web", workspace: "local", conversation: "main" },
    ],
    texts: async () => texts,
  });
  const results = await runChecks(checks, clock);
  return Object.fromEntries(results.map(({ name, ms: _, ...finding }) => [name, finding]));
}

describe("a healthy installation", () => {
  it("is all right, and a card was posted in silence and deleted", async () => {
    expect(await examined()).toEqual({
      "discord:token": { state: "ok", detail: "the bot is aicr-bot" },
      "discord:application": { state: "ok", detail: "AICR Bot" },
      "discord:commands": { state: "ok", detail: "/review, /aicr" },
      "discord:gateway": { state: "ok", detail: "1000 of 1000 sessions of the day are left, one shard" },
      [`discord:${channel}`]: {
        state: "ok",
        detail:
          "#reviews: every permission is there, and a card was posted and deleted; without Manage Threads locked threads stay locked",
      },
    });
    const calls = rest.requests.filter(({ path }) => path.startsWith(`/channels/${channel}/messages`));
    expect(calls.map(({ method, status }) => [method, status])).toEqual(
      expect.arrayContaining([
        ["POST", 200],
        ["DELETE", 204],
      ]),
    );
    const posted = calls.find(({ method }) => method === "POST");
    expect(Number(posted?.body["flags"]) & (1 << 12)).not.toBe(0);
    expect(rest.world.channels.get(channel)?.messages).toEqual([]);
  });
});

describe("what is wrong", () => {
  it.each([
    [["SendMessages"], "Send Messages"],
    [["EmbedLinks", "AttachFiles"], "Embed Links, Attach Files"],
    [["CreatePublicThreads", "SendMessagesInThreads"], "Create Public Threads, Send Messages In Threads"],
    [["ReadMessageHistory"], "Read Message History"],
  ] as const)("with the permissions %j is each missing one by name, and nothing is posted", async (denied, named) => {
    rest.world.deny(channel, ...denied);
    const found = (await examined())[`discord:${channel}`];
    expect(found?.state).toBe("fail");
    expect(found?.detail).toBe(`#reviews: the bot lacks ${named}`);
    expect(found?.remedy).toContain("#reviews");
    expect(rest.requests.some(({ method }) => method === "POST")).toBe(false);
  });

  it("with a channel that the bot does not see, or that is gone, is that", async () => {
    rest.world.deny(channel, "ViewChannel");
    expect((await examined())[`discord:${channel}`]).toMatchObject({
      state: "fail",
      detail: expect.stringContaining("does not see"),
    });
    const gone = await examined({ conversation: "900000000000000001" });
    expect(gone["discord:900000000000000001"]).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("take the subscription away"),
    });
  });

  it("with a forum is nothing, and no post is left in it", async () => {
    const forum = rest.world.addChannel(guild, kinds.forum, { name: "audit" });
    const found = (await examined({ conversation: forum.id }))[`discord:${forum.id}`];
    expect(found).toMatchObject({ state: "ok", detail: expect.stringContaining("nothing is posted") });
    expect(rest.requests.some(({ method }) => method === "POST")).toBe(false);
  });

  it("with the token is told with the variable's name, and never the token", async () => {
    const found = await examined({ token: "wrong.token.here" });
    expect(found["discord:token"]).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("DISCORD_BOT_TOKEN"),
    });
    expect(JSON.stringify(found)).not.toContain("wrong.token.here");
    expect(await examined({ token: "" })).toEqual({
      "discord:token": expect.objectContaining({ state: "fail", detail: expect.stringContaining("DISCORD_BOT_TOKEN") }),
    });
  });

  it("with the application is another id, another transport, another key, or an open door", async () => {
    const judged = async (config?: Record<string, unknown>) =>
      (await examined(config === undefined ? {} : { config }))["discord:application"];
    expect(await judged({ application_id: "900000000000000001", api_url: rest.apiUrl })).toMatchObject({
      state: "fail",
    });
    const http = { transport: "http", public_key: key };
    expect(await judged(http)).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("/discord/interactions"),
    });
    application["interactions_endpoint_url"] = "https://example.org/discord/interactions";
    expect(await judged(http)).toMatchObject({ state: "ok" });
    expect(await judged({ ...http, public_key: "b".repeat(64) })).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("public_key"),
    });
    expect(await judged()).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("Clear Interactions Endpoint URL"),
    });
    application["interactions_endpoint_url"] = "";
    application["bot_public"] = true;
    expect(await judged()).toMatchObject({ state: "warn", remedy: expect.stringContaining("Public Bot") });
    expect(await judged({ guilds: [guild] })).toMatchObject({ state: "ok" });
  });

  it("with the budget of sessions is how little is left", async () => {
    remaining = 150;
    expect((await examined())["discord:gateway"]).toMatchObject({ state: "warn" });
    remaining = 20;
    expect((await examined())["discord:gateway"]).toMatchObject({
      state: "fail",
      detail: expect.stringContaining("20 of 1000"),
    });
    const http = await examined({ config: { transport: "http", public_key: key } });
    expect(http["discord:gateway"]).toBeUndefined();
  });

  it("with the commands is which are not there, in the server where they belong", async () => {
    rest.world.commands.set("", []);
    expect((await examined())["discord:commands"]).toMatchObject({
      state: "warn",
      detail: "not registered: /review, /aicr",
    });
    const found = await examined({ config: { guild_commands: [guild] } });
    expect(found["discord:commands"]).toMatchObject({ detail: `not registered in ${guild}: /review, /aicr` });
  });

  it("with the network is that Discord cannot be reached", async () => {
    const { apiUrl } = rest;
    await rest.close();
    const found = await examined({ config: { api_url: apiUrl } });
    expect(found["discord:token"]).toMatchObject({
      state: "fail",
      detail: expect.stringContaining("cannot be reached"),
    });
  });
});
