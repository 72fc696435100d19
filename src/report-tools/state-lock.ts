// A lock file between the tool servers of one pass: held for a read-check-write, given up by the dead, waited for a moment.
import { closeSync, linkSync, openSync, readFileSync, renameSync, statSync, unlinkSync, writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { codeOf, removeIfThere } from "./atomic-file.ts";

/** A holder works for milliseconds; one that is alive and older than this is stuck, or its pid was given to another process. */
const staleMs = 2_000;

/** Longer than `staleMs`, so that a stale lock is always got over. */
const patienceMs = 4_000;

export type Locked<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Runs `work` while no other process holds the lock. `work` is synchronous, so that calls of one process never interleave and
 * the lock is never held over a pause.
 *
 * @param token a word of letters and digits that no other process uses.
 */
export async function withLock<T>(path: string, token: string, work: () => T): Promise<Locked<T>> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const taken = take(path);
    if (taken === "taken") break;
    if (taken !== "held") return { kind: "failed", reason: taken.fault };
    if (performance.now() > deadline) return { kind: "failed", reason: "another server holds its lock" };
    if (!breakStale(path, token)) await wait(1 + Math.random() * 4);
  }
  try {
    return { kind: "done", value: work() };
  } finally {
    removeIfThere(path);
  }
}

function take(path: string): "taken" | "held" | { readonly fault: string } {
  try {
    const file = openSync(path, "wx", 0o600);
    try {
      writeSync(file, String(process.pid));
    } finally {
      closeSync(file);
    }
    return "taken";
  } catch (fault) {
    const code = codeOf(fault);
    if (code === "EEXIST") return "held";
    // On a full disk the file may be made and not filled.
    if (code === "ENOSPC" || code === "EDQUOT") removeIfThere(path);
    return { fault: code };
  }
}

/** Removes a lock whose holder is dead or stuck; true when the lock should be tried again at once. */
function breakStale(path: string, token: string): boolean {
  const aside = `${path}.${token}`;
  try {
    const seen = statSync(path);
    const age = Date.now() - seen.mtimeMs;
    if (age < staleMs && isAlive(Number(readFileSync(path, "utf8")))) return false;
    // By rename, because two servers may find the same stale lock: the slower one must not remove the lock the faster one just took.
    renameSync(path, aside);
    if (statSync(aside).ino !== seen.ino) linkSync(aside, path);
    unlinkSync(aside);
    return true;
  } catch (fault) {
    removeIfThere(aside);
    // Released meanwhile. Anything else (a folder planted in the lock's place) is waited for like a lock.
    return codeOf(fault) === "ENOENT";
  }
}

/** Pid 0 (a lock just made, not yet filled) counts as alive. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return codeOf(fault) === "EPERM";
  }
}
