// The fake's methods about people, conversations, views and files.
import type { Clock } from "../../../src/ports/clock.ts";
import { isRecord } from "./block-check.ts";
import { checkView } from "./block-kit.ts";
import type { Given } from "./web-api-arguments.ts";
import { type Caller, type Method, type Result, refuse, scopeMissing, visible } from "./web-api-messages.ts";
import type { FakeFile, FakeView } from "./web-api-state.ts";

function word(given: Given, name: string): string {
  return typeof given[name] === "string" ? given[name] : "";
}

export const authTest: Method = ({ team, bot }) => ({
  ok: true,
  url: "https://example.slack.com/",
  team: team.name,
  team_id: team.id,
  user: "reviewbot",
  user_id: bot.botUserId,
  bot_id: bot.botId,
});

export const conversationInfo: Method = (caller, given) => {
  const found = visible(caller, word(given, "channel"));
  if (found === null) return refuse("channel_not_found");
  const needed = { public: "channels:read", private: "groups:read", im: "im:read", mpim: "mpim:read" }[found.kind];
  if (!caller.bot.scopes.has(needed)) return scopeMissing(caller, needed);
  const channel = {
    id: found.id,
    ...(found.name === undefined ? {} : { name: found.name }),
    is_im: found.kind === "im",
    is_mpim: found.kind === "mpim",
    is_private: found.kind !== "public",
    is_archived: found.isArchived,
    is_member: found.members.has(caller.bot.botUserId),
  };
  return { ok: true, channel };
};

export const openConversation: Method = ({ team, bot, state }, given) => {
  const user = team.users.get(word(given, "users"));
  if (user === undefined) return refuse("user_not_found");
  if (user.isBot === true) return refuse("cannot_dm_bot");
  const pair = [bot.botUserId, user.id];
  const standing = [...team.conversations.values()].find(
    ({ kind, members }) => kind === "im" && pair.every((one) => members.has(one)),
  );
  if (standing !== undefined) return { ok: true, already_open: true, channel: { id: standing.id } };
  const id = state.nextId("D");
  team.conversations.set(id, { id, kind: "im", members: new Set(pair), isArchived: false, messages: [] });
  return { ok: true, channel: { id } };
};

export const userInfo: Method = ({ team, bot }, given) => {
  const user = team.users.get(word(given, "user"));
  if (user === undefined) return refuse("user_not_found");
  const { id, name, realName, locale, timeZone, email } = user;
  return {
    ok: true,
    user: {
      id,
      team_id: team.id,
      name,
      ...(realName === undefined ? {} : { real_name: realName }),
      ...(given["include_locale"] === true && locale !== undefined ? { locale } : {}),
      ...(timeZone === undefined ? {} : { tz: timeZone }),
      is_bot: user.isBot === true,
      is_restricted: user.isGuest === true,
      is_ultra_restricted: false,
      is_admin: user.isAdmin === true,
      is_owner: false,
      profile: {
        display_name: "",
        real_name: realName ?? name,
        ...(email !== undefined && bot.scopes.has("users:read.email") ? { email } : {}),
      },
    },
  };
};

export const usergroups: Method = ({ team }, given) => ({
  ok: true,
  usergroups: [...team.usergroups].map(([id, users]) => ({
    id,
    handle: id.toLowerCase(),
    ...(given["include_users"] === true ? { users } : {}),
  })),
});

function viewRefusal(view: unknown, kind: "modal" | "home"): Result | null {
  const mistakes = checkView(view, kind);
  if (mistakes.length === 0) return null;
  const messages = mistakes.map(({ message, pointer }) => `[ERROR] ${message} [json-pointer:${pointer}]`);
  return refuse("invalid_arguments", { response_metadata: { messages } });
}

/** The trigger lives three seconds, Slack's own latency among them, and serves once. */
export function createViewMethods(clock: Clock): Readonly<Record<string, Method>> {
  const open: Method = ({ state, team }, given) => {
    const trigger = state.triggers.get(word(given, "trigger_id"));
    if (trigger === undefined || trigger.team !== team.id) return refuse("invalid_trigger_id");
    if (clock.now() >= trigger.expiresAt) return refuse("expired_trigger_id");
    if (trigger.isUsed) return refuse("exchanged_trigger_id");
    const refused = viewRefusal(given["view"], "modal");
    if (refused !== null) return refused;
    trigger.isUsed = true;
    return store({ state, team }, given["view"], trigger.user);
  };

  const update: Method = ({ state, team }, given) => {
    const standing = team.views.get(word(given, "view_id"));
    if (standing === undefined) return refuse("not_found");
    if (given["hash"] !== undefined && given["hash"] !== standing.hash) return refuse("hash_conflict");
    const refused = viewRefusal(given["view"], standing.view["type"] === "home" ? "home" : "modal");
    if (refused !== null) return refused;
    return store({ state, team }, given["view"], standing.user, standing.id);
  };

  const publish: Method = ({ state, team }, given) => {
    const user = word(given, "user_id");
    if (!team.users.has(user)) return refuse("user_not_found");
    const refused = viewRefusal(given["view"], "home");
    if (refused !== null) return refused;
    const answer = store({ state, team }, given["view"], user, team.homes.get(user)?.id);
    const view = [...team.views.values()].at(-1);
    if (view !== undefined) team.homes.set(user, view);
    return answer;
  };

  return { "views.open": open, "views.push": open, "views.update": update, "views.publish": publish };

  function store({ state, team }: Pick<Caller, "state" | "team">, view: unknown, user?: string, id?: string): Result {
    const given = isRecord(view) ? view : {};
    const stored: FakeView = {
      id: id ?? state.nextId("V"),
      view: given,
      hash: `${state.nextTs()}.hash`,
      ...(user === undefined ? {} : { user }),
    };
    team.views.delete(stored.id);
    team.views.set(stored.id, stored);
    return { ok: true, view: { ...given, id: stored.id, hash: stored.hash } };
  }
}

/** @param origin where the uploads go. */
export function createFileMethods(origin: () => string): Readonly<Record<string, Method>> {
  const ticket: Method = ({ state, team }, given) => {
    const { length } = given;
    if (typeof length !== "number" || length === 0) return refuse("missing_argument");
    const altText = word(given, "alt_txt");
    if (altText.length > 1_000) return refuse("alt_txt_too_large");
    const id = state.nextId("F");
    const file: FakeFile = { id, name: word(given, "filename"), length, isShared: false };
    team.files.set(id, altText === "" ? file : { ...file, altText });
    return { ok: true, upload_url: `${origin()}/upload/v1/${team.id}/${id}`, file_id: id };
  };

  const complete: Method = (caller, given) => {
    const { team, bot, state } = caller;
    const asked = Array.isArray(given["files"]) ? (given["files"] as unknown[]) : [];
    const [first] = asked;
    if (asked.length !== 1 || !isRecord(first)) return refuse("invalid_arguments");
    const file = team.files.get(String(first["id"]));
    if (file?.bytes === undefined || file.isShared) return refuse("file_not_found");
    const found = visible(caller, word(given, "channel_id"));
    if (found === null) return refuse("invalid_channel");
    if (found.isArchived || !found.members.has(bot.botUserId)) return refuse("posting_to_channel_denied");
    const thread = given["thread_ts"];
    if (typeof thread === "string" && !found.messages.some(({ ts }) => ts === thread))
      return refuse("thread_not_found");
    file.title = typeof first["title"] === "string" ? first["title"] : file.name;
    file.isShared = true;
    found.messages.push({
      ts: state.nextTs(),
      ...(typeof thread === "string" ? { thread } : {}),
      user: bot.botUserId,
      botId: bot.botId,
      text: word(given, "initial_comment"),
      blocks: [],
      files: [file],
      reactions: new Map(),
      edits: 0,
      isTombstone: false,
    });
    // The message is not told: Slack shares in its own time.
    return { ok: true, files: [{ id: file.id, title: file.title }] };
  };

  const remove: Method = ({ team }, given) => {
    const id = word(given, "file");
    if (!team.files.delete(id)) return refuse("file_not_found");
    for (const { messages } of team.conversations.values()) {
      const at = messages.findIndex(({ files }) => files?.some((file) => file.id === id) === true);
      if (at !== -1) messages.splice(at, 1);
    }
    return { ok: true };
  };

  const info: Method = ({ team }, given) => {
    const file = team.files.get(word(given, "file"));
    if (file === undefined) return refuse("file_not_found");
    const permalink = `https://example.slack.com/files/${team.id}/${file.id}/file`;
    return { ok: true, file: { id: file.id, name: file.name, title: file.title, permalink } };
  };

  return {
    "files.getUploadURLExternal": ticket,
    "files.completeUploadExternal": complete,
    "files.delete": remove,
    "files.info": info,
  };
}
