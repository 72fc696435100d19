// The settings of the Lark and Feishu channel.
import * as z from "zod";
import { secretEnv } from "../kit/secret-env.ts";

const customBot = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be up to 64 letters, digits, dots, hyphens or underscores")
      .meta({ description: "The conversation's name in subscriptions, with channel: lark-webhook." }),
    url_env: secretEnv.meta({ description: "The variable that holds the custom bot's webhook address." }),
    secret_env: secretEnv
      .optional()
      .meta({ description: "The variable that holds its signing secret, where signatures are switched on." }),
    keyword: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: "A keyword that the bot's security settings ask of every message." }),
  })
  .meta({ description: "A custom bot of one group: it posts, and hears nothing." });

export const larkChannelConfig = z
  .strictObject({
    enabled: z.boolean().default(true).meta({ description: "Whether the bot connects to Lark or Feishu." }),
    domain: z
      .string()
      .regex(
        /^(?:feishu|lark|https?:\/\/[^\s/?#]+\/?)$/,
        "must be feishu, lark, or an address such as https://open.example.com",
      )
      .default("feishu")
      .meta({ description: "Where the app was made: feishu, lark, or the address of a private deployment." }),
    app_id: z
      .string()
      .regex(/^cli_[0-9a-fA-F]{16}$/, "must be the app's id: cli_ and 16 hex digits")
      .optional()
      .meta({ description: "Credentials & Basic Info of the app: App ID. Needed for all but webhooks." }),
    app_secret_env: secretEnv.optional().meta({ description: "The variable that holds the App Secret." }),
    transport: z.enum(["long_connection", "webhook"]).default("long_connection").meta({
      description: "long_connection: no public address is needed. webhook: the platform posts to /lark/events.",
    }),
    encrypt_key_env: secretEnv
      .optional()
      .meta({ description: "With transport webhook: the variable that holds the Encrypt Key." }),
    verification_token_env: secretEnv
      .optional()
      .meta({ description: "With transport webhook: the variable that holds the Verification Token." }),
    tenant_key: z
      .string()
      .regex(/^[0-9A-Za-z_-]{1,64}$/, "must be a tenant key of letters and digits")
      .optional()
      .meta({ description: "The only tenant whose events are heard; any that the app is in when left out." }),
    command: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,30}$/, "must be a command's name without its slash, such as review")
      .optional()
      .meta({ description: "The command's name without its slash; review when left out." }),
    register_command: z.boolean().default(true).meta({
      description: "Whether the command is put into the client's panel of commands, where the platform has one.",
    }),
    menu: z
      .record(
        z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, "must be the key of an event of the bot's menu"),
        z.string().min(1).max(1_000),
      )
      .default({ help: "help", repos: "repos", status: "status", subscriptions: "subscriptions", digest: "digest" })
      .meta({ description: "Commands of the bot's menu by the keys of their events, such as repos: repos." }),
    allow_bots: z
      .array(
        z.string().regex(/^ou_[0-9A-Za-z]{1,64}$/, "must be an open id, such as ou_7d8a6e6df7621556ce0d21922b676706"),
      )
      .max(100)
      .default([])
      .meta({ description: "Open ids of bots whose messages are heard; people are always heard." }),
    language: z.enum(["en", "zh-CN", "vi"]).optional().meta({
      description: "Of the few words that the channel says itself; when left out zh-CN on Feishu, en elsewhere.",
    }),
    webhooks: z.array(customBot).max(100).default([]).meta({
      description: "Custom bots of groups, for those who may not make an app.",
    }),
  })
  .superRefine((config, context) => {
    const wrong = (path: readonly (string | number)[], message: string): void =>
      context.addIssue({ code: "custom", path: [...path], message, input: config });
    const hasApp = config.app_id !== undefined;
    if (!hasApp && config.webhooks.length === 0) wrong(["app_id"], "is needed, or webhooks");
    if (hasApp && config.app_secret_env === undefined) wrong(["app_secret_env"], "is needed with app_id");
    if (!hasApp && config.app_secret_env !== undefined) wrong(["app_id"], "is needed with app_secret_env");
    if (hasApp && config.transport === "webhook") {
      if (config.encrypt_key_env === undefined) wrong(["encrypt_key_env"], "is needed with transport: webhook");
      if (config.verification_token_env === undefined) {
        wrong(["verification_token_env"], "is needed with transport: webhook");
      }
    }
    const names = config.webhooks.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) < index) wrong(["webhooks", index, "name"], "is the name of another webhook");
    }
  })
  .meta({ description: "Lark and Feishu: see channels/lark/README.md." });

export type LarkChannelConfig = z.output<typeof larkChannelConfig>;

/** Names of the environment variables that must hold a secret; none while the channel is off. */
export function secretsOfLark(config: LarkChannelConfig): readonly string[] {
  if (!config.enabled) return [];
  const hasApp = config.app_id !== undefined;
  const hears = hasApp && config.transport === "webhook";
  const needed = [
    hasApp ? config.app_secret_env : undefined,
    hears ? config.encrypt_key_env : undefined,
    hears ? config.verification_token_env : undefined,
    ...config.webhooks.flatMap(({ url_env, secret_env }) => [url_env, secret_env]),
  ];
  return [...new Set(needed.filter((name) => name !== undefined))];
}
