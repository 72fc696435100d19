// Finds the configured repositories that a host's payload speaks of, by the names and addresses in it.
import type { HostRepository } from "./git-host.ts";

/** A configured repository as its host knows it. */
export interface NamedRepository {
  readonly alias: string;
  /** `owner/name` and the like, on that host. */
  readonly names: readonly string[];
  /** Its configured address; absent for a local path. */
  readonly url?: string;
}

/** The name that a repository's address stands for: `team/game` of `https://git.example.com/team/game.git`. */
export function nameOfUrl(url: string): string | null {
  const path = partsOf(url)?.path;
  if (path === undefined) return null;
  // Bitbucket Server keeps its clones below /scm, wherever the server itself lies.
  return comparable(path.replace(/^(?:.*\/)?scm\/(?=[^/]+\/[^/]+$)/, ""));
}

/** Those among the candidates that are meant; several where one repository is configured more than once. */
export function findRepositories<Candidate extends NamedRepository>(
  candidates: readonly Candidate[],
  host: HostRepository,
): readonly Candidate[] {
  const given = new Set(host.names.map(comparable));
  const named = candidates.filter(({ names }) => names.some((name) => given.has(comparable(name))));
  // Two hosts may both have a team/game. Addresses decide between them, but may also differ: behind a proxy, for one.
  const servers = new Set(host.urls.map((url) => partsOf(url)?.server));
  const exact = named.filter(({ url }) => url !== undefined && servers.has(partsOf(url)?.server));
  return exact.length > 0 ? exact : named;
}

function comparable(name: string): string {
  return name
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/i, "")
    .toLowerCase();
}

function partsOf(url: string): { readonly server: string; readonly path: string } | null {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(url);
  // Without a scheme it is the short form of ssh, host:path.
  const short = scheme ? null : /^(?:[^@/]+@)?([^:/]+):(.+)$/.exec(url);
  if (short !== null) return { server: (short[1] ?? "").toLowerCase(), path: short[2] ?? "" };
  if (!URL.canParse(url)) return null;
  const { hostname, pathname } = new URL(url);
  return { server: hostname.toLowerCase(), path: decoded(pathname) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
