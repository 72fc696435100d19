// What the Perforce adapter is told: the server, the account, the depot path and the limits of one call.
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../process/spawn.ts";

export interface P4Limits {
  /** Budget of one call when the caller gives none, ms. Default 120 s. */
  readonly deadlineMs: number;
  /** Most bytes of a diff when the caller gives none. Default 32 MiB. */
  readonly maxDiffBytes: number;
  /** A file larger than this on either side is not diffed, bytes. Default 8 MiB. */
  readonly maxDiffedFileBytes: number;
  /** Both sides of all files that one diff reads, bytes; what is left over is omitted. Default 256 MiB. */
  readonly maxContentBytes: number;
  /** Most files of a listing. Default 20,000. */
  readonly maxFiles: number;
  /** Most changelists that one review covers since the last reviewed one; older files are cut. Default 200. */
  readonly maxChangelists: number;
  /** Most bytes of fetched context when the caller gives none. Default 256 KiB (CONTRACT §A). */
  readonly maxContextBytes: number;
  /** Most lines of one attribution. Default 2,000. */
  readonly maxAttributedLines: number;
}

export const defaultLimits: P4Limits = {
  deadlineMs: 120_000,
  maxDiffBytes: 32 << 20,
  maxDiffedFileBytes: 8 << 20,
  maxContentBytes: 256 << 20,
  maxFiles: 20_000,
  maxChangelists: 200,
  maxContextBytes: 256 << 10,
  maxAttributedLines: 2000,
};

export interface P4VcsOptions {
  /** Alias of the configured repository. */
  readonly repository: string;
  /** `host:1666` or `ssl:host:1666`; `rsh:` is refused, because it starts a program. */
  readonly port: string;
  /** The bot's own account; nobody else's is ever used. */
  readonly user: string;
  /** Goes to `p4 login` through its stdin alone. Without it a ticket must be in `ticketsFile`. */
  readonly password?: string;
  /** Absolute path of a tickets file that somebody else keeps fresh. Default: a file of ours in `cacheDir`. */
  readonly ticketsFile?: string;
  /** P4CHARSET of a unicode server, usually `utf8`. Default: `none`. */
  readonly charset?: string;
  /** `//depot/game/...`, in Perforce's own encoding: what of the server is this repository. */
  readonly depotPath: string;
  /** SHA-1 or SHA-256 fingerprint of an `ssl:` server's key. No other key is ever trusted. */
  readonly trustFingerprint?: string;
  /** A directory of ours, absolute; made when missing. */
  readonly cacheDir: string;
  /** Where PATH is taken from; nothing else of it reaches p4. Default: PATH of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<P4Limits>;
  readonly processes: Processes;
  readonly clock: Clock;
}
