// The settings of the Slack channel.
import * as z from "zod";
import { secretEnv } from "../kit/secret-env.ts";

const oauth = z
  .strictObject({
    client_id: z
      .string()
      .regex(/^\d+\.\d+$/, "must be the app's client id, such as 123456789.987654321")
      .meta({ description: "Basic Information of the app: Client ID." }),
    client_secret_env: secretEnv.meta({ description: "The variable that holds the Client Secret." }),
    token_key_envs: z.array(secretEnv).min(1).max(8).meta({
      description:
        "Variables that hold keys of 32 bytes (base64 or hex) by which tokens are sealed at rest: the first seals, all open.",
    }),
  })
  .meta({
    description: "For several workspaces: people install the app at /slack/install of the server's public address.",
  });

export const slackChannelConfig = z
  .strictObject({
    enabled: z.boolean().default(true).meta({ description: "Whether the bot connects to Slack." }),
    transport: z
      .enum(["socket", "http"])
      .default("socket")
      .meta({ description: "socket: no public address is needed. http: Slack posts to /slack/events." }),
    command: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,30}$/, "must be a command's name without its slash, such as review")
      .optional()
      .meta({
        description: "The slash command's name as in the app's manifest, without the slash; review when left out.",
      }),
    bot_token_env: secretEnv
      .optional()
      .meta({ description: "For one workspace: the variable that holds the Bot User OAuth Token (xoxb-…)." }),
    app_token_env: secretEnv.optional().meta({
      description: "With transport socket: the variable that holds the app-level token (xapp-…, connections:write).",
    }),
    signing_secret_env: secretEnv
      .optional()
      .meta({ description: "With transport http: the variable that holds the Signing Secret." }),
    oauth: oauth.optional(),
    workspace_admins: z
      .boolean()
      .default(false)
      .meta({ description: "Whether owners and admins of a workspace are admins of the bot too." }),
    api_url: z
      .string()
      .regex(
        /^https?:\/\/[^\s/]+\/(?:[^\s?#]*\/)?$/,
        "must be an address that ends with a slash, such as https://slack.com/api/",
      )
      .default("https://slack.com/api/")
      .meta({ description: "Where Slack's Web API is; another one for GovSlack." }),
  })
  .superRefine((config, context) => {
    const { transport, oauth: install, bot_token_env: token } = config;
    const missing = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message, input: config });
    if (transport === "socket" && config.app_token_env === undefined) {
      missing("app_token_env", "is needed with transport: socket");
    }
    if (transport === "http" && config.signing_secret_env === undefined) {
      missing("signing_secret_env", "is needed with transport: http");
    }
    if (token === undefined && install === undefined) {
      missing("bot_token_env", "is needed, or oauth for several workspaces");
    }
    if (token !== undefined && install !== undefined) {
      missing("bot_token_env", "cannot stand beside oauth: one workspace has a token, several are installed");
    }
  })
  .meta({ description: "Slack: see channels/slack/README.md." });

export type SlackChannelConfig = z.output<typeof slackChannelConfig>;

/** Names of the environment variables that must hold a secret; none while the channel is off. */
export function secretsOfSlack(config: SlackChannelConfig): readonly string[] {
  if (!config.enabled) return [];
  const { bot_token_env, app_token_env, signing_secret_env, oauth: install } = config;
  const needed = [
    bot_token_env,
    config.transport === "socket" ? app_token_env : undefined,
    config.transport === "http" ? signing_secret_env : undefined,
    install?.client_secret_env,
    ...(install?.token_key_envs ?? []),
  ];
  return needed.filter((name) => name !== undefined);
}
