// What the Subversion adapter is told: the URL whose changes are reviewed, its credentials and the limits of one call.
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../process/spawn.ts";

export interface SvnLimits {
  /** Budget of one call when the caller gives none, ms. Default 300 s: every call asks the server. */
  readonly deadlineMs: number;
  /** Most bytes of a diff when the caller gives none. Default 32 MiB. */
  readonly maxDiffBytes: number;
  /** A file larger than this on either side is not diffed, bytes. Default 8 MiB. */
  readonly maxDiffedFileBytes: number;
  /** Contents that one diff may read, bytes; beyond them files are left out. Default 256 MiB. */
  readonly maxComparedBytes: number;
  /** Most files of a listing. Default 5,000: each costs a request to the server. */
  readonly maxFiles: number;
  /** Most bytes of fetched context when the caller gives none. Default 256 KiB (CONTRACT §A). */
  readonly maxContextBytes: number;
  /** Most lines of one attribution. Default 2,000. */
  readonly maxAttributedLines: number;
}

export const defaultLimits: SvnLimits = {
  deadlineMs: 300_000,
  maxDiffBytes: 32 << 20,
  maxDiffedFileBytes: 8 << 20,
  maxComparedBytes: 256 << 20,
  maxFiles: 5000,
  maxContextBytes: 256 << 10,
  maxAttributedLines: 2000,
};

export interface SvnVcsOptions {
  /** Alias of the configured repository. */
  readonly repository: string;
  /**
   * The folder whose changes are reviewed (`https://host/repo/trunk`): it is the default branch, and paths are relative to
   * it. https, svn, svn+ssh; http on loopback only.
   */
  readonly url: string;
  /** Default: the one in the URL. */
  readonly username?: string;
  /** Given to svn on its stdin: it appears in no argument, no file and no error. */
  readonly password?: string;
  /** A directory of ours for svn's empty configuration and short-lived files, absolute; made when missing. */
  readonly cacheDir: string;
  /** For svn+ssh: the absolute path of a private key. */
  readonly sshKeyFile?: string;
  /** For svn+ssh: the absolute path of a known_hosts file. Default: that of the bot's account. Unknown hosts are refused. */
  readonly sshKnownHostsFile?: string;
  /** Also allows `file://` URLs (a repository on this machine). Default false. */
  readonly allowFileUrls?: boolean;
  /** Variables that svn may need to reach the network: PATH, a CA file. Default: PATH of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<SvnLimits>;
  readonly processes: Processes;
  readonly clock: Clock;
}
