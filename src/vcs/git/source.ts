// Checks a configured source once, and splits a URL into what git is given and what is kept secret.
import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { badSource } from "./faults.ts";
import type { GitCredentials, GitVcsOptions } from "./options.ts";

export type CheckedSource =
  | { readonly kind: "path"; readonly path: string; readonly cacheKey: string; readonly web: null | WebAddress }
  | {
      readonly kind: "url";
      /** Without user name (but for ssh) and without password. */
      readonly url: string;
      readonly protocol: "https" | "http" | "ssh" | "file";
      readonly credentials: GitCredentials;
      readonly cacheKey: string;
      readonly web: null | WebAddress;
    };

/** Host (lower case, with port) and path (no slash at either end, no `.git`) of the repository's page. */
export interface WebAddress {
  readonly host: string;
  readonly path: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** A host that begins with a hyphen would be an option of ssh (CVE-2017-1000117). */
const SSH_PART = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** Throws AppError `config` for a source that is not allowed. */
export function checkSource(options: GitVcsOptions): CheckedSource {
  const { source, repository } = options;
  const subject = { repository };
  const configuredWeb = options.webUrl === undefined ? null : webAddress(options.webUrl);
  if (source.kind === "path") {
    if (!isAbsolute(source.path)) throw badSource(subject, "the path is not absolute");
    if (/[\0\n]/.test(source.path)) throw badSource(subject, "the path holds a line break");
    return { kind: "path", path: source.path, cacheKey: keyOf("path", source.path), web: configuredWeb };
  }

  const given = source.credentials ?? {};
  if (/[\p{Cc}\s]/u.test(source.url)) throw badSource(subject, "the URL holds white space or control characters");
  // `ext::sh -c …` and its like name a program to run.
  if (/^[^/]*::/.test(source.url) && !source.url.includes("://"))
    throw badSource(subject, "remote helpers are not allowed");
  const scp = source.url.includes("://") ? null : /^(?:([^@/:]+)@)?([^@/:]+):(.+)$/.exec(source.url);
  const text = scp ? `ssh://${scp[1] === undefined ? "" : `${scp[1]}@`}${scp[2]}/${scp[3]}` : source.url;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw badSource(subject, "it is not a URL");
  const protocol = url.protocol.slice(0, -1);

  if (protocol === "file") {
    if (!options.allowFileUrls) throw badSource(subject, "file:// URLs are not allowed");
  } else if (protocol === "http") {
    if (!LOOPBACK.test(url.hostname)) throw badSource(subject, "plain http is allowed on loopback only");
  } else if (protocol === "ssh") {
    if (!SSH_PART.test(url.hostname) || (url.username !== "" && !SSH_PART.test(url.username))) {
      throw badSource(subject, "the ssh host or user is malformed");
    }
  } else if (protocol !== "https") {
    throw badSource(subject, `the protocol ${protocol} is not allowed`);
  }

  const credentials: GitCredentials = {
    ...(url.username !== "" && { username: decodeURIComponent(url.username) }),
    ...(url.password !== "" && { password: decodeURIComponent(url.password) }),
    ...given,
  };
  url.password = "";
  if (protocol !== "ssh") url.username = "";
  return {
    kind: "url",
    // The short form keeps its meaning (a path relative to the account's home).
    url: scp ? source.url : url.href,
    protocol,
    credentials,
    cacheKey: keyOf("url", url.href, JSON.stringify(credentials)),
    web: configuredWeb ?? (protocol === "file" ? null : webAddress(url.href)),
  };
}

/** Null for what is no address of a web page. */
export function webAddress(url: string): WebAddress | null {
  if (!URL.canParse(url)) return null;
  const { hostname, host, protocol, pathname } = new URL(url);
  // A port of ssh says nothing of the web server's.
  const where = protocol === "ssh:" ? hostname : host;
  return { host: where.toLowerCase(), path: pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "") };
}

/** Two credentials may see two different repositories under one URL, so that they must not share a cache. */
function keyOf(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 20);
}
