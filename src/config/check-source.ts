// Checks where a repository is read from: what its kind needs, what it cannot have, and which addresses are safe.
import { isIP } from "node:net";
import type { ConfigPath } from "./mistakes.ts";
import { type Add, type Raw, record } from "./raw.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that say where a repository is, by its kind. */
const places = { git: ["path", "url", "demo"], svn: ["url"], p4: ["p4"] } as const;

export function checkSource(repository: Raw, path: ConfigPath, env: Environment, add: Add): void {
  const { vcs = "git" } = repository;
  if (vcs !== "git" && vcs !== "svn" && vcs !== "p4") return;
  const where = `repositories[${String(path[1])}]`;
  const allowed: readonly string[] = places[vcs];
  const given = ["path", "url", "demo", "p4"].filter((key) => repository[key] !== undefined);
  const foreign = given.find((key) => !allowed.includes(key));
  if (foreign !== undefined) {
    add([...path, foreign], `${where}.${foreign} says nothing for vcs: ${vcs}, which needs ${needed[vcs]}`);
  } else if (given.length === 0) add(path, `${where} needs ${needed[vcs]}`);
  else if (given.length > 1)
    add([...path, given[1] ?? ""], `${where} has both ${given.join(" and ")}; keep one of them.`);
  const { url } = repository;
  if (typeof url === "string" && vcs === "git") checkUrl(url, [...path, "url"], `${where}.url`, add);
  if (typeof url === "string" && vcs === "svn") checkSvnUrl(url, [...path, "url"], `${where}.url`, add);
  if (vcs !== "git" && repository["default_branch"] !== undefined) {
    add([...path, "default_branch"], `${where}.default_branch belongs to git; branches are folders for vcs: ${vcs}.`);
  }
  if (vcs === "p4") {
    const p4 = record(repository["p4"]);
    checkVariable(p4["password_env"], [...path, "p4", "password_env"], env, add);
    if (p4["fingerprint"] !== undefined && typeof p4["port"] === "string" && !/^ssl/i.test(p4["port"])) {
      add([...path, "p4", "fingerprint"], `${where}.p4.fingerprint needs a port that begins with ssl:.`);
    }
  }
  if (repository["credentials"] === undefined) return;
  const at = [...path, "credentials"];
  if (vcs === "p4") add(at, `${where}.credentials belong to a url; Perforce has p4.user and p4.password_env.`);
  else if (url === undefined) add(at, `${where}.credentials belong to a url; a local path needs none.`);
  checkVariable(record(repository["credentials"])["password_env"], [...at, "password_env"], env, add);
}

const needed = {
  git: "a path or a url: where its commits are read from.",
  svn: "a url: the folder whose changes are reviewed.",
  p4: "a group p4 with port, user and depot_path.",
} as const;

/** A secret must be there when the bot starts, and not when somebody first needs it. */
function checkVariable(variable: unknown, path: ConfigPath, env: Environment, add: Add): void {
  if (typeof variable !== "string" || !/^[A-Z_][A-Z0-9_]*$/.test(variable) || (env[variable] ?? "") !== "") return;
  add(path, `The environment variable ${variable} is not set. Set it, or put it into .env beside this file.`);
}

function checkSvnUrl(url: string, path: ConfigPath, where: string, add: Add): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const known = ["https:", "http:", "svn:", "svn+ssh:", "file:"];
  if (parsed === null || !known.includes(parsed.protocol)) {
    add(path, `${where} must begin with https://, svn://, svn+ssh:// or file://.`);
  } else if (parsed.password !== "") add(path, passwordIn(where));
  else if (parsed.protocol === "http:" && !isLoopback(bareHost(parsed))) add(path, unencrypted(where));
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
    add(path, passwordIn(where));
  } else if (parsed.protocol === "http:" && !isLoopback(bareHost(parsed))) {
    add(path, unencrypted(where));
  } else if (!["https:", "http:", "ssh:"].includes(parsed.protocol)) {
    add(path, `${where} must begin with https:// or ssh://; for a local repository use path.`);
  }
}

function passwordIn(where: string): string {
  return `${where} holds a password. Take it out, and name a variable with credentials.password_env.`;
}

function unencrypted(where: string): string {
  return `${where} would send everything unencrypted: use https.`;
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  return isIP(host) === 4 ? host.startsWith("127.") : host === "::1";
}
