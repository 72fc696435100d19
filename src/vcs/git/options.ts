// What the git adapter is told: the repository's source, its credentials and the limits of one call.
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../process/spawn.ts";

/** How the bot proves itself to a remote. Values never appear in an argument, a log or an error. */
export interface GitCredentials {
  /** For https; `x-access-token` or the like where the host wants a certain one. Default: `git`. */
  readonly username?: string;
  /** For https: a password or token. */
  readonly password?: string;
  /** For ssh: the absolute path of a private key. */
  readonly sshKeyFile?: string;
  /** For ssh: the absolute path of a known_hosts file. Default: that of the bot's account. Unknown hosts are refused. */
  readonly sshKnownHostsFile?: string;
}

export type GitSource =
  /** A local repository or work tree, absolute path. It is only read; only its commits are reviewed. */
  | { readonly kind: "path"; readonly path: string }
  /** https, ssh or `host:path`; http on loopback only. */
  | { readonly kind: "url"; readonly url: string; readonly credentials?: GitCredentials };

export interface GitLimits {
  /** Budget of one call when the caller gives none, ms. Default 60 s. */
  readonly deadlineMs: number;
  /** Budget of one call that fetches from a remote, ms. Default 300 s. */
  readonly fetchDeadlineMs: number;
  /** Most bytes of a diff when the caller gives none. Default 32 MiB. */
  readonly maxDiffBytes: number;
  /** A file larger than this on either side is not diffed, bytes. Default 8 MiB. */
  readonly maxDiffedFileBytes: number;
  /** Most files of a listing. Default 20,000. */
  readonly maxFiles: number;
  /** Most bytes of fetched context when the caller gives none. Default 256 KiB (CONTRACT §A). */
  readonly maxContextBytes: number;
  /** Most lines of one attribution. Default 2,000. */
  readonly maxAttributedLines: number;
}

export const defaultLimits: GitLimits = {
  deadlineMs: 60_000,
  fetchDeadlineMs: 300_000,
  maxDiffBytes: 32 << 20,
  maxDiffedFileBytes: 8 << 20,
  maxFiles: 20_000,
  maxContextBytes: 256 << 10,
  maxAttributedLines: 2000,
};

export interface GitVcsOptions {
  /** Alias of the configured repository. */
  readonly repository: string;
  readonly source: GitSource;
  /** A directory of ours for bare caches, absolute; made when missing. */
  readonly cacheDir: string;
  /** Short name of the default branch, where the repository's own idea of it is wrong. */
  readonly defaultBranch?: string;
  /** The repository's page on its host, by which pasted links are recognised. Default: derived from the URL. */
  readonly webUrl?: string;
  /** Also allows `file://` URLs (mirrors on a mounted disk). Default false. */
  readonly allowFileUrls?: boolean;
  /** Variables that git may need to reach the network: PATH, proxies, a CA file. Default: PATH of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<GitLimits>;
  readonly processes: Processes;
  readonly clock: Clock;
}
