// Checks what no single value shows: names that clash or do not exist, settings that exclude or need each other.
import { isIP } from "node:net";
import { commandWords, nearestWord } from "../core/command.ts";
import type { ConfigPath, Mistake } from "./mistakes.ts";

/** What the file may refer to. */
export interface Known {
  readonly agents: readonly string[];
  readonly channels: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;

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
  const repositories = list(file["repositories"]).map(record);
  checkAliases(repositories, add);
  for (const [index, repository] of repositories.entries()) {
    const path = ["repositories", index];
    checkSource(repository, path, env, add);
    checkLinks(record(repository["web"]), [...path, "web"], add);
    checkName(repository["agent"], known.agents, "agent", [...path, "agent"], add);
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
  }
  return mistakes;
}

type Add = (path: ConfigPath, text: string) => void;

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

function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  return isIP(host) === 4 ? host.startsWith("127.") : host === "::1";
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

function checkSource(
  repository: Raw,
  path: ConfigPath,
  env: Readonly<Record<string, string | undefined>>,
  add: Add,
): void {
  const given = ["path", "url", "demo"].filter((key) => repository[key] !== undefined);
  const where = `repositories[${String(path[1])}]`;
  if (given.length === 0) add(path, `${where} needs a path or a url: where its commits are read from.`);
  if (given.length > 1) add([...path, given[1] ?? ""], `${where} has both ${given.join(" and ")}; keep one of them.`);
  const { url } = repository;
  if (typeof url === "string") checkUrl(url, [...path, "url"], `${where}.url`, add);
  if (repository["credentials"] === undefined) return;
  const credentials = record(repository["credentials"]);
  const at = [...path, "credentials"];
  if (url === undefined) add(at, `${where}.credentials belong to a url; a local path needs none.`);
  const variable = credentials["password_env"];
  if (typeof variable === "string" && /^[A-Z_][A-Z0-9_]*$/.test(variable) && (env[variable] ?? "") === "") {
    add(
      [...at, "password_env"],
      `The environment variable ${variable} is not set. Set it, or put it into .env beside this file.`,
    );
  }
}

function checkUrl(url: string, path: ConfigPath, where: string, add: Add): void {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) {
    // The short form of ssh, host:path; a leading hyphen would be read as an option.
    if (!/^(?:[\w.-]+@)?[A-Za-z0-9][\w.-]*:[^\s]+$/.test(url))
      add(path, `${where} must be https://…, ssh://… or host:path.`);
    return;
  }
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) add(path, `${where} is not an address.`);
  else if (parsed.password !== "") {
    add(path, `${where} holds a password. Take it out, and name a variable with credentials.password_env.`);
  } else if (parsed.protocol === "http:" && !isLoopback(parsed.hostname.replace(/^\[|\]$/g, ""))) {
    add(path, `${where} would send everything unencrypted: use https.`);
  } else if (!["https:", "http:", "ssh:"].includes(parsed.protocol)) {
    add(path, `${where} must begin with https:// or ssh://; for a local repository use path.`);
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

function checkName(value: unknown, names: readonly string[], kind: string, path: ConfigPath, add: Add): void {
  if (typeof value !== "string" || value === "" || names.includes(value)) return;
  const near = nearestWord(value, names);
  const hint =
    near !== null
      ? `Did you mean ${near}?`
      : names.length === 0
        ? `There is none at all.`
        : `Known: ${names.join(", ")}.`;
  add(path, `There is no ${kind} ${value}. ${hint}`);
}

function record(value: unknown): Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
