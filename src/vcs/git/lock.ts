// One writer at a time for a bare cache, across processes; a lock whose owner was killed is taken over.
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../ports/clock.ts";

/** How often a waiter looks again, ms; real time, for the holder is another process. */
const RETRY_MS = 50;
/** A take-over takes a moment; one that is older was itself killed, ms. */
const TAKEOVER_MS = 10_000;

/**
 * Runs `work` while holding the lock file. Gives null when the lock was not free within `waitMs`.
 * @param path the lock file; its folder exists.
 */
export async function withLock<T>(
  path: string,
  clock: Clock,
  waitMs: number,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | null> {
  const until = clock.monotonic() + waitMs;
  const owner = `${process.pid} ${await startTime(process.pid)}\n`;
  while (!(await take(path, owner))) {
    if (await isAbandoned(path)) await removeAbandoned(path);
    else if (clock.monotonic() >= until) return null;
    else await setTimeout(RETRY_MS);
  }
  try {
    return { value: await work() };
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string, owner: string): Promise<boolean> {
  try {
    await writeFile(path, owner, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** A process id alone may have been given to another program since; together with its start time it names one process. */
async function isAbandoned(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return false;
  const [pid, started] = text.trim().split(" ");
  // Made but not yet written: its maker lives, unless it has been so for a while.
  if (pid === undefined || started === undefined) return isOld(path);
  return (await startTime(Number(pid))) !== started;
}

/** Only one of several waiters may remove it, for the next one would remove its successor. */
async function removeAbandoned(path: string): Promise<void> {
  const guard = `${path}.takeover`;
  if (!(await take(guard, ""))) {
    if (await isOld(guard)) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isOld(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => null);
  // File times are wall time, whatever clock the product runs on.
  return facts !== null && Date.now() - facts.mtimeMs > TAKEOVER_MS;
}

/** The kernel's start time of a process, `?` where there is no /proc but the process lives, `gone` when it does not. */
async function startTime(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // The name in parentheses may hold spaces; the start time is field 22, the 20th after it.
  if (text !== null) return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "?";
  try {
    process.kill(pid, 0);
    return "?";
  } catch {
    return "gone";
  }
}
