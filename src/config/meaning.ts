// Checks what no single value shows: names that clash or do not exist, settings that exclude or need each other.
import { commandWords } from "../core/command.ts";
import { checkChannelAddresses, checkChannelSecrets } from "./channel-secrets.ts";
import { agentNames, checkAgents } from "./check-agents.ts";
import { checkName } from "./check-name.ts";
import { checkSource, isLoopback } from "./check-source.ts";
import { globsOfDepot } from "./depot-globs.ts";
import type { ConfigPath, Mistake } from "./mistakes.ts";
import { checkTriggers, checkWebhooks } from "./push-sources.ts";
import { type Add, list, type Raw, record } from "./raw.ts";

/** What the file may refer to. */
export interface Known {
  readonly channels: readonly string[];
}

/**
 * Looks at the file as it is written, so that it finds its mistakes even where the schema has found others. Whatever has
 * not the form that it expects is left to the schema.
 */
export function checkMeaning(
  raw: unknown,
  known: Known,
  env: Readonly<Record<string, string | undefined>>,
): readonly Mistake[] {
  const file = record(raw);
  const mistakes: Mistake[] = [];
  const add = (path: ConfigPath, text: string): void => void mistakes.push({ path, text });
  checkServer(record(file["server"]), add);
  checkAgents(file, env, add);
  const agents = agentNames(file);
  const repositories = list(file["repositories"]).map(record);
  checkAliases(repositories, add);
  for (const [index, repository] of repositories.entries()) {
    const path = ["repositories", index];
    checkSource(repository, path, env, add);
    checkLinks(record(repository["web"]), [...path, "web"], add);
    checkName(repository["agent"], agents, "agent", [...path, "agent"], add);
    for (const [place, one] of list(repository["visible_to"]).entries()) {
      checkName(record(one)["channel"], known.channels, "channel", [...path, "visible_to", place, "channel"], add);
    }
  }
  const aliases = repositories.map(({ alias }) => alias).filter((alias) => typeof alias === "string");
  for (const [index, one] of list(file["subscriptions"]).map(record).entries()) {
    const path = ["subscriptions", index];
    checkName(one["repository"], aliases, "repository", [...path, "repository"], add);
    const channel = record(one["conversation"])["channel"];
    checkName(channel, known.channels, "channel", [...path, "conversation", "channel"], add);
    checkPaths(one, repositories.find(({ alias }) => alias === one["repository"]) ?? {}, path, add);
  }
  for (const [index, one] of list(file["roles"]).map(record).entries()) {
    checkName(one["channel"], known.channels, "channel", ["roles", index, "channel"], add);
  }
  checkName(record(file["operators"])["channel"], known.channels, "channel", ["operators", "channel"], add);
  const { host = "127.0.0.1", public_url: publicUrl } = record(file["server"]);
  const pushing = {
    repositories,
    env,
    isLocal: typeof host === "string" && isLoopback(host) && publicUrl === undefined,
    checkAlias: (value: unknown, path: ConfigPath) => checkName(value, aliases, "repository", path, add),
    add,
  };
  checkWebhooks(list(file["webhooks"]).map(record), pushing);
  checkTriggers(record(file["triggers"]), pushing);
  checkChannelSecrets(record(file["channels"]), env, add);
  checkChannelAddresses(record(file["channels"]), add);
  return mistakes;
}

function checkServer(server: Raw, add: Add): void {
  const { host, public_url: publicUrl } = server as { host?: unknown; public_url?: unknown };
  if (typeof host === "string" && host !== "" && !isLoopback(host) && publicUrl === undefined) {
    add(
      ["server", "host"],
      `server.host ${JSON.stringify(host)} lets other machines in. Use 127.0.0.1, or set server.public_url to say that you mean it.`,
    );
  }
  if (typeof publicUrl !== "string" || !/^https?:\/\//.test(publicUrl)) return;
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : null;
  if (url === null) add(["server", "public_url"], "server.public_url is not an address.");
  else if (url.search !== "" || url.hash !== "" || url.username !== "" || url.pathname !== "/") {
    add(["server", "public_url"], "server.public_url must be a bare address such as https://bot.example.com.");
  }
}

function checkAliases(repositories: readonly Raw[], add: Add): void {
  const seen = new Map<string, number>();
  for (const [index, { alias }] of repositories.entries()) {
    if (typeof alias !== "string") continue;
    const path = ["repositories", index, "alias"];
    // Chat commands are read without regard to case.
    const name = alias.toLowerCase();
    if ((commandWords as readonly string[]).includes(name)) {
      add(path, `The alias ${alias} is a word of the command language; give the repository another one.`);
    }
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else add(path, `The alias ${alias} is already that of repositories[${first}]; give each repository its own.`);
  }
}

/** A depot path outside of the repository would make a subscription hear nothing, and say nothing about it. */
function checkPaths(subscription: Raw, repository: Raw, path: ConfigPath, add: Add): void {
  const depotPath = record(repository["p4"])["depot_path"];
  if (repository["vcs"] !== "p4" || typeof depotPath !== "string") return;
  for (const key of ["path", "watch_path", "include_cr_file", "exclude_cr_file"]) {
    const given = subscription[key];
    for (const [index, glob] of (Array.isArray(given) ? given : [given]).entries()) {
      if (typeof glob !== "string" || globsOfDepot(glob.replace(/^-/, ""), depotPath) !== null) continue;
      add(
        Array.isArray(given) ? [...path, key, index] : [...path, key],
        `${glob} lies outside of ${depotPath}, which is the repository ${String(repository["alias"])}.`,
      );
    }
  }
}

const placeholders: Readonly<
  Record<string, { readonly needed: readonly string[]; readonly allowed: readonly string[] }>
> = {
  commit: { needed: ["rev"], allowed: ["rev"] },
  file: { needed: ["path"], allowed: ["rev", "path"] },
  line: { needed: ["line"], allowed: ["line", "endLine"] },
  lines: { needed: ["line"], allowed: ["line", "endLine"] },
};

function checkLinks(web: Raw, path: ConfigPath, add: Add): void {
  for (const [key, { needed, allowed }] of Object.entries(placeholders)) {
    const template = web[key];
    if (typeof template !== "string") continue;
    const used = [...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
    const missing = needed.filter((name) => !used.includes(name));
    const unknown = used.find((name) => !allowed.includes(name));
    const where = `web.${key}`;
    if (unknown !== undefined) {
      add(
        [...path, key],
        `${where} has {${unknown}}, which stands for nothing; known are ${allowed.map((name) => `{${name}}`).join(", ")}.`,
      );
    } else if (missing.length > 0)
      add([...path, key], `${where} lacks {${missing.join("}, {")}}, so that every link would be the same.`);
  }
  if ((web["line"] !== undefined || web["lines"] !== undefined) && web["file"] === undefined) {
    add(path, "web.line and web.lines follow the address of web.file, which is missing.");
  }
}
