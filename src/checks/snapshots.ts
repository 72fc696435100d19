// What a file contains, told by its size, times and inode as long as these can be trusted, and by its bytes where they cannot.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { statIfAny } from "./stat.ts";

/** `[size, mtimeMs, ctimeMs, inode, content hash, time of hashing in ms]` */
export type Snapshot = readonly [number, number, number, number, string, number];

export interface Snapshots {
  /**
   * The content hash of a regular file; null if there is none at `path`. Reads the file only if its identity is new or young,
   * and looks at it once between two calls of `lookAgain`.
   */
  hash(path: string): string | null;
  /** Forgets what was seen, not what was learnt: at the start of a check, and after an engine has run. */
  lookAgain(): void;
  /** Whether the file has not been touched since `time` (ms since the epoch), as far as its times can tell. */
  untouchedSince(path: string, time: number): boolean;
  /** All that is remembered, for the cache file. */
  entries(): Iterable<readonly [string, Snapshot]>;
  /** Whether anything was learnt since the last call. */
  takeDirty(): boolean;
  /** How many files were read since the start: what tests and the bench count. */
  readonly reads: { count: number };
}

/**
 * A file written twice within one tick of the file system's clock keeps its size and times, so a young file's identity proves
 * nothing (git calls it racily clean). Linux ticks every 4 ms, FAT every 2 s and shows whole seconds.
 */
const fineTickMs = 50;
const coarseTickMs = 2_100;

export interface SnapshotsOptions {
  readonly known?: Iterable<readonly [string, Snapshot]>;
  /** Wall time in ms; it is compared with file times. */
  readonly now: () => number;
}

export function createSnapshots(options: SnapshotsOptions): Snapshots {
  const known = new Map<string, Snapshot>(options.known ?? []);
  const seen = new Map<string, string | null>();
  const reads = { count: 0 };
  let dirty = false;

  function hash(path: string): string | null {
    const stats = statIfAny(path);
    if (stats === undefined || !stats.isFile()) {
      dirty = known.delete(path) || dirty;
      return null;
    }
    const before = known.get(path);
    if (
      before !== undefined &&
      before[0] === stats.size &&
      before[1] === stats.mtimeMs &&
      before[2] === stats.ctimeMs &&
      before[3] === stats.ino &&
      before[5] - Math.max(before[1], before[2]) > tickOf(before[1])
    ) {
      return before[4];
    }
    const hashedAt = options.now();
    const digest = contentHash(readFileSync(path));
    reads.count++;
    known.set(path, [stats.size, stats.mtimeMs, stats.ctimeMs, stats.ino, digest, hashedAt]);
    dirty = true;
    return digest;
  }

  return {
    hash(path) {
      let found = seen.get(path);
      if (found === undefined) {
        try {
          found = hash(path);
        } catch {
          // Unreadable, or gone between the two calls.
          found = null;
        }
        seen.set(path, found);
      }
      return found;
    },
    lookAgain: () => seen.clear(),
    untouchedSince(path, time) {
      const stats = statIfAny(path);
      if (stats === undefined) return false;
      return Math.max(stats.mtimeMs, stats.ctimeMs) < time - tickOf(stats.mtimeMs);
    },
    entries: () => known.entries(),
    takeDirty() {
      const was = dirty;
      dirty = false;
      return was;
    },
    reads,
  };
}

function tickOf(mtimeMs: number): number {
  return Number.isInteger(mtimeMs / 1000) ? coarseTickMs : fineTickMs;
}

/** 96 bits: two contents of one path never meet by chance. */
export function contentHash(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 16);
}
