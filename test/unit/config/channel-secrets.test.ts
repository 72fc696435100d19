// The secrets of the platforms: each missing one is named with its line, and each that is there reaches the log's mask.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";

const folder = mkdtempSync(join(tmpdir(), "aicr-secrets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, env: Readonly<Record<string, string>> = {}): Promise<Config> {
  writeFileSync(join(folder, "aicr-bot.yaml"), yaml);
  return loadConfig({ cwd: folder, env });
}

const slack = "channels:\n  slack:\n    bot_token_env: SLACK_BOT\n    app_token_env: SLACK_APP\n";
const oauth = `channels:
  slack:
    app_token_env: SLACK_APP
    oauth:
      client_id: "1.2"
      client_secret_env: SLACK_CLIENT
      token_key_envs: [KEY_NEW, KEY_OLD]
`;

describe("a secret that is not set", () => {
  it("is named with the line of its setting", async () => {
    await expect(load(slack, { SLACK_APP: "xapp-1" })).rejects.toThrow(
      "aicr-bot.yaml:3:20 The environment variable SLACK_BOT is not set.",
    );
  });

  it("is named in a list and in a group too", async () => {
    const refused = load(oauth, { SLACK_APP: "xapp-1", KEY_NEW: "k" });
    await expect(refused).rejects.toThrow(/:6:26 The environment variable SLACK_CLIENT/u);
    await expect(refused).rejects.toThrow(/:7:33 The environment variable KEY_OLD/u);
  });

  it("is named where the setting was left out and its usual name is meant", async () => {
    const yaml = 'channels:\n  discord:\n    application_id: "123456789012345678"\n';
    await expect(load(yaml)).rejects.toThrow(/:3:5 The environment variable DISCORD_BOT_TOKEN is not set/u);
    const { channelSecrets, secrets } = await load(yaml, { DISCORD_BOT_TOKEN: "abc.def" });
    expect(channelSecrets).toEqual({ DISCORD_BOT_TOKEN: "abc.def" });
    expect(secrets).toContain("abc.def");
  });

  it("is no mistake of a channel that is switched off", async () => {
    const { channels, channelSecrets } = await load(`${slack}    enabled: false\n`);
    expect(channels.slack?.enabled).toBe(false);
    expect(channelSecrets).toEqual({});
  });
});

describe("a platform's address", () => {
  const at = (address: string) =>
    load(`channels:\n  slack:\n    bot_token_env: B\n    app_token_env: A\n    api_url: ${address}\n`, {
      A: "a",
      B: "b",
    });

  it("may be unencrypted on this machine alone", async () => {
    await expect(at("http://slack.example.com/api/")).rejects.toThrow(
      "aicr-bot.yaml:5:14 channels.slack.api_url would send the bot's secret unencrypted to slack.example.com. Use https://.",
    );
    for (const address of ["http://127.0.0.1:9/api/", "http://[::1]:9/api/", "https://slack.example.com/api/"]) {
      expect((await at(address)).channels.slack?.api_url).toBe(address);
    }
  });
});

it("knows every channel by name, and no other", async () => {
  const at = (channel: string) =>
    `repositories: [{ alias: demo, demo: true }]\nsubscriptions:\n  - repository: demo\n    conversation: { channel: ${channel}, conversation: c }\n`;
  for (const channel of ["web", "slack", "lark", "lark-webhook", "discord"]) {
    expect((await load(at(channel))).subscriptions).toHaveLength(1);
  }
  await expect(load(at("slak"))).rejects.toThrow(/Did you mean slack/u);
});
