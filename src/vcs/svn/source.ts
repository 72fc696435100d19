// Checks the configured URL once, splits its secrets off, and makes the only form in which svn is given a target.
import { badSource } from "./faults.ts";
import type { SvnVcsOptions } from "./options.ts";

export interface SvnSource {
  /** Without a slash at its end and without password. */
  readonly url: string;
  readonly protocol: "https" | "http" | "svn" | "svn+ssh" | "file";
  readonly username?: string;
  readonly password?: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** A host that begins with a hyphen would be an option of ssh (CVE-2017-9800). */
const SSH_PART = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** Throws AppError `config` for a URL that is not allowed. */
export function checkSource(options: SvnVcsOptions): SvnSource {
  const subject = { repository: options.repository };
  if (/[\p{Cc}\s]/u.test(options.url)) throw badSource(subject, "the URL holds white space or control characters");
  // Not only as a host: ssh gets the authority, whatever its case or encoding.
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/.exec(options.url);
  if (parts === null || !URL.canParse(options.url)) throw badSource(subject, "it is not a URL");
  const url = new URL(options.url);
  if (url.search !== "" || url.hash !== "") throw badSource(subject, "it has a query or a fragment");
  const protocol = url.protocol.slice(0, -1);
  if (!isProtocol(protocol)) throw badSource(subject, `the protocol ${protocol} is not allowed`);
  if (protocol === "file") {
    if (!options.allowFileUrls) throw badSource(subject, "file:// URLs are not allowed");
    if (url.host !== "" && url.host !== "localhost") throw badSource(subject, "a file:// URL names no host");
  } else if (protocol === "http") {
    if (!LOOPBACK.test(url.hostname)) throw badSource(subject, "plain http is allowed on loopback only");
  } else if (!LOOPBACK.test(url.hostname) && !SSH_PART.test(url.hostname)) {
    if (!/^\[[0-9a-f:.]+\]$/i.test(url.hostname)) throw badSource(subject, "the host is malformed");
  }
  if (protocol === "svn+ssh" && url.username !== "" && !SSH_PART.test(url.username)) {
    throw badSource(subject, "the ssh user is malformed");
  }

  const username = options.username ?? (url.username === "" ? undefined : decode(url.username));
  const password = options.password ?? (url.password === "" ? undefined : decode(url.password));
  const user = protocol === "svn+ssh" && username !== undefined ? `${encodeURIComponent(username)}@` : "";
  if (user !== "" && !SSH_PART.test(username ?? "")) throw badSource(subject, "the ssh user is malformed");
  const path = splitPath(url.pathname)
    .map((part) => encodeSegment(decode(part)))
    .join("/");
  return {
    url: `${protocol}://${user}${url.host}${path === "" ? "" : `/${path}`}`,
    protocol,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  };
}

function isProtocol(protocol: string): protocol is SvnSource["protocol"] {
  return ["https", "http", "svn", "svn+ssh", "file"].includes(protocol);
}

/**
 * A path at a revision, as svn takes it: the peg revision is always there, so that neither an `@` in the name nor a later
 * move of the file matters, and every byte that a URL gives a meaning to is encoded.
 * @param path below the URL, `""` for the URL itself; text as svn's XML gives it.
 */
export function target(url: string, path: string, revision: number | "HEAD"): string {
  const encoded = splitPath(path).map(encodeSegment).join("/");
  return `${url}${encoded === "" ? "" : `/${encoded}`}@${revision}`;
}

/** Characters of the paths of one process: arguments have a limit of some 2 MiB, the URL before each path included. */
const BATCH_LENGTH = 32 << 10;
const BATCH_COUNT = 200;

/** Paths in groups that one process can take as targets. */
export function* inBatches(paths: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const path of paths) {
    if (batch.length >= BATCH_COUNT || length > BATCH_LENGTH) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(path);
    length += path.length;
  }
  if (batch.length > 0) yield batch;
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment);
}

function splitPath(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}

/** What is no valid encoding stands for itself. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
