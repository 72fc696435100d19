// The settings of Discord: what may be left out, what is refused, and which secrets are needed.
import { describe, expect, it } from "vitest";
import { discordChannelConfig, secretsOfDiscord } from "../../../../channels/discord/config.ts";

const id = "123456789012345678";
const key = "0123456789abcdef".repeat(4);

describe("the settings", () => {
  it("need the application's id alone", () => {
    const config = discordChannelConfig.parse({ application_id: id });
    expect(config).toEqual({
      enabled: true,
      application_id: id,
      bot_token_env: "DISCORD_BOT_TOKEN",
      transport: "gateway",
      guilds: [],
      guild_commands: [],
      verbs_command: "aicr",
      guild_admins: false,
      api_url: "https://discord.com/api",
    });
    expect(secretsOfDiscord(config)).toEqual(["DISCORD_BOT_TOKEN"]);
    expect(secretsOfDiscord({ ...config, enabled: false })).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["application_id", { application_id: "me" }],
    // YAML makes numbers of ids without quotes, and loses their last digits.
    ["application_id", { application_id: Number(id) }],
    ["bot_token_env", { application_id: id, bot_token_env: "MTA.token" }],
    ["public_key", { application_id: id, transport: "http" }],
    ["public_key", { application_id: id, transport: "http", public_key: "abc" }],
    ["guilds", { application_id: id, guilds: ["studio"] }],
    ["guild_commands", { application_id: id, guilds: [id], guild_commands: ["223456789012345678"] }],
    ["verbs_command", { application_id: id, verbs_command: "/AICR" }],
    ["command_permissions", { application_id: id, command_permissions: "ManageGuild" }],
    ["api_url", { application_id: id, api_url: "https://discord.com/api/" }],
    ["", { application_id: id, token: "MTA.token" }],
  ])("refuse a wrong %s", (path, given) => {
    const parsed = discordChannelConfig.safeParse(given);
    expect(parsed.error?.issues.map((issue) => String(issue.path[0] ?? ""))).toEqual([path]);
  });

  it("take the other transport with its key", () => {
    expect(discordChannelConfig.safeParse({ application_id: id, transport: "http", public_key: key }).success).toBe(
      true,
    );
  });
});
