// The doctor on Slack: what it finds when all is well, and what it tells to do about each thing that is not.
import { afterEach, describe, expect, it } from "vitest";
import { slackChannelConfig } from "../../channels/slack/config.ts";
import { type SlackCheckOutcome, slackChecks } from "../../channels/slack/index.ts";
import type { ConversationRef } from "../../src/core/delivery.ts";
import { createTexts } from "../../src/templates/create-texts.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { appToken } from "../fakes/slack/platform.ts";
import { createSlackWorkspace, type SlackWorkspace, tokenKey } from "../fakes/slack/workspace.ts";

let workspace: SlackWorkspace | undefined;

afterEach(async () => {
  await workspace?.stop();
  if (workspace !== undefined) expect(workspace.sockets.faults).toEqual([]);
  workspace = undefined;
});

interface Look {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly conversations?: readonly string[];
  readonly publicUrl?: string;
}

async function look(slack: SlackWorkspace, given: Look = {}): Promise<Readonly<Record<string, SlackCheckOutcome>>> {
  const { config = { app_token_env: "APP", bot_token_env: "BOT" }, conversations = ["C0001"], publicUrl } = given;
  const secrets: Readonly<Record<string, string>> = {
    APP: appToken,
    BOT: slack.slack.bot.token,
    SIGNING: "8f742231b10e8888abcd99eeeddd85a5",
    CLIENT: slack.slack.oauth.clientSecret,
    KEY: tokenKey,
    ...given.secrets,
  };
  const checks = await slackChecks({
    config: slackChannelConfig.parse({ ...config, api_url: slack.slack.url }),
    secret: (name) => secrets[name],
    store: slack.store,
    conversations: conversations.map((id): ConversationRef => ({ ...slack.conversation, conversation: id })),
    texts: async () => createTexts({ folders: [] }),
    clock: slack.clock,
    ids: createFixedIds(),
    logger: silentLogger,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  });
  const found: Record<string, SlackCheckOutcome> = {};
  for (const { name, run } of checks) found[name] = await run();
  expect(JSON.stringify(found)).not.toMatch(/xoxb-|xapp-/);
  return found;
}

async function slackOnLoopback(options = {}): Promise<SlackWorkspace> {
  workspace = await createSlackWorkspace(options);
  return workspace;
}

describe("the doctor on Slack", () => {
  it("finds that all is well, down to a card that comes and goes", async () => {
    const slack = await slackOnLoopback();
    const found = await look(slack, { conversations: ["C0001", "U0002"] });
    expect(Object.fromEntries(Object.entries(found).map(([name, { state }]) => [name, state]))).toEqual({
      "slack:token": "ok",
      "slack:scopes": "ok",
      "slack:connection": "ok",
      "slack:conversation:C0001": "ok",
      "slack:conversation:U0002": "ok",
      "slack:proof": "ok",
    });
    expect(slack.slack.calls.map(({ method }) => method)).toContain("chat.delete");
    expect(slack.shown()).toEqual([]);
    await slack.sockets.whenLive(0);
  });

  it("says which token is refused", async () => {
    const slack = await slackOnLoopback();
    const found = await look(slack, { secrets: { BOT: "nonsense", APP: "nonsense" } });
    expect(found["slack:token"]).toMatchObject({ state: "fail", detail: expect.stringContaining("invalid_auth") });
    expect(found["slack:token"]?.remedy).toContain("Bot User OAuth Token");
    expect(found["slack:connection"]).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("app-level token"),
    });
    expect(found["slack:proof"]?.state).toBe("warn");
  });

  it("says which scopes are missing, and what is lost without the optional ones", async () => {
    const slack = await slackOnLoopback();
    const { scopes } = slack.slack.bot;
    scopes.delete("usergroups:read");
    expect((await look(slack))["slack:scopes"]).toMatchObject({
      state: "warn",
      remedy: expect.stringContaining("roles cannot be given to user groups"),
    });
    scopes.delete("reactions:write");
    const found = await look(slack);
    expect(found["slack:scopes"]).toMatchObject({ state: "fail", detail: "scopes are missing: reactions:write" });
  });

  it("says in which conversations the bot cannot write", async () => {
    const slack = await slackOnLoopback();
    const found = await look(slack, { conversations: ["C0002", "G0002", "C0009", "C4040"] });
    expect(found["slack:conversation:C0002"]).toMatchObject({
      state: "warn",
      detail: expect.stringContaining("#random"),
    });
    expect(found["slack:conversation:G0002"]).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("/invite"),
    });
    expect(found["slack:conversation:C0009"]).toMatchObject({ state: "fail", detail: "#old is archived" });
    expect(found["slack:conversation:C4040"]?.state).toBe("fail");
    expect(found["slack:proof"]?.state).toBe("warn");
  });

  it("says that there are too many connections", async () => {
    const slack = await slackOnLoopback();
    slack.sockets.behaviour.most = 0;
    const found = await look(slack);
    expect(found["slack:connection"]).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("too many connections"),
    });
  });

  it("does not mistake a network that is down for a wrong token", async () => {
    const slack = await slackOnLoopback();
    slack.slack.break();
    const found = await look(slack);
    expect(found["slack:token"]).toMatchObject({ state: "fail", remedy: expect.stringContaining("network") });
    expect(found["slack:connection"]).toMatchObject({ state: "fail", remedy: expect.stringContaining("network") });
  });

  it("looks at the signing secret and the public address over HTTP", async () => {
    const slack = await slackOnLoopback();
    const config = { transport: "http", signing_secret_env: "SIGNING", bot_token_env: "BOT" };
    expect((await look(slack, { config, publicUrl: "https://bot.example.com" }))["slack:connection"]?.state).toBe("ok");
    expect((await look(slack, { config }))["slack:connection"]).toMatchObject({
      state: "warn",
      remedy: expect.stringContaining("/slack/events"),
    });
    const wrong = await look(slack, { config, secrets: { SIGNING: "xoxb" } });
    expect(wrong["slack:connection"]).toMatchObject({
      state: "warn",
      remedy: expect.stringContaining("Signing Secret"),
    });
  });

  it("looks at every installation, and says where to begin when there is none", async () => {
    const slack = await slackOnLoopback({ transport: "http", oauth: true });
    const oauth = { client_id: slack.slack.oauth.clientId, client_secret_env: "CLIENT", token_key_envs: ["KEY"] };
    const config = { transport: "http", signing_secret_env: "SIGNING", oauth };
    const found = await look(slack, { config, publicUrl: "https://bot.example.com" });
    expect(found["slack:installations"]).toMatchObject({
      state: "fail",
      remedy: expect.stringContaining("https://bot.example.com/slack/install"),
    });
  });

  it("has nothing to look at while the channel is off", async () => {
    const slack = await slackOnLoopback();
    expect(await look(slack, { config: { enabled: false, app_token_env: "APP", bot_token_env: "BOT" } })).toEqual({});
  });
});
