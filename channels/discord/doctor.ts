// What `aicr-bot doctor discord` looks at: the token, the application, the gateway's budget, the commands, and each channel that hears something.
import * as z from "zod";
import { composeNote } from "../../src/cards/compose-note.ts";
import type { ConversationRef } from "../../src/core/delivery.ts";
import { AppError } from "../../src/core/errors.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Texts } from "../../src/ports/texts.ts";
import type { DiscordClient } from "./client.ts";
import type { DiscordChannelConfig } from "./config.ts";
import { tokenRefused } from "./gateway-faults.ts";
import { waitForBudget } from "./identify-budget.ts";
import { missingOf, neededPermissions, type Overwrite, permissionsIn, usefulPermissions } from "./permissions.ts";
import type { DiscordRest, Refusal } from "./rest.ts";

export interface DiscordCheck {
  /** Stable name for scripts. */
  readonly name: string;
  run(): Promise<{ readonly state: "ok" | "warn" | "fail"; readonly detail: string; readonly remedy?: string }>;
}

type Finding = Awaited<ReturnType<DiscordCheck["run"]>>;

export interface DiscordDoctorPorts {
  readonly config: DiscordChannelConfig;
  readonly rest: DiscordRest;
  readonly client: Pick<DiscordClient, "send" | "remove">;
  readonly commandName: string;
  /** Those that are subscribed to something; of other channels too. */
  readonly conversations: readonly ConversationRef[];
  readonly texts: () => Promise<Texts>;
  /** Language of the proof. Default: English. */
  readonly locale?: string;
  readonly clock: Clock;
}

const named = z.object({ id: z.string(), username: z.string().optional(), name: z.string().optional() });
const application = z.object({
  id: z.string(),
  name: z.string(),
  bot_public: z.boolean().optional(),
  verify_key: z.string().optional(),
  interactions_endpoint_url: z.string().nullish(),
});
const gateway = z.object({
  shards: z.int(),
  session_start_limit: z.object({
    total: z.int(),
    remaining: z.int(),
    reset_after: z.int(),
    max_concurrency: z.int(),
  }),
});
const overwrite = z.object({ id: z.string(), type: z.int(), allow: z.string(), deny: z.string() });
const channel = z.object({
  id: z.string(),
  type: z.int(),
  name: z.string().nullish(),
  guild_id: z.string().optional(),
  permission_overwrites: z.array(overwrite).default([]),
});
const guild = z.object({
  id: z.string(),
  owner_id: z.string(),
  roles: z.array(z.object({ id: z.string(), permissions: z.string() })),
});
const membership = z.object({ roles: z.array(z.string()) });

/** Forum and media channels have posts alone. */
const postsOnly: ReadonlySet<number> = new Set([15, 16]);

export function discordDoctor(ports: DiscordDoctorPorts): readonly DiscordCheck[] {
  const { config, rest, clock } = ports;
  const facts = { applicationId: config.application_id, tokenEnv: config.bot_token_env };

  async function get<T>(path: `/${string}`, schema: z.ZodType<T>): Promise<T> {
    const answer = await rest.call({ method: "GET", path });
    if (answer.ok) return schema.parse(answer.value);
    throw faultOf(answer.refusal);
  }

  function faultOf({ status, code, message }: Refusal): AppError {
    if (status === 401) return tokenRefused(facts);
    if (status === 0) {
      const remedy = `Look whether ${config.api_url} can be reached from here.`;
      return new AppError("unavailable", `Discord cannot be reached: ${message}`, { remedy });
    }
    if (code === 10003 || code === 10004 || code === 50001 || code === 10007) {
      return new AppError("not_found", `The bot does not see it: ${message}.`, {
        remedy: "Invite the bot to the server, let it see the channel, or take the subscription away.",
      });
    }
    return new AppError("unavailable", `Discord answered ${status}: ${message}`, { remedy: "Try again later." });
  }

  const checks: DiscordCheck[] = [
    {
      name: "discord:token",
      async run() {
        const { id, username = id } = await get("/users/@me", named);
        return ok(`the bot is ${username}`);
      },
    },
    {
      name: "discord:application",
      run: async () => judgeApplication(await get("/applications/@me", application), config),
    },
    { name: "discord:commands", run: commands },
  ];
  if (config.transport === "gateway") {
    checks.push({ name: "discord:gateway", run: async () => judgeBudget(await get("/gateway/bot", gateway)) });
  }
  const heard = ports.conversations.filter((one) => one.channel === "discord");
  return [
    ...checks,
    ...heard.map((one): DiscordCheck => ({ name: `discord:${one.conversation}`, run: () => place(one) })),
  ];

  async function commands(): Promise<Finding> {
    const scopes = config.guild_commands.length === 0 ? [""] : config.guild_commands.map((one) => `/guilds/${one}`);
    const wanted = [ports.commandName, config.verbs_command];
    for (const scope of scopes) {
      const found = await get(`/applications/${config.application_id}${scope}/commands`, z.array(named));
      const missing = wanted.filter((name) => !found.some((one) => one.name === name));
      if (missing.length > 0) {
        const detail = `not registered${scope === "" ? "" : ` in ${scope.slice(8)}`}: ${missing.map((one) => `/${one}`).join(", ")}`;
        return { state: "warn", detail, remedy: "Start the bot: it registers them. Then look into its log." };
      }
    }
    return ok(wanted.map((name) => `/${name}`).join(", "));
  }

  async function place({ workspace, conversation }: ConversationRef): Promise<Finding> {
    const found = await get(`/channels/${conversation}`, channel);
    const server = await get(`/guilds/${workspace}`, guild);
    const me = await get("/users/@me", named);
    const mine = await get(`/guilds/${workspace}/members/${me.id}`, membership);
    const bits = permissionsIn(
      {
        guild: server.id,
        owner: server.owner_id,
        roles: server.roles,
        overwrites: found.permission_overwrites satisfies readonly Overwrite[],
      },
      { id: me.id, roles: mine.roles },
    );
    const name = `#${found.name ?? conversation}`;
    const missing = missingOf(neededPermissions, bits);
    if (missing.length > 0) {
      const remedy = `Allow the bot's role in ${name}: Edit Channel → Permissions.`;
      return { state: "fail", detail: `${name}: the bot lacks ${labels(missing)}`, remedy };
    }
    const lacked = missingOf(usefulPermissions, bits);
    const beside = lacked.length === 0 ? "" : `; without ${labels(lacked)} locked threads stay locked`;
    if (postsOnly.has(found.type))
      return ok(`${name}: every permission is there${beside}; nothing is posted as a proof in a forum`);
    await prove({ channel: "discord", workspace, conversation });
    return ok(`${name}: every permission is there, and a card was posted and deleted${beside}`);
  }

  /** A card that can be sent and deleted proves more than permissions do. */
  async function prove(conversation: ConversationRef): Promise<void> {
    const card = composeNote({ texts: await ports.texts(), locale: ports.locale ?? "en" }, "discord.proof");
    const ref = await ports.client.send(
      { conversation },
      { card, quiet: true },
      `doctor/${conversation.conversation}/${clock.now()}`,
    );
    await ports.client.remove(ref);
  }
}

function judgeApplication(
  { id, name, bot_public, verify_key, interactions_endpoint_url: url }: z.output<typeof application>,
  { application_id, transport, public_key, guilds }: DiscordChannelConfig,
): Finding {
  if (id !== application_id) {
    const remedy = "Take application_id and token from one application.";
    return { state: "fail", detail: `the token belongs to the application ${id}`, remedy };
  }
  if (transport === "gateway" && typeof url === "string" && url !== "") {
    const remedy = "Clear Interactions Endpoint URL on the application's page, or set transport: http.";
    return { state: "fail", detail: "Discord posts interactions to an address instead of the gateway", remedy };
  }
  if (transport === "http" && (typeof url !== "string" || url === "")) {
    const remedy = "Set Interactions Endpoint URL to <public address>/discord/interactions while the bot runs.";
    return { state: "fail", detail: "Discord does not know where to post interactions", remedy };
  }
  if (transport === "http" && verify_key !== undefined && verify_key !== public_key?.toLowerCase()) {
    const remedy = "Copy Public Key from the application's General Information into public_key.";
    return { state: "fail", detail: "public_key is another application's", remedy };
  }
  if (bot_public === true && guilds.length === 0) {
    const remedy = "Turn Public Bot off on the Bot page, or name your servers in guilds.";
    return { state: "warn", detail: `${name}: anybody may invite the bot and ask for reviews`, remedy };
  }
  return ok(name);
}

function judgeBudget({ shards, session_start_limit: limit }: z.output<typeof gateway>): Finding {
  const detail = `${limit.remaining} of ${limit.total} sessions of the day are left, ${shards === 1 ? "one shard" : `${shards} shards`}`;
  if (waitForBudget(limit, shards) > 0) {
    const hours = Math.ceil(limit.reset_after / 3_600_000);
    return {
      state: "fail",
      detail,
      remedy: `Look why the bot starts so often; it waits for new ones, at most ${hours} h.`,
    };
  }
  if (limit.remaining * 5 < limit.total) return { state: "warn", detail, remedy: "Look why the bot starts so often." };
  return ok(detail);
}

function ok(detail: string): Finding {
  return { state: "ok", detail };
}

/** As Discord's settings write them. */
function labels(names: readonly string[]): string {
  return names.map((name) => name.replace(/(?<=[a-z])(?=[A-Z])/g, " ")).join(", ");
}
