// Servers, people, commands and the gateway's address, as the small Discord tells them.
import { commandMistakes } from "./body-rules.ts";
import { type Context, type Route, refuse } from "./rest-route.ts";
import { specMistakes } from "./rest-spec.ts";
import { channelJson } from "./rest-threads.ts";
import { isThread, type Json, type WorldGuild } from "./rest-world.ts";

export const placeRoutes: readonly Route[] = [
  [
    "GET",
    "/users/@me",
    ({ world }) => ({ id: world.bot, username: "aicr-bot", discriminator: "0", bot: true, avatar: null }),
  ],
  [
    "GET",
    "/applications/@me",
    ({ world }) => ({ id: world.application, name: "AICR Bot", flags: 0, bot_public: true }),
  ],
  ["POST", "/users/@me/channels", openDm],
  ["GET", "/users/@me/guilds", ({ world }) => [...world.guilds.values()].map(({ id, name }) => ({ id, name }))],
  ["GET", "/guilds/:guild", (context) => guildJson(guildOf(context))],
  ["GET", "/guilds/:guild/roles", (context) => guildJson(guildOf(context))["roles"]],
  ["GET", "/guilds/:guild/members/:user", member],
  ["GET", "/guilds/:guild/channels", channels],
  ["GET", "/applications/:application/commands", ({ world }) => world.commands.get("") ?? []],
  ["PUT", "/applications/:application/commands", replaceCommands],
  [
    "GET",
    "/applications/:application/guilds/:guild/commands",
    ({ world, params }) => world.commands.get(params["guild"] ?? "") ?? [],
  ],
  ["PUT", "/applications/:application/guilds/:guild/commands", replaceCommands],
];

function openDm(context: Context): unknown {
  const { world, body } = context;
  context.check(specMistakes("CreatePrivateChannelRequest", body));
  const dm = world.openDm(String(body["recipient_id"]));
  return channelJson(world, dm);
}

function guildOf({ world, params }: Context): WorldGuild {
  return world.guilds.get(params["guild"] ?? "") ?? refuse(404, 10004, "Unknown Guild");
}

export function guildJson(guild: WorldGuild): Json {
  const { id, name } = guild;
  const roles = guild.roles.map((role) => ({ ...role, permissions: String(role.permissions) }));
  return { id, name, roles, owner_id: "1", preferred_locale: "en-US" };
}

function member(context: Context): unknown {
  const user = context.params["user"] ?? "";
  const roles = guildOf(context).members.get(user);
  if (roles === undefined) return refuse(404, 10007, "Unknown Member");
  return { user: { id: user, username: user }, roles, nick: null };
}

function channels(context: Context): unknown {
  const { id } = guildOf(context);
  const all = [...context.world.channels.values()].filter((one) => one.guild === id && !isThread(one));
  return all.map((one) => channelJson(context.world, one));
}

function replaceCommands(context: Context): unknown {
  const { world, params, json } = context;
  if (params["application"] !== world.application) refuse(403, 20012, "You are not authorized to perform this action");
  const guild = params["guild"] ?? "";
  if (guild !== "" && !world.guilds.has(guild)) refuse(403, 50001, "Missing Access");
  if (!Array.isArray(json)) return refuse(400, 50035, "the body must be a list");
  const commands = json as Json[];
  if (commands.length > 100) refuse(400, 30032, "Maximum number of application commands reached");
  const names = commands.map(({ name }) => name);
  context.check([
    ...commands.flatMap((command) => [
      ...specMistakes("ApplicationCommandUpdateRequest", described(command)),
      ...commandMistakes(command),
    ]),
    ...(new Set(names).size === names.length ? [] : ["a command stands twice"]),
  ]);
  const registered = commands.map((command) => ({
    id: world.newId(),
    application_id: world.application,
    version: world.newId(),
    ...command,
  }));
  world.commands.set(guild, registered);
  return registered;
}

/** Permissions are digits in a string on the wire, a number in the description. */
function described(command: Json): Json {
  const bits = command["default_member_permissions"];
  return typeof bits === "string" && /^\d+$/.test(bits)
    ? { ...command, default_member_permissions: Number(bits) }
    : command;
}
