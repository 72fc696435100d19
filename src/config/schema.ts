// The one YAML file, key by key: what may stand in it, in which bounds, and what is taken where nothing is said.
import * as z from "zod";
import { discordChannelConfig } from "../../channels/discord/config.ts";
import { larkChannelConfig } from "../../channels/lark/config.ts";
import { slackChannelConfig } from "../../channels/slack/config.ts";
import { webChannelConfig } from "../../channels/web/config.ts";
import { severities } from "../core/problem.ts";
import { locales } from "../ports/texts.ts";
import { agentsSchema, modelsSchema } from "./agents-schema.ts";
import { hearingKeys, quotasSchema, rolesSchema } from "./people-schema.ts";
import { triggersSchema, webhooksSchema } from "./push-sources.ts";
import { sandboxSchema } from "./sandbox-schema.ts";
import { secretName } from "./secret-name.ts";

const mebibyte = 1024 * 1024;

const filePath = z.string().min(1).max(4096);

/** An http or https address, perhaps with placeholders in braces. */
const webAddress = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/]+/, "must be an address that begins with https:// or http://");

const noProblems = z.enum(["suppress", "publish_if_summary", "publish"]).meta({
  description:
    "What happens with zero problems and a summary: nothing, a card if there is a summary, or always a card.",
});

const language = z.enum(locales);

const conversation = z
  .strictObject({
    channel: z.string().min(1).meta({ description: "Name of a channel: web, slack, lark, lark-webhook or discord." }),
    workspace: z.string().min(1).default("local").meta({ description: "Team, tenant or guild; local on the web." }),
    conversation: z.string().min(1).meta({ description: "The channel's, group's or room's id." }),
  })
  .meta({ id: "conversation", description: "A place where people hear the bot." });

const globs = z
  .union([z.string().min(1), z.array(z.string().min(1))], "must be a glob or a list of globs")
  .meta({ description: "Globs: * within a folder, ** across folders. One that begins with - excludes." });

const credentials = z
  .strictObject({
    username: z.string().min(1).optional().meta({ description: "For https; git's is git when left out." }),
    password_env: secretName.optional().meta({ description: "For https: the variable that holds password or token." }),
    ssh_key_file: filePath.optional().meta({ description: "For ssh: a private key." }),
    ssh_known_hosts_file: filePath.optional().meta({ description: "For ssh: the hosts that are trusted." }),
  })
  .meta({ description: "How the bot proves itself to the remote." });

const webLinks = z
  .strictObject({
    commit: webAddress.optional().meta({ description: "A commit's page: {rev}." }),
    file: webAddress.optional().meta({ description: "A file's page: {rev} and {path}." }),
    line: z.string().max(200).optional().meta({ description: "What follows for one line: #L{line}." }),
    lines: z.string().max(200).optional().meta({ description: "And for several: #L{line}-L{endLine}." }),
  })
  .meta({ description: "Templates of links to the repository's page; encoded values take the place of the braces." });

const p4 = z
  .strictObject({
    port: z.string().min(1).max(255).meta({ description: "The server: host:1666 or ssl:host:1666." }),
    user: z.string().min(1).max(255).meta({ description: "The bot's own account." }),
    password_env: secretName.optional().meta({ description: "The variable that holds its password." }),
    depot_path: z
      .string()
      .regex(/^\/\/[^/@#*]+(?:\/[^/@#*]+)*\/\.\.\.$/, "must be a depot path such as //depot/game/...")
      .meta({ description: "What of the server is this repository: //depot/game/..." }),
    charset: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]*$/, "must be the name of a charset, such as utf8")
      .optional()
      .meta({ description: "Of a unicode server: utf8." }),
    fingerprint: z
      .string()
      .regex(
        /^(?:[0-9A-Fa-f]{2}:){19}(?:(?:[0-9A-Fa-f]{2}:){12})?[0-9A-Fa-f]{2}$/,
        "must be 20 or 32 hex pairs with colons",
      )
      .optional()
      .meta({ description: "Of an ssl: server's key; no other is trusted." }),
  })
  .meta({ description: "How a Perforce server is reached." });

const repository = z.strictObject({
  alias: z
    .string()
    .regex(/^[A-Za-z0-9._][A-Za-z0-9._-]{0,63}$/, "must be up to 64 letters, digits, dots, hyphens or underscores")
    .meta({ description: "The name that people type." }),
  vcs: z.enum(["git", "svn", "p4"]).default("git"),
  path: filePath.optional().meta({ description: "A local repository; relative to this file." }),
  url: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .meta({ description: "A remote: https, ssh or host:path; with vcs: svn the folder that is reviewed." }),
  p4: p4.optional(),
  demo: z.literal(true).optional().meta({ description: "The generated repository that shows the product." }),
  default_branch: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: "Where the repository's own idea is wrong." }),
  credentials: credentials.optional(),
  web: webLinks.prefault({}),
  agent: z.string().min(1).default("checks").meta({ description: "Who reviews: checks, or a name from agents." }),
  poll_seconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(60)
    .meta({ description: "Time between two looks for new changes, where somebody is subscribed; 0: never." }),
  no_problems: noProblems.optional(),
  visible_to: z
    .array(conversation)
    .optional()
    .meta({ description: "The only conversations that may see it; all of them when left out." }),
});

const subscription = z.strictObject({
  conversation,
  repository: z.string().min(1).meta({ description: "An alias from repositories." }),
  branch: globs.optional(),
  path: globs.optional(),
  author: globs.optional(),
  watch_path: globs.optional().meta({ description: "The same as path, by the name that Perforce and Subversion use." }),
  include_cr_file: globs.optional().meta({ description: "Files to review: more globs for path." }),
  exclude_cr_file: globs.optional().meta({ description: "Files to leave out: globs that path excludes." }),
  mode: z.enum(["report", "audit"]).default("report").meta({ description: "audit: one line for every change." }),
  severity: z.enum(severities).default("info").meta({ description: "Problems below it are not shown." }),
  no_problems: noProblems.optional(),
  language: language.optional(),
  ...hearingKeys,
});

const limits = z.strictObject({
  review_seconds: z.int().min(10).max(7200).default(600).meta({ description: "One attempt of a review." }),
  diff_bytes: z
    .int()
    .min(1024)
    .max(512 * mebibyte)
    .default(32 * mebibyte)
    .meta({
      description: "Diff that is read; files beyond it are left out, and the report says so.",
    }),
  file_bytes: z
    .int()
    .min(1024)
    .max(512 * mebibyte)
    .default(4 * mebibyte)
    .meta({
      description: "The largest file that a reviewer gets to see.",
    }),
  run_bytes: z
    .int()
    .min(mebibyte)
    .max(64 * 1024 * mebibyte)
    .default(256 * mebibyte)
    .meta({
      description: "All files of one side of a change together.",
    }),
  concurrency: z.int().min(1).max(64).default(2).meta({ description: "Reviews that run at once." }),
  keep_days: z.int().min(1).max(3650).default(90).meta({ description: "Finished reviews and their messages." }),
  keep_run_days: z.int().min(1).max(365).default(7).meta({ description: "Run directories." }),
});

/** The file as it is written; `z.output` has the defaults filled in. */
export const configSchema = z
  .strictObject({
    server: z
      .strictObject({
        host: z.string().min(1).max(255).default("127.0.0.1").meta({
          description: "Where to listen. Beyond this machine only with public_url: the chat knows no passwords.",
        }),
        port: z.int().min(0).max(65_535).default(8787).meta({ description: "0 takes any free port." }),
        public_url: webAddress.optional().meta({ description: "The address under which people reach the server." }),
      })
      .prefault({}),
    data_dir: filePath
      .default("./data")
      .meta({ description: "Folder of everything the bot keeps; relative to this file." }),
    language: language.default("en").meta({ description: "Of conversations that have said nothing else." }),
    log: z.strictObject({ level: z.enum(["debug", "info", "warn", "error", "silent"]).default("info") }).prefault({}),
    no_problems: noProblems.default("suppress"),
    repositories: z.array(repository).default([]),
    subscriptions: z.array(subscription).default([]),
    operators: conversation.optional(),
    roles: rolesSchema,
    quotas: quotasSchema,
    webhooks: webhooksSchema,
    triggers: triggersSchema,
    models: modelsSchema,
    agents: agentsSchema,
    sandbox: sandboxSchema,
    channels: z
      .strictObject({
        web: webChannelConfig.prefault({}),
        slack: slackChannelConfig.optional(),
        lark: larkChannelConfig.optional(),
        discord: discordChannelConfig.optional(),
      })
      .prefault({}),
    limits: limits.prefault({}),
    templates: z
      .strictObject({
        folders: z
          .array(filePath)
          .default([])
          .meta({ description: "Folders whose templates and texts shadow the built-in ones, the strongest first." }),
      })
      .prefault({}),
  })
  .meta({ title: "AICR Bot", description: "The configuration of AICR Bot." });

export type ConfigFile = z.output<typeof configSchema>;

/** The schema for editors. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(configSchema, { io: "input", target: "draft-07" });
}

/** The settings that a group may hold, for the suggestion beside an unknown one; empty where there is no group. */
export function settingsAt(path: readonly PropertyKey[]): readonly string[] {
  const schema = schemaAt(path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The file without groups and lists that hold comments alone: they say nothing, and are no mistake. */
export function withoutEmptyGroups(raw: unknown, path: readonly PropertyKey[] = []): unknown {
  if (Array.isArray(raw)) return raw.map((item, index) => withoutEmptyGroups(item, [...path, index]));
  if (typeof raw !== "object" || raw === null) return raw;
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(raw)) {
    const at = [...path, key];
    const schema = value === null ? schemaAt(at) : null;
    if (schema instanceof z.ZodObject || schema instanceof z.ZodArray) continue;
    kept.push([key, withoutEmptyGroups(value, at)]);
  }
  return Object.fromEntries(kept);
}

function schemaAt(path: readonly PropertyKey[]): unknown {
  let schema = bare(configSchema);
  for (const part of path) {
    if (schema instanceof z.ZodArray) schema = bare(schema.element);
    else if (schema instanceof z.ZodObject)
      schema = bare((schema.shape as Readonly<Record<PropertyKey, unknown>>)[part]);
    else return null;
  }
  return schema;
}

/** Without the wrappers for defaults and absence. */
function bare(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) {
    inner = inner.unwrap();
  }
  return inner;
}
