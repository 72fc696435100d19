// The settings of the Discord channel.
import * as z from "zod";
import { secretEnv } from "../kit/secret-env.ts";

/** An id of Discord's: 17 to 20 digits. */
const snowflake = z.string().regex(/^\d{17,20}$/, "must be an id of Discord, 17 to 20 digits in quotes");

export const discordChannelConfig = z
  .strictObject({
    enabled: z.boolean().default(true).meta({ description: "Whether the bot connects to Discord." }),
    application_id: snowflake.meta({ description: "General Information of the application: Application ID." }),
    bot_token_env: secretEnv
      .default("DISCORD_BOT_TOKEN")
      .meta({ description: "The variable that holds the bot's token." }),
    transport: z.enum(["gateway", "http"]).default("gateway").meta({
      description: "gateway: no public address is needed. http: Discord posts to /discord/interactions.",
    }),
    public_key: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, "must be the application's public key, 64 hex digits")
      .optional()
      .meta({ description: "With transport http: General Information of the application, Public Key." }),
    guilds: z
      .array(snowflake)
      .default([])
      .meta({ description: "The only servers where people are answered; every one that the bot is in when empty." }),
    guild_commands: z
      .array(snowflake)
      .default([])
      .meta({ description: "For development: servers that get the commands at once, instead of all servers." }),
    verbs_command: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,31}$/, "must be a command's name in small letters, without its slash")
      .default("aicr")
      .meta({ description: "The command whose sub-commands are the verbs, beside the one that asks for a review." }),
    command_permissions: z
      .string()
      .regex(/^\d{1,20}$/, "must be a number of permission bits in quotes; 0: administrators alone")
      .optional()
      .meta({
        description:
          "Permissions that people need before the commands are shown to them; administrators of a server may say otherwise.",
      }),
    guild_admins: z
      .boolean()
      .default(false)
      .meta({ description: "Whether administrators of a server are admins of the bot too." }),
    api_url: z
      .string()
      .regex(/^https?:\/\/[^\s/?#]+(?:\/[^\s/?#]+)*$/, "must be an address without a slash at its end")
      .default("https://discord.com/api")
      .meta({ description: "Where Discord's API is." }),
  })
  .superRefine((config, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message, input: config });
    if (config.transport === "http" && config.public_key === undefined) {
      refuse("public_key", "is needed with transport: http");
    }
    const outside = config.guild_commands.filter((guild) => config.guilds.length > 0 && !config.guilds.includes(guild));
    if (outside.length > 0) refuse("guild_commands", "has a server that is none of guilds");
  })
  .meta({ description: "Discord: see channels/discord/README.md." });

export type DiscordChannelConfig = z.output<typeof discordChannelConfig>;

/** Names of the environment variables that must hold a secret; none while the channel is off. */
export function secretsOfDiscord(config: DiscordChannelConfig): readonly string[] {
  return config.enabled ? [config.bot_token_env] : [];
}
